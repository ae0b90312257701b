import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as npst
from numpy.testing import assert_allclose
from sklearn.svm import SVC

from kpboost.problems._multiclass import class_pairs, one_vs_one_scores


@pytest.mark.parametrize("name", ["iris", "wine", "digits"])
def test_same_scores_as_svc(load, name):
    """SVC shows both sides of its aggregation: pairwise values and scores per class."""
    X, y = load(name)
    machine = SVC(gamma=0.05, decision_function_shape="ovo").fit(X, y)
    values = machine.decision_function(X)
    machine.set_params(decision_function_shape="ovr")
    scores = machine.decision_function(X)
    # SVC's pairwise values are positive for the earlier class, ours for the later one.
    assert_allclose(one_vs_one_scores(-values, machine.classes_.size), scores, rtol=1e-12)


def finite_values(n_pairs):
    return npst.arrays(np.float64, (3, n_pairs), elements=st.floats(-1e6, 1e6))


@given(st.integers(3, 6).flatmap(lambda k: finite_values(k * (k - 1) // 2).map(lambda v: (k, v))))
def test_confidence_never_overrules_a_vote(case):
    n_classes, values = case
    scores = one_vs_one_scores(values, n_classes)
    votes = np.zeros_like(scores)
    for value, (first, second) in zip(values.T, class_pairs(n_classes), strict=True):
        votes[:, first] += value <= 0
        votes[:, second] += value > 0
    assert_allclose(np.rint(scores), votes)
    assert np.all(np.abs(scores - votes) <= 1 / 3)


def test_confidence_breaks_a_tie():
    # 0 beats 1, 1 beats 2, 2 beats 0 by far: one vote each.
    values = np.array([[-0.1, 5.0, -0.1]])
    assert one_vs_one_scores(values, 3).argmax() == 2
