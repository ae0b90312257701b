"""From records to tables, statistics and pages; no estimator is ever touched here."""

from kpboost._public import publish

from ._audit_page import write_audit
from ._comparison import Comparison, compare_outcomes
from ._published import published_datasets, published_scores
from ._report import (
    plain_summary,
    print_summary,
    read_comparison,
    terminal_summary,
    write_report,
)
from ._statistics import against_control, friedman_test
from ._table import ReportColumn, ReportTable, listed, terminal_table

__all__ = [
    "Comparison",
    "ReportColumn",
    "ReportTable",
    "against_control",
    "compare_outcomes",
    "friedman_test",
    "listed",
    "plain_summary",
    "print_summary",
    "published_datasets",
    "published_scores",
    "read_comparison",
    "terminal_summary",
    "terminal_table",
    "write_audit",
    "write_report",
]

# For the other packages of ours; nothing here is promised to users.
from ._audit_page import (
    cards_of as cards_of,
    change_table as change_table,
    disjunct_table as disjunct_table,
    notebook_frame as notebook_frame,
    remedy_table as remedy_table,
    show_audit as show_audit,
)
from ._report import compare_all as compare_all, write_files as write_files
from ._table import csv_text as csv_text, is_formula as is_formula, safe_text as safe_text

publish(__name__, __all__)
