"""Where to cut: from scores of samples that a classifier has not seen to a rule for new ones.

A rule is chosen on the scores, and what it gives is measured by cross-fitting: the same choice is
made on four fifths of the samples and measured on the last fifth, five times. A threshold that is
measured on the scores that chose it looks better than it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from kpboost import _validation as parameters
from kpboost._notebook import Facts, FactsMixin, html_facts
from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.metrics import clopper_pearson

from ._score_calibration import ScoreCalibration, are_probabilities, mean_one
from ._threshold_rules import DIGITS, FEWEST_TO_TUNE, Decision, Matrix, Wish

# Parts of the cross-fitting.
N_PARTS = 5
# Of all intervals.
CONFIDENCE = 0.95

RULES = {
    "balanced": "balanced decision",
    "balanced_accuracy": "best balanced accuracy",
    "gmean": "best geometric mean of the recalls",
    "prior": "score above the class's own share",
}


class Estimate(NamedTuple):
    """A rate or a cost with its 95 % interval; NaN where there is nothing to measure.

    See Also
    --------
    OperatingPoint : Has its rates as such.

    Examples
    --------
    >>> from kpboost.model_selection import Estimate
    >>> print(Estimate(0.9, 0.8213, 0.9512))
    0.9 [0.821, 0.951]
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3g} [{self.low:.3g}, {self.high:.3g}]"


@dataclass(frozen=True, repr=False)
class OperatingPoint(FactsMixin):
    """A choice of threshold or offsets, and what it is expected to give on new data.

    Attributes
    ----------
    rule : str
        The rule of the choice, in words.
    classes : tuple
        Labels, sorted.
    pos_label : object
        Label of the class that alarms, precision and targets are about.
    decision : Decision
        From scores to classes, as plain numbers.
    tuned : bool
        Whether the rule was fitted to the scores without restraint; otherwise it comes from a
        calibration by the shrunken logit, from the class shares, or from an order statistic.
    recalls : tuple of Estimate
        Recall of each class on new data.
    precision : Estimate
        Share of true ones among the samples called ``pos_label``.
    alarms : Estimate
        Share of the samples that are called ``pos_label``.
    cost : Estimate or None
        Cost per sample, where costs were given.
    n_samples, n_positives : int
        Samples with scores, and those of ``pos_label`` among them.
    note : str
        How sure all this is, in plain words.

    See Also
    --------
    OperatingPointClassifier : A classifier that decides by one.
    choose_operating_point : Makes one from labels and scores.

    Examples
    --------
    >>> from kpboost.model_selection import choose_operating_point
    >>> y, scores = [0, 0, 0, 1, 0, 1], [0.1, 0.2, 0.3, 0.35, 0.4, 0.8]
    >>> point = choose_operating_point(y, scores, rule="prior")
    >>> round(point.threshold, 3), point.predict([0.2, 0.5]).tolist()
    (0.333, [0, 1])
    """

    rule: str
    classes: tuple[Any, ...]
    pos_label: Any
    decision: Decision
    tuned: bool
    recalls: tuple[Estimate, ...]
    precision: Estimate
    alarms: Estimate
    cost: Estimate | None
    n_samples: int
    n_positives: int
    note: str

    @property
    def threshold(self) -> float | None:
        """Least score at which the second of two classes is predicted; of several, ``pos_label``.

        None where several classes have offsets or calibrations instead.
        """
        return self.decision.threshold

    @property
    def offsets(self) -> tuple[float, ...] | None:
        """What is added to the scores of several classes; None for two, and for calibrations."""
        return self.decision.offsets

    @property
    def costs(self) -> Matrix | None:
        """The costs by which it was chosen: rows are true classes, columns predicted ones."""
        return self.decision.costs

    @property
    def recall(self) -> Estimate:
        """Recall of ``pos_label``."""
        return self.recalls[self.decision.pos]

    def predict(self, scores: ArrayLike) -> NDArray[Any]:
        """Labels of new samples from their scores.

        Parameters
        ----------
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
            As they were given to :func:`choose_operating_point`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.asarray(np.array(self.classes)[self.decision.codes(self._checked(scores))])

    def decision_function(self, scores: ArrayLike) -> FloatArray:
        """Scores around the operating point.

        Parameters
        ----------
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
            As they were given to :func:`choose_operating_point`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes the score minus the threshold: from 0 on the second class is predicted.
            Of several, one column per class, and the highest is predicted.
        """
        return self.decision.margins(self._checked(scores))

    def _checked(self, scores: ArrayLike) -> FloatArray:
        n_samples = np.shape(scores)[0] if np.ndim(scores) else 0
        values = _checked_scores(scores, n_samples, len(self.classes))
        if np.isnan(values).any():
            raise ValueError("scores has NaN; a label needs a score.")
        return values

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain data, which JSON can hold.

        Returns
        -------
        dict
        """
        own = {name: getattr(self, name) for name in self.__dataclass_fields__}
        decision = {name: getattr(self.decision, name) for name in Decision.__dataclass_fields__}
        calibration = self.decision.calibration
        decision["calibration"] = None if calibration is None else calibration.as_list()
        plain: dict[str, Any] = _plain({**own, "decision": decision})
        return plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the operating point that :meth:`as_dict` wrote.

        Parameters
        ----------
        data : mapping
            Plain data.

        Returns
        -------
        OperatingPoint
        """
        try:
            point = cls(**_restored(data))
            _check_point(point)
        except (TypeError, LookupError, ValueError, AttributeError) as error:
            raise ValueError(f"This is not an operating point: {error}.") from error
        return point

    def _facts(self) -> Facts:
        yield "rule", self.rule
        yield "decision", self._in_words([repr(label) for label in self.classes])
        yield "recall by class", self._recalls_in_words()
        yield f"alarms ({self.pos_label!r})", f"{self.alarms} of all samples"
        yield "precision", self.precision
        if self.cost is not None:
            yield "cost per sample", self.cost

    def _repr_html_(self) -> str:
        return html_facts("OperatingPoint", [*self._facts(), ("note", self.note)])

    def _recalls_in_words(self) -> str:
        pairs = zip(self.classes, self.recalls, strict=True)
        return ", ".join(f"{label!r}: {recall}" for label, recall in pairs)

    def __str__(self) -> str:
        names = [repr(label) for label in self.classes]
        cost = "" if self.cost is None else f"; cost per sample {self.cost}"
        return "\n".join(
            [
                f"{self.rule[0].upper()}{self.rule[1:]}: {self._in_words(names)}.",
                f"Recall by class: {self._recalls_in_words()}.",
                f"Alarms ({self.pos_label!r}) {self.alarms} of all samples, "
                f"precision {self.precision}{cost}.",
                self.note,
            ]
        )

    def _in_words(self, names: Sequence[str]) -> str:
        if self.threshold is not None:
            return self._threshold_in_words(repr(self.pos_label), names, self.threshold)
        if self.offsets is not None:
            pairs = zip(names, self.offsets, strict=True)
            added = ", ".join(f"{offset:+.3g} for {name}" for name, offset in pairs)
            kind = "logarithm of the probability" if self.decision.probabilities else "score"
            return f"the highest {kind} after adding {added}"
        if self.decision.costs is not None:
            return "the lowest expected cost by calibrated probabilities"
        return "the highest log-odds under equal class shares"

    def _threshold_in_words(self, own: str, names: Sequence[str], threshold: float) -> str:
        if not isfinite(threshold):
            below = len(names) == 2 and self.decision.pos == 0
            everything = (threshold > 0.0) == below
            return f"{'every sample' if everything else 'no sample'} will be called {own}"
        if len(names) > 2:
            return f"{own} where its score is at least {threshold:.4g}, else the highest other"
        if self.decision.pos == 1:
            return f"{own} where its score is at least {threshold:.4g}"
        return f"{own} where the score of {names[1]} is below {threshold:.4g}"


def choose_operating_point(
    y: ArrayLike,
    scores: ArrayLike,
    *,
    rule: str = "balanced",
    costs: ArrayLike | None = None,
    recall: float | None = None,
    alarms: float | None = None,
    pos_label: Any = None,
    classes: Sequence[Any] | None = None,
    probabilities: bool | None = None,
    min_to_tune: int = FEWEST_TO_TUNE,
    sample_weight: ArrayLike | None = None,
) -> OperatingPoint:
    """Choose a threshold, or an offset for each of several classes, and say what it will give.

    Give one of ``rule``, ``costs``, ``recall`` and ``alarms``.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.
    scores : array-like of shape (n_samples,) or (n_samples, n_classes)
        Out-of-fold or out-of-bag scores: those that samples got from a classifier that had not
        seen them. Two classes need the scores of the second one, or two columns of which the
        second counts; several need a column each. Samples with NaN are left out.
    rule : {"balanced", "balanced_accuracy", "gmean", "prior"}, default="balanced"
        "balanced": where the log-odds under equal class shares, from a shrunken logistic
        regression, are 0; never tuned. "balanced_accuracy", "gmean": the best mean of the recalls,
        arithmetic or geometric. "prior": a probability equal to the class's own share.
    costs : array-like of shape (n_classes, n_classes), optional
        Costs of each true class (row) and predicted class (column), in the order of ``classes``;
        an error costs more than the right label. The lowest cost is chosen.
    recall : float, optional
        Recall of ``pos_label`` to reach, with as few alarms as possible.
    alarms : float, optional
        Largest share of samples to be called ``pos_label``, with the most of them found.
    pos_label : label, optional
        The class that precision, alarms and targets are about, and that equal choices favour; by
        default the rarest.
    classes : sequence of labels, optional
        All labels in the order of columns; by default those of ``y``, sorted.
    probabilities : bool, optional
        Whether the scores are probabilities; by default, whether they could be.
    min_to_tune : int, default=40
        Nothing is tuned if the rarest class has fewer samples.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, such as those that restore the class shares of a sample with more rare rows. The
        shares of the classes, costs, alarms and precision are theirs; in a recall every sample
        counts once. Their unit has no influence, and samples of weight 0 are left out.

    Returns
    -------
    OperatingPoint

    Notes
    -----
    Intervals of recalls are exact, and so are those of precision and alarms if all weights are
    equal. With other weights precision and alarms lie within the exact intervals, joint over the
    classes, of the share of each class that is called ``pos_label``; the same goes for costs.

    Below ``min_to_tune`` samples of the rarest class nothing is tuned. "gmean", "balanced_accuracy"
    and costs are then decided by a shrunken logistic regression, and targets by an order statistic
    on the safe side: for a recall r the k-th highest of m positive scores with k = ceil(r (m + 1)),
    all samples if k > m.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.model_selection import choose_operating_point
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["well", "sick"], [900, 100])
    >>> scores = np.append(rng.normal(2.0, 1.0, 900), rng.normal(0.0, 1.0, 100))
    >>> point = choose_operating_point(y, scores, recall=0.9)
    >>> round(point.threshold, 3), round(point.precision.value, 3)
    (0.803, 0.439)
    >>> int((point.predict(scores[y == "sick"]) == "sick").sum())
    90
    """
    names, codes = _encoded(y, classes)
    given = _checked_scores(scores, codes.size, len(names))
    known = ~np.isnan(given).reshape(codes.size, -1).any(axis=1)
    weight = parameters.check_sample_weight(sample_weight, codes.size)
    known &= weight > 0.0
    values, codes, weight = given[known], codes[known], weight[known]
    sizes = np.bincount(codes, minlength=len(names))
    check_sizes(names, sizes)
    are_shares = are_probabilities(values) if probabilities is None else bool(probabilities)
    totals = np.bincount(codes, mean_one(weight, codes.size)).round(DIGITS)
    pos = positive_class(names, totals, pos_label)
    wish = make_wish(rule, costs, recall, alarms, pos, len(names), min_to_tune)
    if wish.rule == "prior" and not are_shares:
        raise ValueError("rule='prior' needs probabilities; some scores are not from 0 to 1.")
    return decided_point(
        wish, values, codes, names, weight, probabilities=are_shares, is_named=pos_label is not None
    )[0]


def decided_point(
    wish: Wish,
    scores: FloatArray,
    codes: IndexArray,
    names: Sequence[Any],
    weight: FloatArray,
    *,
    probabilities: bool,
    is_named: bool,
) -> tuple[OperatingPoint, IndexArray]:
    """Choose on checked scores; return also the classes by which the choice was measured.

    Parameters
    ----------
    wish : Wish
        What is wanted.
    scores : ndarray of shape (n,) or (n, n_classes)
        Finite.
    codes : ndarray of shape (n,)
        Numbers of the classes; each has a sample.
    names : sequence
        Labels of the classes.
    weight : ndarray of shape (n,)
        Positive.
    probabilities : bool
        Whether the scores are probabilities.
    is_named : bool
        Whether the user has named the positive class.

    Returns
    -------
    point : OperatingPoint
    predicted : ndarray of shape (n,)
        Each by a choice without the sample, where every class has two.
    """
    sizes = np.bincount(codes, minlength=len(names))
    tune = wish.is_tuned(sizes)
    decision = wish.decide(scores, codes, weight, tune=tune, probabilities=probabilities)
    crossed = _cross_fitted(wish, scores, codes, weight, tune, probabilities)
    predicted = decision.codes(scores) if crossed is None else crossed
    figures = measured(codes, predicted, sizes, wish.pos, wish.costs, weight)
    point = OperatingPoint(
        rule=_in_words(wish, names),
        classes=tuple(names),
        pos_label=names[wish.pos],
        decision=decision,
        tuned=tune,
        n_samples=int(codes.size),
        n_positives=int(sizes[wish.pos]),
        note=_note(wish, names, sizes, tune, crossed is not None, figures, not is_named),
        **figures,
    )
    return point, predicted


def make_wish(
    rule: Any,
    costs: Any,
    recall: Any,
    alarms: Any,
    pos: int = 0,
    n_classes: int | None = None,
    min_to_tune: Any = FEWEST_TO_TUNE,
) -> Wish:
    """Check what is wanted; without a number of classes, as far as it can be before any data."""
    parameters.check_choice("rule", rule, tuple(RULES))
    parameters.check_share_or_none("recall", recall)
    parameters.check_share_or_none("alarms", alarms)
    parameters.check_count("min_to_tune", min_to_tune)
    wanted = {"costs": costs, "recall": recall, "alarms": alarms}
    given = [name for name, value in wanted.items() if value is not None]
    given += [f"rule={rule!r}"] if rule != "balanced" else []
    if len(given) > 1:
        raise ValueError(f"{given[0]} and {given[1]} are given; one of them is allowed.")
    matrix = None if costs is None else _checked_costs(costs, n_classes)
    target = recall is not None or alarms is not None
    return Wish(pos, None if target or matrix else rule, matrix, recall, alarms, min_to_tune)


def _checked_costs(costs: Any, n_classes: int | None) -> Matrix:
    try:
        matrix = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    size = n_classes or (matrix.shape[0] if matrix.ndim else 0)
    if matrix.shape != (size, size) or not np.isfinite(matrix).all():
        rows = "as many rows as columns" if n_classes is None else f"{n_classes} rows and columns"
        raise parameters.refusal("costs", costs, f"a matrix of finite numbers with {rows}")
    excess = matrix - matrix.diagonal()[:, None]
    if np.any(excess[~np.eye(size, dtype=np.bool_)] <= 0.0):
        raise parameters.refusal(
            "costs", costs, "a matrix in which every error costs more than the right label"
        )
    return tuple(tuple(row) for row in matrix.tolist())


def _encoded(y: ArrayLike, classes: Sequence[Any] | None) -> tuple[list[Any], IndexArray]:
    """All labels, and the number of each sample's."""
    labels = column_or_1d(y)
    check_classification_targets(labels)
    found, codes = np.unique(labels, return_inverse=True)
    if classes is None:
        return found.tolist(), codes
    names = np.asarray(classes).tolist()
    places = {label: place for place, label in enumerate(names)}
    strangers = [label for label in found.tolist() if label not in places]
    if strangers:
        raise ValueError(f"y has the label {strangers[0]!r}, which is not in classes.")
    return names, np.array([places[label] for label in found.tolist()], dtype=np.intp)[codes]


def check_sizes(names: Sequence[Any], sizes: IndexArray) -> None:
    """Refuse one class alone, and a class without samples that count."""
    if len(names) < 2:
        raise ValueError("y has one class; an operating point is between at least 2.")
    if sizes.min() == 0:
        rarest = names[int(sizes.argmin())]
        raise ValueError(f"The class {rarest!r} has no sample with a score and a weight.")


def _checked_scores(scores: ArrayLike, n_samples: int, n_classes: int) -> FloatArray:
    values = _one_column(np.asarray(scores, dtype=np.float64), n_classes)
    shape = (n_samples,) if n_classes <= 2 else (n_samples, n_classes)
    if values.shape != shape:
        raise ValueError(f"scores has shape {values.shape}; {shape} is needed.")
    if np.isinf(values).any():
        raise ValueError("scores has infinite values; finite ones and NaN (no score) are allowed.")
    return values


def _one_column(values: FloatArray, n_classes: int) -> FloatArray:
    """Of two columns for two classes the second one."""
    return values[:, 1] if n_classes == 2 and values.shape[1:] == (2,) else values


def positive_class(names: Sequence[Any], sizes: IndexArray | FloatArray, pos_label: Any) -> int:
    """Return the number of the positive class: the rarest, and of two equal ones the second."""
    if pos_label is None:
        return int(sizes.size - 1 - sizes[::-1].argmin())
    if pos_label not in names:
        listed = ", ".join(repr(name) for name in names)
        raise parameters.refusal("pos_label", pos_label, f"None or one of {listed}")
    return list(names).index(pos_label)


def _cross_fitted(
    wish: Wish,
    scores: FloatArray,
    codes: IndexArray,
    weight: FloatArray,
    tune: bool,
    probabilities: bool,
) -> IndexArray | None:
    """Predict every sample by a choice it had no part in; None where a class has one sample."""
    n_parts = min(N_PARTS, int(np.bincount(codes).min()))
    if n_parts < 2:
        return None
    parts = _parts(scores, codes, n_parts)
    predicted = np.empty_like(codes)
    for part in range(n_parts):
        rest, own = parts != part, parts == part
        data = scores[rest], codes[rest], weight[rest]
        decision = wish.decide(*data, tune=tune, probabilities=probabilities)
        predicted[own] = decision.codes(scores[own])
    return predicted


def _parts(scores: FloatArray, codes: IndexArray, n_parts: int) -> IndexArray:
    """Deal the samples of each class at random; the order in which they come has no influence."""
    random = np.random.RandomState(0)
    order = np.lexsort((*scores.reshape(codes.size, -1).T, codes))
    parts = np.empty_like(codes)
    sizes = np.bincount(codes)
    parts[order] = np.concatenate([random.permutation(size) % n_parts for size in sizes])
    return parts


def measured(
    codes: IndexArray,
    predicted: IndexArray,
    sizes: IndexArray,
    pos: int,
    costs: Matrix | None,
    weight: FloatArray | None = None,
) -> dict[str, Any]:
    """Estimate all rates from labels and predictions, as an operating point keeps them."""
    weight = mean_one(weight, codes.size)
    hits = np.bincount(codes[codes == predicted], minlength=sizes.size)
    n_alarms = int(np.sum(predicted == pos))
    precision, alarms = (
        (rate(hits[pos], n_alarms), rate(n_alarms, codes.size))
        if np.ptp(weight) == 0.0
        else _weighted_rates(codes, predicted == pos, weight, pos, sizes.size)
    )
    return {
        "recalls": tuple(rate(n, of) for n, of in zip(hits, sizes, strict=True)),
        "precision": precision,
        "alarms": alarms,
        "cost": None if costs is None else _cost(codes, predicted, weight, np.array(costs)),
    }


def _weighted_rates(
    codes: IndexArray, called: BoolArray, weight: FloatArray, pos: int, n_classes: int
) -> tuple[Estimate, Estimate]:
    """Precision and alarms; in their intervals the share of each class that is called has its own.

    Two classes of which one has little weight would hide behind one effective number of samples.
    """
    shares = np.array(
        [_joint_rate(called, codes == k, weight, n_classes) for k in range(n_classes)]
    )
    parts = shares * (np.bincount(codes, weight, n_classes) / weight.sum())[:, None]
    true, false = parts[pos], np.delete(parts, pos, axis=0).sum(axis=0)
    total = np.minimum(true + false, 1.0)
    if total[0] == 0.0:
        return rate(0, 0), Estimate(*total.tolist())
    wrong = false[[0, 2, 1]]  # precision is lowest with most of the others called
    precision = true / np.maximum(true + wrong, np.finfo(np.float64).tiny)
    return Estimate(*precision.tolist()), Estimate(*total.tolist())


def _joint_rate(is_hit: BoolArray, of: BoolArray, weight: FloatArray, n_classes: int) -> Estimate:
    """Weighted share of some samples, with an interval for so many classes at once.

    Of weights that differ, Kish's effective number of samples; of equal ones it is their number.
    """
    own = weight[of]
    unit = own.sum() / np.square(own).sum()
    n, size = (
        round(float(total * unit), DIGITS) for total in (weight[of & is_hit].sum(), own.sum())
    )
    return rate(n, size, 1.0 - (1.0 - CONFIDENCE) / n_classes)


def rate(n: float, of: float, confidence: float = CONFIDENCE) -> Estimate:
    """Return a share with its exact interval."""
    if of == 0:
        return Estimate(nan, 0.0, 1.0)
    low, high = clopper_pearson(n, of, confidence_level=confidence)
    return Estimate(float(n / of), float(low), float(high))


def _cost(
    codes: IndexArray, predicted: IndexArray, weight: FloatArray, costs: FloatArray
) -> Estimate:
    """Mean cost of a sample; its interval has all recalls at their lower, or upper, ends."""
    ends = np.zeros(2)
    totals = np.bincount(codes, weight, len(costs))
    for code, total in enumerate(totals):
        if total == 0.0:  # of a class without samples nothing is known, and nothing is its share
            continue
        _, low, high = _joint_rate(predicted == code, codes == code, weight, len(costs))
        errors = np.delete(costs[code], code)
        right = costs[code, code]
        best = high * right + (1.0 - high) * errors.min()
        worst = low * right + (1.0 - low) * errors.max()
        ends += total / weight.sum() * np.array([best, worst])
    return Estimate(float(np.average(costs[codes, predicted], weights=weight)), *ends.tolist())


def _in_words(wish: Wish, names: Sequence[Any]) -> str:
    if wish.recall is not None:
        return f"aiming at a recall of {wish.recall:g} for {names[wish.pos]!r}"
    if wish.alarms is not None:
        share = f"{100 * wish.alarms:g}% of the samples"
        return f"aiming at no more than {share} called {names[wish.pos]!r}"
    return "lowest cost" if wish.costs is not None else RULES[str(wish.rule)]


def _note(
    wish: Wish,
    names: Sequence[Any],
    sizes: IndexArray,
    tune: bool,
    crossed: bool,
    figures: Mapping[str, Any],
    by_default: bool,
) -> str:
    """Say where the choice comes from, how it was measured, and what is not promised."""
    own = repr(names[wish.pos])
    said = [_origin(wish, names, sizes, tune)]
    if sizes.min() < wish.min_to_tune and wish.recall is not None:
        _, low, high = figures["recalls"][wish.pos]
        said.append(f"The recall of new samples of {own} is between {low:.2f} and {high:.2f}.")
    said.append(
        "Rates were measured on samples that had no part in the choice, with 95% intervals."
        if crossed
        else "Rates were measured on the scores that made the choice, and are optimistic."
    )
    said += _missed(wish, figures) if crossed else []
    said += [f"{own} is the positive class, as the rarest."] if by_default else []
    return " ".join(said)


def _missed(wish: Wish, figures: Mapping[str, Any]) -> list[str]:
    """Say that a target which the scores of the choice reach was missed where it was measured."""
    recall, alarms = figures["recalls"][wish.pos].value, figures["alarms"].value
    if wish.recall is not None and recall < wish.recall:
        return [f"Measured so, the recall of {recall:.3g} is below the aim; aim higher to be safe."]
    if wish.alarms is not None and alarms > wish.alarms:
        return [f"Measured so, alarms of {alarms:.3g} are above the aim; aim lower to be safe."]
    return []


def _origin(wish: Wish, names: Sequence[Any], sizes: IndexArray, tune: bool) -> str:
    fewest = wish.pos if sizes[wish.pos] == sizes.min() else int(sizes.argmin())
    rarest = f"{sizes.min()} samples of {names[fewest]!r}"
    if wish.rule == "prior":
        return f"The shares of the classes decide, {rarest} among {sizes.sum()}; nothing was tuned."
    if tune:
        reached = "to reach the aim " if wish.is_target else ""
        return f"Tuned {reached}on scores with {rarest}, the rarest class."
    if sizes.min() >= wish.min_to_tune:
        return f"By a shrunken logistic regression on scores with {rarest}; nothing was tuned."
    few = f"Only {rarest}, fewer than {wish.min_to_tune}: "
    if wish.is_target:
        return few + "too few to tune; a conservative threshold was used."
    return few + "nothing was tuned, a shrunken logistic regression decides."


def _plain(value: Any) -> Any:
    """Return what JSON can hold: an infinite number becomes a word, NaN becomes None."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not isfinite(value):
        return None if value != value else str(value)
    return value


def _restored(data: Mapping[str, Any]) -> dict[str, Any]:
    own = dict(data)
    decision = dict(own["decision"])
    for name, restore in (
        ("threshold", float),
        ("offsets", _numbers),
        ("calibration", ScoreCalibration.from_list),
        ("costs", lambda rows: tuple(_numbers(row) for row in rows)),
    ):
        decision[name] = None if decision[name] is None else restore(decision[name])
    _check_shapes(own, decision)
    return {
        **own,
        "classes": tuple(own["classes"]),
        "decision": Decision(**decision),
        "recalls": tuple(_estimate(each) for each in own["recalls"]),
        **{name: _estimate(own[name]) for name in ("precision", "alarms")},
        "cost": None if own["cost"] is None else _estimate(own["cost"]),
    }


def _check_shapes(own: Mapping[str, Any], decision: Mapping[str, Any]) -> None:
    """Refuse numbers that would not fit together when samples are predicted."""
    n_classes = len(own["classes"])
    ways = [name for name in ("threshold", "offsets", "calibration") if decision[name] is not None]
    calibration, costs = decision["calibration"], decision["costs"]
    lengths = {n_classes, decision["n_classes"], len(own["recalls"])}
    lengths |= {len(decision["offsets"])} if decision["offsets"] else set()
    lengths |= {len(calibration.lines)} if calibration else set()
    lengths |= {len(costs), *map(len, costs)} if costs else set()
    if lengths != {n_classes} or n_classes < 2:
        raise ValueError("its parts are of different numbers of classes")
    if len(ways) != 1 or (n_classes == 2 and ways != ["threshold"]):
        raise ValueError("it needs one threshold for two classes, one rule for several")
    if own["classes"][decision["pos"]] != own["pos_label"]:
        raise ValueError("its positive class has another label")


def _check_point(point: OperatingPoint) -> None:
    """Refuse numbers that no choice leaves."""
    decision, counts = point.decision, (point.n_samples, point.n_positives, point.decision.pos)
    numbers = [*(decision.offsets or ()), *(point.cost or ()), *sum(decision.costs or (), ())]
    if not np.isfinite(numbers).all() or decision.threshold != decision.threshold:
        raise ValueError("its decision has values that are not numbers")
    if any(type(each) is not int or each < 0 for each in counts):
        raise ValueError("it has no number of samples")
    if any(type(each) is not bool for each in (point.tuned, decision.probabilities)):
        raise ValueError("it does not say whether scores are probabilities, or whether it is tuned")
    if not (isinstance(point.rule, str) and point.rule and isinstance(point.note, str)):
        raise ValueError("its rule is not in words")
    for value, low, high in (*point.recalls, point.precision, point.alarms):
        # of nothing there is no rate
        if not 0.0 <= low <= (low if value != value else value) <= high <= 1.0:
            raise ValueError("one of its rates is not a rate")


def _numbers(values: Sequence[Any]) -> tuple[float, ...]:
    return tuple(float(each) for each in values)


def _estimate(values: Sequence[Any]) -> Estimate:
    return Estimate(*(nan if each is None else float(each) for each in values))
