import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import recall_score

from kpboost.model_selection._search import HeldOut


def test_recalls_are_scikit_learns():
    draw = np.random.default_rng(0)
    codes, weight = draw.integers(0, 4, 60), draw.uniform(0.1, 2.0, 60)
    predicted = draw.integers(0, 4, (3, 2, 60))
    ours = HeldOut(None, codes, weight, np.arange(4)).recalls(predicted)
    for place in np.ndindex(3, 2):
        theirs = recall_score(codes, predicted[place], average=None, sample_weight=weight)
        assert_allclose(ours[place], theirs)


@pytest.mark.filterwarnings("error")
def test_a_class_without_test_points_is_nan():
    test = HeldOut(None, np.array([0, 0, 2]), None, np.arange(3))
    recalls = test.recalls(np.array([[0, 1, 2]]))
    assert_array_equal(recalls, [[0.5, np.nan, 1.0]])
