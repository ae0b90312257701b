import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kpboost.problems._multiclass import binary_problems, class_pairs


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
