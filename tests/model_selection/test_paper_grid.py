"""The paper's grids, next to its own words."""

from decimal import Decimal
from itertools import pairwise

import pytest
from numpy.testing import assert_allclose

from kpboost.kernels import gamma_to_length_scale
from kpboost.model_selection import paper_grid
from kpboost.model_selection._grids import LENGTH_SCALES, PERTURBATION_STEPS

# As printed, with the first two and the last of every run: the dots go on by the same difference.
STEPS_IN_WORDS = "1e-4 2e-4 ... 9e-4 1e-3 2e-3 ... 9e-3 1e-2 2e-2 ... 9e-2 0.1 0.2 ... 1"
LENGTH_SCALES_IN_WORDS = "0.01 0.02 ... 0.1 0.2 ... 1 2 ... 10 20 ... 100 200"


def written_out(words):
    """Fill in the dots, exactly."""
    tokens, values = words.split(), []
    for before, token in pairwise(["", *tokens]):
        if token == "...":
            continue
        value = Decimal(token)
        if before == "...":
            difference = values[-1] - values[-2]
            while values[-1] + difference < value:
                values.append(values[-1] + difference)
        values.append(value)
    return [float(value) for value in values]


def test_the_dots_are_read_rightly():
    assert written_out("1 2 ... 5 7 ... 11") == [1, 2, 3, 4, 5, 7, 9, 11]


def test_the_perturbation_steps():
    assert list(PERTURBATION_STEPS) == written_out(STEPS_IN_WORDS)
    assert len(PERTURBATION_STEPS) == 37


def test_the_length_scales():
    assert list(LENGTH_SCALES) == written_out(LENGTH_SCALES_IN_WORDS)
    assert len(LENGTH_SCALES) == 38


def test_the_whole_setting():
    grid = paper_grid()
    assert grid.Cs == (100.0, 1000.0)
    assert grid.perturbation_steps == PERTURBATION_STEPS
    assert grid.roi_scales == (0.6, 0.7, 0.8)
    assert grid.n_estimators == 10
    assert_allclose(gamma_to_length_scale(list(grid.gammas)), LENGTH_SCALES[::-1], rtol=1e-14)


def test_it_cannot_be_changed():
    with pytest.raises(AttributeError):
        paper_grid().Cs = (1.0,)
