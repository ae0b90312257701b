"""Tables as CSV: exact values, for other programs; nothing in them runs in a spreadsheet."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from .table import Table, Value, is_empty

# A spreadsheet takes a cell that starts with one of these for a formula, and runs it.
FORMULA_STARTS = ("=", "+", "-", "@")
# What it may skip before them; a cell that starts with one of the last three is suspect by itself.
SKIPPED = " \v\f\0\xa0\ufeff\t\r\n"
SUSPECT = ("\t", "\r", "\n")
# With a decimal point or comma, and either between thousands; such a cell runs nothing.
NUMBER = re.compile(r"[+-]?[.,]?[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?")


def csv_table(table: Table) -> str:
    """Write a table as CSV with a header; numbers in full, empty cells empty."""
    header = [column.name for column in table.columns]
    rows = (["" if is_empty(value) else value for value in row] for row in table.rows)
    return csv_text(header, rows)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]], *, raw: bool = False) -> str:
    """Write rows as CSV.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : iterable of sequences
        Text and numbers.
    raw : bool, default=False
        Whether text is written as it is, even if a spreadsheet would run it.

    Returns
    -------
    str
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    for row in (header, *rows):
        writer.writerow(row if raw else [_cell(value) for value in row])
    return buffer.getvalue()


def _cell(value: Value) -> Value:
    return safe_text(value) if isinstance(value, str) else value


def safe_text(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would run; carriage returns become spaces.

    Numbers such as -1 and -1,5 and single signs run nothing and stay as they are.
    """
    line = text.replace("\r", " ")  # readers take a bare one for the end of a row
    return f"'{line}" if is_formula(text) else line


def is_formula(text: str) -> bool:
    """Tell whether a spreadsheet might take a cell for a formula."""
    inner = text.strip(SKIPPED)
    suspect = inner.startswith(FORMULA_STARTS) or text.startswith(SUSPECT)
    return suspect and len(inner) > 1 and not NUMBER.fullmatch(inner)
