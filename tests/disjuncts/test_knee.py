"""The knee next to numpy's fits, and cases done by hand."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from kpboost.disjuncts._finder import find_knee


def errors_by_polyfit(curve):
    def error(x, y):
        return np.abs(y - np.polyval(np.polyfit(x, y, 1), x)).sum()

    x = np.arange(curve.size)
    return [
        error(x[: b + 1], curve[: b + 1]) + error(x[b:], curve[b:])
        for b in range(1, curve.size - 1)
    ]


def test_two_lines_meet_at_the_knee():
    curve = np.array([*range(30, 9, -3), *range(10, -1, -2)])
    assert find_knee(np.array([30, 27, 24, 21, 18, 15, 12, 10, 8, 6, 4, 2, 0]), "kaplan") == 6
    assert find_knee(curve[:3], "kaplan") == 1


@pytest.mark.parametrize("slope", [0.0, -1.0, -1 / 3, 1e7])
def test_first_break_of_a_straight_line(slope):
    assert find_knee(slope * np.arange(11) + 0.1, "kaplan") == 1


@given(arrays(np.int32, st.integers(4, 25), elements=st.integers(0, 1000)))
def test_no_break_is_better(curve):
    curve = np.sort(curve)[::-1].astype(np.float64)
    errors = errors_by_polyfit(curve)
    knee = find_knee(curve, "kaplan")
    assert errors[knee - 1] <= min(errors) + 1e-8 * max(np.ptp(curve), 1)
    assert all(error > errors[knee - 1] - 1e-8 * np.ptp(curve) for error in errors[: knee - 1])


@pytest.mark.parametrize(
    ("curve", "knee", "shifted"),
    [
        ([100, 40, 20, 18, 16, 14], 1, 2),  # falls by 60, then by 20: a third
        ([100, 40, 21, 20, 19, 18], 1, 1),  # then by 19: less than 0.33
        ([5, 5, 5, 5], 1, 2),  # 0 is not less than 0.33 times 0
    ],
)
def test_extra_step(curve, knee, shifted):
    assert find_knee(np.array(curve), "kaplan") == knee
    assert find_knee(np.array(curve), "kaplan_shift") == shifted


@pytest.mark.parametrize("rule", ["kaplan", "kaplan_shift"])
@pytest.mark.parametrize("length", [1, 2])
def test_without_a_knee_the_last_point(rule, length):
    assert find_knee(np.array([9, 4][:length]), rule) == length - 1


def test_never_an_end():
    for seed in range(50):
        curve = np.random.default_rng(seed).integers(0, 50, size=7)
        assert 0 < find_knee(curve, "kaplan") < 6
        assert find_knee(curve, "kaplan_shift") <= 6
