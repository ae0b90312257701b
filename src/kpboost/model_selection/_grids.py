"""The paper's grid, and the axes of a search as the user gives them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kpboost.kernels import length_scale_to_gamma

# S, the perturbation steps: 1e-4, 2e-4, ..., 9e-4, 1e-3, ..., 9e-2, 0.1, 0.2, ..., 1.
PERTURBATION_STEPS: tuple[float, ...] = (
    *(round(digit * 10.0**power, 5) for power in (-4, -3, -2) for digit in range(1, 10)),
    *(round(digit / 10.0, 5) for digit in range(1, 11)),
)

# sigma of the plain SVM: 0.01, 0.02, ..., 0.1, 0.2, ..., 1, 2, ..., 10, 20, ..., 100, 200.
LENGTH_SCALES: tuple[float, ...] = (
    *(round(digit * 10.0**power, 5) for power in (-2, -1, 0, 1) for digit in range(1, 10)),
    100.0,
    200.0,
)

# sigma of D-SVM, KBA, ACT, AKS and AKS-chi2, in units of the plain SVM's best one.
RELATIVE_LENGTH_SCALES = (0.5, 0.75, 1.0, 1.25, 1.5)

REGULARISATIONS = (100.0, 1000.0)
ROI_SCALES = (0.6, 0.7, 0.8)
N_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class PaperGrid:
    """The setting of the paper's experiments with KPBoost-SVM and KPBoostROI-SVM.

    Attributes
    ----------
    Cs : tuple of float
        C_r.
    gammas : tuple of float
        1 / (2 sigma^2) for the grid of the plain SVM, from the widest kernel to the narrowest.
        KPBoost has the same: factors of the plain SVM's best sigma are given to contenders only.
    perturbation_steps : tuple of float
        varsigma, 37 values.
    roi_scales : tuple of float
        vartheta, for KPBoostROI-SVM.
    n_estimators : int
        T.

    See Also
    --------
    paper_grid : Returns it.

    Examples
    --------
    >>> from kpboost.model_selection import paper_grid
    >>> grid = paper_grid()
    >>> len(grid.gammas), len(grid.perturbation_steps)
    (38, 37)
    """

    Cs: tuple[float, ...]
    gammas: tuple[float, ...]
    perturbation_steps: tuple[float, ...]
    roi_scales: tuple[float, ...]
    n_estimators: int


def paper_grid() -> PaperGrid:
    """Return the paper's whole setting."""
    return PaperGrid(
        Cs=REGULARISATIONS,
        gammas=tuple(length_scale_to_gamma(sigma) for sigma in reversed(LENGTH_SCALES)),
        perturbation_steps=PERTURBATION_STEPS,
        roi_scales=ROI_SCALES,
        n_estimators=N_ROUNDS,
    )


Gamma = float | str
Check = Callable[[str, Any], None]


def check_axis(
    name: str, given: Any, check: Check, paper: Sequence[Any] | None = None
) -> list[Any]:
    """Return the values of one axis: what was given, or the paper's.

    Parameters
    ----------
    name : str
        Of the parameter, for messages.
    given : sequence, or "paper"
    check : callable
        Of name and value; refuses a value.
    paper : sequence, optional
        What "paper" stands for; without it the word is refused.

    Returns
    -------
    list
    """
    if paper is not None and isinstance(given, str) and given == "paper":
        return list(paper)
    if isinstance(given, str) or not isinstance(given, Iterable):
        allowed = "a sequence of values" + (" or 'paper'" if paper is not None else "")
        raise ValueError(f"{name}={given!r} is not allowed; it must be {allowed}.")
    values = list(given)
    if not values:
        raise ValueError(f"{name}={given!r} is not allowed; it must have at least one value.")
    for place, value in enumerate(values):
        check(f"{name}[{place}]", value)
    return values
