"""Tables with our figures beside the paper's, for every group of data sets and scheme."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp
from statistics import median

import numpy as np

from kpboost._typing import FloatArray
from kpboost.datasets import known_names
from kpboost.experiments import MEASURES, DatasetInfo, Outcome
from kpboost.methods import PLAIN_SVM, PLAIN_SVM_OVR

from ._beside_paper import (
    ABOVE,
    BELOW,
    FEWEST_FOR_AGREEMENT,
    INSIDE,
    ONE_VS_REST_ENDING,
    BesidePaper,
    Parts,
    beside_by_scheme,
    difference,
)
from ._comparison import MEAN_DIGITS, SCORE_DIGITS, TOO_FEW, Comparison
from ._published import (
    explained,
    is_own_draw,
    marked,
    published_data,
    published_group,
)
from ._statistics import FEWEST_FOR_TESTS
from ._table import RANK_DIGITS, ReportColumn, ReportTable, Value, many

GROUPS = {
    "two-class-low": "two classes, few dimensions",
    "two-class-high": "two classes, many dimensions",
    "multi-class-low": "several classes, few dimensions",
    "multi-class-high": "several classes, many dimensions",
}
CHOSEN_OTHERWISE = (
    "The paper chose settings on its test folds; ours were chosen inside the training folds, and "
    "score lower for that alone."
)
OTHER_GRID = "The settings that were tried are fewer than the paper's."
# Differences per set that count as alike: by rounding and a few points, and by a few points more.
NEAR, FAIR = 0.01, 0.05
IN_ORDER = "Methods in the order of our ranks."
OF_ITS_OWN = "Every seed has folds, and a choice of settings, of its own."
# Where the paper's score lies among our seeds, by the columns that count it.
PLACES = {f"paper {place}": place for place in (INSIDE, BELOW, ABOVE)}
SEEDS_NOTE = (
    " Then on how many sets the paper's score lies inside of what our seeds gave, below all of "
    "them and above all of them."
)
# Methods per table of single data sets: three columns each, which a page can still bear.
METHODS_PER_TABLE = 4
# The two methods of the supplement's tables S2 and S3.
KPBOOST, ROI = "kpboost", "kpboost_roi"

Row = tuple[Value, ...]
Cells = Callable[[BesidePaper, int], Row]


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
        for scheme, parts in beside_by_scheme(comparison, group).items():
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
        self._sets = many(self._n_datasets, "data set")

    def all(self) -> list[ReportTable]:
        """Return them in the order of the page; ranks and tests need two methods."""
        parts = self._parts.values()
        first = [self.ranks()] if any(len(part.methods) > 1 for part in parts) else []
        first += [self.tests()] if any(part.has_tests for part in parts) else []
        first += [self.means(), self.agreement()]
        first += [self.two_methods()] if len(self._pair) == 2 else []
        return [*first, *self.seeds(), *self.single_sets()]

    def ranks(self) -> ReportTable:
        def cells(part: BesidePaper, place: int) -> Row:
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

        def cells(part: BesidePaper, place: int) -> Row:
            return tuple(own[place] for own in verdicts[part.measure])

        note = (
            "Wilcoxon's signed rank test at 5 % against KPBoost-SVM of the same scheme (CN): H0, "
            "no difference to be seen; H1, a difference. 'paper' tests its scores on the same data "
            "sets, 'printed' is its own verdict over all of its own."
        )
        if min(len(part.datasets) for part in self._parts.values()) < FEWEST_FOR_TESTS:
            note += f" {TOO_FEW}"
        heads = ("ours", "paper", "printed")
        return self._by_method("tests-", "Signed rank tests", heads, cells, None, note)

    def means(self) -> ReportTable:
        own = next(iter(self._parts.values())).own_draws
        mixed = own.any() and not own.all()
        chosen = [("", np.ones(own.size, dtype=bool))]
        chosen += [(" without own draws", ~own)] if mixed else []

        def cells(part: BesidePaper, place: int) -> Row:
            return tuple(
                float(scores[rows, place].mean())
                for _, rows in chosen
                for scores in (part.ours, part.theirs)
            )

        heads = tuple(f"{whose}{words}" for words, _ in chosen for whose in ("ours", "paper"))
        note = f"Mean scores over the same {self._sets}.{_drawn(int(own.sum()))}"
        note += _what_differs(self._comparison)
        return self._by_method("means-", "Means", heads, cells, MEAN_DIGITS, note)

    def agreement(self) -> ReportTable:
        heads = ("difference", "correlation", f"within {NEAR}", f"within {FAIR}")
        places = tuple(PLACES) if self._has_seeds() else ()

        def cells(part: BesidePaper, place: int) -> Row:
            gaps = np.abs(part.differences[:, place])
            near, fair = (int(np.sum(gaps <= limit)) for limit in (NEAR, FAIR))
            method = part.methods[place]
            seeds = _places(part, method) if places else ()
            return float(gaps.mean()), part.correlation(method), near, fair, *seeds

        note = self._agreement_note() + (SEEDS_NOTE if places else "")
        return self._by_method(
            "agreement-", "Agreement by set", (*heads, *places), cells, MEAN_DIGITS, note
        )

    def _has_seeds(self) -> bool:
        """Tell whether some score is a mean over seeds."""
        return any(
            part.among_seeds(name, method) is not None
            for part in self._parts.values()
            for name in part.datasets
            for method in part.methods
        )

    def _agreement_note(self) -> str:
        few = FEWEST_FOR_AGREEMENT
        short = f" Fewer than {few} sets have no correlation." if self._n_datasets < few else ""
        return (
            f"Over {self._sets}: mean absolute difference between ours and the paper's score of a "
            "set, their correlation, and on how many sets they differ by no more than so much."
            f"{short}"
        )

    @property
    def _pair(self) -> list[str]:
        """The methods of the supplement's tables, as far as they are there."""
        methods = next(iter(self._parts.values())).methods
        return [name for name in methods if name.removesuffix(ONE_VS_REST_ENDING) in (KPBOOST, ROI)]

    def two_methods(self) -> ReportTable:
        """Build the supplement's S2 or S3: KPBoost-SVM and KPBoostROI-SVM on every data set."""
        first = next(iter(self._parts.values()))
        columns = [ReportColumn("Data set")]
        series: list[FloatArray] = []
        for part in self._parts.values():
            for name in self._pair:
                for whose, values in zip(("ours", "paper"), part.column(name), strict=True):
                    title = f"{MEASURES[part.measure].title} {self._comparison.title(name)} {whose}"
                    columns.append(ReportColumn(title, SCORE_DIGITS))
                    series.append(values)
        scores = np.column_stack(series)
        rows, sums = _rows(first.datasets, scores), _means(first.datasets, scores)
        return ReportTable(
            f"paper-roi-{self._file}",
            f"KPBoost-SVM and KPBoostROI-SVM beside the paper: {self._words}",
            tuple(columns),
            (*rows, *sums),
            note=explained("As the supplement's tables S2 and S3.", first.datasets),
            n_sums=len(sums),
        )

    def seeds(self) -> Iterator[ReportTable]:
        """Build one row per data set and method: spread over seeds, and where the paper lies."""
        for name, part in self._parts.items():
            rows = [
                self._seed_row(part, dataset, method, where)
                for dataset in part.datasets
                for method in part.methods
                if (where := part.among_seeds(dataset, method))
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
                note=explained(OF_ITS_OWN, part.datasets),
            )

    def _seed_row(self, part: BesidePaper, dataset: str, method: str, where: str) -> Row:
        values = part.by_seed(dataset, method)
        paper = float(part.column(method)[1][part.datasets.index(dataset)])
        return (
            *(marked(dataset), self._comparison.title(method), int(values.size)),
            *(float(values.mean()), float(values.std(ddof=1))),
            *(float(values.min()), float(values.max()), paper),
            *(int(np.sum(values < paper)), where),
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
        scores = np.column_stack([own[:, k] for k in places for own in (part.ours, part.theirs)])
        rows, sums = _rows(part.datasets, scores), _means(part.datasets, scores)
        return ReportTable(
            f"paper-sets-{name}-{self._file}" + (f"-{number}" if n_chunks > 1 else ""),
            f"{MEASURES[name].title} on each data set beside the paper: {self._words}{which}",
            (ReportColumn("Data set"), *heads),
            tuple(map(_with_differences, (*rows, *sums))),
            note=explained(IN_ORDER if len(part.methods) > 1 else "", part.datasets).strip(),
            n_sums=len(sums),
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
        nothing: Row = (None,) * len(heads)

        def of(part: BesidePaper, name: str) -> Row:
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
            f"over all of its own.{order}{_what_differs(self._comparison)}"
        )


def _places(part: BesidePaper, method: str) -> tuple[int, ...]:
    """Count the data sets on which the paper's score lies inside, below and above our seeds."""
    found = [part.among_seeds(name, method) for name in part.datasets]
    return tuple(found.count(place) for place in PLACES.values())


def _digits(head: str, digits: int | None) -> int | None:
    """Return no digits for counts of data sets."""
    return None if head.startswith("within") or head in PLACES else digits


def _drawn(number: int) -> str:
    """Say how many data sets are our own draw, if there are some."""
    words = "is our own draw" if number == 1 else "are our own draws"
    return f" {number} of them {words} from the paper's source." if number else ""


def _what_differs(comparison: Comparison) -> str:
    """Say what keeps the two from being alike, where the protocol is not the paper's."""
    first = comparison.outcomes[0]
    apart = [CHOSEN_OTHERWISE] if first.protocol == "nested" else []
    apart += [OTHER_GRID] if first.grid != "paper" else []
    return "".join(f" {sentence}" for sentence in apart)


def _rows(datasets: Sequence[str], values: FloatArray) -> tuple[Row, ...]:
    """Build a row per data set."""
    return tuple((marked(name), *row) for name, row in zip(datasets, values.tolist(), strict=True))


def _means(datasets: Sequence[str], values: FloatArray) -> tuple[Row, ...]:
    """Build the row of means, and one without own draws where there are both kinds."""
    own = np.array([is_own_draw(name) for name in datasets])
    rows: list[Row] = [(f"Mean of {len(datasets)}", *values.mean(axis=0).tolist())]
    if own.any() and not own.all():
        kept = values[~own]
        rows.append((f"Mean of {len(kept)} without own draws", *kept.mean(axis=0).tolist()))
    return tuple(rows)


def _with_differences(row: Row) -> Row:
    """Put the difference behind every pair of ours and the paper's."""
    name, *scores = row
    pairs = np.array(scores, dtype=np.float64).reshape(-1, 2)
    gaps = difference(pairs[:, 0], pairs[:, 1])
    return (name, *np.column_stack([pairs, gaps]).ravel().tolist())


def data_table(datasets: Sequence[DatasetInfo]) -> ReportTable:
    """Build the supplement's S1: properties of the data sets, ours and as printed."""
    known = [each for each in datasets if not each.error and each.name in published_data()]
    rows = tuple(map(_properties, known))
    pairs = ("Points", "Features", "Classes", "Imbalance", "Disjuncts")
    heads = [
        ReportColumn(f"{word} {whose}", RANK_DIGITS if word == "Imbalance" else None)
        for word in pairs
        for whose in ("ours", "paper")
    ]
    n_equal = sum(row[-1] == row[-2] for row in rows)
    verb = "is" if n_equal == 1 else "are"
    note = f"{n_equal} of {len(rows)} numbers of disjuncts {verb} equal."
    return ReportTable(
        "paper-data",
        "The data sets beside the paper",
        (ReportColumn("Data set"), ReportColumn("Alias"), *heads),
        rows,
        note=explained(note, [each.name for each in known]),
    )


def _properties(own: DatasetInfo) -> Row:
    paper = published_data()[own.name]
    return (
        *(marked(own.name), paper.alias, own.n_points, paper.n_points),
        *(own.n_features, paper.n_features, len(own.class_counts), paper.n_classes),
        *(own.imbalance_ratio, paper.imbalance_ratio),
        *(own.n_disjuncts, paper.n_disjuncts),
    )


# Two standardised points are sqrt(2 d) apart as a rule, where the kernel is exp(-d / sigma^2).
# Below this value a machine answers by its nearest points alone.
DEGENERATE = 1e-3
# The plain machines, whose sigma* others follow; and KPBoost's, whose widths are shown as well.
LEADERS = (PLAIN_SVM, PLAIN_SVM_OVR)
SHOWN_WIDTHS = (*LEADERS, KPBOOST, ROI, "kpboost_ovr", "kpboost_roi_ovr")
# The widths that methods chose on one data set, over folds and seeds, by method.
Widths = Mapping[str, Sequence[float]]


def width_table(comparison: Comparison, datasets: Sequence[DatasetInfo]) -> ReportTable:
    """Build the table of the chosen kernel widths, with a remark on degenerate ones."""
    methods = [name for name in SHOWN_WIDTHS if name in comparison.methods]
    found = {(each.dataset, each.method): each for each in comparison.outcomes}
    n_features = {each.name: each.n_features for each in datasets}
    rows: list[Row] = []
    for name in filter(published_group, comparison.datasets):
        widths = {method: _widths(found.get((name, method))) for method in methods}
        if any(widths.values()):
            remark = _remarks(comparison, widths, n_features.get(name))
            rows.append((marked(name), *map(_in_words, widths.values()), remark))
    columns = [ReportColumn(_heading(comparison, name)) for name in methods]
    return ReportTable(
        "paper-widths",
        "Kernel widths",
        (ReportColumn("Data set"), *columns, ReportColumn("Remark")),
        tuple(rows),
        note=explained(WIDTH_NOTE, comparison.datasets),
    )


WIDTH_NOTE = (
    "sigma of the setting with the best trade-off; of several, over folds and seeds, the median "
    "(smallest to largest). That of a plain SVM is sigma*, in whose units other methods look for "
    "theirs. A remark says that the kernel of two standardised points that are typically apart, "
    f"exp(-d / sigma*^2), is below {DEGENERATE:g}: such a machine answers by its nearest points "
    "alone, and methods that follow it start from that."
)


def _heading(comparison: Comparison, method: str) -> str:
    return f"{'sigma*' if method in LEADERS else 'sigma'} ({comparison.title(method)})"


def _widths(outcome: Outcome | None) -> list[float]:
    """Return the length scales that were chosen, one per fold, in order of size."""
    found = () if outcome is None else (fold.params.get("length_scale") for fold in outcome.folds)
    return sorted(float(each) for each in found if isinstance(each, int | float))


def _in_words(widths: Sequence[float]) -> str | None:
    if not widths:
        return None
    middle, first, last = (f"{each:.4g}" for each in (median(widths), widths[0], widths[-1]))
    return first if widths[0] == widths[-1] else f"{middle} ({first} to {last})"


def _remarks(comparison: Comparison, widths: Widths, n_features: int | None) -> str:
    """Say whose sigma* is degenerate, if one is; by name where there are two."""
    leaders = [name for name in LEADERS if name in widths]
    found = {name: _remark(widths[name], n_features) for name in leaders}
    if len(leaders) < 2:
        return "".join(found.values())
    told = [f"{words} ({comparison.title(name)})" for name, words in found.items() if words]
    return "; ".join(told)


def _remark(widths: Sequence[float], n_features: int | None) -> str:
    if n_features is None or not widths:
        return ""
    narrow = [exp(-n_features / width**2) < DEGENERATE for width in widths]
    return "" if not any(narrow) else "degenerate" if all(narrow) else "some degenerate"
