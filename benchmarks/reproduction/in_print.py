"""The paper's tables against themselves: what follows from its own figures, and what cannot be.

python benchmarks/reproduction/in_print.py

Needs no data and takes two seconds. Ranks and signed rank tests are computed anew from the scores
that the paper prints for every data set. Then cells are looked for that no classifier can have:
a Gmean of 1 means that every test point of every fold was right, so GSDI is 1 as well; and the
Gmean of two classes is never above their mean recall, which is the paper's AUC.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from kpboost.metrics import average_ranks
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


if __name__ == "__main__":
    main()
