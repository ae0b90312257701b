"""How many planted parts of classes the audit finds, beside the limit and two other tools.

Every data set has parts of the rare class that a simple model misses. A part counts as missed if
the model recognises at most half of it out of fold. All tools get the same out-of-fold answers:

    limit      a test that is told where the part is: as many rows of the class there in at most 5 %
               of the draws under the audit's own null hypothesis
    audit      most of a flagged part, or box, is rows of the planted one
    slices     sliceline's ten worst slices, of up to three columns of ten bins each
    tree       leaves with mostly errors of a decision tree that is trained on the errors

Of the last two, most errors in a slice or leaf must be rows of the part. What is reported beside
the parts is counted, too, and in how many data sets with nothing to find something is reported.

python benchmarks/audit.py              12 data sets of each kind: some ten minutes
python benchmarks/audit.py --seeds 3    three minutes
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import false_flags
from audit_answers import QUICK, Answers, answers_of
from kpboost.auditing._findings import disjunct_findings
from kpboost.auditing._null import NullHypothesis, null_hypothesis
from kpboost.auditing._parts import parts_of, places_of
from kpboost.auditing._significance import LEVEL, drawn_labels, shares
from kpboost.datasets import make_disjuncts

Labels = NDArray[np.intp]
Mask = NDArray[np.bool_]
Regions = dict[int, Mask]

N_SEEDS = 12
MOST_RECALL = 0.5
HOLE = 0.8
# For the test that is told the region.
N_DRAWS = 999
# Sliceline's own scale: 10 bins, and slices with high errors before large ones.
N_BINS, N_SLICES, MOST_COLUMNS, ALPHA = 10, 10, 3, 0.95
LEAST_SIZE = 5
TOOLS = ("limit", "audit", "slices", "tree")


@dataclass(frozen=True, eq=False)
class Planted:
    """A table, classes, the number of each row's part (0 is none), and where each part is."""

    X: Any
    y: Labels
    part: Labels
    regions: Regions

    def __getitem__(self, rows: slice) -> tuple[Any, Labels]:
        """Table and classes, for those who ask for these two."""
        return self.X, self.y


Make = Callable[[int], Planted]


def in_a_gap(seed: int, sizes: tuple[int, ...] = (10,), n_noise: int = 0) -> Planted:
    """Parts of 40 and fewer rows in holes of the common class, and columns that mean nothing."""
    rng = np.random.default_rng(seed)
    centres = np.array([[-1.6, -1.2], [1.6, -1.4]])[: len(sizes)]
    common = rng.uniform(-3, 3, size=(400, 2))
    for centre in [*centres, np.array([1.5, 1.5])]:
        common = common[np.hypot(*(common - centre).T) > HOLE]
    parts = [rng.normal(1.5, 0.4, size=(40, 2))]
    parts += [rng.normal(c, 0.2, size=(n, 2)) for c, n in zip(centres, sizes, strict=True)]
    X = np.vstack([common, *parts])
    part = np.repeat(np.arange(-1, len(sizes) + 1), [len(common), 40, *sizes])
    y = (part >= 0).astype(np.intp)
    return Planted(with_noise(X, n_noise, rng), y, part + 1, balls(X, part + 1))


def with_noise(X: NDArray[np.float64], n_noise: int, rng: np.random.Generator) -> Any:
    return np.column_stack([X, rng.normal(size=(len(X), n_noise))])


def balls(X: NDArray[np.float64], part: Labels) -> Regions:
    """Rows as near to the middle of each part as its own rows are."""
    regions = {}
    for number in range(1, int(part.max()) + 1):
        distance = np.linalg.norm(X - X[part == number].mean(axis=0), axis=1)
        regions[number] = distance <= distance[part == number].max()
    return regions


def clouds(
    seed: int, n_columns: int = 2, n_noise: int = 0, wrong: float = 0.0, overlap: float = 0.2
) -> Planted:
    """Six clouds of 9 to 400 rows, of which the small ones are the parts."""
    sizes = [[400, 60, 20], [80, 15, 9]]
    X, y, clusters = make_disjuncts(sizes, overlap=overlap, n_features=n_columns, random_state=seed)
    small = np.bincount(clusters) <= 20
    part = np.where(small, np.cumsum(small), 0)[clusters]
    rng = np.random.default_rng([seed, 1])
    flipped = rng.random(y.size) < wrong
    y = np.unique(y, return_inverse=True)[1]
    y = np.where(flipped, 1 - y, y).astype(np.intp)
    return Planted(with_noise(X, n_noise, rng), y, np.where(flipped, 0, part), balls(X, part))


def rounded(seed: int) -> Planted:
    """Measure the parts in gaps to a third."""
    exact = in_a_gap(seed, (20, 12))
    X = np.round(3 * exact.X) / 3
    return Planted(X, exact.y, exact.part, balls(X, exact.part))


def grid(seed: int, n_columns: int = 2) -> Planted:
    """Whole numbers from 0 to 5; the rare class is large ones, and two cells among the others."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(900, n_columns)).astype(np.float64)
    cell = 6 * X[:, 0] + X[:, 1]
    part = np.where(cell == 8, 1, np.where(cell == 19, 2, 0))
    chance = np.where(part > 0, 0.9, np.where(X.sum(axis=1) / n_columns > 3.9, 0.8, 0.06))
    return by_place(X, (rng.random(900) < chance).astype(np.intp), part)


def survey(seed: int) -> Planted:
    """Answer six questions in one of three ways; three answers together are the part."""
    rng = np.random.default_rng(seed)
    answers = rng.integers(0, 3, size=(800, 6))
    part = np.where((answers[:, 0] == 0) & (answers[:, 1] == 2) & (answers[:, 2] != 1), 1, 0)
    chance = np.where(part > 0, 0.8, np.where(answers[:, 3] + answers[:, 4] == 4, 0.75, 0.05))
    frame = pd.DataFrame({f"q{j}": np.array(list("abc"))[a] for j, a in enumerate(answers.T)})
    return by_place(frame, (rng.random(800) < chance).astype(np.intp), part)


def category(seed: int) -> Planted:
    """Make a part of one category and an interval of a number."""
    rng = np.random.default_rng(seed)
    number, kind = rng.normal(size=(700, 4)), rng.choice(list("rgbw"), 700)
    inside = (kind == "w") & (number[:, 0] > -0.4) & (number[:, 0] < 0.3)
    chance = np.where(inside, 0.9, np.where(number[:, 1] > 1.2, 0.8, 0.04))
    frame = pd.DataFrame(number, columns=list("abcd")).assign(kind=kind)
    return by_place(frame, (rng.random(700) < chance).astype(np.intp), inside.astype(np.intp))


def by_place(X: Any, y: Labels, part: Labels) -> Planted:
    """Parts that are all rows of the rare class at some places."""
    regions = {number: part == number for number in range(1, int(part.max()) + 1)}
    return Planted(X, y, np.where(y == 1, part, 0), regions)


def plain_svm() -> Any:
    return make_pipeline(StandardScaler(), SVC())


def straight() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression())


def straight_answers() -> Any:
    return make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression())


def by_number() -> Any:
    """Look at the numbers of a table alone."""
    chosen = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number"))
    )
    return make_pipeline(chosen, LogisticRegression())


def boosted() -> Any:
    return HistGradientBoostingClassifier(max_iter=60, random_state=0)


def small_tree() -> Any:
    return DecisionTreeClassifier(max_depth=4, min_samples_leaf=5, random_state=0)


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
    "30 and 10 in gaps, 18 of noise; SVM": (
        partial(in_a_gap, sizes=(30, 10), n_noise=18),
        plain_svm,
    ),
    "30 and 10 in gaps, 18 of noise; tree": (
        partial(in_a_gap, sizes=(30, 10), n_noise=18),
        small_tree,
    ),
    "six clouds, 2 columns; straight line": (clouds, straight),
    "the same, 3 % wrong labels": (partial(clouds, wrong=0.03), straight),
    "six clouds, 8 of noise; SVM": (partial(clouds, n_noise=8), plain_svm),
    "six clouds, 18 of noise; tree": (partial(clouds, n_noise=18), small_tree),
    "six clouds in all of 10 columns; SVM": (partial(clouds, n_columns=10, overlap=0.6), plain_svm),
    "parts in gaps, rounded; SVM": (rounded, plain_svm),
    "cells of a grid, 2 columns; straight line": (grid, straight),
    "cells of a grid, 4 columns; straight line": (partial(grid, n_columns=4), straight),
    "answers of a survey; straight line": (survey, straight_answers),
    "a category and an interval; straight line": (category, by_number),
}
# Nothing is missed in these.
SILENT = (
    "two overlapping clouds, 2 columns",
    "two overlapping clouds, 10 columns",
    "labels by chance, 4 columns",
    "5 % wrong labels, 10 columns",
    "whole numbers, 36 places",
)


def reported(answers: Answers, seed: int) -> Iterator[tuple[str, Labels]]:
    """Tools and rows of the class or errors in what they report; of the audit, parts alone."""
    data, predictions = answers.data, answers.predictions
    places = places_of(data.points)
    found = disjunct_findings(
        data, places, parts_of(places, data.codes), predictions, answers.folds, seed
    )
    yield from (("audit", np.array(each.rows)) for each in found if each.missed)
    wrong = predictions.predicted != data.codes
    for tool, masks in (("slices", slices(answers, wrong)), ("tree", leaves(answers, wrong))):
        yield from ((tool, np.flatnonzero(mask & wrong)) for mask in masks)


def slices(answers: Answers, wrong: Mask) -> list[Mask]:
    """Rows of the slices that sliceline reports."""
    table = answers.data.table
    bins = np.column_stack(
        [
            values if nominal else np.searchsorted(_edges(values), values)
            for values, nominal in zip(table.values.T, table.nominal, strict=True)
        ]
    )
    bins = np.where(np.isnan(bins), -1, bins).astype(int) + 1
    finder = import_module("sliceline.slicefinder").Slicefinder(
        ALPHA, N_SLICES, MOST_COLUMNS, LEAST_SIZE, verbose=False
    )
    finder.fit(bins, wrong.astype(float))
    return [_inside(bins, values) for values in finder.top_slices_]


def _inside(bins: Labels, values: NDArray[Any]) -> Mask:
    limited = [column == v for column, v in zip(bins.T, values, strict=True) if v is not None]
    return np.asarray(np.logical_and.reduce(limited))


def _edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    known = values[~np.isnan(values)]
    return np.unique(np.quantile(known, np.arange(1, N_BINS) / N_BINS))


def leaves(answers: Answers, wrong: Mask) -> list[Mask]:
    """Rows of the leaves of an error tree in which most answers are wrong."""
    points = answers.data.points
    tree = DecisionTreeClassifier(max_depth=4, min_samples_leaf=LEAST_SIZE, random_state=0)
    numbers = tree.fit(points, wrong).apply(points)
    masks = [numbers == number for number in np.unique(numbers)]
    return [mask for mask in masks if wrong[mask].mean() > MOST_RECALL]


def told(null: NullHypothesis, region: Mask, own: Mask, code: int, seed: int) -> bool:
    """Tell whether a test that knows the region sees too many rows of the class there."""
    probabilities, random = null.probabilities[region], np.random.default_rng(seed)
    drawn = [(drawn_labels(probabilities, random) == code).sum() for _ in range(N_DRAWS)]
    return bool(shares(np.array(own[region].sum()), np.array(drawn)) <= LEVEL)


def counts(name: str, make: Make, model: Any, seed: int, folder: Path | None) -> Labels:
    """Parts that the model misses, those that each tool finds, and other reports of each."""
    planted = make(seed)
    answers = answers_of(name, lambda _: planted, model, seed, folder)
    rows = answers.data.rows
    part = planted.part[rows]
    wrong = answers.predictions.predicted != answers.data.codes
    numbers = range(1, int(part.max()) + 1)
    missed = [k for k in numbers if wrong[part == k].mean() >= 1 - MOST_RECALL]
    named: dict[str, list[int]] = {tool: [] for tool in TOOLS}
    for tool, members in reported(answers, seed):
        named[tool].append(_part_of(part[members]))
    data = answers.data
    null = null_hypothesis(data, places_of(data.points), answers.predictions, answers.folds)
    for k in missed:
        code = int(data.codes[part == k][0])
        if told(null, planted.regions[k][rows], data.codes == code, code, seed):
            named["limit"].append(k)
    found = [sum(k in named[tool] for k in missed) for tool in TOOLS]
    other = [sum(k == 0 for k in named[tool]) for tool in TOOLS[1:]]
    return np.array([len(missed), *found, *other])


def _part_of(parts: Labels) -> int:
    """Return the part that most of the rows are of, or 0."""
    if not parts.size:
        return 0
    commonest = int(np.bincount(parts).argmax())
    return commonest if 2 * (parts == commonest).sum() > parts.size else 0


def reports(name: str, seed: int, folder: Path | None) -> Labels:
    """Whether each tool reports anything in a data set with nothing to find."""
    answers = answers_of(name, false_flags.KINDS[name], QUICK, seed, folder)
    tools = {tool for tool, _ in reported(answers, seed)}
    return np.array([tool in tools for tool in TOOLS[1:]], dtype=np.intp)


def main() -> None:
    options = parse_options()
    if find_spec("sliceline") is None:
        sys.exit('sliceline is missing: pip install "kpboost[bench]"')
    seeds, total = range(options.seeds), np.zeros(8, dtype=int)
    print(f"{'':<44} missed  limit audit slices tree   other reports: audit slices tree")
    for name, (make, model) in KINDS.items():
        if options.kind in name:
            each = [counts(name, make, model(), seed, options.keep) for seed in seeds]
            total += np.sum(each, axis=0)
            print(line(name, np.sum(each, axis=0)), flush=True)
    print(line("in all", total))
    for name in SILENT:
        if options.kind in name:
            each = [reports(name, seed, options.keep) for seed in seeds]
            shown = ", ".join(
                f"{t} {n}" for t, n in zip(TOOLS[1:], np.sum(each, axis=0), strict=True)
            )
            print(f"nothing to find: {name}: reports in {shown} of {options.seeds}", flush=True)


def line(name: str, row: Labels) -> str:
    missed, limit, audit, cut, tree, *other = row.tolist()
    found = f"{missed:>6} {limit:>6} {audit:>5} {cut:>6} {tree:>4}"
    return f"{name:<44} {found}                  {other[0]:>5} {other[1]:>6} {other[2]:>4}"


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="data sets of each kind")
    parser.add_argument("--kind", default="", help="only kinds whose names hold this")
    parser.add_argument("--keep", type=Path, help="folder of answers, to go on later")
    return parser.parse_args()


if __name__ == "__main__":
    main()
