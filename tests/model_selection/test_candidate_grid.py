"""The candidates come in GridSearchCV's order, whatever is complete."""

import numpy as np
import pytest
from sklearn.model_selection import ParameterGrid

from kpboost.model_selection._grids import LENGTH_SCALES, PERTURBATION_STEPS, candidate_grid

CS, GAMMAS, STEPS, SCALES = (1.0, 10.0, 5.0), ("scale", 0.1, 2.0), (0.1, 0.01), (None, 0.6)


@pytest.mark.parametrize("n_gammas", [1, 2, 3])
def test_the_order_is_that_of_scikit_learns_parameter_grid(n_gammas):
    grid = candidate_grid(CS, GAMMAS, STEPS, SCALES)
    names = ("C", "gamma", "perturbation_step", "roi_scale")
    axes = dict(zip(names, (CS, GAMMAS[:n_gammas], STEPS, SCALES), strict=True))
    found = [grid.parameters(*place) for place in grid.table_order(n_gammas)]
    assert found == list(ParameterGrid({name: list(axis) for name, axis in axes.items()}))


def test_the_papers_axes():
    grid = candidate_grid([100.0], "paper", "paper", [None])
    assert [each.perturbation_step for each in grid.candidates] == list(PERTURBATION_STEPS)
    assert len(grid.gammas) == len(LENGTH_SCALES)


@pytest.mark.parametrize("kind", [list, tuple, np.array, iter])
def test_axes_of_any_kind(kind):
    grid = candidate_grid(kind([1.0, 2.0]), kind([0.1]), kind([0.1, 0.2]), kind([0.5]))
    assert len(grid.table_order(1)) == 4


def test_a_bad_value_is_named_with_its_place():
    with pytest.raises(ValueError, match=r"^gammas\[1\]='wide' is not allowed; it must be 'scale'"):
        candidate_grid([1.0], ["scale", "wide"], [0.1], [None])
    with pytest.raises(ValueError, match=r"^Cs='paper' is not allowed; it must be a sequence"):
        candidate_grid("paper", "paper", "paper", [None])
