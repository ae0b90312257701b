"""Missed disjuncts of trained models: as the audit finds them, without training anything."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from kpboost.auditing import audit, missed_disjuncts
from kpboost.auditing._data import audit_data_of
from kpboost.model_selection import make_folds
from support.planted_data import one_cloud_each, planted


def trained_by_folds(model, X, y):
    """One model per fold of the audit, and the rows' owners."""
    data = audit_data_of(X, y, y.size, 0)
    owners = np.empty(y.size, dtype=np.intp)
    models = []
    for number, (train, test) in enumerate(make_folds(data.codes, 5, 0)):
        owners[data.rows[test]] = number
        rows = data.rows[train]
        models.append(type(model)(**model.get_params()).fit(X[rows], y[rows]))
    return models, owners


@pytest.mark.parametrize("model", [SVC(), LogisticRegression(), SVC(C=100.0)], ids=str)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_audit_finds_the_same(model, seed):
    X, y, _ = planted(seed)
    missed = missed_disjuncts(X, y, *trained_by_folds(model, X, y))
    assert missed == audit(X, y, model, remedies="never").missed


def test_the_audit_finds_the_same_boxes_in_many_columns():
    X, y, _ = planted()
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(len(y), 8))])
    missed = missed_disjuncts(X, y, *trained_by_folds(SVC(), X, y))
    assert any(each.where for each in missed)
    assert missed == audit(X, y, SVC(), remedies="never").missed


def test_the_planted_part_is_found_and_named():
    X, y, part = planted()
    (missed,) = missed_disjuncts(X, y, *trained_by_folds(SVC(), X, y))
    assert set(missed.rows) == set(np.flatnonzero(part == 2))
    assert missed.description.medoid in missed.rows
    assert missed.description.mistaken_for == {"common": 10}


def test_nothing_is_invented():
    for seed in range(5):
        X, y = one_cloud_each(seed)
        assert missed_disjuncts(X, y, *trained_by_folds(SVC(), X, y)) == ()


def test_row_numbers_are_those_of_the_table_given():
    X, y, part = planted()
    models, owners = trained_by_folds(SVC(), X, y)
    gone = np.arange(y.size) % 7 == 0
    labels = np.where(gone, None, y)
    (missed,) = missed_disjuncts(X, labels, models, owners)
    assert set(missed.rows) == set(np.flatnonzero((part == 2) & ~gone))
    assert missed.description.medoid in missed.rows
    assert all(y[each.row] == "common" for each in missed.description.wrong_neighbours)


def test_a_model_may_answer_with_a_class_that_the_rows_lack():
    class Stranger(ClassifierMixin, BaseEstimator):
        classes_ = np.array(["common", "rare", "unheard of"])

        def fit(self, X, y):
            raise AssertionError("a trained model is not trained again")

        def predict(self, X):
            return np.where(X[:, 0] < -1, "unheard of", "common")

    X, y, _ = planted()
    model = Stranger()
    model.fitted_ = True
    missed = missed_disjuncts(X, y, [model], np.zeros(y.size, dtype=np.intp))
    named = {each.name: each.description.mistaken_for for each in missed}
    assert named["rare/2"] == {"unheard of": 10}


def test_frames_reach_the_model_as_frames():
    X, y, part = planted(small=20)
    frame = pd.DataFrame(X, columns=["width", "<script>"])
    model = LogisticRegression().fit(frame, y)
    missed = missed_disjuncts(frame, y, [model], np.zeros(y.size, dtype=np.intp))
    columns = {trait.column for each in missed for trait in each.description.from_own_class}
    assert columns <= {"width", "<script>"}
    assert {*np.flatnonzero(part == 2)} <= {row for each in missed for row in each.rows}
