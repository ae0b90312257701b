"""Data sets: generators whose disjuncts are known."""

from .disjunct_sizes import disjunct_sizes
from .make_disjuncts import make_disjuncts

__all__ = ["disjunct_sizes", "make_disjuncts"]
