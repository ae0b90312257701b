"""Tables as CSV: exact values, for other programs."""

import csv
import io

from .table import Table, Value, is_empty

# A spreadsheet takes a cell that starts with one of these for a formula, and runs it.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_table(table: Table) -> str:
    """Write a table as CSV with a header; numbers in full, empty cells empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(_safe(column.name) for column in table.columns)
    writer.writerows([_cell(value) for value in row] for row in table.rows)
    return buffer.getvalue()


def _cell(value: Value) -> Value:
    if is_empty(value):
        return ""
    return _safe(value) if isinstance(value, str) else value


def _safe(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would run."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text
