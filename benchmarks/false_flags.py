"""How often the audit flags a missed part in data that have none, by kind of data.

Every class is one cloud or has no shape at all, and the classes overlap, so that models err without
missing any part.

python benchmarks/false_flags.py              50 data sets of each kind: ten minutes on two cores
python benchmarks/false_flags.py --seeds 5    one minute
"""

import argparse
from collections.abc import Callable
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from kpboost import audit
from kpboost.datasets import make_disjuncts

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
}


def is_flagged(make: Make, seed: int) -> bool:
    X, y = make(seed)
    return bool(audit(X, y, remedies=[], random_state=seed).missed)


def main() -> None:
    options = parse_options()
    total = 0
    for name, make in KINDS.items():
        flagged = sum(
            Parallel(n_jobs=options.n_jobs)(
                delayed(is_flagged)(make, seed) for seed in range(options.seeds)
            )
        )
        total += flagged
        print(f"{name:<36} {flagged:>3} of {options.seeds}", flush=True)
    n_audits = options.seeds * len(KINDS)
    print(f"{'in all':<36} {total:>3} of {n_audits}, {100 * total / n_audits:.1f} %")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="data sets of each kind")
    parser.add_argument("--n-jobs", type=int, default=2, help="audits at a time")
    return parser.parse_args()


if __name__ == "__main__":
    main()
