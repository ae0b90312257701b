"""How good a model is out of fold: rates, ranking, calibration, and three quick baselines."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, confusion_matrix, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.datasets import Dataset
from kpboost.methods import preparation, sample_rows
from kpboost.model_selection import Estimate, Split, out_of_fold

from ._held_out import NOT_TRIED, HeldOutScores

# Rows for the baselines, rare classes first: they stay quick beside any method.
MOST_BASELINE_ROWS = 10_000
# Standard errors of a difference that is called clear, and of an interval of 95 %.
CLEARLY = 2.0
# A smaller difference of balanced accuracies is not worth a warning, however sure it is.
LEAST_GAIN = 0.02
# Edges of the bins in which probabilities are compared with what came true; rare classes have most
# of their rows in the first.
BINS = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
# Probabilities below this are as good as 0; their logarithm stays a number.
LEAST_PROBABILITY = 1e-6
# Of the forest's leaves: share of the rows in each, at least.
TREE_DEPTH, N_TREES, LEAST_LEAF = 4, 50, 0.02
# By the names in a file: what each baseline is called.
BASELINES: Mapping[str, str] = {
    "logistic_regression": "a balanced logistic regression",
    "tree": f"a balanced decision tree of depth {TREE_DEPTH}",
    "forest": f"a forest of {N_TREES} balanced trees",
}


class Bin(NamedTuple):
    """Rows whose probability of a class lies in a range."""

    low: float
    high: float
    n_rows: int
    predicted: float
    observed: float


def balanced_accuracy(codes: IndexArray, predicted: IndexArray, n_classes: int) -> Estimate:
    """Mean of the recalls; its interval takes each recall as if one more was right and one wrong.

    Without these two, a class of three rows that are all right would seem to be sure.
    """
    sizes = np.bincount(codes, minlength=n_classes)
    hits = np.bincount(codes[codes == predicted], minlength=n_classes)
    careful = (hits + 1) / (sizes + 2)
    error = float(np.sqrt((careful * (1 - careful) / (sizes + 2)).sum())) / n_classes
    value = float((hits / sizes).mean())
    return Estimate(value, max(value - CLEARLY * error, 0.0), min(value + CLEARLY * error, 1.0))


class Ranking(NamedTuple):
    """How well scores tell a class from the rest."""

    roc_auc: float
    average_precision: float


def rankings(held_out: HeldOutScores) -> list[Ranking]:
    """Return the rankings of all classes."""
    scores = held_out.scores
    columns = [-scores, scores] if scores.ndim == 1 else list(scores.T)
    own = (held_out.codes == code for code in range(held_out.n_classes))
    weight = {} if held_out.factors is None else {"sample_weight": held_out.weight}
    return [
        Ranking(
            float(roc_auc_score(is_own, column, **weight)),
            float(average_precision_score(is_own, column, **weight)),
        )
        for is_own, column in zip(own, columns, strict=True)
    ]


def log_loss(held_out: HeldOutScores) -> tuple[float, float]:
    """Mean negative log-probability of the true class; and that of the bare class shares."""
    likely = held_out.probabilities[np.arange(held_out.codes.size), held_out.codes]
    shares = held_out.shares
    losses = -np.log(np.maximum(likely.astype(np.float64), LEAST_PROBABILITY))
    own = np.average(losses, weights=held_out.weight)
    return float(own), float(-(shares * np.log(shares)).sum())


def brier(held_out: HeldOutScores) -> tuple[float, float]:
    """Half the mean squared distance of probabilities and truth; and that of the bare shares."""
    truth = np.eye(held_out.n_classes)[held_out.codes]
    own, bare = (
        float(np.average(((likely - truth) ** 2).sum(axis=1), weights=held_out.weight) / 2)
        for likely in (held_out.probabilities, held_out.shares)
    )
    return own, bare


def calibration_bins(held_out: HeldOutScores, code: int) -> list[Bin]:
    """Compare the probabilities of a class with its share, in ranges that have rows."""
    likely = held_out.probabilities[:, code].astype(np.float64)
    own, weight = held_out.codes == code, held_out.weight
    number = np.clip(np.searchsorted(BINS, likely, side="right") - 1, 0, len(BINS) - 2)
    return [
        Bin(
            BINS[each],
            BINS[each + 1],
            int(here.sum()),
            float(np.average(likely[here], weights=weight[here])),
            float(np.average(own[here], weights=weight[here])),
        )
        for each in range(len(BINS) - 1)
        if (here := number == each).any()
    ]


def confusion(held_out: HeldOutScores, predicted: IndexArray) -> FloatArray:
    """Rows by true class (rows) and predicted class (columns), in the proportions of the file."""
    labels, weight = np.arange(held_out.n_classes), held_out.weight
    found = confusion_matrix(held_out.codes, predicted, labels=labels, sample_weight=weight)
    return np.asarray(found, dtype=np.float64)


def measured_baselines(
    data: Dataset, codes: IndexArray, folds: Sequence[Split], seed: int
) -> dict[str, IndexArray]:
    """Predict the rows by three quick classifiers, on the same folds and prepared alike.

    Parameters
    ----------
    data : Dataset
        The rows.
    codes : ndarray of shape (n,)
        Numbers of their classes.
    folds : sequence of (train, test)
    seed : int

    Returns
    -------
    dict
        From names of baselines to numbers of predicted classes; -1 for rows that are not in the
        sample of at most 10,000.
    """
    rows, _ = sample_rows(codes, MOST_BASELINE_ROWS, seed)
    chosen = np.isin(np.arange(codes.size), rows)
    place = np.cumsum(chosen) - 1
    splits = [(place[train[chosen[train]]], place[test[chosen[test]]]) for train, test in folds]
    classes = list(range(int(codes.max()) + 1))
    found = {}
    for name, classifier in _classifiers(seed).items():
        model = make_pipeline(preparation(data.nominal), classifier)
        found[name] = np.full(codes.size, NOT_TRIED)
        with warnings.catch_warnings():  # a baseline that has not converged is one still
            warnings.simplefilter("ignore")
            answers = out_of_fold(model, data.X[rows], codes[rows], classes, splits)
        found[name][rows] = answers.predicted
    return found


def _classifiers(seed: int) -> dict[str, Any]:
    depth, balanced = TREE_DEPTH, "balanced"
    return {
        "logistic_regression": LogisticRegression(class_weight=balanced, max_iter=200),
        "tree": DecisionTreeClassifier(max_depth=depth, class_weight=balanced, random_state=seed),
        # leaves of few rows would vote for common classes, whatever the weights
        "forest": RandomForestClassifier(
            N_TREES,
            min_samples_leaf=LEAST_LEAF,
            class_weight="balanced_subsample",
            random_state=seed,
        ),
    }


class Rival(NamedTuple):
    """A baseline beside a model on the same rows."""

    name: str
    balanced_accuracy: Estimate
    gain: float
    error: float

    @property
    def is_clearly_better(self) -> bool:
        """Whether the difference is beyond chance, and worth a word."""
        return self.gain > max(CLEARLY * self.error, LEAST_GAIN)


def rivals(held_out: HeldOutScores, predicted: IndexArray) -> list[Rival]:
    """Compare a model with its baselines, row by row, the best baseline first."""
    found = []
    for name, answers in held_out.baselines.items():
        tried = answers != NOT_TRIED
        codes, right = held_out.codes[tried], (answers == held_out.codes)[tried]
        gain, error = _paired(codes, right, (predicted == held_out.codes)[tried])
        accuracy = balanced_accuracy(codes, answers[tried], held_out.n_classes)
        found.append(Rival(name, accuracy, gain, error))
    return sorted(found, key=lambda rival: -rival.balanced_accuracy.value)


def _paired(codes: IndexArray, right: BoolArray, other: BoolArray) -> tuple[float, float]:
    """Difference of two balanced accuracies over the same rows, and its standard error.

    Half a row is added to each of the four outcomes of a class, so that few rows are never sure.
    """
    sizes = np.bincount(codes)
    gained = np.bincount(codes[right & ~other], minlength=sizes.size)
    lost = np.bincount(codes[other & ~right], minlength=sizes.size)
    n_rows = sizes + 2.0
    spread = (gained + lost + 1.0 - (gained - lost) ** 2 / n_rows) / n_rows**2
    gain = ((gained - lost) / sizes).mean()
    return float(gain), float(np.sqrt(spread.sum()) / sizes.size)


def weakness(held_out: HeldOutScores, decided: IndexArray) -> str:
    """Say in one sentence why a model is poor; nothing of one that is not.

    Parameters
    ----------
    held_out : HeldOutScores
    decided : ndarray of shape (n,)
        Numbers of the classes at the operating point. A target may cost balanced accuracy on
        purpose, so that a model is judged by that or by its own decision, whichever is better.

    Returns
    -------
    str
    """
    n_classes = held_out.n_classes
    predicted = max(
        (held_out.predicted, decided),
        key=lambda each: balanced_accuracy(held_out.codes, each, n_classes).value,
    )
    own = balanced_accuracy(held_out.codes, predicted, n_classes)
    moved = "" if np.array_equal(predicted, decided) else " without the operating point"
    better = [rival for rival in rivals(held_out, predicted) if rival.is_clearly_better]
    best = (
        f"{BASELINES[better[0].name]} reaches {better[0].balanced_accuracy.value:.2f} on the "
        "same folds"
        if better
        else ""
    )
    if own.low <= 1 / n_classes:
        rest = f", while {best}" if best else ""
        return (
            f"This model is poor: its balanced accuracy{moved}, {own.value:.2f} ({own.low:.2f} to "
            f"{own.high:.2f}), is not clearly above chance, {1 / n_classes:.2f}{rest}."
        )
    if best:
        return f"This model is poor: its balanced accuracy{moved} is {own.value:.2f}, while {best}."
    return ""
