"""The paper's tables against themselves: what follows from its own figures, and what cannot be.

python benchmarks/reproduction/in_print.py

Needs no data and takes five seconds. Ranks and signed rank tests are computed anew from the scores
that the paper prints for every data set. Then cells are looked for that no classifier can have:
a Gmean of 1 means that every test point of every fold was right, so GSDI is 1 as well; and the
Gmean of two classes is never above their mean recall, which is the paper's AUC.

Last, the number of folds. Of n rare points each of k stratified folds has n / k, rounded down or
up, so its recall is one of few fractions. Without a false alarm a fold has the Gmean sqrt(recall)
and the AUC (1 + recall) / 2, and the means over k folds are a short list of pairs. A printed pair
that is on the list of five folds and not on that of ten was not measured with ten, unless false
alarms made up the difference. The lists of the other numbers say how often a pair fits by chance.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement

import numpy as np

from kpboost.datasets import CatalogueEntry, catalogue
from kpboost.metrics import average_ranks, geometric_mean_score, hard_auc_score
from kpboost.reports import against_control, published_datasets, published_scores
from kpboost.reports._published import ONE_VS_ALL, ONE_VS_ONE, PublishedRank, published_ranks

MEASURES = ("gmean", "auc", "gsdi")
GROUPS = (
    *(("two-class-low", ONE_VS_ONE), ("two-class-high", ONE_VS_ONE)),
    *(("multi-class-low", ONE_VS_ONE), ("multi-class-low", ONE_VS_ALL)),
    *(("multi-class-high", ONE_VS_ONE), ("multi-class-high", ONE_VS_ALL)),
)
CONTROL, SECOND = "KPBoost-SVM", "KPBoostROI-SVM"
# SVMs of several kinds often predict the same; these have nothing in common with them.
NOT_SVM = ("C4.5/IB1", "RUSBoost", "AdaBoost-MLP")
# What a method has that gives one class throughout, or is never wrong.
ENDS = (0.0, 0.5, 1.0)
# Figures are printed with four digits, and means of them differ by no more.
ROUNDING = 1e-4
# The same for a figure beside its exact value, with room for floating point.
HALF_A_DIGIT = ROUNDING / 2 + 1e-9
# Numbers of folds that are tried: the paper states ten, and its figures fit five.
FOLDS = range(2, 11)
STATED, FITTING = 10, 5
# Imbalance ratios are printed with two digits, some rounded and some cut.
LAST_DIGIT = 0.01
# With more rare points the lists are so long that many pairs are on them by chance.
MOST_RARE = 60
# Points of the classes of `balance`, and the share of a hold-out.
BALANCE, HELD_OUT = {"B": 49, "L": 288, "R": 288}, 0.3


def main() -> None:
    compare_ranks()
    print()
    for words, cells in (
        ("Gmean 1 with another GSDI", perfect_without_gsdi()),
        ("Gmean above AUC, two classes", gmean_above_auc()),
        ("all three measures equal, of methods of different kinds", twins()),
    ):
        found = list(cells)
        print(f"{words}: {len(found)}")
        for line in found:
            print(f"  {line}")
    print()
    compare_folds()
    gmean, auc = one_wrong_in_a_hold_out()
    print(f"balance, one of B's points wrong in a hold-out: {gmean:.4f}/{auc:.4f}")
    for line in cells_with("balance", gmean, auc):
        print(f"  {line}")


def compare_ranks() -> None:
    """Print how many verdicts come out, and how far ranks are from the printed ones."""
    print(
        f"{'group':16} {'scheme':6} {'measure':7} {'sets':>4} {'verdicts':>10} {'ranks within':>13}"
    )
    totals: Counter[str] = Counter()
    for group, scheme in GROUPS:
        for measure in MEASURES:
            printed = published_ranks(group, measure, scheme=scheme)
            n_sets, same, apart = _recomputed(group, scheme, measure, printed)
            totals += Counter(same=same, all=len(printed) - 1)
            count = f"{same} of {len(printed) - 1}"
            print(f"{group:16} {scheme:6} {measure:7} {n_sets:4} {count:>10} {apart:13.3f}")
    print(f"verdicts that come out of the scores: {totals['same']} of {totals['all']}")


def _recomputed(
    group: str, scheme: str, measure: str, printed: dict[str, PublishedRank]
) -> tuple[int, int, float]:
    """Count data sets and verdicts that agree, and find the largest difference of ranks."""
    titles, datasets = list(printed), published_datasets(group)
    scores = published_scores(measure, datasets, titles, scheme=scheme)
    ranks = average_ranks(scores)
    apart = max(
        abs(own - each.rank) for own, each in zip(ranks.tolist(), printed.values(), strict=True)
    )
    verdicts = against_control(scores, titles.index(CONTROL))
    same = sum(
        own.verdict == each.hypothesis
        for title, own, each in zip(titles, verdicts, printed.values(), strict=True)
        if title != CONTROL
    )
    return len(datasets), same, apart


def _scores(group: str, scheme: str) -> tuple[Sequence[str], list[str], np.ndarray]:
    """Return data sets, methods, and scores of shape (3, n_datasets, n_methods)."""
    titles = list(published_ranks(group, "gmean", scheme=scheme))
    titles += [] if SECOND in titles else [SECOND]
    datasets = published_datasets(group)
    tables = [published_scores(name, datasets, titles, scheme=scheme) for name in MEASURES]
    return datasets, titles, np.array(tables)


def _cells(two_classes: bool = False) -> Iterator[tuple[str, str, str, np.ndarray]]:
    for group, scheme in GROUPS:
        if two_classes and group.startswith("multi"):
            continue
        datasets, titles, scores = _scores(group, scheme)
        for row, dataset in enumerate(datasets):
            for column, title in enumerate(titles):
                yield dataset, scheme, title, scores[:, row, column]


def perfect_without_gsdi() -> Iterator[str]:
    """Yield cells in which every test point is right, and parts of classes are not."""
    for dataset, scheme, title, (gmean, _, gsdi) in _cells():
        if gmean == 1 and gsdi < 1:
            yield f"{title} on {dataset} ({scheme}): Gmean 1.0000, GSDI {gsdi:.4f}"


def gmean_above_auc() -> Iterator[str]:
    """Yield cells in which a geometric mean exceeds the arithmetic one."""
    for dataset, _, title, (gmean, auc, _) in _cells(two_classes=True):
        if gmean > auc + ROUNDING:
            yield f"{title} on {dataset}: Gmean {gmean:.4f}, AUC {auc:.4f}"


def twins() -> Iterator[str]:
    """Yield methods of different kinds with the same three figures."""
    for group, scheme in GROUPS:
        datasets, titles, scores = _scores(group, scheme)
        for row, dataset in enumerate(datasets):
            own = scores[:, row].T
            for b in range(len(titles)):
                for a in range(b):
                    related = {titles[a], titles[b]}.isdisjoint(NOT_SVM)
                    if related or not np.array_equal(own[a], own[b]) or np.isin(own[a], ENDS).any():
                        continue
                    values = "/".join(f"{value:.4f}" for value in own[a])
                    yield f"{titles[a]} and {titles[b]} on {dataset} ({scheme}): {values}"


def compare_folds() -> None:
    """Print how many pairs k folds can have without a false alarm, and which."""
    found = list(fitting_cells())
    print("Gmean and AUC that folds can have without a false alarm (few dimensions, two classes)")
    print(f"{'folds':>5} {'10 rare points or more':>23} {'fewer':>6}")
    for k in FOLDS:
        enough = [n_rare >= STATED for _, n_rare, _, fits in found if k in fits]
        print(f"{k:5} {sum(enough):23} {len(enough) - sum(enough):6}")
    for words, five, ten in (
        ("five, not ten", True, False),
        ("five and ten", True, True),
        ("ten, not five", False, True),
    ):
        sets = [
            name
            for name, n_rare, _, fits in found
            if n_rare >= STATED and (FITTING in fits, STATED in fits) == (five, ten)
        ]
        print(f"{words}, 10 rare points or more: {len(sets)} on {len({*sets})} sets")
    for name, n_rare, cell, fits in found:
        print(f"  {name}, {n_rare} rare points, {cell}: {', '.join(map(str, fits))}")


def fitting_cells() -> Iterator[tuple[str, int, str, list[int]]]:
    """Yield set, rare points, cell and the numbers of folds that can have it, if there are any."""
    entries = {entry.name: entry for entry in catalogue() if entry.group == "two-class-low"}
    for dataset, _, title, (gmean, auc, _) in _cells(two_classes=True):
        n_rare = rare_points(entries[dataset]) if dataset in entries else None
        if n_rare is None or n_rare > MOST_RARE or gmean in ENDS:
            continue
        fits = [k for k in FOLDS if attainable(gmean, auc, n_rare, k)]
        if fits:
            yield dataset, n_rare, f"{title} {gmean:.4f}/{auc:.4f}", fits


def rare_points(entry: CatalogueEntry) -> int | None:
    """Points of the rare class, by the printed points and imbalance; None if that is ambiguous."""
    rare = np.arange(1, entry.n_points // 2 + 1)
    imbalance = (entry.n_points - rare) / rare
    found = rare[np.abs(imbalance - entry.imbalance_ratio) < LAST_DIGIT]
    return int(found[0]) if len(found) == 1 else None


def attainable(gmean: float, auc: float, n_rare: int, n_folds: int) -> bool:
    """Tell whether stratified folds can have this pair, to four digits, without a false alarm.

    Examples
    --------
    One of 15 rare points missed: a fold of five has three of them, a fold of ten one or two.

    >>> attainable(0.9633, 0.9667, n_rare=15, n_folds=5)
    True
    >>> attainable(0.9633, 0.9667, n_rare=15, n_folds=10)
    False
    """
    if n_rare < n_folds:
        return False
    pairs = pairs_without_false_alarm(n_rare, n_folds)
    return bool((np.abs(pairs - (gmean, auc)).max(axis=1) <= HALF_A_DIGIT).any())


@cache
def pairs_without_false_alarm(n_rare: int, n_folds: int) -> np.ndarray:
    """Return all pairs of Gmean and AUC that stratified folds can have, in rows."""
    size, n_larger = divmod(n_rare, n_folds)
    smaller = _sums(size, n_folds - n_larger)
    larger = _sums(size + 1, n_larger)
    gmean, recall = ((smaller[:, None] + larger).reshape(-1, 2) / n_folds).T
    return np.column_stack([gmean, (1 + recall) / 2])


def _sums(size: int, n_folds: int) -> np.ndarray:
    """Return sums of sqrt(recall) and recall over folds of so many rare points, in rows."""
    hits = list(combinations_with_replacement(range(size + 1), n_folds))
    recalls = np.array(hits).reshape(len(hits), n_folds) / size
    return np.column_stack([np.sqrt(recalls).sum(axis=1), recalls.sum(axis=1)])


def one_wrong_in_a_hold_out() -> tuple[float, float]:
    """Return Gmean and AUC of `balance` if a single point of its smallest class is wrong."""
    sizes = [int(np.ceil(HELD_OUT * n)) for n in BALANCE.values()]
    y = np.repeat(list(BALANCE), sizes)
    predicted = y.copy()
    predicted[0] = "R"
    return geometric_mean_score(y, predicted), hard_auc_score(y, predicted)


def cells_with(dataset: str, gmean: float, auc: float) -> Iterator[str]:
    """Yield the cells of one set that have these two figures in print."""
    for name, scheme, title, scores in _cells():
        if name == dataset and np.abs(scores[:2] - (gmean, auc)).max() <= HALF_A_DIGIT:
            yield f"{title} ({scheme})"


if __name__ == "__main__":
    main()
