"""Which rounds of KPBoost should vote, and how: several rules on the paper's two-class sets.

Every data set is standardised and split into five folds. Every setting of the quick grid (C, width,
step) is boosted once per fold; the rules differ in what they make of the same ten rounds. Scores
are the Gmean of the answers of all five folds together: its mean over all settings, and that of the
best setting, both averaged over the data sets; and the share of sets and settings in which the
ensemble falls clearly behind its own round 1, the plain SVM.

python benchmarks/judging.py --folder ../shared/data                 all sets: ten minutes
python benchmarks/judging.py --folder ../shared/data --data pima     one set: seconds
"""

import argparse
import json
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kpboost import geometric_mean_score
from kpboost.datasets import catalogue, load, source_of
from kpboost.ensemble._boosting import (
    ClassRates,
    Selection,
    boost,
    class_rates,
    round_weights,
    select_rounds,
)
from kpboost.kernels import (
    length_scale_to_gamma,
    rbf_from_squared_distances,
    squared_distances,
)
from kpboost.methods import standardised
from kpboost.methods._grids import QUICK_WIDTHS
from kpboost.methods._registry import QUICK_CS, QUICK_STEPS
from kpboost.model_selection import RareClassKFold
from kpboost.solvers import DenseGram, DualSolution, solve_dual

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IndexArray = NDArray[np.intp]

GROUP = "two-class-low"
N_ROUNDS = 10
N_FOLDS = 5
# A Gmean this much below that of the plain SVM is a fall: boosting should not harm.
FALL = 0.1
# Sigma in units of sqrt(d / 2), that of gamma="scale" on standardised data.
WIDTHS = tuple(width.factor for width in QUICK_WIDTHS)
# A setting: C, place among the widths, perturbation step.
SETTINGS = tuple(product(QUICK_CS, range(len(WIDTHS)), QUICK_STEPS))


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """Decision values of the rounds of one fit, (n_rounds, n), positive for the rarer class.

    Attributes
    ----------
    y : ndarray of shape (n_train,)
        -1 and +1.
    own : ndarray of shape (n_rounds, n_train)
        Training points in the round's own kernel.
    as_new : ndarray of shape (n_rounds, n_train)
        Training points as new ones, D = 1.
    left_out : ndarray of shape (n_rounds, n_train)
        Training points as new ones, without what each says for itself.
    test : ndarray of shape (n_rounds, n_test)
    """

    y: FloatArray
    own: FloatArray
    as_new: FloatArray
    left_out: FloatArray
    test: FloatArray

    def rates(self, training: FloatArray) -> ClassRates:
        """Rates of correct answers of the rounds, by some training values."""
        correct = (training >= 0) == (self.y > 0)
        return class_rates(correct, self.y, np.ones(self.y.size))

    def chosen(self, training: FloatArray) -> Selection:
        """Choose and weigh rounds by the paper's formulas, from some training values."""
        rates = self.rates(training)
        return select_rounds(rates.error, rates.tpr)

    def votes(self, weights: FloatArray) -> BoolArray:
        """Answers by weighted votes."""
        return np.asarray(weights @ np.where(self.test >= 0, 1.0, -1.0) >= 0)

    def margins(self, weights: FloatArray) -> BoolArray:
        """Answers by weighted decision values, none of which counts for more than a vote."""
        return np.asarray(weights @ np.clip(self.test, -1.0, 1.0) >= 0)


RULES: dict[str, Callable[[Rounds], BoolArray]] = {
    "round 1 alone": lambda r: np.asarray(r.test[0] >= 0),
    "paper": lambda r: r.votes(r.chosen(r.own).weights),
    "paper, clipped margins": lambda r: r.margins(r.chosen(r.own).weights),
    "as new": lambda r: r.votes(r.chosen(r.as_new).weights),
    "as new, clipped margins": lambda r: r.margins(r.chosen(r.as_new).weights),
    "as new, equal votes": lambda r: r.votes(r.chosen(r.as_new).kept.astype(np.float64)),
    "as new, without itself": lambda r: r.votes(r.chosen(r.left_out).weights),
    "as new, best round alone": lambda r: np.asarray(
        r.test[np.argmin(r.rates(r.as_new).error)] >= 0
    ),
    "as new, all rounds with eps below 1/sqrt 2": lambda r: r.votes(
        np.maximum(round_weights(r.rates(r.as_new).error), 0.0)
    ),
}


def outcomes(name: str, folder: Path | None) -> FloatArray:
    """Gmean of every rule and setting on one data set, (n_rules, n_settings)."""
    data = load(name, data_dir=folder)
    X = standardised(data.X, data.nominal)
    _, codes = np.unique(data.y, return_inverse=True)
    positive = codes == np.argmin(np.bincount(codes))
    squared = squared_distances(X, X)
    answers = np.zeros((len(RULES), len(SETTINGS), positive.size), dtype=np.bool_)
    for train, test in RareClassKFold(N_FOLDS, random_state=0).split(codes, codes):
        for width, factor in enumerate(WIDTHS):
            gamma = float(length_scale_to_gamma(factor * math.sqrt(X.shape[1] / 2)))
            kernel = rbf_from_squared_distances(squared[:, train], gamma)
            own = [place for place, setting in enumerate(SETTINGS) if setting[1] == width]
            y = np.where(positive[train], 1.0, -1.0)
            for place, rounds in zip(own, _boosted(kernel, y, train, test, own), strict=True):
                for rule, answer in enumerate(RULES.values()):
                    answers[rule, place, test] = answer(rounds)
    return np.array(
        [[geometric_mean_score(positive, each) for each in of_rule] for of_rule in answers]
    )


def _boosted(
    kernel: FloatArray, y: FloatArray, train: IndexArray, test: IndexArray, places: Sequence[int]
) -> list[Rounds]:
    """Boost the settings of one fold and width; those of one C share round 1."""
    gram = DenseGram(np.ascontiguousarray(kernel[train]))
    firsts: dict[float, DualSolution] = {}
    found = []
    for C, _, step in (SETTINGS[place] for place in places):
        bounds = np.full(y.size, C)
        firsts[C] = firsts.get(C) or solve_dual(gram, y, bounds)
        trace = boost(gram, y, bounds, step=step, n_rounds=N_ROUNDS, first=firsts[C])
        coef = trace.dual_coef * np.exp(trace.log_scale)
        at_test = coef @ kernel[test].T + trace.intercept[:, None]
        found.append(Rounds(y, trace.decision, trace.judged, trace.judged - coef, at_test))
    return found


def main() -> None:
    options = parse_options(__doc__)
    names = options.data or [
        entry.name
        for entry in catalogue()
        if entry.group == GROUP and source_of(entry.name, data_dir=options.folder)
    ]
    scores: dict[str, list[list[float]]] = {}
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # solves at their cap are part of the comparison
            scores[name] = outcomes(name, options.folder).tolist()
        print(f"{name:<24} {_line(np.array(scores[name]))}", flush=True)
        if options.json:
            options.json.write_text(json.dumps({"rules": list(RULES), "scores": scores}))
    _print_means(np.array([scores[name] for name in names]))


def _print_means(table: FloatArray) -> None:
    """Print one line per rule, from scores of shape (n_sets, n_rules, n_settings)."""
    print(f"\n{len(table)} data sets, {len(SETTINGS)} settings each")
    print(f"{'Gmean':<44} {'all':>6} {'best':>6}  below round 1 by {FALL}")
    for rule, each in zip(RULES, table.transpose(1, 0, 2), strict=True):
        falls = (each < table[:, 0] - FALL).mean()
        best = each.max(axis=1).mean()
        print(f"{rule:<44} {each.mean():.4f} {best:.4f}  {falls:.1%}")


def _line(scores: FloatArray) -> str:
    """Mean over settings and best setting of every rule, for one data set."""
    return "  ".join(f"{each.mean():.3f}/{each.max():.3f}" for each in scores)


def parse_options(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, help="folder with the data sets")
    parser.add_argument("--data", nargs="*", metavar="NAME", help="some of them only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all scores there")
    return parser.parse_args()


if __name__ == "__main__":
    main()
