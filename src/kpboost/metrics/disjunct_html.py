"""A table of groups as HTML; whatever comes from outside is escaped, and shows."""

from collections.abc import Sequence
from html import escape
from typing import Any

from kpboost._visible import visible

# Digits after the point of a share: finer than any test set of a disjunct can tell.
DIGITS = 4


def html_table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], marked: Sequence[bool]
) -> str:
    """Table with a header, one row per group; marked rows get the class "worst".

    Parameters
    ----------
    columns : sequence of str
        Names of the columns.
    rows : sequence of sequences
        Values; None is an empty cell.
    marked : sequence of bool
        Rows to mark.

    Returns
    -------
    str
    """
    head = "".join(f'<th scope="col">{escape(visible(name))}</th>' for name in columns)
    body = "\n".join(_line(row, mark) for row, mark in zip(rows, marked, strict=True))
    return (
        '<table class="kpboost-disjuncts">\n'
        f"<thead>\n<tr>{head}</tr>\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )


def _line(row: Sequence[Any], mark: bool) -> str:
    start = '<tr class="worst">' if mark else "<tr>"
    return f"{start}{''.join(map(_cell, row))}</tr>"


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    text = f"{value:.{DIGITS}f}" if isinstance(value, float) else str(value)
    return f"<td>{escape(visible(text))}</td>"
