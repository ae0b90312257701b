"""From records to tables, statistics and pages; no estimator is ever touched here."""

from kpboost._public import publish

from ._comparison import Comparison, compare_outcomes
from ._report import (
    plain_summary,
    print_summary,
    read_comparison,
    terminal_summary,
    terminal_table,
    write_report,
)
from ._table import Column, Table, listed

__all__ = [
    "Column",
    "Comparison",
    "Table",
    "compare_outcomes",
    "listed",
    "plain_summary",
    "print_summary",
    "read_comparison",
    "terminal_summary",
    "terminal_table",
    "write_report",
]

# For the other packages of ours; nothing here is promised to users.
from ._audit_page import (
    disjunct_table as disjunct_table,
    remedy_table as remedy_table,
    write_audit as write_audit,
)
from ._report import compare_all as compare_all, write_files as write_files
from ._table import csv_text as csv_text, is_formula as is_formula, safe_text as safe_text

publish(__name__, __all__)
