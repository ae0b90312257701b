"""From records to tables, statistics and pages; no estimator is ever touched here."""

from .comparison import Comparison, compare_outcomes
from .terminal import print_summary, terminal_summary
from .write import read_comparison, write_report

__all__ = [
    "Comparison",
    "compare_outcomes",
    "print_summary",
    "read_comparison",
    "terminal_summary",
    "write_report",
]
