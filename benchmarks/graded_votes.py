"""What a graded decision of KPBoost should add up: several scalings of the rounds' margins.

Data, folds and settings are those of ``judging.py``; rounds are judged as new points. Every scaling
gets the same rounds and weights. ROC-AUC and average precision are means over the folds, because
margins of different fits have different scales; the Gmean is that of the answers of all folds
together. Printed are the means over all settings and those of the best setting, averaged over the
data sets: by default every third of the paper's two-class sets of few dimensions.

python benchmarks/graded_votes.py --folder ../shared/data                 14 sets: some minutes
python benchmarks/graded_votes.py --folder ../shared/data --data pima     one set: seconds
"""

import json
import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from judging import (
    GROUP,
    N_FOLDS,
    N_ROUNDS,
    SETTINGS,
    WIDTHS,
    BoolArray,
    FloatArray,
    IndexArray,
    parse_options,
)
from kpboost import geometric_mean_score
from kpboost.datasets import catalogue, load, source_of
from kpboost.ensemble._boosting import boost
from kpboost.kernels import (
    length_scale_to_gamma,
    rbf_from_squared_distances,
    squared_distances,
)
from kpboost.methods import standardised
from kpboost.model_selection import RareClassKFold
from kpboost.solvers import DenseGram, DualSolution, solve_dual

# Of the sets in the order of the catalogue, one out of so many.
EVERY = 3
Split = tuple[IndexArray, IndexArray]
MEASURES = ("ROC-AUC", "AP", "Gmean")


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """The rounds of one fit at its test points.

    Attributes
    ----------
    weights : ndarray of shape (n_rounds,)
        alpha_t, zero for rounds that do not vote.
    values : ndarray of shape (n_rounds, n_test)
        f_t, positive for the rarer class.
    norms : ndarray of shape (n_rounds,)
        Norm of w_t in the space of the round's kernel.
    deviations : ndarray of shape (n_rounds,)
        Standard deviation of f_t over the training points.
    """

    weights: FloatArray
    values: FloatArray
    norms: FloatArray
    deviations: FloatArray

    def mean(self, margins: FloatArray) -> FloatArray:
        """Weighted mean over the rounds."""
        return np.asarray(self.weights @ margins / self.weights.sum())


def _per(size: FloatArray, values: FloatArray) -> FloatArray:
    """Values in units of a size; a round of size 0 says the same of all points, by its sign."""
    room = np.where(size > 0, size, 1.0)[:, None]
    return np.asarray(np.where(size[:, None] > 0, values / room, np.sign(values)))


SCALINGS: dict[str, Callable[[Rounds], FloatArray]] = {
    "round 1 alone": lambda r: r.values[0],
    "votes": lambda r: r.mean(np.where(r.values >= 0, 1.0, -1.0)),
    "raw": lambda r: r.mean(r.values),
    "cut to [-1, 1]": lambda r: r.mean(np.clip(r.values, -1.0, 1.0)),
    "f / (1 + |f|)": lambda r: r.mean(r.values / (1.0 + np.abs(r.values))),
    "divided by the norm": lambda r: r.mean(_per(r.norms, r.values)),
    "divided by the deviation": lambda r: r.mean(_per(r.deviations, r.values)),
}


def outcomes(name: str, folder: Path | None) -> FloatArray:
    """Measures of every scaling and setting on one data set, (3, n_scalings, n_settings)."""
    data = load(name, data_dir=folder)
    X = standardised(data.X, data.nominal)
    _, codes = np.unique(data.y, return_inverse=True)
    positive = codes == np.argmin(np.bincount(codes))
    squared = squared_distances(X, X)
    folds = list(RareClassKFold(N_FOLDS, random_state=0).split(codes, codes))
    scores = np.zeros((len(SCALINGS), len(SETTINGS), positive.size))
    for train, test in folds:
        y = np.where(positive[train], 1.0, -1.0)
        for width, factor in enumerate(WIDTHS):
            gamma = float(length_scale_to_gamma(factor * math.sqrt(X.shape[1] / 2)))
            kernel = rbf_from_squared_distances(squared[:, train], gamma)
            gram = DenseGram(np.ascontiguousarray(kernel[train]))
            for place, rounds in _boosted(gram, kernel[test], y, width):
                scores[:, place, test] = [scale(rounds) for scale in SCALINGS.values()]
    return np.array([_measured(positive, scores, folds, measure) for measure in MEASURES])


def _boosted(
    gram: DenseGram, at_test: FloatArray, y: FloatArray, width: int
) -> Iterator[tuple[int, Rounds]]:
    """Boost the settings of one fold and width; those of one C share round 1."""
    firsts: dict[float, DualSolution] = {}
    for place, (C, own, step) in enumerate(SETTINGS):
        if own != width:
            continue
        bounds = np.full(y.size, C)
        firsts[C] = firsts.get(C) or solve_dual(gram, y, bounds)
        trace = boost(gram, y, bounds, step=step, n_rounds=N_ROUNDS, first=firsts[C])
        coef, offset = trace.dual_coef * np.exp(trace.log_scale), trace.intercept[:, None]
        squares = np.einsum("tn,tn->t", coef, trace.judged - offset)
        yield (
            place,
            Rounds(
                trace.weights,
                coef @ at_test.T + offset,
                np.sqrt(np.maximum(squares, 0.0)),
                trace.judged.std(axis=1),
            ),
        )


def _measured(
    positive: BoolArray, scores: FloatArray, folds: list[Split], measure: str
) -> list[list[float]]:
    if measure == "Gmean":
        return [[geometric_mean_score(positive, each >= 0) for each in own] for own in scores]
    rank = roc_auc_score if measure == "ROC-AUC" else average_precision_score
    tests = [test for _, test in folds if positive[test].any()]
    return [
        [np.mean([rank(positive[test], each[test]) for test in tests]) for each in own]
        for own in scores
    ]


def main() -> None:
    options = parse_options(__doc__)
    every = [
        entry.name
        for entry in catalogue()
        if entry.group == GROUP and source_of(entry.name, data_dir=options.folder)
    ]
    names = options.data or every[::EVERY]
    found: dict[str, FloatArray] = {}
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # solves at their cap are part of the comparison
            found[name] = outcomes(name, options.folder)
        means = found[name].mean(axis=2)[0]
        print(f"{name:<24} {'  '.join(f'{each:.3f}' for each in means)}", flush=True)
        if options.json:
            kept = {each: scores.tolist() for each, scores in found.items()}
            options.json.write_text(json.dumps({"scalings": list(SCALINGS), "scores": kept}))
    _print_means(np.array([found[name] for name in names]))


def _print_means(table: FloatArray) -> None:
    """Print one line per scaling, from scores of shape (n_sets, 3, n_scalings, n_settings)."""
    print(f"\n{len(table)} data sets, {len(SETTINGS)} settings each: all settings / the best one")
    print(f"{'':<26}" + "".join(f"{measure:>17}" for measure in MEASURES))
    for scaling, each in zip(SCALINGS, table.transpose(2, 0, 1, 3), strict=True):
        pairs = zip(each.mean(axis=(0, 2)), each.max(axis=2).mean(axis=0), strict=True)
        print(f"{scaling:<26}" + "".join(f"{mean:>9.4f} {best:.4f} " for mean, best in pairs))


if __name__ == "__main__":
    main()
