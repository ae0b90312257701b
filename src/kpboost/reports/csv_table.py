"""Tables as CSV: exact values, for other programs."""

import csv
import io

from .table import Table, Value, is_empty

# A spreadsheet takes a cell that starts with one of these for a formula, and runs it.
FORMULA_STARTS = ("=", "+", "-", "@", "\t")


def csv_table(table: Table) -> str:
    """Write a table as CSV with a header; numbers in full, empty cells empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(safe_text(column.name) for column in table.columns)
    writer.writerows([_cell(value) for value in row] for row in table.rows)
    return buffer.getvalue()


def _cell(value: Value) -> Value:
    if is_empty(value):
        return ""
    return safe_text(value) if isinstance(value, str) else value


def safe_text(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would run; carriage returns become spaces."""
    line = text.replace("\r", " ")  # readers take a bare one for the end of a row
    return f"'{line}" if line.startswith(FORMULA_STARTS) else line
