"""How many planted parts of classes the audit finds, by kind of data.

Every data set has parts of the rare class that a simple model misses. A part counts as missed if
the model recognises at most half of it out of fold, and as found if most of a flagged part, or box,
is its rows. What is flagged beside the parts is counted, too.

python benchmarks/planted_parts.py              20 data sets of each kind: some ten minutes
python benchmarks/planted_parts.py --seeds 3    two minutes
"""

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from kpboost import audit
from kpboost.datasets import make_disjuncts

Labels = NDArray[np.intp]
# The table, the classes, and the number of each row's planted part; 0 is none.
Planted = tuple[Any, Labels, Labels]
Make = Callable[[int], Planted]

N_SEEDS = 20
MOST_RECALL = 0.5


def in_a_gap(seed: int, sizes: tuple[int, ...] = (10,), n_noise: int = 0) -> Planted:
    """Small parts in holes of the common class, and columns that mean nothing."""
    rng = np.random.default_rng(seed)
    centres = np.array([[-1.6, -1.2], [1.6, -1.4]])[: len(sizes)]
    common = rng.uniform(-3, 3, size=(400, 2))
    for centre in [*centres, np.array([1.5, 1.5])]:
        common = common[np.hypot(*(common - centre).T) > 0.8]
    parts = [rng.normal(1.5, 0.4, size=(40, 2))]
    parts += [rng.normal(c, 0.2, size=(n, 2)) for c, n in zip(centres, sizes, strict=True)]
    X = np.vstack([common, *parts])
    part = np.repeat(np.arange(-1, len(sizes) + 1), [len(common), 40, *sizes])
    return with_noise(X, n_noise, rng), (part >= 0).astype(np.intp), part + 1


def with_noise(X: NDArray[np.float64], n_noise: int, rng: np.random.Generator) -> Any:
    return np.column_stack([X, rng.normal(size=(len(X), n_noise))])


def clouds(
    seed: int, n_columns: int = 2, n_noise: int = 0, wrong: float = 0.0, overlap: float = 0.2
) -> Planted:
    """Six clouds of 9 to 400 rows, of which the small ones are the parts."""
    sizes = [[400, 60, 20], [80, 15, 9]]
    X, y, clusters = make_disjuncts(sizes, overlap=overlap, n_features=n_columns, random_state=seed)
    small = np.bincount(clusters) <= 20
    number = np.where(small, np.cumsum(small), 0)
    rng = np.random.default_rng([seed, 1])
    flipped = rng.random(y.size) < wrong
    y = np.unique(y, return_inverse=True)[1]
    part = np.where(flipped, 0, number[clusters])
    return with_noise(X, n_noise, rng), np.where(flipped, 1 - y, y).astype(np.intp), part


def rounded(seed: int) -> Planted:
    """Measure the parts in gaps to a third."""
    X, y, part = in_a_gap(seed, (20, 12))
    return np.round(3 * X) / 3, y, part


def grid(seed: int, n_columns: int = 2) -> Planted:
    """Whole numbers from 0 to 5; the rare class is large ones, and two cells among the others."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(900, n_columns)).astype(np.float64)
    cell = 6 * X[:, 0] + X[:, 1]
    part = np.where(cell == 8, 1, np.where(cell == 19, 2, 0))
    chance = np.where(part > 0, 0.9, np.where(X.sum(axis=1) / n_columns > 3.9, 0.8, 0.06))
    return shuffled(X, (rng.random(900) < chance).astype(np.intp), part, rng)


def survey(seed: int) -> Planted:
    """Answer six questions in one of three ways; three answers together are the part."""
    rng = np.random.default_rng(seed)
    answers = rng.integers(0, 3, size=(800, 6))
    part = np.where((answers[:, 0] == 0) & (answers[:, 1] == 2) & (answers[:, 2] != 1), 1, 0)
    chance = np.where(part > 0, 0.8, np.where(answers[:, 3] + answers[:, 4] == 4, 0.75, 0.05))
    frame = pd.DataFrame({f"q{j}": np.array(list("abc"))[a] for j, a in enumerate(answers.T)})
    y = (rng.random(800) < chance).astype(np.intp)
    return frame, y, np.where(y == 1, part, 0)


def category(seed: int) -> Planted:
    """Make a part of one category and an interval of a number."""
    rng = np.random.default_rng(seed)
    number, kind = rng.normal(size=(700, 4)), rng.choice(list("rgbw"), 700)
    inside = (kind == "w") & (number[:, 0] > -0.4) & (number[:, 0] < 0.3)
    chance = np.where(inside, 0.9, np.where(number[:, 1] > 1.2, 0.8, 0.04))
    frame = pd.DataFrame(number, columns=list("abcd")).assign(kind=kind)
    y = (rng.random(700) < chance).astype(np.intp)
    return frame, y, np.where(y == 1, inside, 0).astype(np.intp)


def shuffled(X: Any, y: Labels, part: Labels, rng: np.random.Generator) -> Planted:
    """Put the rows into any order; rows of the common class are in no part."""
    order = rng.permutation(y.size)
    return X[order], y[order], np.where(y == 1, part, 0)[order]


def plain_svm() -> Any:
    return make_pipeline(StandardScaler(), SVC())


def straight() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression())


def straight_answers() -> Any:
    return make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())


def by_number() -> Any:
    """Look at the numbers of a table alone."""
    from sklearn.compose import make_column_selector, make_column_transformer

    chosen = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number"))
    )
    return make_pipeline(chosen, LogisticRegression())


def boosted() -> Any:
    return HistGradientBoostingClassifier(max_iter=60, random_state=0)


KINDS: dict[str, tuple[Make, Callable[[], Any]]] = {
    "ten rows in a gap, 2 columns; SVM": (in_a_gap, plain_svm),
    "ten rows in a gap, 2 columns; boosting": (in_a_gap, boosted),
    "30 and 10 in gaps, 8 of noise; SVM": (
        partial(in_a_gap, sizes=(30, 10), n_noise=8),
        plain_svm,
    ),
    "30 and 10 in gaps, 8 of noise; boosting": (
        partial(in_a_gap, sizes=(30, 10), n_noise=8),
        boosted,
    ),
    "six clouds, 2 columns; straight line": (clouds, straight),
    "the same, 3 % wrong labels": (partial(clouds, wrong=0.03), straight),
    "six clouds, 8 of noise; SVM": (partial(clouds, n_noise=8), plain_svm),
    "six clouds in all of 10 columns; SVM": (partial(clouds, n_columns=10, overlap=0.6), plain_svm),
    "parts in gaps, rounded; SVM": (rounded, plain_svm),
    "cells of a grid, 2 columns; straight line": (grid, straight),
    "cells of a grid, 4 columns; straight line": (partial(grid, n_columns=4), straight),
    "answers of a survey; straight line": (survey, straight_answers),
    "a category and an interval; straight line": (category, by_number),
}


def counts(make: Make, model: Any, seed: int) -> tuple[int, int, int]:
    """Parts that the model misses, those of them that are found, and other flags."""
    X, y, part = make(seed)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    right = cross_val_predict(model, X, y, cv=folds) == y
    numbers = range(1, int(part.max()) + 1)
    missed = [k for k in numbers if right[part == k].mean() <= MOST_RECALL]
    flags = audit(X, y, model, remedies="never", random_state=seed).missed
    named = [_part_of(part[list(each.rows)]) for each in flags]
    return len(missed), sum(k in named for k in missed), sum(k == 0 for k in named)


def _part_of(parts: Labels) -> int:
    """Return the part that most of the rows are of, or 0."""
    commonest = int(np.bincount(parts).argmax())
    return commonest if 2 * (parts == commonest).sum() > parts.size else 0


def main() -> None:
    options = parse_options()
    total = np.zeros(3, dtype=int)
    print(f"{'':<44} missed found other flags")
    for name, (make, model) in KINDS.items():
        if options.kind in name:
            row = np.sum([counts(make, model(), seed) for seed in range(options.seeds)], axis=0)
            total += row
            print(f"{name:<44} {row[0]:>6} {row[1]:>5} {row[2]:>5}", flush=True)
    print(f"{'in all':<44} {total[0]:>6} {total[1]:>5} {total[2]:>5}")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="data sets of each kind")
    parser.add_argument("--kind", default="", help="only kinds whose names hold this")
    return parser.parse_args()


if __name__ == "__main__":
    main()
