"""Tables with our figures beside the paper's, for every group of data sets and scheme."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp

import numpy as np

from kpboost._typing import FloatArray
from kpboost.datasets import known_names
from kpboost.experiments import MEASURES, PAPER_MEASURES, DatasetInfo, Outcome

from ._beside_paper import BesidePaper, beside_paper
from ._comparison import MEAN_DIGITS, SCORE_DIGITS, Comparison
from ._published import (
    ONE_VS_ALL,
    ONE_VS_ONE,
    is_own_draw,
    published_data,
    published_group,
)
from ._table import RANK_DIGITS, ReportColumn, ReportTable, Value

GROUPS = {
    "two-class-low": "two classes, few dimensions",
    "two-class-high": "two classes, many dimensions",
    "multi-class-low": "many classes, few dimensions",
    "multi-class-high": "many classes, many dimensions",
}
CHOSEN_OTHERWISE = (
    "The paper chose settings on its test folds; ours were chosen inside the training folds, and "
    "score lower for that alone."
)
OTHER_GRID = "The settings that were tried are fewer than the paper's."
OWN_DRAW = " *"
OWN_DRAW_NOTE = "* marks data sets whose points are our own draw from the paper's source."
# Differences per set that count as alike: by rounding and a few points, and by a few points more.
NEAR, FAIR = 0.01, 0.05
# Methods per table of single data sets: three columns each, which a page can still bear.
METHODS_PER_TABLE = 4
# The two methods of the supplement's tables S2 and S3.
KPBOOST, ROI = "kpboost", "kpboost_roi"
# Two standardised points are sqrt(2 d) apart as a rule, where the kernel is exp(-d / sigma^2).
# Below this value a machine answers by its nearest points alone.
DEGENERATE = 1e-3

Parts = Mapping[str, BesidePaper]
Cells = Callable[[BesidePaper, int], tuple[Value, ...]]


def paper_tables(
    comparison: Comparison, datasets: Sequence[DatasetInfo] = ()
) -> tuple[ReportTable, ...]:
    """Build the tables of every group and scheme of the paper that the comparison touches.

    Parameters
    ----------
    comparison : Comparison
    datasets : sequence of DatasetInfo
        Of the same store, for the table of their properties.
    """
    if known_names().keys().isdisjoint(comparison.datasets):
        return ()
    tables: list[ReportTable] = []
    for group in GROUPS:
        for scheme in (ONE_VS_ONE, ONE_VS_ALL) if group.startswith("multi") else (ONE_VS_ONE,):
            found = {
                name: beside_paper(comparison, name, group, scheme=scheme)
                for name in PAPER_MEASURES
            }
            parts = {name: part for name, part in found.items() if part is not None}
            if parts:
                tables += _TablesOfGroup(comparison, parts, group, scheme).all()
    if tables:
        tables += [width_table(comparison, datasets), data_table(datasets)]
    return tuple(table for table in tables if table.rows)


class _TablesOfGroup:
    """The tables of one group and scheme.

    Parameters
    ----------
    comparison : Comparison
    parts : mapping from measure to BesidePaper
    group, scheme : str
    """

    def __init__(self, comparison: Comparison, parts: Parts, group: str, scheme: str) -> None:
        self._comparison, self._parts = comparison, parts
        several = group.startswith("multi")
        self._file = f"{group}-{scheme.lower()}" if several else group
        self._words = f"{GROUPS[group]}, {scheme}" if several else GROUPS[group]
        self._n_datasets = max(len(part.datasets) for part in parts.values())

    def all(self) -> list[ReportTable]:
        """Return them in the order of the page."""
        first = [self.ranks(), self.tests(), self.means(), self.agreement(), self.two_methods()]
        return [*first, *self.seeds(), *self.single_sets()]

    def ranks(self) -> ReportTable:
        def cells(part: BesidePaper, place: int) -> tuple[Value, ...]:
            printed = part.printed[place]
            return (
                float(part.our_ranks[place]),
                float(part.paper_ranks[place]),
                None if printed is None else printed.rank,
            )

        return self._by_method(
            "", "Ranks", ("ours", "paper", "printed"), cells, RANK_DIGITS, self._rank_note()
        )

    def tests(self) -> ReportTable:
        verdicts = {name: part.verdicts() for name, part in self._parts.items()}

        def cells(part: BesidePaper, place: int) -> tuple[Value, ...]:
            return tuple(own[place] for own in verdicts[part.measure])

        note = (
            "Wilcoxon's signed rank test at 5 % against KPBoost-SVM of the same scheme (CN): H0, "
            "no difference to be seen; H1, a difference. 'paper' tests its scores on the same data "
            "sets, 'printed' is its own verdict over all of its own."
        )
        heads = ("ours", "paper", "printed")
        return self._by_method("tests-", "Signed rank tests", heads, cells, None, note)

    def means(self) -> ReportTable:
        own = next(iter(self._parts.values())).own_draws
        mixed = own.any() and not own.all()
        chosen = [("", np.ones(own.size, dtype=bool))]
        chosen += [(" without own draws", ~own)] if mixed else []

        def cells(part: BesidePaper, place: int) -> tuple[Value, ...]:
            return tuple(
                float(scores[rows, place].mean())
                for _, rows in chosen
                for scores in (part.ours, part.theirs)
            )

        heads = tuple(f"{whose}{words}" for words, _ in chosen for whose in ("ours", "paper"))
        note = f"Mean scores over the same {self._n_datasets} data sets."
        if own.any():
            note += f" {int(own.sum())} of them are our own draw from the paper's source."
        return self._by_method("means-", "Means", heads, cells, MEAN_DIGITS, note)

    def agreement(self) -> ReportTable:
        def cells(part: BesidePaper, place: int) -> tuple[Value, ...]:
            gaps = np.abs(part.differences[:, place])
            near, fair = (int(np.sum(gaps <= limit + 1e-9)) for limit in (NEAR, FAIR))
            method = part.methods[place]
            return float(gaps.mean()), part.correlation(method), near, fair

        heads = ("difference", "correlation", f"within {NEAR}", f"within {FAIR}")
        note = (
            f"Over {self._n_datasets} data sets: mean absolute difference between ours and the "
            "paper's score of a set, their correlation, and on how many sets they differ by no "
            "more than so much."
        )
        return self._by_method("agreement-", "Agreement by set", heads, cells, MEAN_DIGITS, note)

    def two_methods(self) -> ReportTable:
        """Build the supplement's S2 or S3: KPBoost-SVM and KPBoostROI-SVM on every data set."""
        first = next(iter(self._parts.values()))
        pair = [name for name in first.methods if name.removesuffix("_ovr") in (KPBOOST, ROI)]
        columns = [ReportColumn("Data set")]
        series: list[FloatArray] = []
        for part in self._parts.values() if len(pair) == 2 else ():
            for name in pair:
                for whose, values in zip(("ours", "paper"), part.column(name), strict=True):
                    title = f"{MEASURES[part.measure].title} {self._comparison.title(name)} {whose}"
                    columns.append(ReportColumn(title, SCORE_DIGITS))
                    series.append(values)
        return ReportTable(
            f"paper-roi-{self._file}",
            f"KPBoost-SVM and KPBoostROI-SVM beside the paper: {self._words}",
            tuple(columns),
            _with_mean(first.datasets, np.column_stack(series)) if series else (),
            note=f"As the supplement's tables S2 and S3. {OWN_DRAW_NOTE}",
        )

    def seeds(self) -> Iterator[ReportTable]:
        """Build one row per data set and method: spread over seeds, and where the paper lies."""
        for name, part in self._parts.items():
            rows = [
                row
                for dataset, theirs in zip(part.datasets, part.theirs, strict=True)
                for method, value in zip(part.methods, theirs, strict=True)
                if (row := self._seed_row(part, dataset, method, float(value)))
            ]
            title = MEASURES[name].title
            yield ReportTable(
                f"paper-seeds-{name}-{self._file}",
                f"{title} over seeds beside the paper: {self._words}",
                (
                    *(ReportColumn("Data set"), ReportColumn("Method"), ReportColumn("Seeds")),
                    *(ReportColumn(word, SCORE_DIGITS) for word in ("mean", "sd", "min", "max")),
                    ReportColumn("paper", SCORE_DIGITS),
                    ReportColumn("below paper", note="seeds whose score is below the paper's"),
                    ReportColumn("paper is", note="inside or outside of all that came out"),
                ),
                tuple(rows),
                note=f"Every seed has folds, and a choice of settings, of its own. {OWN_DRAW_NOTE}",
            )

    def _seed_row(
        self, part: BesidePaper, dataset: str, method: str, paper: float
    ) -> tuple[Value, ...]:
        values = np.round(part.by_seed(dataset, method), SCORE_DIGITS)
        if values.size < 2:
            return ()
        where = "below all" if paper < values.min() else "above all" if paper > values.max() else ""
        return (
            *(marked(dataset), self._comparison.title(method), int(values.size)),
            *(float(values.mean()), float(values.std(ddof=1))),
            *(float(values.min()), float(values.max()), paper),
            *(int(np.sum(values < paper)), where or "inside"),
        )

    def single_sets(self) -> Iterator[ReportTable]:
        """Build tables of ours, the paper's and the difference on every data set."""
        for name, part in self._parts.items():
            order = np.argsort(part.our_ranks, kind="stable").tolist()
            starts = range(0, len(order), METHODS_PER_TABLE)
            chunks = [order[start : start + METHODS_PER_TABLE] for start in starts]
            for number, places in enumerate(chunks, start=1):
                yield self._single_sets(name, part, places, number, len(chunks))

    def _single_sets(
        self, name: str, part: BesidePaper, places: Sequence[int], number: int, n_chunks: int
    ) -> ReportTable:
        which = f" ({number} of {n_chunks})" if n_chunks > 1 else ""
        titles = [self._comparison.title(part.methods[place]) for place in places]
        heads = [
            ReportColumn(f"{title} {what}", SCORE_DIGITS)
            for title in titles
            for what in ("ours", "paper", "difference")
        ]
        arrays = [
            own[:, place] for place in places for own in (part.ours, part.theirs, part.differences)
        ]
        return ReportTable(
            f"paper-sets-{name}-{self._file}" + (f"-{number}" if n_chunks > 1 else ""),
            f"{MEASURES[name].title} on each data set beside the paper: {self._words}{which}",
            (ReportColumn("Data set"), *heads),
            _with_mean(part.datasets, np.column_stack(arrays)),
            note=f"Methods in the order of our ranks. {OWN_DRAW_NOTE}",
        )

    def _by_method(
        self,
        kind: str,
        what: str,
        heads: Sequence[str],
        cells: Cells,
        digits: int | None,
        note: str,
    ) -> ReportTable:
        """Build a table of one row per method, the best of our first column's ranks first."""
        parts = self._parts
        first = next(iter(parts.values()))
        order = [first.methods[k] for k in np.argsort(first.our_ranks, kind="stable")]
        methods = dict.fromkeys([*order, *(own for part in parts.values() for own in part.methods)])
        nothing: tuple[Value, ...] = (None,) * len(heads)

        def of(part: BesidePaper, name: str) -> tuple[Value, ...]:
            return cells(part, part.methods.index(name)) if name in part.methods else nothing

        rows = tuple(
            (
                self._comparison.title(name),
                *(each for own in parts.values() for each in of(own, name)),
            )
            for name in methods
        )
        columns = [
            ReportColumn(f"{MEASURES[name].title} {head}", _digits(head, digits))
            for name in parts
            for head in heads
        ]
        return ReportTable(
            f"paper-{kind}{self._file}",
            f"{what} beside the paper: {self._words}",
            (ReportColumn("Method"), *columns),
            rows,
            note=note,
        )

    def _rank_note(self) -> str:
        numbers = [
            f"{MEASURES[name].title} {part.agreement:.2f}"
            for name, part in self._parts.items()
            if not np.isnan(part.agreement)
        ]
        order = f" Agreement of the two orders (Spearman): {', '.join(numbers)}." if numbers else ""
        return (
            f"Average ranks over {self._n_datasets} of the paper's data sets; 'paper' ranks its "
            "published scores over the same data sets and methods, 'printed' is what it prints "
            f"over all of its own.{order}{_difference(self._comparison)}"
        )


def _digits(head: str, digits: int | None) -> int | None:
    """Return no digits for counts of data sets."""
    return None if head.startswith("within") else digits


def _difference(comparison: Comparison) -> str:
    """Say what keeps the two from being alike, where the protocol is not the paper's."""
    first = comparison.outcomes[0]
    apart = [CHOSEN_OTHERWISE] if first.protocol == "nested" else []
    apart += [OTHER_GRID] if first.grid != "paper" else []
    return "".join(f" {sentence}" for sentence in apart)


def marked(dataset: str) -> str:
    """Return the name of a data set, with a mark if its points are our own draw."""
    return dataset + OWN_DRAW if is_own_draw(dataset) else dataset


def _with_mean(datasets: Sequence[str], values: FloatArray) -> tuple[tuple[Value, ...], ...]:
    """Build a row per data set, and their means; without own draws too, where there are some."""
    rows: list[tuple[Value, ...]] = [
        (marked(name), *row) for name, row in zip(datasets, values.tolist(), strict=True)
    ]
    own = np.array([is_own_draw(name) for name in datasets])
    rows.append((f"Mean of {len(datasets)}", *values.mean(axis=0).tolist()))
    if own.any() and not own.all():
        kept = values[~own]
        rows.append((f"Mean of {len(kept)} without own draws", *kept.mean(axis=0).tolist()))
    return tuple(rows)


def data_table(datasets: Sequence[DatasetInfo]) -> ReportTable:
    """Build the supplement's S1: properties of the data sets, ours and as printed."""
    known = [each for each in datasets if not each.error and each.name in published_data()]
    rows: list[tuple[Value, ...]] = []
    for each in known:
        paper = published_data()[each.name]
        rows.append(
            (
                *(marked(each.name), paper.alias, each.n_points, paper.n_points),
                *(each.n_features, paper.n_features, len(each.class_counts), paper.n_classes),
                *(each.imbalance_ratio, paper.imbalance_ratio),
                *(each.n_disjuncts, paper.n_disjuncts),
            )
        )
    pairs = ("Points", "Features", "Classes", "Imbalance", "Disjuncts")
    heads = [
        ReportColumn(f"{word} {whose}", RANK_DIGITS if word == "Imbalance" else None)
        for word in pairs
        for whose in ("ours", "paper")
    ]
    n_equal = sum(row[-1] == row[-2] for row in rows)
    note = f"{n_equal} of {len(rows)} numbers of disjuncts are equal. {OWN_DRAW_NOTE}"
    columns = (ReportColumn("Data set"), ReportColumn("Alias"), *heads)
    return ReportTable(
        "paper-data", "The data sets beside the paper", columns, tuple(rows), note=note
    )


# Whose kernel widths are shown: the plain machines', which others follow, and KPBoost's.
SHOWN_WIDTHS = ("svm", "svm_ovr", KPBOOST, ROI, "kpboost_ovr", "kpboost_roi_ovr")


def width_table(comparison: Comparison, datasets: Sequence[DatasetInfo]) -> ReportTable:
    """Build the table of the chosen kernel widths, with a remark on degenerate ones."""
    methods = [name for name in SHOWN_WIDTHS if name in comparison.methods]
    found = {(each.dataset, each.method): each for each in comparison.outcomes}
    n_features = {each.name: each.n_features for each in datasets}
    rows: list[tuple[Value, ...]] = []
    for name in comparison.datasets:
        if published_group(name) is None:
            continue
        widths = [_widths(found.get((name, method))) for method in methods]
        remark = _remark(widths[0] if methods[:1] == ["svm"] else [], n_features.get(name))
        rows.append((marked(name), *map(_range, widths), remark))
    columns = [ReportColumn(f"sigma of {comparison.title(name)}") for name in methods]
    note = (
        "sigma of the setting with the best trade-off; that of the plain SVM is sigma*, in whose "
        "units other methods look for theirs. A remark says that the kernel of two standardised "
        f"points that are typically apart, exp(-d / sigma*^2), is below {DEGENERATE:g}: such a "
        "machine answers by its nearest points alone, and methods that follow it start from that."
    )
    return ReportTable(
        "paper-widths",
        "Kernel widths",
        (ReportColumn("Data set"), *columns, ReportColumn("Remark")),
        tuple(rows) if methods else (),
        note=note,
    )


def _widths(outcome: Outcome | None) -> list[float]:
    """Return the different length scales that were chosen, over folds and seeds."""
    found = () if outcome is None else (fold.params.get("length_scale") for fold in outcome.folds)
    return sorted({float(each) for each in found if isinstance(each, int | float)})


def _range(widths: Sequence[float]) -> str | None:
    if not widths:
        return None
    return f"{widths[0]:g}" if len(widths) == 1 else f"{widths[0]:g} to {widths[-1]:g}"


def _remark(widths: Sequence[float], n_features: int | None) -> str:
    if n_features is None or not widths:
        return ""
    narrow = [exp(-n_features / width**2) < DEGENERATE for width in widths]
    return "" if not any(narrow) else "degenerate" if all(narrow) else "some degenerate"
