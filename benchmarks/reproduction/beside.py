"""What the scripts of this folder share: the paper's folds, and its figures beside ours."""

import argparse
import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
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
# What the product has, as recorded: protocol `published`, seed 0.
RECORDED = Path(__file__).parents[2] / "results" / "published"
FEW_DIMENSIONS, MANY_DIMENSIONS = "two-class-low", "two-class-high"
PAPER, OURS = "paper", "ours"
# What answering the common class throughout has: the measure of how little "equal" may mean.
NOTHING_FOUND = (0.0, 0.5)


def options(description: str, datasets: Sequence[str], **switches: str) -> argparse.Namespace:
    """Read the command line; a script's own switches come with their help."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data-dir", default=None, help="folder with the paper's data sets")
    parser.add_argument("--datasets", nargs="+", default=list(datasets), help="two-class sets")
    parser.add_argument("--seed", type=int, default=0, help="of the five folds")
    for name, words in switches.items():
        parser.add_argument(f"--{name}", action="store_true", help=words)
    return parser.parse_args()


def two_class_sets() -> list[str]:
    """Names of the two-class sets of few dimensions."""
    return [entry.name for entry in catalogue() if entry.group == FEW_DIMENSIONS]


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


def recorded(title: str) -> dict[str, Scores]:
    """Return what the product's method of that title has on the two-class sets."""
    found: dict[str, list[float]] = {}
    for group in (FEW_DIMENSIONS, MANY_DIMENSIONS):
        for measure in ("gmean", "auc"):
            table = RECORDED / group / "tables" / f"scores-{measure}.csv"
            with table.open(encoding="utf-8", newline="") as lines:
                for row in csv.DictReader(lines):
                    found.setdefault(row["Data set"], []).append(float(row[title] or "nan"))
    return {name: (gmean, auc) for name, (gmean, auc) in found.items()}


class Beside:
    """Prints readings beside the figures that the paper and the product have for one method."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._recorded = recorded(title)
        self._rows: dict[str, dict[str, Scores]] = {}

    def show(self, name: str, readings: dict[str, Scores]) -> None:
        """Print one data set."""
        gmean, auc = (
            float(published_scores(own, [name], [self._title])[0, 0]) for own in ("gmean", "auc")
        )
        row = {PAPER: (gmean, auc), OURS: self._recorded[name], **readings}
        self._rows[name] = {**row, "the common class always": NOTHING_FOUND}
        cells = "   ".join(f"{words} {own[0]:.4f}/{own[1]:.4f}" for words, own in row.items())
        print(f"{name:22} {cells}", flush=True)

    def counted(self) -> list[str]:
        """Names of the sets shown that have few dimensions: the summary is of these."""
        few = two_class_sets()
        return [name for name in self._rows if name in few]

    def scores(self, words: str) -> Array:
        """Gmean and AUC of the paper, ours or a reading, one row per set that is counted."""
        return np.array([self._rows[name][words] for name in self.counted()])

    def summary(self) -> None:
        """Print how often each reading equals the paper, and how far it is off.

        Equal are Gmean and AUC to four digits. Many methods have 0 and 0.5 on a hard set, and 1 on
        an easy one; "inside" counts the equal sets with another Gmean. The rest is of Gmeans.
        """
        names = self.counted()
        if not names:
            return
        paper = self.scores(PAPER)
        title = f"{self._title}, {len(names)} sets"
        print(
            f"\n{title:26}{'equal':>7}{'inside':>8}{'mean':>8}{'difference':>12}{'correlation':>13}"
        )
        print(f"{PAPER:26}{'':15}{paper[:, 0].mean():8.3f}")
        for words in list(self._rows[names[0]])[1:]:
            own = self.scores(words)
            equal = np.abs(own - paper).max(axis=1) <= SAME
            inside = equal & (paper[:, 0] > 0) & (paper[:, 0] < 1)
            print(
                f"{words:26}{equal.sum():7}{inside.sum():8}{own[:, 0].mean():8.3f}"
                f"{np.abs(own - paper)[:, 0].mean():12.3f}"
                f"{correlation_of(own[:, 0], paper[:, 0]):>13}"
            )


def correlation_of(own: Array, other: Array) -> str:
    """Return the correlation in two digits, or a dash where there is none."""
    varies = len(own) > 2 and np.ptp(own) > 0 and np.ptp(other) > 0
    return f"{np.corrcoef(own, other)[0, 1]:.2f}" if varies else "-"
