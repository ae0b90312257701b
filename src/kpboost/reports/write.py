"""A store's report as files: one HTML page, Markdown, LaTeX, and a CSV file per table."""

import json
from collections.abc import Iterable
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from kpboost._files import replace_file
from kpboost.experiments import METHODS, describe, outcomes
from kpboost.experiments.records import Outcome

from .comparison import Comparison, compare_outcomes
from .csv_table import csv_table, csv_text
from .latex import latex_table, latex_text
from .markdown import markdown_section, markdown_text

if TYPE_CHECKING:
    from .report import Report

PAGE, MARKDOWN, LATEX, FOLDS = "report.html", "report.md", "report.tex", "folds.csv"
TABLE_FOLDER = "tables"
FOLD_COLUMNS = (
    *("dataset", "method", "protocol", "grid", "fold", "gmean", "auc", "gsdi"),
    *("fit_seconds", "predict_seconds", "class_recalls", "params"),
)


def write_report(store_path: str | PathLike[str], folder: str | PathLike[str]) -> Path:
    """Write the report of a store into a folder; files of an earlier one are replaced.

    Parameters
    ----------
    store_path : path
        A store of :func:`kpboost.experiments.run`, finished or not.
    folder : path
        Made if it is not there.

    Returns
    -------
    Path
        The HTML page. Beside it are ``report.md``, ``report.tex``, ``folds.csv`` and a folder
        ``tables`` with one CSV file per table.
    """
    from .report import build_report  # with matplotlib: only who draws waits for it

    comparison = read_comparison(store_path)
    report = build_report(comparison, describe(store_path))
    place = Path(folder)
    files = {
        PAGE: html_report(report),
        MARKDOWN: markdown_report(report),
        LATEX: latex_report(report),
        FOLDS: folds_csv(comparison.outcomes),
        **{f"{TABLE_FOLDER}/{table.name}.csv": csv_table(table) for table in report.tables},
    }
    (place / TABLE_FOLDER).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        replace_file(place / name, text.encode())
    return place / PAGE


def read_comparison(store_path: str | PathLike[str]) -> Comparison:
    """Read the outcomes of a store, with the methods' names for people."""
    titles = {name: method.title for name, method in METHODS.items()}
    return compare_outcomes(outcomes(store_path), titles)


def html_report(report: "Report") -> str:
    """Write the whole report as one HTML page."""
    from .page import render_page

    context = {field.name: getattr(report, field.name) for field in fields(report)}
    return render_page("comparison.html.j2", context)


def markdown_report(report: "Report") -> str:
    """Write the whole report as Markdown, without pictures."""
    sentences = " ".join(report.verdict.sentences)
    head = [f"# {report.title}", report.lead, f"**{markdown_text(report.verdict.heading)}.**",
            markdown_text(sentences)]  # fmt: skip
    sections = [markdown_section(table) for table in report.tables]
    return "\n\n".join([*head, *sections, markdown_text(report.origin)]) + "\n"


def latex_report(report: "Report") -> str:
    r"""Write all tables as LaTeX, to be taken up by ``\input``."""
    head = (
        f"% {latex_text(report.title)}: {latex_text(report.lead)}\n"
        r"% Large tables need \usepackage{graphicx}."
    )
    return "\n\n".join([head, *map(latex_table, report.tables)]) + "\n"


def folds_csv(found: Iterable[Outcome]) -> str:
    """Write one line per data set, method and fold: everything that the tables are made of."""
    rows = []
    for outcome in found:
        names = [outcome.dataset, outcome.method, outcome.protocol, outcome.grid]
        for fold in outcome.folds:
            recalls, params = json.dumps(fold.class_recalls), json.dumps(fold.params, default=str)
            figures = [fold.gmean, fold.auc, fold.gsdi, fold.fit_seconds, fold.predict_seconds]
            rows.append([*names, fold.fold, *figures, recalls, params])
    return csv_text(FOLD_COLUMNS, rows)
