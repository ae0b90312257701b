"""The paper's table of average ranks and hypotheses, Friedman's test, and duels."""

import numpy as np

from kpboost.metrics import average_ranks

from .comparison import MAIN_MEASURE, MEASURES, Comparison, best_places
from .duels import duels
from .friedman import can_compare, friedman_test
from .signed_rank import CONTROL, LEVEL, against_control
from .table import RANK_DIGITS, Column, Table, Value

P_DIGITS = 4


def rank_table(comparison: Comparison) -> Table:
    """Build the table of average ranks (AR) and signed rank hypotheses (WSR), as in the paper."""
    parts = {measure: _ranks_and_verdicts(comparison, measure) for measure in MEASURES}
    methods = [name for name in comparison.methods if any(name in part for part in parts.values())]
    rows: list[tuple[Value, ...]] = []
    for name in methods:
        cells = [part.get(name, (None, None)) for part in parts.values()]
        rows.append((comparison.title(name), *(value for cell in cells for value in cell)))
    rows.sort(key=lambda row: _order(row[1]))
    best = {
        (line, column) for column in range(1, 2 * len(MEASURES), 2)
        for line in _lowest([row[column] for row in rows])
    }  # fmt: skip
    return Table("ranks", "Average ranks", _rank_columns(), tuple(rows), frozenset(best), NOTE)


NOTE = (
    f"AR: average rank, 1 is the best, ties share. WSR: Wilcoxon's signed rank test at {LEVEL:.0%} "
    f"against the control ({CONTROL}); H0: no difference to be seen, H1: a difference."
)


def friedman_table(comparison: Comparison) -> Table:
    """Build one row per measure: do the methods differ, and how far apart must ranks be."""
    rows = []
    for measure, title in MEASURES.items():
        scores = comparison.shared(measure).scores
        if can_compare(scores):
            result = friedman_test(scores)
            rows.append((title, result.n_datasets, result.statistic, result.p_value,
                         result.critical_difference))  # fmt: skip
    columns = (
        Column("Measure"),
        Column("Data sets"),
        Column("Chi-squared", 2, "Friedman's statistic"),
        Column("p-value", P_DIGITS, "small: the methods are not all alike"),
        Column("Critical difference", RANK_DIGITS, "of average ranks, by Nemenyi's test"),
    )
    note = "Methods differ if their average ranks are further apart than the critical difference."
    return Table("friedman", "Friedman's test", columns, tuple(rows), note=note)


def duel_table(comparison: Comparison) -> Table:
    """Build the table of wins, ties and losses of every method (row) against every other."""
    shared = comparison.shared(MAIN_MEASURE)
    counts = duels(shared.scores)
    titles = [comparison.title(name) for name in shared.methods]
    rows = tuple(
        (title, *("" if line == column else
                  f"{counts.wins[line, column]}/{counts.ties[line, column]}"
                  f"/{counts.losses[line, column]}" for column in range(len(titles))))
        for line, title in enumerate(titles)
    )  # fmt: skip
    columns = (Column("Method"), *(Column(f"vs {title}") for title in titles))
    note = "Data sets on which the method of the row wins/ties/loses in Gmean against the column."
    return Table("duels", "Wins, ties and losses", columns, rows, note=note)


def _ranks_and_verdicts(comparison: Comparison, measure: str) -> dict[str, tuple[float, str]]:
    shared = comparison.shared(measure)
    if shared.is_empty:
        return {}
    ranks = average_ranks(shared.scores).tolist()
    tests = against_control(shared.scores, comparison.control(shared))
    verdicts = [test.verdict for test in tests]
    return dict(zip(shared.methods, zip(ranks, verdicts, strict=True), strict=True))


def _rank_columns() -> tuple[Column, ...]:
    pairs = [(Column(f"{title} AR", RANK_DIGITS, f"average rank in {title}"),
              Column(f"{title} WSR", note=f"signed rank test in {title} against the control"))
             for title in MEASURES.values()]  # fmt: skip
    return (Column("Method"), *(column for pair in pairs for column in pair))


def _order(rank: Value) -> float:
    return rank if isinstance(rank, float) else np.inf


def _lowest(values: list[Value]) -> tuple[int, ...]:
    return best_places(-np.array(values, dtype=np.float64))
