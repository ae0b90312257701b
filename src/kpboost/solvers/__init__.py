"""The SVM dual on a Gram matrix: solve it, warm-start it, judge a solution."""

from kpboost._core import StopFlag

from .dual import DEFAULT_MAX_ITER, DualProblem, solve_dual
from .gram import DenseGram
from .solution import DualSolution

__all__ = ["DEFAULT_MAX_ITER", "DenseGram", "DualProblem", "DualSolution", "StopFlag", "solve_dual"]
