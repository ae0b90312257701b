"""One method of a comparison: an estimator by its dotted name, its grids, and how it is built."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .grids import Grid, Parameters, Part, needs_best_width, without
from .partitions import NESTED

BoolArray = NDArray[np.bool_]

# Whose best sigma the other kernel methods follow.
PLAIN_SVM = "svm"

# What evaluates the candidates of one width: one after the other; on one kernel matrix; by the
# boosting that shares its first round; or all pairs of decays from one machine.
ONE_BY_ONE, ON_GRAM, BOOSTING, DECAY_PAIRS = "one by one", "on gram", "boosting", "decay pairs"


@dataclass(frozen=True, slots=True)
class Method:
    """One entry of a comparison.

    Attributes
    ----------
    name : str
        The short name.
    title : str
        As tables call it.
    estimator : str
        Dotted name of its class.
    grids : mapping from str to Grid
        By "quick" and "paper".
    fixed : mapping
        Parameters that no grid varies.
    as_paper : mapping
        Those of them that have another value under the paper's protocols, with that value.
    engine : str
        What evaluates its candidates.
    seeded : bool
        Whether it takes a random_state.
    nominal : str or None
        The parameter that takes the mask of nominal columns; None for a method that reads them as
        numbers.
    two_class : tuple of str
        Parameters that mean something for two classes only.
    extra : str or None
        The extra of kpboost that installs what it needs.
    in_paper : bool
        Whether the paper's tables have it.
    """

    name: str
    title: str
    estimator: str
    grids: Mapping[str, Grid]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    as_paper: Mapping[str, Any] = field(default_factory=dict)
    engine: str = ONE_BY_ONE
    seeded: bool = False
    nominal: str | None = None
    two_class: tuple[str, ...] = ()
    extra: str | None = None
    in_paper: bool = True

    def under(self, protocol: str) -> "Method":
        """Return the method as a protocol wants it: the paper's own are true to the letter."""
        if protocol == NESTED:
            return self
        return replace(self, fixed={**self.fixed, **self.as_paper})

    def needs(self, grid: str) -> tuple[str, ...]:
        """Return the methods that must have been tried before."""
        return (PLAIN_SVM,) if needs_best_width(self.grids[grid]) else ()

    def candidates(self, part: Part, n_classes: int) -> tuple[Parameters, ...]:
        """Return what of a part of its grid is tried on data with so many classes.

        Candidates that would differ by nothing but the draw are one: the best of several draws
        would flatter the method where the choice is made on the test folds.
        """
        if n_classes == 2 or not self.two_class:
            return part.candidates
        return without(self.two_class, part.candidates)

    def build(
        self, candidate: Parameters, gamma: float | None, seed: int, nominal: BoolArray
    ) -> Any:
        """Return the estimator of a candidate.

        Parameters
        ----------
        candidate : mapping
        gamma : float or None
            Kernel width; None for a method without.
        seed : int
            For methods that draw.
        nominal : ndarray of bool of shape (d,)
            For methods that tell names from numbers.
        """
        values: dict[str, Any] = {**self.fixed, **candidate}
        if gamma is not None:
            values["gamma"] = gamma
        if self.seeded:
            values["random_state"] = seed
        model = self.estimator_class()(**values)
        if self.nominal is None:
            return model
        # A clone, so that a weak learner among the fixed parameters stays as it is.
        return clone(model).set_params(**{self.nominal: nominal})

    def estimator_class(self) -> Any:
        """Import the class, or say in one sentence what is missing."""
        module, _, name = self.estimator.rpartition(".")
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            hint = f"; pip install 'kpboost[{self.extra}]' brings it" if self.extra else ""
            raise ValueError(f"The method {self.name!r} needs {self.estimator}{hint}.") from error
