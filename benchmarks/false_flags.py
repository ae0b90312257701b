"""How often the audit flags a missed part in data that have none, by kind of data.

Every class is one cloud or has no shape at all, and the classes overlap, so that models err without
missing any part. Of tables whose rows repeat, a third comes sorted by label, a third by a column
and then by label, and a third shuffled.

Something is flagged if the smallest p-value is at most 0.05. Over many data sets p-values should be
uniform, or larger; they are 1 where there is no candidate, and so often larger.

With --keep answers of models and p-values stay in a folder, and a run goes on where the last one
ended. The name of the file of p-values has a mark of the modules that decide them, so that those of
an earlier search are never mixed with new ones.

python benchmarks/false_flags.py              50 data sets of each kind: 15 minutes
python benchmarks/false_flags.py --seeds 5    two minutes
python benchmarks/false_flags.py --kind wrong --seeds 200 --keep FOLDER
python benchmarks/false_flags.py --model default --seeds 20    gradient boosting or SVM: an hour
"""

import argparse
import csv
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from inspect import getsource
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import kstest

from audit_answers import QUICK, Answers, answers_of
from kpboost.auditing import _boxes, _data, _null, _parts, _significance
from kpboost.auditing._boxes import BoxSearch
from kpboost.auditing._findings import has_boxes
from kpboost.auditing._null import null_hypothesis
from kpboost.auditing._parts import places_of
from kpboost.auditing._significance import LEVEL, Search, chance_of, highest_of_parts
from kpboost.datasets import make_disjuncts
from kpboost.metrics import clopper_pearson

Table = tuple[NDArray[np.float64], NDArray[np.intp]]
Make = Callable[[int], Table]

N_SEEDS = 50
WRONG_LABELS = 0.05
MISSING = 0.05


def clouds(
    sizes: tuple[int, int], n_columns: int, n_that_matter: int, distance: float, seed: int
) -> Table:
    """Two clouds whose centres differ in some of the columns."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], sizes)
    X = rng.normal(size=(y.size, n_columns))
    X[y == 1, :n_that_matter] += distance
    return X, y


def chance_labels(n_rows: int, n_columns: int, seed: int) -> Table:
    """Labels that have nothing to do with the columns."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_columns)), (rng.random(n_rows) < 0.3).astype(np.intp)


def narrow_in_wide(seed: int) -> Table:
    """Put a narrow cloud within a wide one."""
    rng = np.random.default_rng(seed)
    wide, narrow = rng.normal(size=(300, 2)), 0.5 * rng.normal(size=(150, 2)) + [1, 0]
    return np.vstack([wide, narrow]), np.repeat([0, 1], [300, 150])


def wrong_labels(make: Make, seed: int) -> Table:
    """Turn some labels round."""
    X, y = make(seed)
    wrong = np.random.default_rng([seed, 1]).random(y.size) < WRONG_LABELS
    return X, np.where(wrong, 1 - y, y)


def skewed(seed: int) -> Table:
    """Columns with long tails that depend on each other."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [400, 100])
    mix = np.random.default_rng(7).normal(size=(6, 6))
    return np.exp(0.5 * rng.normal(size=(500, 6)) + 0.4 * y[:, None]) @ mix, y


def mixed(seed: int) -> Table:
    """Numbers, whole numbers that stand for categories, and gaps."""
    X, y = clouds((400, 100), 6, 2, 1.2, seed)
    rng = np.random.default_rng([seed, 1])
    X[:, 3], X[:, 4] = rng.integers(0, 4, y.size), rng.integers(0, 3, y.size)
    X[rng.random(X.shape) < MISSING] = np.nan
    return X, y


def overlapping(sizes: tuple[int, ...], overlap: float, n_columns: int, seed: int) -> Table:
    """One cloud for each class."""
    X, y, _ = make_disjuncts(
        [[size] for size in sizes], overlap=overlap, n_features=n_columns, random_state=seed
    )
    return X, y


def twelve_classes(seed: int) -> Table:
    """Clouds along a spiral."""
    rng = np.random.default_rng(seed)
    y = np.arange(900) % 12
    centres = np.column_stack([np.cos(y / 2), np.sin(y / 2), y % 3, np.zeros(y.size)])
    return rng.normal(size=(900, 4)) + 2 * centres, y


def by_chance(X: NDArray[np.float64], chance: NDArray[np.float64], seed: int) -> Table:
    """Draw labels, and bring the rows into one of three orders by turns."""
    rng = np.random.default_rng([seed, 2])
    y = (rng.random(len(X)) < chance).astype(np.intp)
    by_label, by_column = np.argsort(y, kind="stable"), np.lexsort((y, X[:, 0]))
    order = (by_label, by_column, rng.permutation(y.size))[seed % 3]
    return X[order], y[order]


def grid(n_columns: int, side: int, seed: int) -> Table:
    """Whole numbers, the larger the likelier of the rare class."""
    X = np.random.default_rng(seed).integers(0, side, size=(600, n_columns)).astype(np.float64)
    return by_chance(X, expit(8 * X[:, :2].mean(axis=1) / (side - 1) - 6), seed)


def survey(n_questions: int, seed: int) -> Table:
    """Answers to questions of three each, one column for each answer; two questions matter."""
    answers = np.random.default_rng(seed).integers(0, 3, size=(600, n_questions))
    X = (answers[:, :, None] == np.arange(3)).reshape(600, -1).astype(np.float64)
    return by_chance(X, expit(1.2 * answers[:, 0] + 0.9 * answers[:, 1] - 3.5), seed)


def rounded(step: float, n_columns: int, seed: int) -> Table:
    """Two clouds, measured coarsely."""
    X, _ = clouds((400, 120), n_columns, 1, 1.5, seed)
    X = np.round(X / step) * step
    odds = 0.3 * np.exp(1.5 * X[:, 0] - 1.5**2 / 2)
    return by_chance(X, odds / (1 + odds), seed)


def passengers(n_rows: int, seed: int) -> Table:
    """Class, sex and age group of travellers, 12 different rows, as of the Titanic."""
    rng = np.random.default_rng(seed)
    travels = rng.choice(3, n_rows, p=[0.25, 0.22, 0.53])
    woman, child = rng.random(n_rows) < 0.35, rng.random(n_rows) < 0.08
    saved = np.array([[0.34, 0.15, 0.16], [0.95, 0.88, 0.48]])[woman.astype(int), travels]
    saved = np.where(child & (travels < 2), 0.95, saved)
    return by_chance(np.column_stack([travels, woman, child]).astype(float), saved, seed)


def three_with_wrong_labels(seed: int) -> Table:
    """Three clouds almost apart, and labels that are any of the others by mistake."""
    X, y = overlapping((300, 150, 60), 0.3, 4, seed)
    rng = np.random.default_rng([seed, 1])
    wrong = rng.random(y.size) < WRONG_LABELS
    return X, np.where(wrong, (y + rng.integers(1, 3, y.size)) % 3, y)


KINDS: dict[str, Make] = {
    "two overlapping clouds, 2 columns": partial(clouds, (400, 80), 2, 1, 1.5),
    "two overlapping clouds, 10 columns": partial(clouds, (500, 100), 10, 1, 1.5),
    "two overlapping clouds, 20 columns": partial(clouds, (500, 100), 20, 3, 1.0),
    "970 and 30 rows, 5 columns": partial(clouds, (970, 30), 5, 2, 1.5),
    "two clouds almost apart, 3 columns": partial(clouds, (400, 60), 3, 1, 3.5),
    "labels by chance, 4 columns": partial(chance_labels, 400, 4),
    "labels by chance, 10 columns": partial(chance_labels, 600, 10),
    "a narrow cloud within a wide one": narrow_in_wide,
    "5 % wrong labels, 2 columns": partial(wrong_labels, partial(overlapping, (300, 80), 0.5, 2)),
    "5 % wrong labels, 10 columns": partial(wrong_labels, partial(clouds, (500, 100), 10, 2, 3.0)),
    "skewed columns": skewed,
    "numbers, categories and gaps": mixed,
    "three overlapping classes": partial(overlapping, (300, 100, 40), 0.7, 4),
    "twelve overlapping classes": twelve_classes,
    "5 % wrong labels, three classes": three_with_wrong_labels,
    "whole numbers, 36 places": partial(grid, 2, 6),
    "whole numbers, 5 columns": partial(grid, 5, 5),
    "a survey of 4 questions, 81 places": partial(survey, 4),
    "a survey of 8 questions": partial(survey, 8),
    "rounded measurements, 2 columns": partial(rounded, 0.5, 2),
    "rounded measurements, 4 columns": partial(rounded, 0.5, 4),
    "passengers, 12 places": partial(passengers, 1316),
    "passengers, ten times as many": partial(passengers, 13160),
}


def smallest_p_value(name: str, make: Make, model: str, seed: int, folder: Path | None) -> float:
    """p-value of the most striking part or box; something is flagged if it is at most 0.05."""
    answers = answers_of(name, make, model, seed, folder)
    return min([1.0, *chance_in(answers, seed)])


def chance_in(answers: Answers, seed: int) -> list[float]:
    """p-values of the most striking part, and of the most striking box, as the audit has them."""
    data = answers.data
    null = null_hypothesis(data, places_of(data.points), answers.predictions, answers.folds)
    searches: list[Search] = [partial(highest_of_parts, null)]
    if has_boxes(data):
        searches.append(BoxSearch(data.table, null).highest)
    chance = chance_of(searches, null, data.codes, seed=seed)
    return [float(chance.p_values(s, highest)) for s, highest in enumerate(chance.data)]


def mark_of_search() -> str:
    """Return eight letters that change with the modules that decide p-values."""
    mark = sha256()
    for module in (_boxes, _data, _null, _parts, _significance):
        mark.update(getsource(module).encode())
    return mark.hexdigest()[:8]


class Kept:
    """p-values that were found already, in a file to which new ones are added."""

    def __init__(self, folder: Path | None, model: str) -> None:
        name = f"p_values-{model}-{mark_of_search()}.csv"
        self._folder, self._path = folder, folder / name if folder else None
        self._known: dict[tuple[str, int], float] = {}
        if self._path and self._path.exists():
            with self._path.open() as file:
                for kind, seed, value in csv.reader(file):
                    self._known[kind, int(seed)] = float(value)

    def values(self, name: str, make: Make, model: str, n_seeds: int) -> NDArray[np.float64]:
        """p-values of the first data sets of a kind."""
        for seed in range(n_seeds):
            if (name, seed) not in self._known:
                value = smallest_p_value(name, make, model, seed, self._folder)
                self._known[name, seed] = value
                self._add(name, seed, value)
        return np.array([self._known[name, seed] for seed in range(n_seeds)])

    def _add(self, *row: str | float) -> None:
        if self._path:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a") as file:
                csv.writer(file).writerow(row)


def main() -> None:
    options = parse_options()
    flagged: list[bool] = []
    kinds = {name: make for name, make in KINDS.items() if options.kind in name}
    kept = Kept(options.keep, options.model)
    for name, make in kinds.items():
        values = kept.values(name, make, options.model, options.seeds)
        flagged.extend((values <= LEVEL).tolist())
        print(line(name, int((values <= LEVEL).sum()), values.size), uniformity(values), flush=True)
    print(line("in all", int(np.sum(flagged)), len(flagged)))


def uniformity(values: NDArray[np.float64]) -> str:
    """Mean, and Kolmogorov-Smirnov tests: of too small ones, and of any difference."""
    small, uniform = (
        kstest(values, "uniform", alternative=how).pvalue for how in ("greater", "two-sided")
    )
    return f"  mean {values.mean():.2f}  too small p = {small:.3f}  not uniform p = {uniform:.3f}"


def line(name: str, flagged: int, n_audits: int) -> str:
    """Give a count with its share and the exact 95 % interval of it."""
    low, high = (100 * float(end) for end in clopper_pearson(flagged, n_audits))
    share = f"{100 * flagged / n_audits:.1f} % ({low:.1f} to {high:.1f})"
    return f"{name:<36} {flagged:>3} of {n_audits:<5} {share}"


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="data sets of each kind")
    parser.add_argument("--model", default=QUICK, help="a method; quick (SVC), or default: two")
    parser.add_argument("--kind", default="", help="only kinds whose names hold this")
    parser.add_argument("--keep", type=Path, help="folder of answers and p-values, to go on later")
    return parser.parse_args()


if __name__ == "__main__":
    main()
