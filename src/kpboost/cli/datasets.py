"""`kpboost datasets`: what data sets there are, and which can be had here."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from kpboost.cli import _options as options

from ._terminal import out, print_json

if TYPE_CHECKING:
    from kpboost.datasets import Dataset

EMBEDDED = "embedded"
TITLES = {
    EMBEDDED: "Without any file",
    "two-class-low": "The paper's, two classes, few dimensions (two-class-low)",
    "two-class-high": "The paper's, two classes, many dimensions (two-class-high)",
    "multi-class-low": "The paper's, many classes, few dimensions (multi-class-low)",
    "multi-class-high": "The paper's, many classes, many dimensions (multi-class-high)",
}


@dataclass(frozen=True)
class Line:
    """What is known of one data set; an empty source means that it cannot be had here."""

    alias: str
    name: str
    n_points: int
    n_features: int
    n_classes: int
    imbalance_ratio: float
    n_disjuncts: int | None
    group: str
    source: str


def datasets(
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help=f"Part of them: {', '.join(TITLES)}. Repeatable."),
    ] = None,
    here: Annotated[bool, typer.Option("--here", help="Only those that can be had here.")] = False,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """List the paper's 73 data sets and five that need no file, and where they come from."""
    for group in only or ():
        if group not in TITLES:
            raise ValueError(f"--only {group!r} is none of {', '.join(TITLES)}.")
    lines = [
        line
        for line in known_datasets(data_dir)
        if line.group in (only or TITLES) and (line.source or not here)
    ]
    if as_json:
        print_json([asdict(line) for line in lines])
    else:
        _show(lines)


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
    names = ("Name", "Points", "Dim.", "Classes", ratio.name, "Disjuncts", "From")
    columns = tuple(ratio if name == ratio.name else ReportColumn(name) for name in names)
    console = out()
    for group, title in TITLES.items():
        rows = tuple(_row(line) for line in lines if line.group == group)
        if rows:
            console.print(terminal_table(ReportTable(group, title, columns, rows)))
    there = sum(bool(line.source) for line in lines)
    console.print(Text(
        f"{there} of {len(lines)} can be had here; files in a folder named by --data-dir or "
        "KPBOOST_DATA add others."
    ))  # fmt: skip


def _row(line: Line) -> tuple[str | int | float | None, ...]:
    from_folder = Path(line.source).is_file()
    sizes = line.n_points, line.n_features, line.n_classes
    return (line.name, *sizes, line.imbalance_ratio, line.n_disjuncts,
            "folder" if from_folder else line.source or None)  # fmt: skip
