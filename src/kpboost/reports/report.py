"""Everything that a report of a comparison says, before anyone writes it down."""

from dataclasses import dataclass
from itertools import chain

from kpboost.experiments.reading import StoreInfo
from kpboost.experiments.records import COMPLETE

from .comparison import MEASURES, Comparison
from .comparison_figures import cost_plot, dot_plot, rank_diagram
from .fact_tables import dataset_table, time_table, unfinished_table
from .figure import Figure
from .paper_tables import paper_tables
from .rank_tables import duel_table, friedman_table, rank_table
from .score_tables import score_table, summary_table
from .table import Table
from .verdict import Verdict, verdict

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
    summary, ranks, friedman, duels, time, datasets, unfinished : Table
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
    summary: Table
    ranks: Table
    friedman: Table
    duels: Table
    paper: tuple[Table, ...]
    scores: tuple[Table, ...]
    time: Table
    datasets: Table
    unfinished: Table
    dots: tuple[Figure, ...]
    diagrams: tuple[Figure, ...]
    cost: Figure | None

    @property
    def tables(self) -> tuple[Table, ...]:
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
        paper=paper_tables(comparison),
        scores=tuple(score_table(comparison, measure) for measure in MEASURES),
        time=time_table(comparison),
        datasets=dataset_table(info.datasets),
        unfinished=unfinished_table(comparison),
        dots=_drawn([dot_plot(comparison, measure) for measure in ("gmean", "gsdi")]),
        diagrams=_drawn([rank_diagram(comparison, measure) for measure in MEASURES]),
        cost=cost_plot(comparison),
    )


def _drawn(figures: list[Figure | None]) -> tuple[Figure, ...]:
    return tuple(figure for figure in figures if figure is not None)


def _lead(comparison: Comparison, info: StoreInfo) -> str:
    methods, datasets = len(comparison.methods), len(comparison.datasets)
    what = f"{_many(methods, 'method')} on {_many(datasets, 'data set')}"
    return f"{what}, {info.spec.grid} grid, protocol {info.spec.protocol}."


def _origin(info: StoreInfo) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in info.versions.items())
    return f"Experiment begun {info.created}, seed {info.spec.seed}; {versions}."


def _tiles(comparison: Comparison, info: StoreInfo) -> tuple[tuple[str, str], ...]:
    finished = [each for each in comparison.outcomes if each.status == COMPLETE]
    seconds = sum(each.seconds for each in comparison.outcomes)
    return (
        (str(len(comparison.datasets)), "data sets"),
        (str(len(comparison.methods)), "methods"),
        (f"{len(finished)} of {len(comparison.outcomes)}", "pairs of both finished"),
        (f"{info.counts.get('failed', 0)}", "jobs failed"),
        (_duration(seconds), "of processor time"),
    )


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
