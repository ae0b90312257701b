"""The gate, worked by hand."""

import numpy as np
import pytest

from kpboost.ensemble._width_boosting import DiversityGate

UP = np.ones(4)
SHARE = np.full(4, 0.25)


def flipped(*points):
    answers = UP.copy()
    answers[list(points)] = -1.0
    return answers


def test_by_hand():
    gate = DiversityGate(0.5, SHARE)
    assert gate.admits(UP)
    gate.add(UP, 1.0)
    assert gate.largest == 0.0
    assert gate.admits(UP)  # nothing to compare with yet
    gate.add(flipped(0, 1, 2), 0.5)  # 3/4 differ: mean (0 + 3/4) / 2
    assert gate.largest == pytest.approx(0.375)
    assert gate.admits(UP)  # (3/4) / 3 = 1/4, above half of 0.375
    gate.add(UP, 1.0)
    assert gate.largest == pytest.approx(0.375)
    # (3/4) / 4 = 0.1875 is exactly half
    assert gate.admits(UP)
    gate.add(UP, 1.0)
    assert not gate.admits(UP)  # (3/4) / 5 = 0.15
    assert gate.admits(flipped(3))  # (3/4 + 1/4) / 5 = 0.2


def test_the_ensemble_is_the_weighted_vote():
    gate = DiversityGate(1.0, SHARE)
    gate.add(UP, 1.0)
    gate.add(-UP, 3.0)
    gate.add(-UP, 1.0)  # agrees with the vote
    assert gate.total == pytest.approx(1.0)


def test_weights_are_shares_of_points():
    gate = DiversityGate(0.5, np.array([0.7, 0.1, 0.1, 0.1]))
    gate.add(UP, 1.0)
    gate.add(flipped(0), 1.0)
    assert gate.total == pytest.approx(0.7)


def test_without_a_fraction_all_are_admitted():
    gate = DiversityGate(None, SHARE)
    gate.add(UP, 1.0)
    gate.add(-UP, 1.0)
    assert gate.admits(UP)
