"""All outcomes of a store in three arrays, and what of them can be compared.

Ranks need every method on every data set. A run that is still going, or a method that failed here
and there, leaves holes; so methods that have finished clearly fewer data sets than the others are
set aside, and of the data sets those count that all remaining methods have finished. Nothing is
filled in.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.ticker import NullFormatter
from numpy.typing import NDArray

from kpboost._notebook import Facts, FactsMixin, names
from kpboost._typing import FloatArray
from kpboost.experiments import (
    COMPLETE,
    MEASURES,
    NESTED,
    UNAVAILABLE,
    DatasetInfo,
    Measure,
    Outcome,
    measured_names,
    measures_of,
)
from kpboost.metrics import average_ranks

from ._page import FAINT, INK, LINE, PAPER, SERIES, Figure, drawing, inline_svg, label
from ._statistics import (
    CONTROL_MARK,
    DIGITS,
    FEWEST_FOR_TESTS,
    LEVEL,
    can_compare,
    draw_critical_difference,
    duels,
    friedman_test,
    verdicts_against,
)
from ._table import RANK_DIGITS, ReportColumn, ReportTable, Value, listed

# The measure that decides who is the best where only one can, and that of small disjuncts.
MAIN_MEASURE, SMALL_MEASURE = "gmean", "gsdi"
# The method that others are tested against, if it is there.
CONTROL = "kpboost"
# A method with less than this share of the most finished data sets would cost the others too many.
ENOUGH = 0.5


@dataclass(frozen=True)
class Shared:
    """Scores without holes in one measure.

    Attributes
    ----------
    measure : Measure
    scores : ndarray of shape (n_datasets, n_methods)
    datasets, methods : tuple of str
        What the rows and columns are.
    """

    measure: Measure
    scores: FloatArray
    datasets: tuple[str, ...]
    methods: tuple[str, ...]

    @property
    def merits(self) -> FloatArray:
        """The scores, or their negatives where smaller ones are better: for ranks and tests."""
        return merits(self.measure, self.scores)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to compare."""
        return len(self.datasets) == 0 or len(self.methods) < 2

    def mean(self, method: str) -> float:
        """Mean score of a method; nan if it is not compared."""
        if method not in self.methods or not self.datasets:
            return np.nan
        return float(self.scores[:, self.methods.index(method)].mean())


@dataclass(frozen=True, repr=False)
class Comparison(FactsMixin):
    """Data sets x methods.

    Attributes
    ----------
    datasets, methods : tuple of str
        Names, in the order of the store; data sets that are not available are not among them.
    titles : mapping from str to str
        How tables call each method.
    scores : mapping from str to ndarray of shape (n_datasets, n_methods)
        Means over folds by measure; nan where not all folds are finished.
    seconds : ndarray of shape (n_datasets, n_methods)
        Time spent, search included; nan where not finished.
    outcomes : tuple of Outcome
        All of them, with folds and errors.

    See Also
    --------
    read_comparison : Reads one from a store.
    compare_outcomes : Makes one from outcomes.
    write_report : Writes its tables and pictures.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from kpboost.experiments import ExperimentSpec, run
    >>> from kpboost.reports import read_comparison
    >>> with TemporaryDirectory() as folder:
    ...     _ = run(ExperimentSpec(("planted-two",), ("svm",), n_folds=2), f"{folder}/results.db")
    ...     comparison = read_comparison(f"{folder}/results.db")
    >>> comparison.best_method, comparison.scores["gmean"].shape
    ('svm', (1, 1))
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    titles: Mapping[str, str]
    scores: Mapping[str, FloatArray]
    seconds: FloatArray
    outcomes: tuple[Outcome, ...]

    def _facts(self) -> Facts:
        best = self.best_method
        yield "data sets", f"{len(self.datasets)}, {names(self.datasets)}"
        yield "methods", f"{len(self.methods)}, {names(map(self.title, self.methods))}"
        yield "best average rank", "none yet" if best is None else self.title(best)

    def _repr_html_(self) -> str:
        return summary_table(self)._repr_html_() + score_table(self, MAIN_MEASURE)._repr_html_()

    @property
    def all_measures(self) -> tuple[Measure, ...]:
        """The measures of the protocol."""
        return measures_of(_protocol(self.outcomes))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Those of them by which something was measured; all of them before anything was."""
        known = [each for each in self.all_measures if np.isfinite(self.scores[each.name]).any()]
        return tuple(known) or self.all_measures

    def title(self, method: str) -> str:
        """Name of a method for people."""
        return self.titles.get(method, method)

    def shared(
        self,
        measure: str,
        datasets: Sequence[str] | None = None,
        methods: Sequence[str] | None = None,
    ) -> Shared:
        """Scores of the methods and data sets that can be compared.

        Parameters
        ----------
        measure : str
        datasets, methods : sequence of str, optional
            Those to look at; all of them by default.
        """
        names = self.datasets if datasets is None else tuple(datasets)
        tried = self.methods if methods is None else tuple(methods)
        scores = self.scores[measure][
            np.ix_([self.datasets.index(own) for own in names],
                   [self.methods.index(own) for own in tried])
        ]  # fmt: skip
        finished = np.isfinite(scores)
        columns = _enough(finished)
        rows = np.flatnonzero(finished[:, columns].all(axis=1))
        return Shared(
            MEASURES[measure],
            scores[np.ix_(rows, columns)],
            tuple(names[row] for row in rows),
            tuple(tried[column] for column in columns),
        )

    @property
    def best_method(self) -> str | None:
        """The method of the best average rank by the main measure; None if nothing is finished."""
        shared = self.shared(MAIN_MEASURE)
        if not shared.scores.size:
            return None
        return shared.methods[int(np.argmin(average_ranks(shared.merits)))]

    def total_seconds(self, shared: Shared) -> FloatArray:
        """Time that each compared method took for the data sets compared."""
        rows = [self.datasets.index(name) for name in shared.datasets]
        columns = [self.methods.index(name) for name in shared.methods]
        return np.asarray(self.seconds[np.ix_(rows, columns)].sum(axis=0))

    def control(self, shared: Shared) -> int:
        """Column of the method that others are tested against: KPBoost, or else the first."""
        return shared.methods.index(CONTROL) if CONTROL in shared.methods else 0


def compare_outcomes(outcomes: Sequence[Outcome], titles: Mapping[str, str]) -> Comparison:
    """Arrange outcomes as arrays.

    Parameters
    ----------
    outcomes : sequence of Outcome
        At most one per data set and method.
    titles : mapping from str to str
        Names of methods for people; a method that is not there keeps its short name.

    Returns
    -------
    Comparison
    """
    there = [outcome for outcome in outcomes if outcome.status != UNAVAILABLE]
    datasets = tuple(dict.fromkeys(outcome.dataset for outcome in there))
    methods = tuple(dict.fromkeys(outcome.method for outcome in there))
    names = measured_names(_protocol(outcomes))
    values = np.full((1 + len(names), len(datasets), len(methods)), np.nan)
    for each in outcomes:
        if each.status == COMPLETE:
            place = datasets.index(each.dataset), methods.index(each.method)
            values[:, *place] = [each.seconds, *(each.scores[name] for name in names)]
    scores = dict(zip(names, values[1:], strict=True))
    return Comparison(datasets, methods, titles, scores, values[0], tuple(outcomes))


def _protocol(outcomes: Sequence[Outcome]) -> str:
    return outcomes[0].protocol if outcomes else NESTED


def merits(measure: Measure, scores: FloatArray) -> FloatArray:
    """Return scores of which the largest is the best."""
    return scores if measure.larger_is_better else -scores


def _enough(finished: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Columns of the methods that have finished data sets enough."""
    counts = finished.sum(axis=0)
    most = counts.max(initial=0)
    return np.flatnonzero((counts > 0) & (counts >= ENOUGH * most))


def best_places(values: FloatArray) -> tuple[int, ...]:
    """Places of the largest value: all of them if it is tied, none if nothing is known."""
    if np.isnan(values).all():
        return ()
    rounded = np.round(values, DIGITS)
    return tuple(int(place) for place in np.flatnonzero(rounded == np.nanmax(rounded)))


WIDTH = 4.9  # inches; readable on a phone without turning it
ROW = 0.27  # inches per data set: a line of text
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
# More than these would be a cloud: the control and the best ranked get a colour, the others a dot.
MOST_COLORED = 5


def dot_plot(comparison: Comparison, measure: str) -> Figure | None:
    """Draw a row per data set and a mark per method, the hardest data set at the bottom.

    Parameters
    ----------
    comparison : Comparison
    measure : str

    Returns
    -------
    Figure or None
        None if there is nothing to compare.
    """
    shared = comparison.shared(measure)
    if shared.is_empty:
        return None
    title = shared.measure.title
    order = np.argsort(shared.merits.mean(axis=1), kind="stable")
    with drawing(WIDTH, 1.3 + ROW * len(order)) as canvas:
        axes = canvas.subplots()
        _ranges(axes, shared.scores[order])
        for name, style in styles(comparison, shared).items():
            values = shared.scores[order, shared.methods.index(name)]
            axes.plot(values, np.arange(len(order)), **style)
        axes.set_yticks(np.arange(len(order)), [label(shared.datasets[row]) for row in order])
        axes.set_ylim(-0.6, len(order) - 0.4)
        axes.set_xlabel(
            f"{title} ({'right' if shared.measure.larger_is_better else 'left'} is better)"
        )
        axes.grid(visible=False, axis="y")
        canvas.legend(loc="outside upper left", ncols=2, handletextpad=0.1, columnspacing=1.2)
        svg = inline_svg(canvas, f"dots-{measure}")
    caption = (
        f"{title} of every method on every data set. A short grey line means that the choice of "
        "method hardly matters there; a long one that it does."
    )
    return Figure(svg, f"{title}: who wins where", caption)


def rank_diagram(comparison: Comparison, measure: str) -> Figure | None:
    """Draw the critical difference diagram of one measure; None if there is too little for it."""
    shared = comparison.shared(measure)
    if shared.is_empty or not can_compare(shared.scores):
        return None
    title = shared.measure.title
    result = friedman_test(shared.merits)
    names = _distinct([label(comparison.title(name)) for name in shared.methods])
    colors = {name: _color(method) for name, method in zip(names, shared.methods, strict=True)}
    with drawing(WIDTH, 0.9 + 0.15 * len(names)) as canvas:
        axes = canvas.subplots()
        axes.grid(visible=False)
        draw_critical_difference(result, names, axes, colors, SERIES[1])
        svg = inline_svg(canvas, f"ranks-{measure}")
    verdict = "differ" if result.p_value < LEVEL else "cannot be told apart"
    caption = (
        f"Average ranks in {title}, best on the left; a bar joins methods that Nemenyi's test "
        f"cannot tell apart. Friedman's test: the methods {verdict} (p = {result.p_value:.3g}, "
        f"{result.n_datasets} data sets); ranks differ if {result.critical_difference:.2f} apart."
    )
    return Figure(svg, f"Ranks in {title}", caption)


def cost_plot(comparison: Comparison) -> Figure | None:
    """Draw average rank against time: the lower left corner is good and cheap."""
    shared = comparison.shared(MAIN_MEASURE)
    if shared.is_empty:
        return None
    ranks = average_ranks(shared.merits)
    seconds = np.maximum(comparison.total_seconds(shared), np.finfo(np.float64).tiny)
    with drawing(WIDTH, 1.1 + ROW * len(ranks)) as canvas:
        axes = canvas.subplots()
        order = np.argsort(-ranks, kind="stable")
        axes.barh(np.arange(len(order)), seconds[order], height=0.55,
                  color=[_color(shared.methods[place]) for place in order])  # fmt: skip
        titles = [f"{label(comparison.title(shared.methods[k]))}  {ranks[k]:.2f}" for k in order]
        axes.set_yticks(np.arange(len(order)), titles)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda seconds, _: f"{seconds:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("processor seconds (logarithmic)")
        axes.grid(visible=False, axis="y")
        svg = inline_svg(canvas, "cost")
    caption = "What each method cost, search included; the best average rank (the number) on top."
    return Figure(svg, "What it costs", caption)


def styles(comparison: Comparison, shared: Shared) -> dict[str, dict[str, Any]]:
    """Choose marks: small dots for most; colour and shape for the control and the best ranked.

    The ranks are those of the main measure, so that a method looks the same in all pictures.
    """
    ranked = [name for name in _ranked(comparison) if name in shared.methods]
    first = [name for name in (CONTROL,) if name in ranked]
    chosen = [*first, *(name for name in ranked if name not in first)][:MOST_COLORED]
    others = [name for name in ranked if name not in chosen]
    return {
        **{name: _colored(place, comparison.title(name)) for place, name in enumerate(chosen)},
        # One line of the legend stands for all dots; matplotlib leaves out labels with "_".
        **{name: _dot("the others" if name == others[0] else "_") for name in others},
    }


def _ranked(comparison: Comparison) -> list[str]:
    """All methods, best ranked first; those that are not compared come last."""
    main = comparison.shared(MAIN_MEASURE)
    if main.is_empty:
        return list(comparison.methods)
    order = np.argsort(average_ranks(main.merits), kind="stable")
    return list(dict.fromkeys([*(main.methods[k] for k in order), *comparison.methods]))


def _colored(place: int, title: str) -> dict[str, Any]:
    return {
        "linestyle": "none",
        "marker": MARKERS[place],
        "color": SERIES[place],
        "markersize": 7.5,
        "markeredgecolor": PAPER,
        "markeredgewidth": 0.8,
        "zorder": 4 - 0.1 * place,
        "label": label(title),
    }


def _dot(text: str) -> dict[str, Any]:
    shape = {"linestyle": "none", "marker": ".", "color": FAINT, "markersize": 5, "alpha": 0.8}
    return {**shape, "zorder": 2, "label": text}


def _ranges(axes: Any, scores: Any) -> None:
    rows = np.arange(len(scores))
    axes.hlines(rows, scores.min(axis=1), scores.max(axis=1), color=LINE, linewidth=5, zorder=0)


def _color(method: str) -> str:
    return SERIES[0] if method == CONTROL else INK


def _distinct(names: list[str]) -> list[str]:
    """Tell apart names that shortening has made equal: the diagram is keyed by name."""
    return [f"{name} ({k})" if names.index(name) != k else name for k, name in enumerate(names)]


P_DIGITS = 4
DUELS = "Wins, ties and losses"


def rank_table(comparison: Comparison) -> ReportTable:
    """Build the table of average ranks (AR) and signed rank hypotheses (WSR), as in the paper."""
    measures = comparison.measures
    parts = [_ranks_and_verdicts(comparison, measure.name) for measure in measures]
    methods = [name for name in comparison.methods if any(name in part for part in parts)]
    rows: list[tuple[Value, ...]] = []
    for name in methods:
        cells = [part.get(name, (None, None)) for part in parts]
        rows.append((comparison.title(name), *(value for cell in cells for value in cell)))
    rows.sort(key=lambda row: _order(row[1]))
    best = {
        (line, column) for column in range(1, 2 * len(measures), 2)
        for line in _lowest([row[column] for row in rows])
    }  # fmt: skip
    note = " ".join([NOTE, *_untested(comparison), *_unmeasured(comparison, measures)])
    columns = _rank_columns(measures)
    return ReportTable("ranks", "Average ranks", columns, tuple(rows), frozenset(best), note)


NOTE = (
    f"AR: average rank, 1 is the best, ties share. WSR: Wilcoxon's signed rank test at {LEVEL:.0%} "
    f"against the control ({CONTROL_MARK}); H0: no difference to be seen, H1: a difference."
)


TOO_FEW = (
    f"With fewer than {FEWEST_FOR_TESTS} data sets no difference can be significant at "
    f"{LEVEL:.0%}: a dash stands where the test cannot tell."
)


def _untested(comparison: Comparison) -> list[str]:
    """Say why there are no verdicts, if there are ranks without."""
    ranked = [comparison.shared(measure.name) for measure in comparison.measures]
    sizes = [len(shared.datasets) for shared in ranked if not shared.is_empty]
    return [TOO_FEW] if min(sizes, default=FEWEST_FOR_TESTS) < FEWEST_FOR_TESTS else []


def friedman_table(comparison: Comparison) -> ReportTable:
    """Build one row per measure: do the methods differ, and how far apart must ranks be."""
    rows = []
    for shared in (comparison.shared(measure.name) for measure in comparison.measures):
        if can_compare(shared.scores):
            result = friedman_test(shared.merits)
            rows.append((shared.measure.title, result.n_datasets, result.statistic, result.p_value,
                         result.critical_difference))  # fmt: skip
    columns = (
        ReportColumn("Measure"),
        ReportColumn("Data sets"),
        ReportColumn("Chi-squared", 2, "Friedman's statistic"),
        ReportColumn("p-value", P_DIGITS, "small: the methods are not all alike"),
        ReportColumn("Critical difference", RANK_DIGITS, "of average ranks, by Nemenyi's test"),
    )
    note = "Methods differ if their average ranks are further apart than the critical difference."
    return ReportTable("friedman", "Friedman's test", columns, tuple(rows), note=note)


def duel_table(comparison: Comparison) -> ReportTable:
    """Build the table of wins, ties and losses of every method (row) against every other."""
    shared = comparison.shared(MAIN_MEASURE)
    if shared.is_empty:
        return ReportTable("duels", DUELS, (), ())
    counts = duels(shared.merits)
    titles = [comparison.title(name) for name in shared.methods]
    rows = tuple(
        (title, *("" if line == column else
                  f"{counts.wins[line, column]}/{counts.ties[line, column]}"
                  f"/{counts.losses[line, column]}" for column in range(len(titles))))
        for line, title in enumerate(titles)
    )  # fmt: skip
    columns = (ReportColumn("Method"), *(ReportColumn(f"vs {title}") for title in titles))
    note = "Data sets on which the method of the row wins/ties/loses in Gmean against the column."
    return ReportTable("duels", DUELS, columns, rows, note=note)


def _ranks_and_verdicts(
    comparison: Comparison, measure: str
) -> dict[str, tuple[float, str | None]]:
    shared = comparison.shared(measure)
    if shared.is_empty:
        return {}
    ranks = average_ranks(shared.merits).tolist()
    verdicts = verdicts_against(shared.merits, comparison.control(shared))
    return dict(zip(shared.methods, zip(ranks, verdicts, strict=True), strict=True))


def _rank_columns(measures: Sequence[Measure]) -> tuple[ReportColumn, ...]:
    pairs = [
        (
            ReportColumn(f"{own.title} AR", RANK_DIGITS, f"average rank in {own.title}"),
            ReportColumn(
                f"{own.title} WSR", note=f"signed rank test in {own.title} against the control"
            ),
        )
        for own in measures
    ]
    return (ReportColumn("Method"), *(column for pair in pairs for column in pair))


def _order(rank: Value) -> float:
    return rank if isinstance(rank, float) else np.inf


def _lowest(values: list[Value]) -> tuple[int, ...]:
    return best_places(-np.array(values, dtype=np.float64))


# Digits of scores: as in the paper's tables, and fewer where the eye shall compare.
SCORE_DIGITS = 4
MEAN_DIGITS = 3


def score_table(comparison: Comparison, measure: str) -> ReportTable:
    """Build the table of one measure: a row per data set, a column per method, means at the end.

    Parameters
    ----------
    comparison : Comparison
    measure : str

    Returns
    -------
    ReportTable
        The best of each row is marked, all of them if several are.
    """
    own = MEASURES[measure]
    rows = [*zip(comparison.datasets, comparison.scores[measure].tolist(), strict=True)]
    shared = comparison.shared(measure)
    means = [shared.mean(name) for name in comparison.methods]
    sums = [] if shared.is_empty else [(f"Mean of {len(shared.datasets)}", means)]
    rows += sums
    return ReportTable(
        f"scores-{measure}",
        f"{own.title} on each data set",
        (ReportColumn("Data set"), *_method_columns(comparison)),
        tuple((name, *values) for name, values in rows),
        frozenset((line, place + 1) for line, (_, values) in enumerate(rows)
                  for place in best_places(merits(own, np.array(values)))),
        f"{own.title}: {own.note}; the {'larger' if own.larger_is_better else 'smaller'} the "
        "better. Means over the folds, the best of each row marked.",
        n_sums=len(sums),
    )  # fmt: skip


def summary_table(comparison: Comparison, measures: Sequence[Measure] | None = None) -> ReportTable:
    """Build the short table: ranks, mean measures, wins and time; the best ranked first.

    Parameters
    ----------
    comparison : Comparison
    measures : sequence of Measure, optional
        Those to show; all but the details by default.
    """
    if measures is None:
        measures = [each for each in comparison.measures if not each.is_detail]
    main = comparison.shared(MAIN_MEASURE)
    lines = [] if main.is_empty else _summary_rows(comparison, main, measures)
    rows = tuple(sorted(lines, key=lambda line: line[1]))
    # Of ranks the lowest is the best.
    signs = (-1, *(1 if own.larger_is_better else -1 for own in measures), 1)
    best = (
        (line, column)
        for column, sign in enumerate(signs, start=1)
        for line in best_places(sign * np.array([row[column] for row in rows], dtype=np.float64))
    )
    columns = (
        ReportColumn("Method"),
        ReportColumn("Rank", RANK_DIGITS, "average rank in Gmean, 1 is the best, ties share"),
        *(ReportColumn(own.title, MEAN_DIGITS, own.note) for own in measures),
        ReportColumn("Best on", note="data sets on which its Gmean is the best, alone or tied"),
        ReportColumn("Seconds", 1, "processor time for these data sets, search included"),
    )
    note = " ".join([coverage(comparison), *_unmeasured(comparison, measures)])
    return ReportTable("summary", "At a glance", columns, rows, frozenset(best), note)


def _summary_rows(
    comparison: Comparison, main: Shared, measures: Sequence[Measure]
) -> list[tuple[Any, ...]]:
    measured = [comparison.shared(measure.name) for measure in measures]
    ranks, wins = average_ranks(main.merits).tolist(), times_best(main)
    seconds = comparison.total_seconds(main).tolist()
    return [
        (comparison.title(name), rank, *(each.mean(name) for each in measured), wins[name], cost)
        for name, rank, cost in zip(main.methods, ranks, seconds, strict=True)
    ]


def _unmeasured(comparison: Comparison, measures: Sequence[Measure]) -> list[str]:
    """Say why there are dashes in the columns of some measures, if there are."""
    compared = set(comparison.shared(MAIN_MEASURE).methods)
    lacking: dict[str, list[str]] = {}
    for measure in measures:
        if not compared <= set(comparison.shared(measure.name).methods):
            lacking.setdefault(measure.needs, []).append(measure.title)
    if not lacking:
        return []
    reasons = [
        f"{listed(titles)} {'needs' if len(titles) == 1 else 'need'} {needs}"
        for needs, titles in lacking.items()
    ]
    return [
        f"{'; '.join(reasons)}. A method that gives none, or was tested by an earlier version, has "
        "a dash, and ranks are those among the others."
    ]


def times_best(shared: Shared) -> Counter[str]:
    """On how many data sets each method has the best score, alone or tied."""
    return Counter(shared.methods[place] for row in shared.merits for place in best_places(row))


def coverage(comparison: Comparison) -> str:
    """Say what was compared, and what was not for want of results."""
    shared = comparison.shared(MAIN_MEASURE)
    sentence = (
        f"{len(shared.datasets)} of {len(comparison.datasets)} data sets count: those that all of "
        f"these {len(shared.methods)} methods have finished."
    )
    aside = [comparison.title(name) for name in comparison.methods if name not in shared.methods]
    return f"{sentence} Set aside, too little finished: {', '.join(aside)}." if aside else sentence


def _method_columns(comparison: Comparison) -> list[ReportColumn]:
    return [ReportColumn(comparison.title(name), SCORE_DIGITS) for name in comparison.methods]


# An error text may be long; a table shows its beginning, the CSV of the store all of it.
LONGEST_ERROR = 200


def dataset_table(datasets: Sequence[DatasetInfo]) -> ReportTable:
    """Build the table of the data sets: sizes, imbalance and disjuncts."""
    columns = (
        ReportColumn("Data set"),
        ReportColumn("Points"),
        ReportColumn("Features"),
        ReportColumn("Classes"),
        ReportColumn("Imbalance", 2, "size of the largest class by that of the smallest"),
        ReportColumn("Disjuncts", note="parts of classes, found by DisjunctFinder"),
    )
    rows = tuple(
        (each.name, each.n_points, each.n_features, len(each.class_counts),
         each.imbalance_ratio, each.n_disjuncts)
        for each in datasets if not each.error
    )  # fmt: skip
    return ReportTable("datasets", "The data sets", columns, rows)


def time_table(comparison: Comparison) -> ReportTable:
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
        ReportColumn("Method"),
        ReportColumn("Finished", note="data sets"),
        ReportColumn("Candidates", note="most settings tried on one data set and fold"),
        ReportColumn("Median seconds", 2, "per data set"),
        ReportColumn("All seconds", 1),
    )
    note = (
        "Processor time, search included. Work that several methods share counts where it was done."
    )
    fastest_first = sorted(rows, key=lambda row: row[-1])
    return ReportTable("time", "Time", columns, tuple(fastest_first), note=note)


def unfinished_table(comparison: Comparison) -> ReportTable:
    """Build the table of what has no result (yet), and why.

    What is the same for all methods, a data set that cannot be had for one, is said once.
    """
    columns = (
        ReportColumn("Data set"),
        ReportColumn("Method"),
        ReportColumn("Status"),
        ReportColumn("Why"),
    )
    methods: dict[tuple[str, str, str], list[str]] = {}
    for each in comparison.outcomes:
        if each.status != COMPLETE:
            cause = (each.dataset, each.status, _short(each.error))
            methods.setdefault(cause, []).append(comparison.title(each.method))
    rows: list[tuple[str, str, str, str]] = []
    for (dataset, status, why), titles in methods.items():
        of_all = status == UNAVAILABLE or len(titles) == len(comparison.methods) > 1
        rows.extend((dataset, title, status, why) for title in (["all"] if of_all else titles))
    return ReportTable("unfinished", "Not finished", columns, tuple(rows))


def _candidates(comparison: Comparison, method: str) -> int:
    return max(each.n_candidates for each in comparison.outcomes if each.method == method)


def _short(error: str) -> str:
    line = " ".join(error.split())
    return line if len(line) <= LONGEST_ERROR else line[: LONGEST_ERROR - 1] + "…"
