"""Tables of facts: the data sets, what each method cost, and what did not finish."""

from collections.abc import Sequence

import numpy as np

from kpboost.experiments.records import COMPLETE, DatasetInfo

from .comparison import Comparison
from .table import Column, Table

# An error text may be long; a table shows its beginning, the CSV of the store all of it.
LONGEST_ERROR = 200


def dataset_table(datasets: Sequence[DatasetInfo]) -> Table:
    """Build the table of the data sets: sizes, imbalance and disjuncts."""
    columns = (
        Column("Data set"),
        Column("Points"),
        Column("Features"),
        Column("Classes"),
        Column("Imbalance", 2, "size of the largest class by that of the smallest"),
        Column("Disjuncts", note="parts of classes, found by DisjunctFinder"),
    )
    rows = tuple(
        (each.name, each.n_points, each.n_features, len(each.class_counts),
         each.imbalance_ratio, each.n_disjuncts)
        for each in datasets if not each.error
    )  # fmt: skip
    return Table("datasets", "The data sets", columns, rows)


def time_table(comparison: Comparison) -> Table:
    """Build the table of time per method, fastest first."""
    rows: list[tuple[str, int, int, float, float]] = []
    for column, name in enumerate(comparison.methods):
        seconds = comparison.seconds[:, column]
        finished = seconds[np.isfinite(seconds)]
        if finished.size:
            tried = _candidates(comparison, name)
            rows.append((comparison.title(name), int(finished.size), tried,
                         float(np.median(finished)), float(finished.sum())))  # fmt: skip
    columns = (
        Column("Method"),
        Column("Finished", note="data sets"),
        Column("Candidates", note="most settings tried on one data set and fold"),
        Column("Median seconds", 2, "per data set"),
        Column("All seconds", 1),
    )
    note = (
        "Processor time, search included. Work that several methods share counts where it was done."
    )
    fastest_first = sorted(rows, key=lambda row: row[-1])
    return Table("time", "Time", columns, tuple(fastest_first), note=note)


def unfinished_table(comparison: Comparison) -> Table:
    """Build the table of what has no result (yet), and why."""
    columns = (Column("Data set"), Column("Method"), Column("Status"), Column("Why"))
    rows = tuple(
        (each.dataset, comparison.title(each.method), each.status, _short(each.error))
        for each in comparison.outcomes
        if each.status != COMPLETE
    )
    return Table("unfinished", "Not finished", columns, rows)


def _candidates(comparison: Comparison, method: str) -> int:
    return max(each.n_candidates for each in comparison.outcomes if each.method == method)


def _short(error: str) -> str:
    line = " ".join(error.split())
    return line if len(line) <= LONGEST_ERROR else line[: LONGEST_ERROR - 1] + "…"
