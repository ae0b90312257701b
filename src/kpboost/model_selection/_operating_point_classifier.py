"""Any classifier that scores, with an operating point chosen on samples it had not seen."""

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import Tags, check_consistent_length, check_random_state, column_or_1d, get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from kpboost import _validation as parameters
from kpboost._notebook import NotebookMixin
from kpboost._typing import (
    BaseEstimator,
    ClassifierMixin,
    FloatArray,
    IndexArray,
    MetaEstimatorMixin,
    available_if,
)

from ._folds import FEWEST_MEMBERS, Split, check_splitting, make_folds, rows_of
from ._operating_points import (
    OperatingPoint,
    check_sizes,
    choose_operating_point,
    make_wish,
    positive_class,
)
from ._score_calibration import ScoreCalibration, are_probabilities
from ._threshold_rules import FEWEST_TO_TUNE

OUT_OF_BAG, PREFIT = "oob", "prefit"
AUTO = "auto"
# Share of samples without out-of-bag scores up to which the gaps are chance.
MOST_GAPS = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class _Data:
    """Samples of one fit."""

    X: Any
    labels: NDArray[Any]
    classes: NDArray[Any]
    codes: IndexArray
    weights: FloatArray | None

    def train(self, estimator: Any, rows: IndexArray | None = None) -> Any:
        """Train a clone on some samples, or on all."""
        if rows is not None:
            own = None if self.weights is None else self.weights[rows]
            part = _Data(
                rows_of(self.X, rows), self.labels[rows], self.classes, self.codes[rows], own
            )
            return part.train(estimator)
        if self.weights is None:
            return clone(estimator).fit(self.X, self.labels)
        return clone(estimator).fit(self.X, self.labels, sample_weight=self.weights)


def _gives_probabilities(self: "OperatingPointClassifier") -> bool:
    return self.calibrate is not False or hasattr(self.estimator, "predict_proba")


class OperatingPointClassifier(
    NotebookMixin,
    ClassifierMixin,
    MetaEstimatorMixin,
    BaseEstimator,
):
    """A classifier with a threshold that was chosen on samples it had not seen.

    ``fit`` trains the estimator on ``cv`` folds for scores out of fold, and once more on all
    samples: cv + 1 fits. With ``cv="oob"`` the estimator's own out-of-bag scores are taken, which
    is one fit, and with ``cv="prefit"`` none. On these scores :func:`choose_operating_point`
    chooses a threshold for two classes, offsets for several; give one of ``rule``, ``costs``,
    ``recall`` and ``alarms``. The same scores calibrate probabilities.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba``, which is preferred, or ``decision_function``.
    rule : {"balanced", "balanced_accuracy", "gmean", "prior"}, default="balanced"
        The balanced decision, the best arithmetic or geometric mean of the recalls, or a
        probability above the class's own share.
    costs : array-like of shape (n_classes, n_classes) or None, default=None
        Costs of each true class (row) and predicted class (column), in the order of ``classes_``.
    recall : float or None, default=None
        Recall of ``pos_label`` to reach.
    alarms : float or None, default=None
        Largest share of samples to be called ``pos_label``.
    pos_label : label or None, default=None
        The class that targets are about; None is the rarest.
    cv : int, "oob", "prefit", splitter or iterable of splits, default=5
        A number means shuffled stratified folds, no more than the rarest class has samples. "oob"
        needs an estimator with ``oob_decision_function_``, such as RareClassClassifier or a forest
        with ``bootstrap=True, oob_score=True``. "prefit" takes the estimator as it is, and the
        given samples as held-out ones.
    calibrate : {"auto", True, False}, default="auto"
        Whether ``predict_proba`` is a shrunken logistic regression on the out-of-fold scores
        rather than the estimator's own; "auto": if it has none of its own.
    min_to_tune : int, default=40
        Nothing is tuned if the rarest class has fewer samples.
    n_jobs : int or None, default=None
        Folds that are trained at the same time; -1 is as many as there are processors.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds, if ``cv`` is a number.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    estimator_ : classifier
        Trained on all samples.
    operating_point_ : OperatingPoint
        The choice, what to expect of it, and how sure that is.
    oof_scores_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Out-of-fold, out-of-bag or held-out scores; NaN where a sample has none.
    oof_labels_ : ndarray of shape (n_samples,)
        The samples' labels.
    oof_weights_ : ndarray of shape (n_samples,) or None
        Their weights, if they were given, or if some samples have no score: then classes keep the
        shares of all samples.
    response_method_ : {"predict_proba", "decision_function"}
        Where the scores come from.
    calibration_ : ScoreCalibration or None
        From scores to probabilities, if they are calibrated.
    n_features_in_, feature_names_in_
        Those of ``estimator_``.

    See Also
    --------
    choose_operating_point : The choice itself, on scores.
    OperatingPointDisplay : Draws it.

    Notes
    -----
    Sample weights are for the training of the estimator, and for the choice and the probabilities:
    the shares of the classes are theirs. See :func:`choose_operating_point`.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> from kpboost import OperatingPointClassifier
    >>> X, y = make_classification(600, weights=[0.9], random_state=0)
    >>> forest = ExtraTreesClassifier(100, bootstrap=True, oob_score=True, random_state=0)
    >>> model = OperatingPointClassifier(forest, recall=0.9, cv="oob").fit(X, y)
    >>> model.operating_point_.n_positives
    61
    >>> bool(model.operating_point_.recall.value > 0.8)
    True
    >>> model.change_operating_point(alarms=0.05).operating_point_.rule
    'aiming at no more than 5% of the samples called 1'
    """

    def __init__(
        self,
        estimator: Any,
        *,
        rule: str = "balanced",
        costs: ArrayLike | None = None,
        recall: float | None = None,
        alarms: float | None = None,
        pos_label: Any = None,
        cv: Any = 5,
        calibrate: Any = AUTO,
        min_to_tune: int = FEWEST_TO_TUNE,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.costs = costs
        self.recall = recall
        self.alarms = alarms
        self.pos_label = pos_label
        self.cv = cv
        self.calibrate = calibrate
        self.min_to_tune = min_to_tune
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Score the samples out of fold, choose the operating point, train on all samples.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            As the estimator takes it.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights for an estimator that takes them.

        Returns
        -------
        self : OperatingPointClassifier
        """
        self._check_parameters()
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        X = _indexable(X)
        check_consistent_length(X, labels)
        classes, codes = np.unique(labels, return_inverse=True)
        weights = self._weights(sample_weight, labels.size)
        counted = codes if weights is None else codes[weights > 0.0]
        self._check_labels(classes, np.bincount(counted, minlength=classes.size))
        data = _Data(X, labels, classes, codes, weights)
        if isinstance(self.cv, str):
            scores = self._out_of_bag(data) if self.cv == OUT_OF_BAG else self._held_out(data)
        else:
            scores = self._out_of_fold(data)
        self.classes_ = classes
        self.oof_scores_, self.oof_labels_ = scores, labels
        self.oof_weights_ = _with_true_shares(scores, codes, data.weights)
        self._choose(self.rule, self.costs, self.recall, self.alarms, self.pos_label)
        self._lines = self._calibration(codes).as_list() if self._calibrates() else None
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def change_operating_point(
        self,
        *,
        rule: str = "balanced",
        costs: ArrayLike | None = None,
        recall: float | None = None,
        alarms: float | None = None,
        pos_label: Any = None,
    ) -> Self:
        """Choose another operating point on the same scores; nothing is trained.

        Parameters
        ----------
        rule, costs, recall, alarms, pos_label
            Those of the class. Its own parameters stay as they are.

        Returns
        -------
        self : OperatingPointClassifier
        """
        check_is_fitted(self)
        self._choose(rule, costs, recall, alarms, pos_label)
        return self

    @property
    def operating_point_(self) -> OperatingPoint:
        """The operating point, and what it is expected to give."""
        check_is_fitted(self)
        return OperatingPoint.from_dict(self._point)

    @property
    def calibration_(self) -> ScoreCalibration | None:
        """From scores to probabilities; None where the estimator has its own."""
        check_is_fitted(self)
        return None if self._lines is None else ScoreCalibration.from_list(self._lines)

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels at the operating point.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.score_values(X)
        return np.asarray(self.classes_[self.operating_point_.decision.codes(scores)])

    def decision_function(self, X: Any) -> FloatArray:
        """Scores around the operating point.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes the score minus the threshold: from 0 on ``classes_[1]`` is predicted.
            Of several, one column per class, and the highest is predicted.
        """
        scores = self.score_values(X)
        return self.operating_point_.decision.margins(scores)

    def score_values(self, X: Any) -> FloatArray:
        """Scores of the estimator, to which the operating point is applied.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes the scores of ``classes_[1]``.
        """
        check_is_fitted(self)
        return _response(self.estimator_, X, self.classes_, self.response_method_)

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities under the class shares of the data, wherever the operating point is.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        calibration = self.calibration_
        if calibration is None:
            return np.asarray(self.estimator_.predict_proba(X))
        return calibration.probabilities(self.score_values(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        own = get_tags(self.estimator)
        tags.input_tags = own.input_tags
        tags.classifier_tags = own.classifier_tags
        return tags

    def _check_parameters(self) -> None:
        estimator, name = self.estimator, type(self.estimator).__name__
        if not any(hasattr(estimator, each) for each in ("predict_proba", "decision_function")):
            raise ValueError(f"{name} has neither predict_proba nor decision_function: no scores.")
        wanted = self.rule, self.costs, self.recall, self.alarms
        make_wish(*wanted, min_to_tune=self.min_to_tune)
        if self.rule == "prior" and not hasattr(estimator, "predict_proba"):
            raise ValueError(f"rule='prior' needs probabilities, and {name} has no predict_proba.")
        if not (isinstance(self.cv, str) and self.cv in (OUT_OF_BAG, PREFIT)):
            check_splitting(self.cv, is_optional=False)
        if not (self.calibrate is True or self.calibrate is False or self.calibrate == AUTO):
            raise parameters.refusal("calibrate", self.calibrate, "'auto', True or False")
        parameters.check_n_jobs(self.n_jobs)

    def _check_labels(self, classes: NDArray[Any], sizes: IndexArray) -> None:
        check_sizes(classes.tolist(), sizes)
        pos = positive_class(classes.tolist(), sizes, self.pos_label)
        make_wish(self.rule, self.costs, self.recall, self.alarms, pos, classes.size)

    def _weights(self, sample_weight: ArrayLike | None, n_samples: int) -> FloatArray | None:
        if sample_weight is None:
            return None
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise ValueError(f"{type(self.estimator).__name__} takes no sample_weight.")
        return parameters.check_sample_weight(sample_weight, n_samples)

    def _out_of_fold(self, data: _Data) -> FloatArray:
        """Scores of samples by clones that have not seen them, and one fit on all."""
        self.response_method_ = _preferred_response(self.estimator)
        folds = self._folds(data)
        parts = Parallel(n_jobs=self.n_jobs)(
            delayed(_fold_scores)(self.estimator, data, split, self.response_method_)
            for split in folds
        )
        scores = np.empty((data.labels.size, *parts[0].shape[1:]))
        for (_, test), part in zip(folds, parts, strict=True):
            scores[test] = part
        self.estimator_ = data.train(self.estimator)
        return scores

    def _folds(self, data: _Data) -> list[Split]:
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        if not isinstance(self.cv, Integral):
            return make_folds(data.codes, self.cv, seed)
        wanted, sizes = int(self.cv), np.bincount(data.codes)
        fewest, rarest = int(sizes.min()), data.classes.tolist()[int(sizes.argmin())]
        if fewest < FEWEST_MEMBERS:
            raise ValueError(
                f"Class {rarest!r} has {fewest} sample; {FEWEST_MEMBERS} of each class are needed, "
                "one to learn from and one to be scored."
            )
        if fewest < wanted:
            warnings.warn(
                f"Class {rarest!r} has {fewest} samples: there are {fewest} folds, not {wanted}.",
                UserWarning,
                stacklevel=4,
            )
        return make_folds(data.codes, min(wanted, fewest), seed)

    def _out_of_bag(self, data: _Data) -> FloatArray:
        """Scores that the estimator itself kept of samples that parts of it have not seen."""
        fitted = data.train(self.estimator)
        raw = getattr(fitted, "oob_decision_function_", None)
        if raw is None:
            raise ValueError(
                f"cv='oob' needs out-of-bag scores, and {type(fitted).__name__} has no "
                "oob_decision_function_; a forest keeps them with bootstrap=True, oob_score=True."
            )
        self.estimator_ = fitted
        return self._without_gaps(np.array(raw, dtype=np.float64), fitted)

    def _without_gaps(self, raw: FloatArray, fitted: Any) -> FloatArray:
        """Out-of-bag scores in which NaN, and nothing else, means none."""
        shares = raw.ndim == 2
        if shares:  # a forest leaves zeros where every tree has seen a sample
            raw[~raw.any(axis=1)] = np.nan
        known = raw[~np.isnan(raw).reshape(len(raw), -1).any(axis=1)]
        if shares and known.size and are_probabilities(known) and hasattr(fitted, "predict_proba"):
            self.response_method_ = "predict_proba"
            return raw[:, 1] if raw.shape[1] == 2 else raw
        self.response_method_ = "decision_function"
        return raw

    def _held_out(self, data: _Data) -> FloatArray:
        """Scores of held-out samples by the estimator as it is."""
        check_is_fitted(self.estimator)
        self.response_method_ = _preferred_response(self.estimator)
        self.estimator_ = self.estimator
        return _response(self.estimator, data.X, data.classes, self.response_method_)

    def _choose(self, rule: str, costs: Any, recall: Any, alarms: Any, pos_label: Any) -> None:
        chosen = choose_operating_point(
            self.oof_labels_,
            self.oof_scores_,
            rule=rule,
            costs=costs,
            recall=recall,
            alarms=alarms,
            pos_label=pos_label,
            classes=self.classes_.tolist(),
            probabilities=self.response_method_ == "predict_proba",
            min_to_tune=self.min_to_tune,
            sample_weight=self.oof_weights_,
        )
        self._point = chosen.as_dict()  # plain data, which any file can hold

    def _calibrates(self) -> bool:
        own = hasattr(self.estimator_, "predict_proba")
        return self.calibrate is True or (self.calibrate == AUTO and not own)

    def _calibration(self, codes: IndexArray) -> ScoreCalibration:
        known = ~np.isnan(self.oof_scores_).reshape(codes.size, -1).any(axis=1)
        weight = np.ones(codes.size) if self.oof_weights_ is None else self.oof_weights_
        known &= weight > 0.0
        return ScoreCalibration.fit(
            self.oof_scores_[known],
            codes[known],
            weight[known],
            probabilities=self.response_method_ == "predict_proba",
        )


def _with_true_shares(
    scores: FloatArray, codes: IndexArray, weights: FloatArray | None
) -> FloatArray | None:
    """Weights under which the samples with scores have the class shares of all samples.

    As given where nearly all have scores: few gaps are chance. A classifier that learns from a
    draw of many samples has scores of these alone, and rare classes are in the draw whole.
    """
    known = ~np.isnan(scores).reshape(codes.size, -1).any(axis=1)
    if np.mean(known) > 1.0 - MOST_GAPS or not known.any():
        return weights
    own = np.ones(codes.size) if weights is None else weights
    total, scored = np.bincount(codes, own), np.bincount(codes, own * known)
    return np.asarray(own * (total / np.where(scored > 0.0, scored, 1.0))[codes])


def _indexable(X: Any) -> Any:
    """Return samples whose rows can be picked out: any array, frame or sparse matrix."""
    if sparse.issparse(X):
        return parameters.well_formed(X).tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)


def _preferred_response(estimator: Any) -> str:
    return "predict_proba" if hasattr(estimator, "predict_proba") else "decision_function"


def _fold_scores(estimator: Any, data: _Data, split: Split, method: str) -> FloatArray:
    train, test = split
    return _response(data.train(estimator, train), rows_of(data.X, test), data.classes, method)


def _response(fitted: Any, X: Any, classes: NDArray[Any], method: str) -> FloatArray:
    """Scores of the second of two classes, or one column per class."""
    known = np.asarray(fitted.classes_).tolist()
    lacking = [label for label in classes.tolist() if label not in known]
    if lacking or len(known) != classes.size:
        name = type(fitted).__name__
        raise ValueError(
            f"{name} was trained without the class {lacking[0]!r}, which y has."
            if lacking
            else f"{name} knows {len(known)} classes; y has {classes.size} of them."
        )
    raw = np.asarray(getattr(fitted, method)(X), dtype=np.float64)
    if classes.size == 2:
        return raw if raw.ndim == 1 else np.asarray(raw[:, -1])
    if raw.shape[1:] != (classes.size,):
        raise ValueError(
            f"{method} of {type(fitted).__name__} has {raw.shape[-1]} columns; one for each of "
            f"{classes.size} classes is needed."
        )
    return raw
