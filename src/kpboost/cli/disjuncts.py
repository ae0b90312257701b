"""`kpboost disjuncts`: the parts of the classes of a data set, large and small."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from kpboost.cli import _options as options

from ._terminal import out, print_json

if TYPE_CHECKING:
    from kpboost.datasets import Dataset
    from kpboost.disjuncts import DisjunctFinder
    from kpboost.reports import ReportTable

# A disjunct of at most so many points is a small one; C4.5 studies draw the line between 3 and 15.
SMALL = 5


def disjuncts(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A file, or the name of a data set.")],
    target: options.Target = None,
    neighbors: Annotated[
        str, typer.Option("--neighbors", help="Number of neighbours, or auto: the curve's knee.")
    ] = "auto",
    labels: Annotated[
        Path | None, typer.Option("--labels", help="CSV file for each point's disjunct.")
    ] = None,
    raw: options.Raw = False,
    drop: options.Drop = None,
    id_columns: options.IdColumns = None,
    keep: options.Keep = None,
    many_classes: options.ManyClasses = False,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Show the disjuncts of a data set: how many each class has, and how small they are.

    Missing values are filled in and columns standardised first.
    """
    from kpboost._files import replace_file
    from kpboost.datasets import find_chosen, role_sentences
    from kpboost.disjuncts import DisjunctFinder
    from kpboost.methods import standardised
    from kpboost.reports import terminal_table

    choices = options.column_choices(drop, id_columns, keep, many_classes)
    read = find_chosen(data, target, data_dir, choices)
    finder = DisjunctFinder(n_neighbors=_number(neighbors))
    finder.fit(standardised(read.X, read.nominal), read.y)
    if labels is not None:
        replace_file(labels, _labels_csv(read, finder, raw).encode())
    if as_json:
        print_json(_as_data(read, finder))
        return
    console = out()
    console.print(terminal_table(disjunct_table(read, finder)))
    console.print(Text(_in_words(finder)))
    for sentence in role_sentences(read.roles):
        console.print(Text(sentence), soft_wrap=True)


def disjunct_table(data: Dataset, finder: DisjunctFinder) -> ReportTable:
    """Build a row per class: its points, disjuncts, and how much lies in small ones."""
    import numpy as np

    from kpboost.reports import ReportColumn, ReportTable

    rows = []
    for label in finder.classes_:
        sizes = np.sort(finder.disjunct_sizes_[finder.disjunct_classes_ == label])[::-1]
        small = sizes[sizes <= SMALL]
        rows.append((str(label), int(sizes.sum()), len(sizes), int(sizes[0]), int(sizes[-1]),
                     len(small), 100 * float(small.sum() / sizes.sum())))  # fmt: skip
    columns = (
        ReportColumn("Class"),
        ReportColumn("Points"),
        ReportColumn("Disjuncts"),
        ReportColumn("Largest"),
        ReportColumn("Smallest"),
        ReportColumn(f"With {SMALL} points or fewer"),
        ReportColumn("% of points in those", 1),
    )
    return ReportTable("disjuncts", f"Disjuncts of {data.name}", columns, tuple(rows))


def _in_words(finder: DisjunctFinder) -> str:
    return (
        f"{finder.n_disjuncts_} disjuncts with {finder.n_neighbors_} neighbours. Points in small "
        "disjuncts are those that classifiers miss first: kpboost compare measures them by GSDI."
    )


def _number(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdecimal() else text


def _labels_csv(data: Dataset, finder: DisjunctFinder, raw: bool) -> str:
    from kpboost.reports import csv_text

    parts = finder.labels_.tolist()
    sizes = finder.disjunct_sizes_[finder.labels_].tolist()
    rows = zip(range(1, data.n_samples + 1), data.y.tolist(), parts, sizes, strict=True)
    return csv_text(["row", data.target_name, "disjunct", "size"], rows, raw=raw)


def _as_data(data: Dataset, finder: DisjunctFinder) -> dict[str, Any]:
    from kpboost.datasets import role_sentences

    parts = zip(finder.disjunct_classes_, finder.disjunct_sizes_, strict=True)
    return {
        "dataset": data.name,
        "n_points": data.n_samples,
        "n_neighbors": int(finder.n_neighbors_),
        "n_disjuncts": int(finder.n_disjuncts_),
        "notes": role_sentences(data.roles),
        "disjuncts": [{"class": str(label), "size": int(size)} for label, size in parts],
    }
