"""Everything that a report of a comparison says, before anyone writes it down."""

import json
from dataclasses import dataclass, fields
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from kpboost._files import replace_file
from kpboost._text import visible
from kpboost.experiments import COMPLETE, UNAVAILABLE, StoreInfo, describe
from kpboost.methods import METHODS

from ._comparison import (
    MAIN_MEASURE,
    SMALL_MEASURE,
    Comparison,
    compare_outcomes,
    cost_plot,
    dataset_table,
    dot_plot,
    duel_table,
    friedman_table,
    rank_diagram,
    rank_table,
    score_table,
    summary_table,
    time_table,
    unfinished_table,
)
from ._page import Figure
from ._paper_tables import paper_tables
from ._table import (
    ReportTable,
    csv_table,
    csv_text,
    latex_table,
    latex_text,
    many,
    markdown_link,
    markdown_section,
    markdown_text,
    terminal_table,
)
from ._verdict import Verdict, verdict

TITLE = "Comparison of classifiers"


@dataclass(frozen=True)
class Report:
    """A comparison, ready to be shown.

    Attributes
    ----------
    title, lead, origin : str
        Heading, what was compared, and where the figures come from.
    verdict : Verdict
    tiles : tuple of (value, meaning)
        Key figures.
    summary, ranks, friedman, duels, time, datasets, unfinished : ReportTable
        Tables without rows have nothing to say.
    paper, scores : tuple of Table
    dots, diagrams : tuple of Figure
    cost : Figure or None
    """

    title: str
    lead: str
    origin: str
    verdict: Verdict
    tiles: tuple[tuple[str, str], ...]
    summary: ReportTable
    ranks: ReportTable
    friedman: ReportTable
    duels: ReportTable
    paper: tuple[ReportTable, ...]
    scores: tuple[ReportTable, ...]
    time: ReportTable
    datasets: ReportTable
    unfinished: ReportTable
    dots: tuple[Figure, ...]
    diagrams: tuple[Figure, ...]
    cost: Figure | None

    @property
    def tables(self) -> tuple[ReportTable, ...]:
        """All tables that have rows, in the order of the page."""
        first = (self.summary, self.ranks, self.friedman, self.duels)
        last = (self.time, self.datasets, self.unfinished)
        return tuple(table for table in chain(first, self.paper, self.scores, last) if table.rows)


def build_report(comparison: Comparison, info: StoreInfo) -> Report:
    """Compute all tables, tests and pictures of a comparison.

    Parameters
    ----------
    comparison : Comparison
    info : StoreInfo
        Of the same store.

    Returns
    -------
    Report
    """
    return Report(
        title=TITLE,
        lead=_lead(comparison, info),
        origin=_origin(info),
        verdict=verdict(comparison),
        tiles=_tiles(comparison, info),
        summary=summary_table(comparison),
        ranks=rank_table(comparison),
        friedman=friedman_table(comparison),
        duels=duel_table(comparison),
        paper=paper_tables(comparison, info.datasets),
        scores=tuple(score_table(comparison, own.name) for own in comparison.measures),
        time=time_table(comparison),
        datasets=dataset_table(info.datasets),
        unfinished=unfinished_table(comparison),
        dots=_drawn([dot_plot(comparison, measure) for measure in (MAIN_MEASURE, SMALL_MEASURE)]),
        diagrams=_drawn([rank_diagram(comparison, own.name) for own in comparison.measures]),
        cost=cost_plot(comparison),
    )


def _drawn(figures: list[Figure | None]) -> tuple[Figure, ...]:
    return tuple(figure for figure in figures if figure is not None)


def _lead(comparison: Comparison, info: StoreInfo) -> str:
    methods, datasets = len(comparison.methods), len(comparison.datasets)
    what = f"{many(methods, 'method')} on {many(datasets, 'data set')}{_repeated(info)}"
    return f"{what}, {info.spec.grid} grid, protocol {info.spec.protocol}."


def _repeated(info: StoreInfo) -> str:
    """Say how often all was done, where that is more than once: by hold-outs, or by folds."""
    ready = [each for each in info.datasets if not each.error]
    numbers = sorted({each.n_seeds for each in ready})
    if not numbers or numbers[-1] == 1:
        return ""
    often = " to ".join(map(str, dict.fromkeys([numbers[0], numbers[-1]])))
    are_hold_outs = all(each.n_folds == each.n_seeds for each in ready)
    return f", {often} {'hold-outs of each' if are_hold_outs else 'seeds'}"


def _origin(info: StoreInfo) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in info.versions.items())
    return f"Experiment begun {info.created}, {info.spec.seeds_in_words}; {versions}."


def _tiles(comparison: Comparison, info: StoreInfo) -> tuple[tuple[str, str], ...]:
    statuses = [each.status for each in comparison.outcomes if each.status != UNAVAILABLE]
    seconds = sum(each.seconds for each in comparison.outcomes)
    return (
        (str(len(comparison.datasets)), "data sets"),
        (str(len(comparison.methods)), "methods"),
        (f"{statuses.count(COMPLETE)} of {len(statuses)}", "pairs of both finished"),
        (f"{info.counts.get('failed', 0)}", "jobs failed"),
        (_duration(seconds), "of processor time"),
    )


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


PAGE, MARKDOWN, LATEX, FOLDS = "report.html", "report.md", "report.tex", "folds.csv"
TABLE_FOLDER = "tables"


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
    info = describe(store_path)
    return write_files(compare_all(info), info, folder)


def write_files(comparison: Comparison, info: StoreInfo, folder: str | PathLike[str]) -> Path:
    """Write the report of a store that was read into a folder, and return the HTML page."""
    report, place = build_report(comparison, info), Path(folder)
    files = {
        PAGE: html_report(report),
        MARKDOWN: markdown_report(report),
        LATEX: latex_report(report),
        FOLDS: folds_csv(comparison),
        **{f"{TABLE_FOLDER}/{table.name}.csv": csv_table(table) for table in report.tables},
    }
    (place / TABLE_FOLDER).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        replace_file(place / name, text.encode())
    return place / PAGE


def read_comparison(store_path: str | PathLike[str]) -> Comparison:
    """Read the outcomes of a store, with the methods' names for people."""
    return compare_all(describe(store_path))


def compare_all(info: StoreInfo) -> Comparison:
    """Arrange the outcomes of a store that was read, with the methods' names for people."""
    titles = {name: method.title for name, method in METHODS.items()}
    return compare_outcomes(info.outcomes, titles)


def html_report(report: "Report") -> str:
    """Write the whole report as one HTML page."""
    from ._page import render_page

    context = {field.name: getattr(report, field.name) for field in fields(report)}
    return render_page("comparison.html.j2", context)


def markdown_report(report: "Report") -> str:
    """Write the whole report as Markdown, without pictures."""
    sentences = " ".join(report.verdict.sentences)
    head = [f"# {report.title}", report.lead, f"**{markdown_text(report.verdict.heading)}.**",
            markdown_text(sentences)]  # fmt: skip
    contents = "\n".join(markdown_link(table) for table in report.tables)
    sections = [markdown_section(table) for table in report.tables]
    return "\n\n".join([*head, contents, *sections, markdown_text(report.origin)]) + "\n"


def latex_report(report: "Report") -> str:
    r"""Write all tables as LaTeX, to be taken up by ``\input``."""
    head = (
        f"% {latex_text(report.title)}: {latex_text(report.lead)}\n"
        r"% Large tables need \usepackage{graphicx}."
    )
    return "\n\n".join([head, *map(latex_table, report.tables)]) + "\n"


def folds_csv(comparison: Comparison) -> str:
    """Write one line per data set, method and fold: everything that the tables are made of."""
    measures = [each.name for each in comparison.all_measures]
    columns = (
        *("dataset", "method", "protocol", "grid", "fold", *measures),
        *("fit_seconds", "predict_seconds", "class_recalls", "params"),
    )
    rows = []
    for outcome in comparison.outcomes:
        names = [outcome.dataset, outcome.method, outcome.protocol, outcome.grid]
        for fold in outcome.folds:
            recalls, params = json.dumps(fold.class_recalls), json.dumps(fold.params, default=str)
            scores = [fold.scores[name] for name in measures]
            seconds = [fold.fit_seconds, fold.predict_seconds]
            rows.append([*names, fold.fold, *scores, *seconds, recalls, params])
    return csv_text(columns, rows)


def plain_summary(comparison: Comparison) -> dict[str, Any]:
    """Gather verdict, summary and scores as dicts, lists and numbers.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    dict
        With the keys ``verdict``, ``methods`` (best ranked first) and ``results`` (one entry per
        data set and method).
    """
    words = verdict(comparison)
    names = {comparison.title(name): name for name in comparison.methods}
    # Names of the summary's columns for programs; they stay as they are.
    measures = [each.name for each in comparison.all_measures]
    keys = ("title", "average_rank", *measures, "best_on", "seconds")
    table = summary_table(comparison, comparison.all_measures)
    rows = [dict(zip(keys, row, strict=True)) for row in table.rows]
    return {
        "verdict": {"heading": words.heading, "sentences": list(words.sentences)},
        "methods": [{"method": names[str(row["title"])], **row} for row in rows],
        "results": [
            {
                "dataset": each.dataset,
                "method": each.method,
                "status": each.status,
                **{name: each.scores[name] for name in measures},
                "seconds": each.seconds,
                "error": each.error,
            }
            for each in comparison.outcomes
        ],
    }


def terminal_summary(comparison: Comparison) -> RenderableType:
    """Show the result of a comparison: who is the best, what that means, and the short table.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    renderable
        For a ``rich.console.Console``.
    """
    words = verdict(comparison)
    sentences = Text(visible(" ".join(words.sentences)))
    heading = Text(visible(words.heading), style="bold green" if words.mood == "good" else "bold")
    table = summary_table(comparison)
    shown = [terminal_table(table)] if table.rows else []
    return Group(*shown, heading, Padding(sentences, (0, 0, 1, 0)))


def print_summary(comparison: Comparison, console: Console | None = None) -> None:
    """Print the result of a comparison."""
    (console or Console()).print(terminal_summary(comparison))
