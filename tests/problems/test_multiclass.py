import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as npst
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC

from kpboost.problems._multiclass import (
    binary_problems,
    class_pairs,
    one_vs_one_scores,
    positive_sides,
)


@pytest.fixture
def codes():
    return np.array([2, 0, 1, 0, 2, 1])


def test_pairs_come_in_scikit_learns_order():
    assert class_pairs(4).tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]


def test_one_vs_one_takes_the_rows_of_the_pair(codes):
    problems = list(binary_problems(codes, 3, "one_vs_one"))
    assert [problem.rows.tolist() for problem in problems] == [
        [1, 2, 3, 5],
        [0, 1, 3, 4],
        [0, 2, 4, 5],
    ]
    assert_array_equal(problems[0].target, [-1, 1, -1, 1])
    assert_array_equal(problems[1].target, [1, -1, -1, 1])
    assert_array_equal(problems[2].target, [1, -1, 1, -1])


def test_one_vs_rest_takes_all_rows(codes):
    problems = list(binary_problems(codes, 3, "one_vs_rest"))
    assert len(problems) == 3
    for one, problem in enumerate(problems):
        assert_array_equal(problem.rows, np.arange(codes.size))
        assert_array_equal(problem.target, np.where(codes == one, 1, -1))


@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
def test_two_classes_make_one_problem(multi_class):
    (problem,) = binary_problems(np.array([0, 1, 1]), 2, multi_class)
    assert_array_equal(problem.rows, [0, 1, 2])
    assert_array_equal(problem.target, [-1, 1, 1])


# The rarer side is the positive one, unless the user says otherwise.


def sides(codes, weight=None, multi_class="one_vs_one", pos_label=None, classes=None):
    codes = np.asarray(codes)
    classes = np.unique(codes) if classes is None else np.asarray(classes)
    problems = list(binary_problems(codes, classes.size, multi_class))
    weight = np.ones(codes.size) if weight is None else np.asarray(weight, dtype=float)
    return positive_sides(problems, weight, classes, pos_label)


@pytest.mark.parametrize(
    ("codes", "sign"), [([0, 0, 1], 1.0), ([0, 1, 1], -1.0), ([0, 1], -1.0), ([1, 0, 1, 0], -1.0)]
)
def test_the_rarer_class_or_the_first_on_a_tie(codes, sign):
    assert_array_equal(sides(codes), [sign])


def test_weights_count_as_repetition():
    assert_array_equal(sides([0, 0, 1], [1, 1, 3]), [-1.0])
    assert_array_equal(sides([0, 0, 1], [1, 1, 2]), [-1.0])  # a tie
    assert_array_equal(sides([0, 0, 1], [1, 1, 1]), [1.0])


def test_every_pair_has_its_own_rarer_side():
    # Class sizes 2, 3, 1: of (0, 1) the first is rarer, of (0, 2) and (1, 2) the second.
    assert_array_equal(sides([0, 0, 1, 1, 1, 2]), [-1.0, 1.0, 1.0])


def test_one_class_is_usually_rarer_than_the_rest():
    codes = [0, 0, 0, 0, 0, 1, 1, 2]
    assert_array_equal(sides(codes, multi_class="one_vs_rest"), [-1.0, 1.0, 1.0])
    # Class 0 weighs as much as the rest: the one class is positive.
    assert_array_equal(sides([0, 0, 1, 2], multi_class="one_vs_rest"), [1.0, 1.0, 1.0])


@pytest.mark.parametrize(
    ("classes", "pos_label", "sign"),
    [(["no", "yes"], "yes", 1.0), (["no", "yes"], "no", -1.0), ([0, 1], 0, -1.0)],
)
def test_a_given_label_is_positive(classes, pos_label, sign):
    assert_array_equal(sides([0, 1, 1, 0, 0], classes=classes, pos_label=pos_label), [sign])


@pytest.mark.parametrize("pos_label", ["maybe", 3, [0, 1], ["yes"], np.array(["no"]), np.nan])
def test_a_label_that_is_not_there_is_refused(pos_label):
    with pytest.raises(ValueError, match=r"pos_label=.* not a label of y; .* \['no', 'yes'\]"):
        sides([0, 1], classes=["no", "yes"], pos_label=pos_label)


def test_a_label_is_for_two_classes():
    with pytest.raises(ValueError, match="pos_label=1 is for two classes; y has 3"):
        sides([0, 1, 2], pos_label=1)


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
