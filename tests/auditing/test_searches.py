import numpy as np
import pytest

from kpboost.auditing._audit import all_findings, null_hypothesis
from kpboost.auditing._data import material_of, neighbours_of, parts_of
from kpboost.auditing._models import subjects_of
from kpboost.auditing._significance import LEVEL, missed_p_values
from kpboost.model_selection import make_folds
from planted_data import planted


def searched(n_noise):
    X, y, _ = planted()
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(len(y), n_noise))])
    material = material_of(X, y, 1000, 0)
    folds = make_folds(material.codes, 5, 0)
    answers = subjects_of("svm", material, 0)[0].answer(material, folds)
    neighbours = neighbours_of(material.points)
    parts = parts_of(neighbours, material.codes)
    null = null_hypothesis(neighbours, answers, material, folds)
    return null, parts, material


@pytest.mark.parametrize(("n_noise", "n_searches"), [(0, 1), (1, 2)])
def test_the_searches_share_the_error_rate(n_noise, n_searches):
    null, parts, material = searched(n_noise)
    alone = missed_p_values(null, material.codes, parts, seed=0)
    for found in all_findings(null, parts, material, 0):
        if not found.where:
            own = alone[parts.labels[found.rows[0]]]
            assert found.p_value == pytest.approx(min(1.0, n_searches * own))
        assert found.missed == (found.p_value <= LEVEL)


def test_two_columns_have_no_boxes_and_ten_have():
    assert not any(each.where for each in all_findings(*searched(0), 0))
    assert any(each.where for each in all_findings(*searched(8), 0))


def test_the_answers_are_the_likeliest_classes_and_all_that_is_missed_is_described():
    null, parts, material = searched(8)
    rows = np.arange(null.predicted.size)
    own = null.probabilities[rows, null.predicted]
    np.testing.assert_allclose(own, null.probabilities.max(axis=1))
    for found in all_findings(null, parts, material, 0):
        assert (found.description is not None) == found.missed
