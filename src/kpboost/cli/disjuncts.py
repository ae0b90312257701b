"""`kpboost disjuncts`: the parts of the classes of a data set, large and small."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kpboost.cli import _options as options

from ._help import HelpPage
from ._terminal import out, print_json, show

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kpboost.datasets import Dataset
    from kpboost.reports import ReportTable

# A disjunct of at most so many points is a small one; C4.5 studies draw the line between 3 and 15.
SMALL = 5
# What the two rules are, in a line each.
RULES = {
    "audit": "Rule of kpboost audit: mutual links among {} nearest neighbours, independent of the "
    "order of the rows. For the paper's rule, use --rule paper.",
    "paper": "Rule of the paper: Algorithm 2 with {} nearest neighbours. It depends on the order "
    "of the rows, and finds more and smaller disjuncts than --rule audit.",
}


HELP_PAGE = HelpPage(
    examples=(
        "kpboost disjuncts churn.csv --target churn",
        "kpboost disjuncts churn.csv --target churn --labels disjuncts.csv",
        "kpboost disjuncts planted-two --rule paper",
    ),
    usual=("--target", "--drop", "--labels", "--rule", "--neighbors"),
)


def disjuncts(
    data: options.TableArgument,
    target: options.Target = None,
    rule: Annotated[
        str,
        typer.Option(
            "--rule",
            metavar="audit|paper",
            help="How disjuncts are found: as kpboost audit does, or by the paper's Algorithm 2.",
            autocompletion=options.completed_by("audit", "paper"),
        ),
    ] = "audit",
    neighbors: Annotated[
        str | None,
        typer.Option(
            "--neighbors",
            metavar="N",
            help="Number of nearest neighbours; by default 10. With --rule paper, auto (its "
            "default) takes the knee of the curve.",
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels", metavar="FILE", help="CSV file to write: the disjunct of every row."
        ),
    ] = None,
    raw: options.Raw = False,
    drop: options.Drop = None,
    id_columns: options.IdColumns = None,
    keep: options.Keep = None,
    many_classes: options.ManyClasses = False,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Show the separate parts (disjuncts) of each class, and their sizes.

    Missing values are imputed and columns standardised first.
    """
    from kpboost._files import replace_file
    from kpboost._validation import check_choice
    from kpboost.datasets import find_chosen, role_sentences
    from kpboost.reports import terminal_table

    check_choice("--rule", rule, tuple(RULES))
    choices = options.column_choices(drop, id_columns, keep, many_classes)
    read = find_chosen(data, target, data_dir, choices)
    found = (_by_audit if rule == "audit" else _by_paper)(read, neighbors)
    if labels is not None:
        replace_file(labels, _labels_csv(read, found, raw).encode())
    if as_json:
        print_json(_as_data(read, found))
        return
    console = out()
    show(console, *options.class_note(data, target, read), *options.spelling_note(read))
    console.print(terminal_table(disjunct_table(read, found)))
    for sentence in (_in_words(found), *role_sentences(read.roles)):
        show(console, sentence)


@dataclass(frozen=True, slots=True, eq=False)
class RuledDisjuncts:
    """Disjuncts by one of the rules: that of each point, the label and size of each, and how.

    ``neighbor_recall`` is the share of the true neighbours that was found; None if nobody knows.
    """

    labels: NDArray[Any]
    owners: NDArray[Any]
    sizes: NDArray[Any]
    n_neighbors: int
    rule: str
    neighbor_recall: float | None = None


def _by_audit(data: Dataset, neighbors: str | None) -> RuledDisjuncts:
    import numpy as np

    from kpboost._validation import check_count
    from kpboost.auditing import N_NEIGHBORS, class_parts

    if neighbors == "auto":
        raise ValueError("--neighbors auto needs --rule paper.")
    number = N_NEIGHBORS if neighbors is None else _number(neighbors)
    check_count("--neighbors", number)
    parts = class_parts(data.X, data.nominal, data.y, int(number))
    owners = np.unique(data.y)[parts.owners]
    return RuledDisjuncts(parts.labels, owners, parts.sizes, int(number), "audit")


def _by_paper(data: Dataset, neighbors: str | None) -> RuledDisjuncts:
    from kpboost.disjuncts import DisjunctFinder
    from kpboost.methods import standardised

    finder = DisjunctFinder(n_neighbors=_number(neighbors or "auto"))
    finder.fit(standardised(data.X, data.nominal), data.y)
    sizes, owners = finder.disjunct_sizes_, finder.disjunct_classes_
    return RuledDisjuncts(
        finder.labels_, owners, sizes, int(finder.n_neighbors_), "paper", finder.neighbor_recall_
    )


def disjunct_table(data: Dataset, found: RuledDisjuncts) -> ReportTable:
    """Build a row per class: its points, disjuncts, and how much lies in small ones."""
    import numpy as np

    from kpboost.reports import ReportColumn, ReportTable

    rows = []
    for label in np.unique(found.owners):
        sizes = np.sort(found.sizes[found.owners == label])[::-1]
        small = sizes[sizes <= SMALL]
        rows.append((str(label), int(sizes.sum()), len(sizes), int(sizes[0]), int(sizes[-1]),
                     len(small), 100 * float(small.sum() / sizes.sum())))  # fmt: skip
    columns = (
        ReportColumn("Class"),
        ReportColumn("Rows"),
        ReportColumn("Disjuncts"),
        ReportColumn("Largest"),
        ReportColumn("Smallest"),
        ReportColumn("Small"),
        ReportColumn("Percent", 1),
    )
    note = f"Small: {SMALL} rows or fewer. Percent: share of rows in small ones."
    return ReportTable("disjuncts", f"Disjuncts of {data.name}", columns, tuple(rows), note=note)


def _in_words(found: RuledDisjuncts) -> str:
    recall = found.neighbor_recall
    searched = (
        f"The neighbour search is approximate; on 500 sampled rows it found {recall:.2%} of the "
        "true neighbours. "
        if recall is not None and recall < 1.0
        else ""
    )
    return (
        f"{found.sizes.size} disjuncts. {searched}"
        f"{RULES[found.rule].format(found.n_neighbors)} Rows in small disjuncts are the ones that "
        "classifiers miss most often: see kpboost audit."
    )


def _number(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdecimal() else text


def _labels_csv(data: Dataset, found: RuledDisjuncts, raw: bool) -> str:
    from kpboost.reports import csv_text

    parts = found.labels.tolist()
    sizes = found.sizes[found.labels].tolist()
    rows = zip(range(1, data.n_samples + 1), data.y.tolist(), parts, sizes, strict=True)
    return csv_text(["row", data.target_name, "disjunct", "size"], rows, raw=raw)


def _as_data(data: Dataset, found: RuledDisjuncts) -> dict[str, Any]:
    from kpboost.datasets import role_sentences

    parts = zip(found.owners, found.sizes, strict=True)
    return {
        "dataset": data.name,
        "n_points": data.n_samples,
        "rule": found.rule,
        "n_neighbors": found.n_neighbors,
        "neighbor_recall": found.neighbor_recall,
        "n_disjuncts": int(found.sizes.size),
        "notes": role_sentences(data.roles),
        "disjuncts": [{"class": str(label), "size": int(size)} for label, size in parts],
    }
