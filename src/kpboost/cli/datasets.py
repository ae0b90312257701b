"""`kpboost datasets`: what data sets there are, and which can be had here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kpboost.cli import _options as options

from ._help import HelpPage
from ._terminal import out, print_json, show

if TYPE_CHECKING:
    from kpboost.datasets import Dataset

EMBEDDED = "embedded"
TITLES = {
    EMBEDDED: "No file needed (embedded)",
    "two-class-low": "Paper, two classes, few features (two-class-low)",
    "two-class-high": "Paper, two classes, many features (two-class-high)",
    "multi-class-low": "Paper, several classes, few features (multi-class-low)",
    "multi-class-high": "Paper, several classes, many features (multi-class-high)",
}


@dataclass(frozen=True)
class Line:
    """What is known of one data set; an empty source means that it is not available here."""

    alias: str
    name: str
    n_points: int
    n_features: int
    n_classes: int
    imbalance_ratio: float
    n_disjuncts: int | None
    group: str
    source: str


HELP_PAGE = HelpPage(
    examples=("kpboost datasets", "kpboost datasets --here", "kpboost datasets --only embedded")
)


def datasets(
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="GROUP",
            help=f"Only this group: {', '.join(TITLES)}. Repeatable.",
            autocompletion=options.completed_by(*TITLES),
        ),
    ] = None,
    here: Annotated[
        bool, typer.Option("--here", help="Only data sets that are available on this machine.")
    ] = False,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """List the known data sets, and which of them are available here.

    There are the paper's 73 data sets, and six that need no file.
    """
    for group in only or ():
        if group not in TITLES:
            raise ValueError(no_group(group, TITLES))
    lines = [
        line
        for line in known_datasets(data_dir)
        if line.group in (only or TITLES) and (line.source or not here)
    ]
    if as_json:
        print_json([asdict(line) for line in lines])
    else:
        _show(lines)


def no_group(given: str, groups: Iterable[str]) -> str:
    """Say that there is no such group of data sets, and which there are."""
    from kpboost._text import did_you_mean

    hint = did_you_mean(given, groups) or f"the groups are {', '.join(groups)}."
    return f"--only {given!r} is not a group of data sets; {hint}"


def known_datasets(data_dir: Path | None) -> list[Line]:
    """Gather all data sets: those that need no file, then the paper's."""
    from kpboost.datasets import catalogue, embedded, load, source_of

    paper = [
        Line(entry.alias, entry.name, entry.n_points, entry.n_features, entry.n_classes,
             entry.imbalance_ratio, entry.n_disjuncts, entry.group,
             source_of(entry.name, data_dir=data_dir))
        for entry in catalogue()
    ]  # fmt: skip
    return [_embedded(load(name)) for name in embedded()] + paper


def _embedded(data: Dataset) -> Line:
    sizes = data.n_samples, data.n_features, len(data.classes), data.imbalance_ratio
    return Line("", data.name, *sizes, None, EMBEDDED, "kpboost")


def _show(lines: list[Line]) -> None:
    from kpboost.reports import ReportColumn, ReportTable, terminal_table

    ratio = ReportColumn("IR", 2, "imbalance ratio: largest class by smallest")
    names = ("Name", "Rows", "Features", "Classes", ratio.name, "Disjuncts", "From")
    columns = tuple(ratio if name == ratio.name else ReportColumn(name) for name in names)
    console = out()
    for group, title in TITLES.items():
        rows = tuple(_row(line) for line in lines if line.group == group)
        if rows:
            console.print(terminal_table(ReportTable(group, title, columns, rows)))
    there = sum(bool(line.source) for line in lines)
    show(
        console,
        f"{there} of {len(lines)} are available here. For others, put their files into a folder "
        "and name it with --data-dir or KPBOOST_DATA.",
    )


def _row(line: Line) -> tuple[str | int | float | None, ...]:
    from_folder = Path(line.source).is_file()
    sizes = line.n_points, line.n_features, line.n_classes
    return (line.name, *sizes, line.imbalance_ratio, line.n_disjuncts,
            "folder" if from_folder else line.source or None)  # fmt: skip
