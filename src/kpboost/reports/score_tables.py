"""Tables of scores: every method on every data set, and the short table of means."""

from collections import Counter

import numpy as np

from kpboost.metrics import average_ranks

from .comparison import MAIN_MEASURE, MEASURES, Comparison, Shared, best_places
from .table import RANK_DIGITS, Column, Table

# Digits of scores: as in the paper's tables, and fewer where the eye shall compare.
SCORE_DIGITS = 4
MEAN_DIGITS = 3
MEANINGS = {
    "gmean": "geometric mean of the recalls of all classes",
    "auc": "area under the curve of hard labels, for two classes the mean of both recalls",
    "gsdi": "recall of the disjuncts, the small ones counting most",
}


def score_table(comparison: Comparison, measure: str) -> Table:
    """Build the table of one measure: a row per data set, a column per method, means at the end.

    Parameters
    ----------
    comparison : Comparison
    measure : {"gmean", "auc", "gsdi"}

    Returns
    -------
    Table
        The best of each row is marked, all of them if several are.
    """
    title = MEASURES[measure]
    rows = [*zip(comparison.datasets, comparison.scores[measure].tolist(), strict=True)]
    shared = comparison.shared(measure)
    if not shared.is_empty:
        means = [shared.mean(name) for name in comparison.methods]
        rows.append((f"Mean of {len(shared.datasets)}", means))
    return Table(
        f"scores-{measure}",
        f"{title} on each data set",
        (Column("Data set"), *_method_columns(comparison)),
        tuple((name, *values) for name, values in rows),
        frozenset((line, place + 1) for line, (_, values) in enumerate(rows)
                  for place in best_places(np.array(values))),
        f"{title}: {MEANINGS[measure]}; 1 is perfect. Means over the folds, the best of each "
        "row marked.",
    )  # fmt: skip


def summary_table(comparison: Comparison) -> Table:
    """Build the short table: ranks, mean measures, wins and time; the best ranked first."""
    main = comparison.shared(MAIN_MEASURE)
    lines = [] if main.is_empty else _summary_rows(comparison, main)
    rows = tuple(sorted(lines, key=lambda line: line[1]))
    signs = (-1, *(1 for _ in MEASURES), 1)  # of ranks the lowest is the best
    best = (
        (line, column)
        for column, sign in enumerate(signs, start=1)
        for line in best_places(sign * np.array([row[column] for row in rows], dtype=np.float64))
    )
    columns = (
        Column("Method"),
        Column("Rank", RANK_DIGITS, "average rank in Gmean, 1 is the best, ties share"),
        *(Column(title, MEAN_DIGITS, MEANINGS[name]) for name, title in MEASURES.items()),
        Column("Best on", note="data sets on which its Gmean is the best, alone or tied"),
        Column("Seconds", 1, "processor time for these data sets, search included"),
    )
    return Table("summary", "At a glance", columns, rows, frozenset(best), coverage(comparison))


def _summary_rows(
    comparison: Comparison, main: Shared
) -> list[tuple[str, float, float, float, float, int, float]]:
    gmean, auc, gsdi = (comparison.shared(measure) for measure in MEASURES)
    ranks, wins = average_ranks(main.scores).tolist(), times_best(main)
    seconds = comparison.total_seconds(main).tolist()
    return [
        (comparison.title(name), rank, gmean.mean(name), auc.mean(name), gsdi.mean(name),
         wins[name], cost)
        for name, rank, cost in zip(main.methods, ranks, seconds, strict=True)
    ]  # fmt: skip


def times_best(shared: Shared) -> Counter[str]:
    """On how many data sets each method has the best score, alone or tied."""
    return Counter(shared.methods[place] for row in shared.scores for place in best_places(row))


def coverage(comparison: Comparison) -> str:
    """Say what was compared, and what was not for want of results."""
    shared = comparison.shared(MAIN_MEASURE)
    sentence = (
        f"{len(shared.datasets)} of {len(comparison.datasets)} data sets count: those that all of "
        f"these {len(shared.methods)} methods have finished."
    )
    aside = [comparison.title(name) for name in comparison.methods if name not in shared.methods]
    return f"{sentence} Set aside, too little finished: {', '.join(aside)}." if aside else sentence


def _method_columns(comparison: Comparison) -> list[Column]:
    return [Column(comparison.title(name), SCORE_DIGITS) for name in comparison.methods]
