import numpy as np
import pytest

from kpboost.auditing._data import audit_data_of, neighbours_of, parts_of
from kpboost.auditing._findings import disjunct_findings
from kpboost.auditing._models import models_of
from kpboost.auditing._significance import LEVEL, missed_p_values, null_hypothesis
from kpboost.model_selection import make_folds
from support.planted_data import planted


def searched(n_noise):
    """What the search for missed disjuncts is given."""
    X, y, _ = planted()
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(len(y), n_noise))])
    data = audit_data_of(X, y, 1000, 0)
    folds = make_folds(data.codes, 5, 0)
    predictions = models_of("svm", data, 0)[0].out_of_fold(data, folds)
    neighbours = neighbours_of(data.points)
    return data, neighbours, parts_of(neighbours, data.codes), predictions, folds


@pytest.mark.parametrize(("n_noise", "n_searches"), [(0, 1), (1, 2)])
def test_the_searches_share_the_error_rate(n_noise, n_searches):
    data, neighbours, parts, predictions, folds = searched(n_noise)
    null = null_hypothesis(data, neighbours, predictions, folds)
    alone = missed_p_values(null, data.codes, parts, seed=0)
    for found in disjunct_findings(data, neighbours, parts, predictions, folds, 0):
        if not found.where:
            own = alone[parts.labels[found.rows[0]]]
            assert found.p_value == pytest.approx(min(1.0, n_searches * own))
        assert found.missed == (found.p_value <= LEVEL)


def test_two_columns_have_no_boxes_and_ten_have():
    assert not any(each.where for each in disjunct_findings(*searched(0), 0))
    assert any(each.where for each in disjunct_findings(*searched(8), 0))


def test_the_predictions_are_the_likeliest_classes_and_all_that_is_missed_is_described():
    data, neighbours, parts, predictions, folds = searched(8)
    null = null_hypothesis(data, neighbours, predictions, folds)
    rows = np.arange(null.predicted.size)
    own = null.probabilities[rows, null.predicted]
    np.testing.assert_allclose(own, null.probabilities.max(axis=1))
    for found in disjunct_findings(data, neighbours, parts, predictions, folds, 0):
        assert (found.description is not None) == found.missed
