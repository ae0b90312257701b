"""Nothing that an audit finds depends on the order of the rows; the paper's readings do."""

from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from kpboost.auditing import audit
from kpboost.auditing._data import audit_data_of
from support.planted_data import planted
from support.shared_data import read_points


def passengers(seed=0, n_rows=1316):
    """Class, sex and age group of travellers: 12 different rows, and chances of survival."""
    rng = np.random.default_rng(seed)
    travels = rng.choice(3, n_rows, p=[0.25, 0.22, 0.53])
    woman, child = rng.random(n_rows) < 0.35, rng.random(n_rows) < 0.08
    chance = np.where(woman, np.array([0.95, 0.88, 0.48])[travels], 0.2)
    y = (rng.random(n_rows) < np.where(child & (travels < 2), 0.95, chance)).astype(int)
    return np.column_stack([travels, woman, child]).astype(float), y


def orders(X, y, n_shuffles):
    """As it is, by label, by a column, and shuffled."""
    yield np.arange(y.size)
    yield np.argsort(y, kind="stable")
    yield np.lexsort((y, X[:, 0]))
    for seed in range(n_shuffles):
        yield np.random.default_rng(seed).permutation(y.size)


def findings(found, order):
    """What an audit finds, with rows as they were before they were put in order."""
    parts = {
        (each.name, each.n_correct, each.p_value, each.where, frozenset(order[list(each.rows)]))
        for each in found.disjuncts
    }
    scores = [(each.name, each.accuracy, each.gsdi) for each in found.models]
    return parts, scores, but_for_order(found.verdict), found.readings[0], found.classes


def but_for_order(verdict):
    """A verdict without what it says about the order of the rows, which is the file's."""
    kept = [
        tuple(each for each in said if "order of the rows" not in each)
        for said in (verdict.sentences, verdict.warnings)
    ]
    return replace(verdict, sentences=kept[0], warnings=kept[1])


def test_few_different_rows_give_no_flag_in_any_order():
    X, y = passengers()
    told = [
        findings(audit(X[order], y[order], "svm", remedies="never"), order)
        for order in orders(X, y, 1)
    ]
    assert all(each == told[0] for each in told)
    parts, _, verdict, *_ = told[0]
    assert verdict.headline.startswith(("Nothing", "One class"))
    assert not any(p_value <= 0.05 for _, _, p_value, *_ in parts)


def test_contradictory_rows_are_named_with_what_they_leave():
    X, y = passengers()
    found = audit(X, y, "svm", remedies="never")
    frame = pd.DataFrame(X).assign(y=y)
    best = frame.groupby([0, 1, 2])["y"].agg(lambda own: max(own.sum(), (1 - own).sum())).sum()
    assert found.data.best_accuracy == pytest.approx(best / y.size)
    words = " ".join(found.verdict.sentences)
    assert f"at least {y.size - best} errors that nobody can avoid" in words
    assert f"more than {best / y.size:.1%} of all rows right" in words


@pytest.mark.parametrize("name", ["iris", "balance", "car3", "hayes"])
def test_real_tables(name):
    X, y = read_points(name)
    some = np.random.default_rng(0).permutation(len(y))[:600]  # files may be sorted by class
    X, y = X[some], np.asarray(y)[some]
    told = [
        findings(audit(X[order], y[order], "svm", cv=3, remedies="never"), order)
        for order in orders(X, y, 1)
    ]
    assert all(each == told[0] for each in told)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_model_of_ones_own_that_depends_on_the_order_and_on_columns_that_are_no_features(make):
    X, y, _ = planted(n_common=150)
    X = np.round(X)  # many equal rows
    cells = {"a": X[:, 0], "b": X[:, 1], "nr": np.random.default_rng(0).permutation(y.size)}
    told = []
    for order in orders(X, y, 1):
        table = make({name: column[order] for name, column in cells.items()})
        found = audit(table, y[order], SGDClassifier(shuffle=False), remedies=["svm_balanced"])
        tried = found.remedies and found.remedies.questions
        told.append((*findings(found, order), tried))
    assert all(each == told[0] for each in told)


def test_samples_are_the_same_rows_in_any_order():
    X, y, _ = planted()
    taken = [
        {tuple(row) for row in audit_data_of(X[order], y[order], 120, 0).table.values}
        for order in orders(X, y, 1)
    ]
    assert all(each == taken[0] for each in taken)


def test_folds_of_ones_own_are_of_the_rows_as_given():
    X, y, _ = planted(n_common=100)
    seen = []

    class Looking(DecisionTreeClassifier):
        def predict(self, X):
            seen.append(set(map(tuple, X)))
            return super().predict(X)

    audit(X, y, Looking(), KFold(4), remedies="never")
    tests = [set(map(tuple, X[test])) for _, test in KFold(4).split(X)]
    assert seen == tests
    seen.clear()
    audit(X, y, Looking(), [(tr, te) for tr, te in KFold(4).split(X)], remedies="never")
    assert seen == tests


def test_a_missed_place_is_found_among_equal_rows():
    """Two cells of a grid belong to the other class, and a straight line cannot say so."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, size=(900, 2)).astype(float)
    cell = 6 * X[:, 0] + X[:, 1]
    inside = np.isin(cell, [8, 19])
    y = (rng.random(900) < np.where(inside, 0.9, np.where(X.sum(axis=1) > 8, 0.8, 0.06))).astype(
        int
    )
    found = audit(X, y, LogisticRegression(), remedies="never").missed
    where = [set(cell[list(each.rows)]) for each in found]
    assert {8.0} in where
    assert {19.0} in where
