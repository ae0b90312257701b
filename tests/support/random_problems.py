"""Problems that are hard on a solver, from a recipe that prints itself when a test fails."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from kpboost.kernels import rbf_kernel


class Problem(NamedTuple):
    gram: np.ndarray
    y: np.ndarray
    C: np.ndarray
    scale: np.ndarray | None


@dataclass(frozen=True)
class Recipe:
    """Ingredients of one problem; everything not named here comes from `seed`."""

    n: int
    seed: int
    n_features: int = 3
    sigma: float = 1.0
    C: float = 100.0
    rare: float = 0.5  # share of the smaller class
    noise: float = 0.2  # share of the labels that are random
    copies: float = 0.0  # share of the points that repeat another point
    conflicts: bool = False  # copies carry the other label
    grid: int | None = None  # features rounded to this many steps per unit
    constant: bool = False  # the first feature says nothing
    shrunk: float = 1.0  # the last feature is multiplied by this
    uneven: bool = False  # a bound per point, some of them zero
    decay: float | None = None  # scale = exp(-decay * u), u uniform in [0, 1], a third of them 0


def build(recipe: Recipe) -> Problem:
    """Cook it."""
    rng = np.random.default_rng(recipe.seed)
    X = _points(recipe, rng)
    y = _labels(recipe, X, rng)
    _copy_points(recipe, X, y, rng)
    _keep_both_classes(y)
    gram = rbf_kernel(X, gamma=0.5 / recipe.sigma**2)
    return Problem(gram, y, _bounds(recipe, rng), _scale(recipe, rng))


def _points(recipe, rng):
    X = rng.normal(size=(recipe.n, recipe.n_features))
    if recipe.constant:
        X[:, 0] = 1.0
    if recipe.grid is not None:
        X = np.round(X * recipe.grid) / recipe.grid
    X[:, -1] *= recipe.shrunk
    return X


def _labels(recipe, X, rng):
    height = np.sin(2 * X).sum(axis=1)
    y = np.where(height >= np.quantile(height, 1 - recipe.rare), 1.0, -1.0)
    drawn = rng.random(recipe.n) < recipe.noise
    y[drawn] = rng.choice([-1.0, 1.0], size=drawn.sum())
    return y


def _copy_points(recipe, X, y, rng):
    to = np.flatnonzero(rng.random(recipe.n) < recipe.copies)
    source = rng.integers(recipe.n, size=to.size)
    X[to] = X[source]
    y[to] = -y[source] if recipe.conflicts else y[source]


def _keep_both_classes(y):
    if np.ptp(y) == 0:
        y[0] = -y[0]


def _bounds(recipe, rng):
    if not recipe.uneven:
        return np.full(recipe.n, recipe.C)
    return recipe.C * rng.choice([0.0, 0.01, 0.5, 1.0, rng.random()], size=recipe.n)


def _scale(recipe, rng):
    if recipe.decay is None:
        return None
    return np.exp(-recipe.decay * rng.random(recipe.n) * (rng.random(recipe.n) > 1 / 3))


def _spread(low, high):
    """Numbers between low and high, evenly by their logarithm."""
    return st.floats(np.log(low), np.log(high)).map(lambda x: float(f"{np.exp(x):.3g}"))


def recipes(max_points=400):
    """All the trouble at once that boosting rounds and parameter grids meet."""
    return st.builds(
        Recipe,
        n=st.one_of(st.integers(2, 12), st.integers(2, max_points)),
        seed=st.integers(0, 2**32 - 1),
        n_features=st.integers(1, 8),
        sigma=_spread(0.1, 100),
        C=_spread(1, 1e6),
        rare=st.sampled_from([0.5, 0.2, 0.02]),
        noise=st.sampled_from([0.0, 0.1, 1.0]),
        copies=st.sampled_from([0.0, 0.3, 0.9]),
        conflicts=st.booleans(),
        grid=st.sampled_from([None, 1, 4]),
        constant=st.booleans(),
        shrunk=st.sampled_from([1.0, 1e-3, 1e-9, 1e-160, 0.0]),
        uneven=st.booleans(),
        decay=st.sampled_from([None, 1.0, 20.0, 400.0]),
    )


def random_recipe(seed):
    """The same without Hypothesis, and beyond it: larger C and sizes, features next to nothing."""
    rng = np.random.default_rng(seed)

    def spread(low, high):
        return float(f"{np.exp(rng.uniform(np.log(low), np.log(high))):.3g}")

    def one_of(choices):
        return choices[rng.integers(len(choices))]

    return Recipe(
        n=int(rng.integers(2, one_of([13, 101, 401, 401, 801]))),
        seed=seed,
        n_features=int(rng.integers(1, 9)),
        sigma=spread(0.1, 100),
        C=spread(1, 1e6),
        rare=one_of([0.5, 0.2, 0.02]),
        noise=one_of([0.0, 0.1, 1.0]),
        copies=one_of([0.0, 0.3, 0.9]),
        conflicts=one_of([False, True]),
        grid=one_of([None, 1, 4]),
        constant=one_of([False, True]),
        shrunk=one_of([1.0, 1e-3, 1e-9, 1e-160, 0.0]),
        uneven=one_of([False, True]),
        decay=one_of([None, 1.0, 20.0, 400.0]),
    )
