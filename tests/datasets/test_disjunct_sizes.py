"""Sizes add up and follow the ratios."""

import pytest
from hypothesis import given, strategies as st

from kpboost.datasets import disjunct_sizes


def test_by_hand():
    assert disjunct_sizes(90, n_disjuncts=2, imbalance_ratio=2, size_ratio=2) == [
        [40, 20],
        [20, 10],
    ]


@given(
    st.integers(1, 4), st.integers(1, 5), st.integers(0, 500), st.floats(1, 1e4), st.floats(1, 1e4)
)
def test_all_points_are_used_and_no_disjunct_is_empty(classes, disjuncts, more, ratio, size_ratio):
    total = classes * disjuncts + more
    sizes = disjunct_sizes(
        total,
        n_classes=classes,
        n_disjuncts=disjuncts,
        imbalance_ratio=ratio,
        size_ratio=size_ratio,
    )
    assert [len(row) for row in sizes] == [disjuncts] * classes
    assert sum(map(sum, sizes)) == total
    assert all(row == sorted(row, reverse=True) and row[-1] >= 1 for row in sizes)


def test_ratios_of_many_points():
    sizes = disjunct_sizes(100_000, n_classes=3, n_disjuncts=4, imbalance_ratio=9, size_ratio=20)
    totals = [sum(row) for row in sizes]
    assert totals[0] / totals[-1] == pytest.approx(9, rel=0.01)
    assert totals[0] / totals[1] == pytest.approx(3, rel=0.01)
    assert all(row[0] / row[-1] == pytest.approx(20, rel=0.01) for row in sizes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 5}, "n_samples=5 .* at least 6"),
        ({"n_samples": 10.0}, "n_samples=10.0"),
        ({"n_samples": 9, "n_classes": 0}, "n_classes=0"),
        ({"n_samples": 9, "n_disjuncts": True}, "n_disjuncts=True"),
        ({"n_samples": 9, "imbalance_ratio": 0.5}, "imbalance_ratio=0.5 .* at least 1"),
        ({"n_samples": 9, "size_ratio": float("inf")}, "size_ratio=inf"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        disjunct_sizes(**arguments)
