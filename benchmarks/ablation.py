"""What each part of RareClassClassifier earns, and what kernel perturbation would add to it.

    python benchmarks/ablation.py --data-dir FOLDER           two-class sets of the paper
    python benchmarks/ablation.py FILE... [--out FILE]        files, class column last

All variants share the forest's seed, the bags and the folds, so that they differ by what their
names say:

pool                as it is
forest              the forest alone, calibrated
bank                the bank alone, calibrated
perturbed           the pool, with machines whose kernel is perturbed by the paper's rule: in every
                    bag KPBoostSVC with weighted margins in place of one SVM, on the same kernel
                    matrix, five rounds, step 0.01
strongly perturbed  the same with step 0.1
no weights          the pool, all columns weighing the same in the metric
"""

import argparse
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.spatial.distance import cdist
from scipy.stats import rankdata, wilcoxon
from sklearn.impute import SimpleImputer
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    log_loss,
    roc_auc_score,
)
from sklearn.model_selection import StratifiedKFold

from kpboost import KPBoostSVC, RareClassClassifier, geometric_mean_score
from kpboost.datasets import catalogue, find_dataset, source_of
from kpboost.ensemble import KernelBank, RankMetric, _rare_class
from kpboost.ensemble._kernel_bank import price_of, small_bank

ROUNDS = 5
C = 10.0
MEASURES = ("gmean", "balanced_accuracy", "roc_auc", "average_precision", "minus_log_loss")


class PerturbedBank(KernelBank):
    """The same bags, a boosted machine in each."""

    def __init__(self, bank: KernelBank, points: Any, is_rare: Any, bags: Any, step: float) -> None:
        self.__dict__.update(vars(bank))
        self.points, self.bags, self.step = points, bags, step
        self.boosted = [self._machine(number, is_rare[rows]) for number, rows in enumerate(bags)]

    def _machine(self, number: int, is_rare: Any) -> Any:
        model = KPBoostSVC(
            kernel="precomputed",
            C=price_of(is_rare.size, C),
            class_weight="balanced",
            n_estimators=ROUNDS,
            perturbation_step=self.step,
            voting="soft",
        )
        own = self.points[self.bags[number]]
        return model.fit(self._kernel(number, own), is_rare)

    def _kernel(self, number: int, points: Any) -> Any:
        own = self.points[self.bags[number]]
        return np.exp(-self.scale[number] * cdist(points, own, "cityblock"))

    def bag_values(self, bag: int, points: Any) -> Any:
        """Cut margins of a bag's boosted machine."""
        if not len(points):
            return np.zeros((0, 1))
        values = self.boosted[bag].decision_function(self._kernel(bag, points))
        return np.clip(values, -1.0, 1.0)[:, np.newaxis]


def perturbed_bank(
    step: float, points: Any, codes: Any, problems: Any, bags: Any, **how: Any
) -> KernelBank:
    """Train the bank, and boosted machines on its bags."""
    bank = small_bank(points, codes, problems, bags, **how)
    return PerturbedBank(bank, points, codes == problems[0], bags, step)


def forest_alone(members: Any, banked: Any, forest: Any, bank: Any) -> Any:
    """Ask the first member."""
    return members[0].log_odds(forest)


def bank_alone(members: Any, banked: Any, forest: Any, bank: Any) -> Any:
    """Ask the second member."""
    return members[1].log_odds(bank)


def plain_metric(X: Any, importances: Any) -> RankMetric:
    """Weigh all columns alike."""
    return RankMetric(X, np.ones_like(importances))


# What each variant has in place of the classifier's own parts.
VARIANTS: dict[str, dict[str, Any]] = {
    "pool": {"small_bank": small_bank},
    "forest": {"_pooled": forest_alone},
    "bank": {"_pooled": bank_alone},
    "perturbed": {"small_bank": partial(perturbed_bank, 0.01)},
    "strongly perturbed": {"small_bank": partial(perturbed_bank, 0.1)},
    "no weights": {"RankMetric": plain_metric},
}


def scores(name: str, X: Any, y: Any, train: Any, test: Any, seed: int) -> list[float]:
    """Measure one variant on one fold."""
    filled = SimpleImputer(strategy="median", keep_empty_features=True).fit(X[train])
    with patch.multiple(_rare_class, **VARIANTS[name]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RareClassClassifier(C=C, random_state=seed).fit(
            filled.transform(X[train]), y[train]
        )
        ready = filled.transform(X[test])
        predicted, odds = model.predict(ready), model.decision_function(ready)
        shares = model.predict_proba(ready)[:, 1]
    return [
        geometric_mean_score(y[test], predicted),
        balanced_accuracy_score(y[test], predicted),
        roc_auc_score(y[test], odds),
        average_precision_score(y[test], odds),
        -log_loss(y[test], np.clip(shares, 1e-6, 1 - 1e-6)),
    ]


def on_data(
    given: str, folder: Path | None, n_folds: int, seeds: Sequence[int]
) -> list[tuple[Any, ...]]:
    """Measure all variants on one data set; nothing if it has more than two classes."""
    data = find_dataset(given, data_dir=folder)
    classes, y, sizes = np.unique(data.y, return_inverse=True, return_counts=True)
    if classes.size != 2 or sizes.min() < n_folds:
        return []
    y = (y == sizes.argmin()).astype(int)
    rows = []
    for seed in seeds:
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        for name in VARIANTS:
            measured = partial(scores, name, data.X, y, seed=seed)
            mean = np.mean([measured(*fold) for fold in folds.split(data.X, y)], axis=0)
            rows.append((Path(given).stem, seed, name, *mean))
    return rows


def summary(table: pd.DataFrame) -> str:
    """Write means, ranks and Wilcoxon's p against the pool, a line per variant."""
    lines = [f"{table.dataset.nunique()} data sets", ""]
    lines.append("| variant | " + " | ".join(f"{m} | rank | p" for m in MEASURES) + " |")
    lines.append("| --- " + "| ---: " * 3 * len(MEASURES) + "|")
    means = table.groupby(["dataset", "variant"])[list(MEASURES)].mean().unstack("variant")
    for name in VARIANTS:
        cells = []
        for measure in MEASURES:
            own = means[measure][list(VARIANTS)]
            rank = rankdata(-own.round(12).to_numpy(), axis=1)[:, list(VARIANTS).index(name)]
            difference = (own[name] - own["pool"]).to_numpy()
            p = wilcoxon(difference).pvalue if np.any(difference) else np.nan
            cells.append(f"{own[name].mean():.4f} | {rank.mean():.2f} | {p:.2g}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def two_class_names(folder: Path | None) -> list[str]:
    """Names of the paper's two-class sets of few dimensions that can be had."""
    low = [each.name for each in catalogue() if each.group == "two-class-low"]
    return [name for name in low if source_of(name, data_dir=folder)]


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    seeds = range(given.seeds)
    names = given.files or two_class_names(given.data_dir)
    found = Parallel(n_jobs=given.jobs, verbose=5)(
        delayed(on_data)(name, given.data_dir, given.folds, seeds) for name in names
    )
    rows = [row for each in found for row in each]
    table = pd.DataFrame(rows, columns=["dataset", "seed", "variant", *MEASURES])
    if given.out:
        table.to_csv(given.out, index=False, float_format="%.6g")
    print(summary(table))


if __name__ == "__main__":
    main()
