"""The candidates of a search: the axes of its grid, checked, and their products in order."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from kpboost import _parameters as parameters

from .boosting_grid import Candidate
from .paper_grid import paper_grid

Gamma = float | str
Check = Callable[[str, Any], None]


@dataclass(frozen=True, slots=True)
class CandidateGrid:
    """What is tried.

    Attributes
    ----------
    gammas : list
        Kernel widths, in the order in which they are tried.
    candidates : list of Candidate
        What is tried with every width, one block per C.
    n_per_block : int
        Size of a block.
    """

    gammas: list[Gamma]
    candidates: list[Candidate]
    n_per_block: int

    def table_order(self, n_gammas: int) -> list[tuple[int, int]]:
        """Numbers of width and candidate, in the order in which GridSearchCV lists them.

        Parameters
        ----------
        n_gammas : int
            How many widths are complete.

        Returns
        -------
        list of (width, candidate)
            C changes slowest, then gamma, perturbation step and ROI scale.
        """
        firsts = range(0, len(self.candidates), self.n_per_block)
        return [
            (width, first + own)
            for first, width, own in product(firsts, range(n_gammas), range(self.n_per_block))
        ]

    def parameters(self, width: int, candidate: int) -> dict[str, Any]:
        """Return the parameters of KPBoostSVC that one width and candidate stand for."""
        chosen = self.candidates[candidate]
        return {
            "C": chosen.C,
            "gamma": self.gammas[width],
            "perturbation_step": chosen.perturbation_step,
            "roi_scale": chosen.roi_scale,
        }


def candidate_grid(Cs: Any, gammas: Any, perturbation_steps: Any, roi_scales: Any) -> CandidateGrid:
    """Check the axes as the user gave them, and make the grid.

    Parameters
    ----------
    Cs, gammas, perturbation_steps, roi_scales
        As of :class:`~kpboost.model_selection.KPBoostSVCCV`.

    Returns
    -------
    CandidateGrid
    """
    paper = paper_grid()
    all_Cs = check_axis("Cs", Cs, parameters.check_positive)
    widths = check_axis("gammas", gammas, check_gamma, paper.gammas)
    steps = check_axis(
        "perturbation_steps",
        perturbation_steps,
        parameters.check_positive,
        paper.perturbation_steps,
    )
    scales = check_axis("roi_scales", roi_scales, parameters.check_share_or_none)
    candidates = [Candidate(*values) for values in product(all_Cs, steps, scales)]
    return CandidateGrid(widths, candidates, len(steps) * len(scales))


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


def check_gamma(name: str, value: Any) -> None:
    """Refuse a kernel width, with the name first, as :func:`check_axis` calls it."""
    parameters.check_gamma(value, name)
