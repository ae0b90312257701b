"""The SVM dual on a Gram matrix: solve it, warm-start it, judge a solution."""

from kpboost._core import StopFlag
from kpboost._public import publish

from ._dual import (
    DEFAULT_MAX_ITER,
    DenseGram,
    DualProblem,
    DualSolution,
    several_threads,
    solve_dual,
)

__all__ = [
    "DEFAULT_MAX_ITER",
    "DenseGram",
    "DualProblem",
    "DualSolution",
    "StopFlag",
    "several_threads",
    "solve_dual",
]

# For the other packages of ours; nothing here is promised to users.
from ._dual import rescaled_start as rescaled_start, warn_of_gap as warn_of_gap

publish(__name__, __all__)
