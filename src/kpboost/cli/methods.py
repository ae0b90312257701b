"""`kpboost methods`: every method by its name, and what it is good for."""

from typing import Any

from rich.text import Text

from kpboost.cli import _options as options
from kpboost.methods import METHODS, Method
from kpboost.reports import Column, Table, terminal_table

from ._terminal import out, print_json

COLUMNS = (Column("Name"), Column("Title"), Column("Paper"), Column("Good for"), Column("Needs"))
NEXT = "kpboost compare yourdata.csv -m NAME,NAME tries them; kpboost fit --method NAME trains one."


def methods(as_json: options.Json = False) -> None:
    """List the methods that compare, paper, audit and fit know by name.

    A name means the same everywhere: one classifier, one preparation of the columns, one rule by
    which parameters are chosen.
    """
    if as_json:
        print_json({"methods": [_as_data(each) for each in METHODS.values()]})
        return
    rows = tuple(_row(each) for each in METHODS.values())
    console = out()
    console.print(terminal_table(Table("methods", "Methods", COLUMNS, rows)))
    console.print(Text(NEXT), soft_wrap=True)


def _row(method: Method) -> tuple[str, ...]:
    paper = "yes" if method.in_paper else ""
    needs = method.advice if not method.is_available else method.extra or ""
    return method.name, method.title, paper, method.good_for, needs


def _as_data(method: Method) -> dict[str, Any]:
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
        "is_remedy": method.is_remedy,
        "quick_candidates": sum(len(part.candidates) for part in method.grids["quick"]),
        "paper_candidates": sum(len(part.candidates) for part in method.grids["paper"]),
    }
