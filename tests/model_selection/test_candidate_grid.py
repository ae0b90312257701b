"""The candidates come in GridSearchCV's order, whatever is complete."""

import numpy as np
import pytest
from sklearn.model_selection import ParameterGrid

from kpboost import KPBoostSVCCV
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
