import numpy as np
import pytest

from kpboost.svm._conformal_svc import AdaptiveConformal, stretch
from kpboost.svm._perturbation import BaseKernel, Problem, Stage, SupportPlaces


def places(n_positive, n_negative):
    n = n_positive + n_negative
    positive = np.arange(n) < n_positive
    return SupportPlaces(np.zeros((n, 1)), positive, np.zeros(n), np.zeros(n))


@pytest.mark.parametrize(
    ("n_positive", "n_negative", "skew", "expected"),
    [
        (2, 8, "ratio", (4.0, 0.25)),
        (2, 8, "mild", (1.0, 0.25)),
        (8, 2, "ratio", (1.0, 1.0)),
        (8, 2, "mild", (1.0, 1.0)),
        (3, 3, "ratio", (1.0, 1.0)),
        (2, 8, (3.0, 0.5), (3.0, 0.5)),
        (8, 2, (3, 1), (3.0, 1.0)),
    ],
)
def test_widths_are_stretched_by_side(n_positive, n_negative, skew, expected):
    assert stretch(places(n_positive, n_negative), skew) == expected


def factor_of(X, target, **options):
    n = len(X)
    problem = Problem(np.asarray(X), np.array(target)[:, None], np.ones(n), np.ones(n))
    stage = Stage(np.ones((1, n)), np.zeros(1), np.zeros((n, 1)), np.zeros(n), 0.0, 1, True, None)
    return AdaptiveConformal(BaseKernel("rbf", 0.5), "sqeuclidean", **options)(problem, stage)


def test_two_points_by_hand():
    """One opposite point each: tau^2 is the distance of the images, 2 - 2 exp(-0.5)."""
    factor = factor_of([[0.0], [1.0]], [1.0, -1.0])
    np.testing.assert_allclose(factor.widths, 2.0 - 2.0 * np.exp(-0.5))


def test_points_of_both_classes_at_one_place_take_the_smallest_other_width():
    factor = factor_of([[0.0], [0.0], [3.0]], [1.0, -1.0, 1.0], width_skew=(1.0, 1.0))
    np.testing.assert_allclose(factor.widths, 2.0 - 2.0 * np.exp(-4.5))


def test_nothing_but_one_place_or_one_side_stops():
    assert factor_of([[0.0], [0.0]], [1.0, -1.0]) is None
    assert factor_of([[0.0], [1.0]], [1.0, 1.0]) is None
