"""Tables as Markdown."""

import re

from kpboost._visible import visible

from .table import Table

# Letters that mean something in Markdown or HTML, wherever in a cell they stand.
SPECIAL = re.compile(r"([\\`*_{}\[\]<>|&#!$~])")


def markdown_text(text: str) -> str:
    """Escape text from outside: on one line, and without any markup of its own."""
    return SPECIAL.sub(r"\\\1", visible(" ".join(text.split())))


def markdown_table(table: Table) -> str:
    r"""Write a table as GitHub's Markdown; best cells are bold.

    Examples
    --------
    >>> from kpboost.reports.markdown import markdown_table
    >>> from kpboost.reports.table import Column, Table
    >>> columns = (Column("set"), Column("score", digits=2))
    >>> print(markdown_table(Table("t", "T", columns, (("a_b", 0.5),), frozenset({(0, 1)}))))
    | set | score |
    | --- | ---: |
    | a\_b | **0.50** |
    """
    head = _line([markdown_text(column.name) for column in table.columns])
    rule = _line(["---:" if table.is_number(k) else "---" for k in range(len(table.columns))])
    return "\n".join([head, rule, *(_row(table, row) for row in range(len(table.rows)))])


def markdown_section(table: Table, level: int = 2) -> str:
    """Write a table under its title, with its note."""
    parts = ["#" * level + " " + markdown_text(table.title), markdown_table(table)]
    return "\n\n".join([*parts, *([markdown_text(table.note)] if table.note else [])])


def _row(table: Table, row: int) -> str:
    return _line([_cell(table, row, column) for column in range(len(table.columns))])


def _cell(table: Table, row: int, column: int) -> str:
    text = markdown_text(table.text(row, column))
    return f"**{text}**" if (row, column) in table.best else text


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
