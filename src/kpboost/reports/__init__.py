"""From records to tables, statistics and pages; no estimator is ever touched here."""

from .comparison import Comparison, compare_outcomes
from .listed import listed
from .plain import plain_summary
from .table import Column, Table
from .terminal import print_summary, terminal_summary, terminal_table
from .write import read_comparison, write_report

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
