"""`kpboost methods`: every method by its name, and what it is good for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kpboost.cli import _options as options

from ._help import HelpPage
from ._terminal import out, print_json, show

if TYPE_CHECKING:
    from kpboost.methods import Method

STAR = "* a method of the paper's tables"
NEXT = "Next  kpboost compare table.csv --target LABEL --methods NAME,NAME"
HELP_PAGE = HelpPage(examples=("kpboost methods",))


def methods(as_json: options.Json = False) -> None:
    """List all methods by name, and what each is good for.

    A name means the same in compare, paper, audit and fit: one classifier, one preprocessing, one
    rule by which parameters are chosen.
    """
    from kpboost.methods import METHODS

    if as_json:
        print_json({"methods": [_as_data(each) for each in METHODS.values()]})
        return
    for each in METHODS.values():
        show(out(), each.name, f"  {_in_words(each)}")
    show(out(), STAR, NEXT)


def _in_words(method: Method) -> str:
    star = "*" if method.in_paper else ""
    missing = "" if method.is_available else f"; not installed: {method.advice}"
    needs = f" (extra {method.extra})" if method.extra and method.is_available else ""
    return f"{method.title}{star}: {method.good_for}{needs}{missing}"


def _as_data(method: Method) -> dict[str, Any]:
    from kpboost.methods import DEFAULT_METHODS, LOW_RANK_ROWS, n_candidates

    return {
        "name": method.name,
        "title": method.title,
        "estimator": method.estimator,
        "in_paper": method.in_paper,
        "good_for": method.good_for,
        "needs": method.extra,
        "is_available": method.is_available,
        "install": method.advice or None,
        "max_rows": method.max_rows,
        "low_rank_above": LOW_RANK_ROWS if method.low_rank else None,
        "by_default": method.name in DEFAULT_METHODS,
        "quick_candidates": n_candidates(method.grids["quick"]),
        "paper_candidates": n_candidates(method.grids["paper"]),
    }
