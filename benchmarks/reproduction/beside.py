"""What the scripts of this folder share: the paper's folds, and its figures beside ours."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost.datasets import catalogue, load
from kpboost.experiments._splits import PUBLISHED, outer_splits
from kpboost.methods import standardised
from kpboost.metrics import geometric_mean_score, hard_auc_score
from kpboost.reports import published_scores

Array = NDArray[Any]
Split = tuple[Array, Array]
# Gmean and AUC of hard labels.
Scores = tuple[float, float]
# Of training points, their labels (1 is the rare class) and test points: one prediction each.
Answer = Callable[[Array, Array, Array], Array]
# Figures are printed with four digits.
SAME = 5e-5


def options(description: str, datasets: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data-dir", default=None, help="folder with the paper's data sets")
    parser.add_argument("--datasets", nargs="+", default=list(datasets), help="two-class sets")
    parser.add_argument("--seed", type=int, default=0, help="of the five folds")
    return parser.parse_args()


def two_class_sets() -> list[str]:
    """Names of the two-class sets of few dimensions."""
    return [entry.name for entry in catalogue() if entry.group == "two-class-low"]


def problems(chosen: argparse.Namespace) -> Iterator[tuple[str, Array, Array, list[Split]]]:
    """Yield names, points, 1 for the rare class, and folds; sets that cannot be had are named."""
    for name in chosen.datasets:
        try:
            data = load(name, data_dir=chosen.data_dir)
        except ValueError as error:
            print(f"{name:22} {error}")
            continue
        labels, counts = np.unique(data.y, return_counts=True)
        y = (data.y == labels[counts.argmin()]).astype(int)
        codes = np.searchsorted(labels, data.y)
        folds = outer_splits(codes, protocol=PUBLISHED, n_folds=None, seed=chosen.seed, name=name)
        yield name, standardised(data.table.values, data.table.nominal), y, folds


def score(answer: Answer, X: Array, y: Array, folds: Sequence[Split]) -> Scores:
    """Return the means over the folds."""
    found = []
    for train, test in folds:
        predicted = answer(X[train], y[train], X[test])
        found.append((geometric_mean_score(y[test], predicted), hard_auc_score(y[test], predicted)))
    gmean, auc = np.mean(found, axis=0)
    return float(gmean), float(auc)


class Beside:
    """Prints readings beside the paper's figures of one method, and counts where they agree."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._paper: list[Scores] = []
        self._rows: list[dict[str, Scores]] = []

    def show(self, name: str, rows: dict[str, Scores]) -> None:
        """Print one data set."""
        gmean, auc = (
            float(published_scores(own, [name], [self._title])[0, 0]) for own in ("gmean", "auc")
        )
        self._paper.append((gmean, auc))
        self._rows.append(rows)
        cells = "".join(f"   {words} {own[0]:.4f}/{own[1]:.4f}" for words, own in rows.items())
        print(f"{name:22} paper {gmean:.4f}/{auc:.4f}{cells}", flush=True)

    def summary(self) -> None:
        """Print how often the readings equal the paper, and how far they are off."""
        paper = np.array(self._paper)
        for words in self._rows[0] if self._rows else ():
            ours = np.array([row[words] for row in self._rows])
            equal = int(np.sum(np.abs(ours - paper).max(axis=1) <= SAME))
            gap = float(np.abs(ours - paper)[:, 0].mean())
            varies = len(ours) > 2 and np.ptp(ours[:, 0]) > 0 and np.ptp(paper[:, 0]) > 0
            fit = f"{np.corrcoef(ours[:, 0], paper[:, 0])[0, 1]:.2f}" if varies else "-"
            print(
                f"{words}: equal in both measures on {equal} of {len(ours)} sets; Gmean "
                f"{ours[:, 0].mean():.3f} (paper {paper[:, 0].mean():.3f}), mean difference per "
                f"set {gap:.3f}, correlation {fit}"
            )
