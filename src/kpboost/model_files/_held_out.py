"""Out-of-fold predictions that are saved with a model, and operating points chosen on them.

All that is said about a model is computed from these arrays. So another operating point needs no
training, and a file cannot say one thing and hold another.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kpboost._typing import FloatArray, IndexArray
from kpboost.model_selection import (
    OperatingPoint,
    OutOfFold,
    ScoreCalibration,
    Split,
    decided_point,
    make_wish,
    positive_class,
)

# Rows whose scores are saved: 200 kB per column. An operating point that is chosen by a training is
# chosen on all rows; one that is chosen later, on these.
MOST_STORED = 50_000
# A baseline's answer to a row that was not among its own.
NOT_TRIED = -1
# Sums of probabilities may be off by this much.
ROUNDING = 1e-3


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """What training rows got from models that had not seen them, with the true classes.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        Numbers of the true classes.
    predicted : ndarray of shape (n,)
        Numbers of the classes that the method itself decides for.
    scores : ndarray of float32 of shape (n,) or (n, n_classes)
        Of two classes the decision value of the second.
    probabilities : ndarray of float32 of shape (n, n_classes)
    baselines : dict
        From names of baselines to the numbers of the classes that they predict, -1 for rows that
        they did not get.
    decided : ndarray of shape (n,) or None
        Numbers of the classes at the operating point, each by a choice without the row; None where
        there is no operating point, and in a file that does not say.
    factors : ndarray of shape (n_classes,) or None
        Weight of a row of each class, of mean 1 over the rows, where these are a draw in which the
        classes have other shares than in the file; None is 1.
    """

    codes: IndexArray
    predicted: IndexArray
    scores: NDArray[np.float32]
    probabilities: NDArray[np.float32]
    baselines: dict[str, IndexArray]
    decided: IndexArray | None = None
    factors: FloatArray | None = None

    @classmethod
    def of(
        cls,
        codes: IndexArray,
        answers: OutOfFold,
        folds: Sequence[Split],
        baselines: dict[str, IndexArray],
        *,
        has_probabilities: bool,
        factors: FloatArray | None = None,
    ) -> Self:
        """Gather out-of-fold predictions.

        Parameters
        ----------
        codes : ndarray of shape (n,)
            Numbers of the true classes.
        answers : OutOfFold
            With decision values.
        folds : sequence of (train, test)
        baselines : dict
        has_probabilities : bool
            Whether the scores of the answers are logarithms of probabilities; otherwise, those of
            every fold come from a calibration on the scores of the others.
        factors : ndarray of shape (n_classes,) or None, default=None
            Weight of a row of each class.

        Returns
        -------
        HeldOutScores
        """
        decisions, largest = np.asarray(answers.decisions), np.finfo(np.float32).max
        scores = np.clip(one_score(decisions), -largest, largest).astype(np.float32)
        if has_probabilities:
            likely = np.exp(answers.scores)
            likely /= likely.sum(axis=1, keepdims=True)
        else:
            likely = np.empty_like(decisions)
            weight = None if factors is None else factors[codes]
            for train, test in folds:
                fitted = ScoreCalibration.fit(
                    scores[train].astype(np.float64),
                    codes[train],
                    None if weight is None else weight[train],
                    probabilities=False,
                )
                likely[test] = fitted.probabilities(scores[test].astype(np.float64))
        kept = likely.astype(np.float32)
        return cls(codes, answers.predicted, scores, kept, baselines, factors=factors)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.probabilities.shape[1])

    @property
    def sizes(self) -> IndexArray:
        """Rows of each class."""
        return np.bincount(self.codes, minlength=self.n_classes)

    @property
    def weight(self) -> FloatArray:
        """Weights of the rows, by which the classes have the shares of the file."""
        return np.ones(self.codes.size) if self.factors is None else self.factors[self.codes]

    @property
    def shares(self) -> FloatArray:
        """Shares of the classes in the file."""
        mass = np.bincount(self.codes, self.weight, self.n_classes)
        return np.asarray(mass / mass.sum())

    @cached_property
    def calibration(self) -> ScoreCalibration:
        """Lines from scores to probabilities."""
        scores = self.scores.astype(np.float64)
        return ScoreCalibration.fit(scores, self.codes, self.weight, probabilities=False)

    def sample(self, most: int, seed: int) -> Self:
        """Return so many rows, of every class its share."""
        if self.codes.size <= most:
            return self
        # rows that the baselines got come first, which has no influence on what a row got
        tried = np.any([each != NOT_TRIED for each in self.baselines.values()], axis=0)
        order = np.random.default_rng(seed).permutation(self.codes.size)
        order = order[np.argsort(~tried[order], kind="stable")]
        drawn = [
            order[self.codes[order] == code][: int(np.ceil(size * most / self.codes.size))]
            for code, size in enumerate(self.sizes.tolist())
        ]
        rows = np.sort(np.concatenate(drawn))
        return replace(
            self,
            codes=self.codes[rows],
            predicted=self.predicted[rows],
            scores=self.scores[rows],
            probabilities=self.probabilities[rows],
            baselines={name: each[rows] for name, each in self.baselines.items()},
            decided=None if self.decided is None else self.decided[rows],
        )

    def choose(
        self, classes: Sequence[str], wish: Mapping[str, Any]
    ) -> tuple[OperatingPoint, IndexArray]:
        """Choose an operating point by ``costs``, ``recall`` or ``alarms``; and what it decides.

        The classes of the rows are those of choices without them, as are the rates of the point. Of
        two classes the positive one comes second in it, so that the threshold is on its score.
        """
        named = wish.get("pos_label")
        pos, n_classes = positive_class(classes, self.shares, named), len(classes)
        order = np.arange(n_classes)[:: -1 if n_classes == 2 and pos == 0 else 1]
        costs = wish.get("costs")
        turned = None if costs is None else np.asarray(costs)[np.ix_(order, order)]
        targets = wish.get("recall"), wish.get("alarms")
        names = [classes[code] for code in order]
        point, decided = decided_point(
            make_wish("balanced", turned, *targets, int(order[pos]), n_classes),
            oriented(self.scores.astype(np.float64), classes, names),
            order[self.codes],
            names,
            self.weight,
            probabilities=False,
            is_named=named is not None,
        )
        return point, np.asarray(order[decided])

    def by_point(self, point: OperatingPoint | None, classes: Sequence[str]) -> IndexArray:
        """Numbers of the classes by an operating point, or by the method itself."""
        if point is None:
            return self.predicted
        if self.decided is not None:
            return self.decided
        scores = oriented(self.scores.astype(np.float64), classes, point.classes)
        numbers = np.array([list(classes).index(name) for name in point.classes])
        return np.asarray(numbers[point.decision.codes(scores)])


def oriented(scores: FloatArray, classes: Sequence[str], order: Sequence[str]) -> FloatArray:
    """Return scores as an operating point takes them, whose two classes may have changed places."""
    return scores if list(order) == list(classes) else -scores


def one_score(decisions: FloatArray) -> FloatArray:
    """Of two columns of decision values their difference; several stay as they are."""
    return decisions[:, 1] - decisions[:, 0] if decisions.shape[1] == 2 else decisions


def checked_wish(
    classes: Sequence[str],
    costs: Any = None,
    recall: float | None = None,
    alarms: float | None = None,
    pos_label: str | None = None,
) -> dict[str, Any]:
    """Return what is wanted of an operating point as ``choose_operating_point`` takes it.

    Nothing, if nothing is wanted. Whatever cannot be is refused here, before any training.
    """
    positive_class(classes, np.arange(len(classes)), pos_label)
    matrix = cost_matrix(costs, classes) if isinstance(costs, Mapping) else costs
    wanted = {"costs": matrix, "recall": recall, "alarms": alarms}
    make_wish("balanced", matrix, recall, alarms, n_classes=len(classes))
    given = {name: value for name, value in wanted.items() if value is not None}
    if pos_label is not None and not given:
        raise ValueError("pos_label is given alone; it goes with costs, recall or alarms.")
    return {**given, "pos_label": pos_label} if given else {}


def cost_matrix(costs: Mapping[Any, float], classes: Sequence[str]) -> list[list[float]]:
    """Matrix from costs by pairs of true and predicted class; other errors cost 1."""
    matrix = [[float(true != predicted) for predicted in classes] for true in classes]
    for pair, cost in costs.items():
        known = isinstance(pair, tuple) and len(pair) == 2 and {*pair} <= {*classes}
        if not known:
            listed = ", ".join(repr(name) for name in classes)
            raise ValueError(
                f"costs has {pair!r}, which is not a pair of true and predicted class; there are "
                f"{listed}."
            )
        matrix[classes.index(pair[0])][classes.index(pair[1])] = cost
    return matrix


def checked_held_out(
    content: Any, n_classes: int, baselines: Collection[str]
) -> HeldOutScores | None:
    """Return the out-of-fold predictions of a file, if they can be what a training leaves."""
    if content is None:
        return None
    codes = _codes(content["codes"], None, n_classes)
    n_rows = codes.size
    if n_rows > MOST_STORED + n_classes or np.bincount(codes, minlength=n_classes).min() == 0:
        raise ValueError("its out-of-fold rows are too many, or of too few classes")
    shape = (n_rows,) if n_classes == 2 else (n_rows, n_classes)
    scores = _floats(content["scores"], shape)
    likely = _floats(content["probabilities"], (n_rows, n_classes))
    if likely.min() < 0 or likely.max() > 1 or np.abs(likely.sum(axis=1) - 1).max() > ROUNDING:
        raise ValueError("its out-of-fold probabilities are not probabilities")
    if not {*content["baselines"]} <= {*baselines}:
        raise ValueError("it names unknown baselines")
    others = {
        name: _codes(each, n_rows, n_classes, least=NOT_TRIED)
        for name, each in content["baselines"].items()
    }
    for name, answers in others.items():
        tried = np.bincount(codes[answers != NOT_TRIED], minlength=n_classes)
        if tried.min() == 0:
            raise ValueError(f"its baseline {name} has no row of some class")
    predicted = _codes(content["predicted"], n_rows, n_classes)
    known = content.get("decided")
    decided = None if known is None else _codes(known, n_rows, n_classes)
    factors = _factors(content.get("factors"), n_classes)
    return HeldOutScores(codes, predicted, scores, likely, others, decided, factors)


def _factors(values: Any, n_classes: int) -> FloatArray | None:
    if values is None:
        return None
    fits = isinstance(values, np.ndarray) and values.dtype == np.float64
    if not fits or values.shape != (n_classes,) or not (np.isfinite(values) & (values > 0)).all():
        raise ValueError("its class weights are not positive numbers")
    return np.asarray(values)


def as_content(held_out: HeldOutScores | None) -> Any:
    """Return out-of-fold predictions as a file holds them."""
    if held_out is None:
        return None
    return {
        "codes": held_out.codes.astype(np.int32),
        "predicted": held_out.predicted.astype(np.int32),
        "scores": held_out.scores,
        "probabilities": held_out.probabilities,
        "baselines": {name: each.astype(np.int32) for name, each in held_out.baselines.items()},
        "decided": None if held_out.decided is None else held_out.decided.astype(np.int32),
        "factors": held_out.factors,
    }


def _codes(values: Any, length: int | None, n_classes: int, *, least: int = 0) -> IndexArray:
    fits = isinstance(values, np.ndarray) and values.dtype == np.int32 and values.ndim == 1
    if not fits or values.size == 0 or length not in (None, values.size):
        raise ValueError("its out-of-fold classes are not a list of numbers")
    if values.min() < least or values.max() >= n_classes:
        raise ValueError("its out-of-fold classes are not those that it names")
    return np.asarray(values.astype(np.intp))


def _floats(values: Any, shape: tuple[int, ...]) -> NDArray[np.float32]:
    fits = isinstance(values, np.ndarray) and values.dtype == np.float32 and values.shape == shape
    if not fits or not np.isfinite(values).all():
        raise ValueError("its out-of-fold scores are not finite, or not one for each row and class")
    return np.asarray(values)


def checked_point(content: Any, classes: Sequence[str]) -> OperatingPoint | None:
    """Return the operating point of a file, if it is about decision values of these classes."""
    if content is None:
        return None
    point = OperatingPoint.from_dict(content)
    orders = [list(classes), list(classes)[::-1] if len(classes) == 2 else None]
    lines = point.decision.calibration.lines if point.decision.calibration else ()
    of_values = not point.decision.probabilities and all(line.reference is None for line in lines)
    if list(point.classes) not in orders or not of_values:
        raise ValueError("its operating point is about other classes or other scores")
    return point
