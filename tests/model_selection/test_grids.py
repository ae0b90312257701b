"""The candidates come in GridSearchCV's order, whatever is complete."""

from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import ParameterGrid

from kpboost import KPBoostSVCCV
from kpboost.kernels import gamma_to_length_scale
from kpboost.model_selection import paper_grid
from kpboost.model_selection._boosting_grid import Candidate
from kpboost.model_selection._grids import LENGTH_SCALES, PERTURBATION_STEPS

CS, GAMMAS, STEPS, SCALES = (1.0, 10.0, 5.0), ("scale", 0.1, 2.0), (0.1, 0.01), (None, 0.6)


def axes_of(Cs, gammas, steps, scales):
    search = KPBoostSVCCV(Cs, gammas=gammas, perturbation_steps=steps, roi_scales=scales)
    return search, search._check_parameters()


@pytest.mark.parametrize("n_gammas", [1, 2, 3])
def test_the_order_is_that_of_scikit_learns_parameter_grid(n_gammas):
    search, axes = axes_of(CS, GAMMAS, STEPS, SCALES)
    candidates = [Candidate(*v) for v in ((C, s, r) for C in CS for s in STEPS for r in SCALES)]
    trials = [[{each: (gamma, each) for each in candidates}] for gamma in GAMMAS[:n_gammas]]
    grid, results = search._in_table_order(axes, trials)
    complete = {**axes, "gamma": list(GAMMAS[:n_gammas])}
    assert grid == list(ParameterGrid(complete))
    for point, ((gamma, candidate),) in zip(grid, results, strict=True):
        found = (candidate.C, gamma, candidate.perturbation_step, candidate.roi_scale)
        assert found == tuple(point.values())


def test_the_papers_axes():
    _, axes = axes_of([100.0], "paper", "paper", [None])
    assert axes["perturbation_step"] == list(PERTURBATION_STEPS)
    assert len(axes["gamma"]) == len(LENGTH_SCALES)


@pytest.mark.parametrize("kind", [list, tuple, np.array, iter])
def test_axes_of_any_kind(kind):
    _, axes = axes_of(kind([1.0, 2.0]), kind([0.1]), kind([0.1, 0.2]), kind([0.5]))
    assert list(axes.values()) == [[1.0, 2.0], [0.1], [0.1, 0.2], [0.5]]


def test_a_bad_value_is_named_with_its_place():
    with pytest.raises(ValueError, match=r"^gammas\[1\]='wide' is not allowed; it must be 'scale'"):
        axes_of([1.0], ["scale", "wide"], [0.1], [None])
    with pytest.raises(ValueError, match=r"^Cs='paper' is not allowed; it must be a sequence"):
        axes_of("paper", "paper", "paper", [None])


# The paper's grids, next to its own words.


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
