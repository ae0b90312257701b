"""The default classifier: calibrated extra trees pooled with a bank of small balanced SVMs.

Nothing in it perturbs a kernel, and nothing needs tuning. Both members answer out of bag for the
training samples; from these answers each is calibrated to log-odds under equal class shares, and
the pool is their mean.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import Tags, check_consistent_length, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from kpboost import _validation as parameters
from kpboost._calibration import (
    FIRST_GUESS,
    balancing_weights,
    corrected_share,
    shrunken_logit,
    summing_to_one,
)
from kpboost._notebook import NotebookMixin
from kpboost._shares import even_shares
from kpboost._typing import BaseEstimator, BoolArray, ClassifierMixin, FloatArray, IndexArray
from kpboost._validation import categorical_mask
from kpboost.lowrank import DrawnRows, drawn_rows

from ._kernel_bank import (
    KernelBank,
    RankMetric,
    dealt_bags,
    halves_of,
    landmark_bank,
    small_bank,
)

# Samples to learn from, unless another number is asked for.
MAX_SAMPLES = 100_000
# Categories beyond this number share an indicator.
MOST_CATEGORIES = 20
# With more samples than these, bags of a few hundred may know too little. A second bank, of
# machines on landmarks, is trained, and the one whose pool has the lower loss out of bag is kept.
MOST_BAGGED = 10_000
FROM_DTYPE = "from_dtype"
# How the names of categorical types begin, in pandas and in polars.
CATEGORICAL = ("category", "categorical", "enum")


@dataclass(frozen=True)
class CalibratedMember:
    """One member of the pool and the line from its outputs to log-odds.

    Attributes
    ----------
    name : {"forest", "bank"}
    slope, intercept : ndarray of shape (n_problems,)
        Log-odds under equal class shares are slope * output + intercept. Two classes are one
        problem, that of the rarer one; more classes are one problem each.

    See Also
    --------
    RareClassClassifier : Has them as ``members_``.

    Examples
    --------
    >>> from kpboost import RareClassClassifier
    >>> from kpboost.datasets import load
    >>> data = load("planted-two")
    >>> model = RareClassClassifier(n_trees=50, random_state=0).fit(data.X, data.y)
    >>> [member.name for member in model.members_]
    ['forest', 'bank']
    """

    name: str
    slope: FloatArray
    intercept: FloatArray

    def log_odds(self, outputs: FloatArray) -> FloatArray:
        """Log-odds of outputs, of shape (n, n_problems)."""
        return outputs * self.slope + self.intercept


class RareClassClassifier(NotebookMixin, ClassifierMixin, BaseEstimator):
    """Extra trees and balanced kernel machines, calibrated out of bag and pooled.

    A classifier for rare classes that needs no tuning and no scaling of columns. Extra trees on
    bootstraps give shares of votes, a bank of small balanced SVMs in a metric of weighted ranks
    gives margins; each is turned to log-odds under equal class shares by a shrunken logistic
    regression on its out-of-bag outputs, and the two are averaged. ``predict`` is the balanced
    decision: it weighs all classes alike, however rare. ``predict_proba`` refers to the shares that
    classes have in training: ``predict`` does not follow from a probability above one half.

    Parameters
    ----------
    n_trees : int, default=300
        Trees of the forest.
    n_bags : int, default=30
        Bags of the bank; each has one small SVM, or one per class of several.
    widths : sequence of float, default=(0.5, 1.0, 2.0)
        Widths of the kernel exp(-width D / median D); the bags take turns.
    C : float, default=10.0
        Penalty of a margin violation in small bags; in bags of more than 60 samples it falls to 1.
    max_per_class : int, default=150
        Most samples of a class in a bag.
    min_majority : int, default=30
        Fewest samples of each larger class in a bag.
    shrinkage : float, default=1.0
        Weight of the prior in the calibrations, in samples.
    max_samples : int or None, default=100000
        Most samples to learn from. Of more, a sample is drawn with equal numbers of all classes, so
        that rare classes are complete. None takes all.
    class_sizes : mapping or None, default=None
        From labels to the sizes of the classes in the data that the samples were drawn from;
        probabilities then refer to these. None if the samples are not a draw.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that hold categories: those of a categorical dtype, or by a mask, by numbers or by
        names.
    n_jobs : int or None, default=None
        Threads; -1 is all processors. It has no influence on the result.
    random_state : int, RandomState instance or None, default=None
        Seed of trees and bags.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    forest_ : ExtraTreesClassifier
        The fitted trees.
    members_ : list of CalibratedMember
        Forest and bank with their calibrations. The bank does not score a class of one sample.
    oob_decision_function_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        ``decision_function`` of the training samples by trees and bags that lack them; NaN where
        there are none, and for samples that were not drawn. Of data on dask, those that were.
    n_samples_drawn_ : int
        Samples that it has learnt from.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Of the forest; they sum to 1.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    See Also
    --------
    kpboost.OperatingPointClassifier : Moves the threshold of any classifier.
    KPBoostSVC : The paper's boosted SVMs.

    Notes
    -----
    Missing values (NaN) are taken as they are. There is no ``sample_weight``: a repeated sample can
    be in a bag and out of it at once, which a weight cannot imitate.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from kpboost.ensemble import RareClassClassifier
    >>> X, y = make_classification(300, weights=[0.9], random_state=0)
    >>> RareClassClassifier(random_state=0).fit(X, y).predict(X[1:3])
    array([0, 0])
    """

    def __init__(
        self,
        n_trees: int = 300,
        *,
        n_bags: int = 30,
        widths: Sequence[float] = (0.5, 1.0, 2.0),
        C: float = 10.0,
        max_per_class: int = 150,
        min_majority: int = 30,
        shrinkage: float = 1.0,
        max_samples: int | None = MAX_SAMPLES,
        class_sizes: Mapping[Any, float] | None = None,
        categorical_features: Any = FROM_DTYPE,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_trees = n_trees
        self.n_bags = n_bags
        self.widths = widths
        self.C = C
        self.max_per_class = max_per_class
        self.min_majority = min_majority
        self.shrinkage = shrinkage
        self.max_samples = max_samples
        self.class_sizes = class_sizes
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Grow the trees, train the bank, calibrate both.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Training samples; NaN is missing. Of a dask array or DataFrame the workers draw about
            ``max_samples`` rows, which come here; a warning says how many of how many.
        y : array-like of shape (n_samples,)
            Labels; on dask, if `X` is, and in the same chunks. There is no
            ``sample_weight``; see the notes of the class.

        Returns
        -------
        self : RareClassClassifier
        """
        self._check_parameters()
        random = check_random_state(self.random_state)
        sizes: FloatArray | None = None
        if parameters.is_on_dask(X) or parameters.is_on_dask(y):
            if self.class_sizes is not None:
                allowed = "None for data on dask, whose classes are counted"
                raise parameters.refusal("class_sizes", self.class_sizes, allowed)
            X, y, counts = self._from_dask(X, y, random)
            sizes = counts.astype(np.float64)
        table, labels, mask = self._checked(X, y)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if self.classes_.size < 2:
            raise ValueError(
                f"y has 1 class, {self.classes_.tolist()[0]!r}; at least 2 are needed."
            )
        rows = np.arange(codes.size) if sizes is not None else self._drawn(codes, random)
        sizes = self._class_sizes(codes) if sizes is None else sizes
        self._problems = [int(sizes.argmin())] if sizes.size == 2 else list(range(sizes.size))
        self._shares = sizes[self._problems] / sizes.sum()
        self.n_samples_drawn_ = int(rows.size)
        points, drawn = self._encoded(_rows_of(table, rows), mask), codes[rows]
        drawn_sizes = np.bincount(drawn)
        self._drawn_shares = drawn_sizes[self._problems] / drawn.size
        odds = self._fit_members(points, drawn, (sizes / drawn_sizes)[drawn], random)
        self.oob_decision_function_ = np.full((codes.size, *odds.shape[1:]), np.nan)
        self.oob_decision_function_[rows] = odds
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Log-odds under equal class shares.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes, those of ``classes_[1]``; of more, of each class against the rest.
        """
        return self._signed(self._log_odds(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels by the balanced decision; of two equal ones that of the rarer class.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._labels(self._log_odds(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities under the class shares of the training data.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self._probabilities(self._log_odds(X))

    def predict_all(self, X: Any) -> tuple[NDArray[Any], FloatArray, FloatArray]:
        """Labels, decision values and probabilities, all from one evaluation of the model.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            As of ``predict``.
        decision : ndarray of shape (n_samples,) or (n_samples, n_classes)
            As of ``decision_function``.
        probabilities : ndarray of shape (n_samples, n_classes)
            As of ``predict_proba``.
        """
        odds = self._log_odds(X)
        return self._labels(odds), self._signed(odds), self._probabilities(odds)

    @property
    def feature_importances_(self) -> FloatArray:
        """Importances of the columns to the forest; indicators count for their column."""
        check_is_fitted(self)
        own: FloatArray = np.asarray(self.forest_.feature_importances_)
        return np.asarray(
            np.bincount(self._origins, weights=own, minlength=self.n_features_in_), dtype=np.float64
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _check_parameters(self) -> None:
        for name in ("n_trees", "n_bags", "max_per_class", "min_majority"):
            parameters.check_count(name, getattr(self, name))
        if self.max_samples is not None:
            parameters.check_count("max_samples", self.max_samples)
        parameters.check_positive("C", self.C)
        parameters.check_positive("shrinkage", self.shrinkage)
        widths = self.widths
        if not isinstance(widths, Sequence | np.ndarray) or len(widths) == 0:
            raise parameters.refusal("widths", widths, "a list of at least one positive number")
        for width in widths:
            parameters.check_positive("widths", width)
        parameters.check_n_jobs(self.n_jobs)

    def _checked(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], BoolArray]:
        """Return samples, labels, and which columns hold categories."""
        mask = _categorical(X, self.categorical_features)
        if mask.any():
            labels = validate_data(self, y=y)
            validate_data(self, X, skip_check_array=True)
        else:
            X, labels = validate_data(self, X, y, dtype=np.float64, ensure_all_finite="allow-nan")
        check_consistent_length(X, labels)
        check_classification_targets(labels)
        return X, np.asarray(labels), mask

    def _encoded(self, X: Any, mask: BoolArray) -> FloatArray:
        """Numbers, and indicators of categories."""
        if not mask.any():
            self._encoder = None
            self._origins = np.arange(X.shape[1])
            return np.asarray(X)
        encoder = OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            max_categories=MOST_CATEGORIES,
            sparse_output=False,
        )
        self._encoder = ColumnTransformer(
            [
                ("numbers", "passthrough", np.flatnonzero(~mask).tolist()),
                ("categories", encoder, np.flatnonzero(mask).tolist()),
            ],
            sparse_threshold=0.0,
        )
        points = self._encoder.fit_transform(X)
        widths = [
            len(names) if gone is None else len(names) - len(gone) + 1
            for names, gone in zip(
                self._encoder.named_transformers_["categories"].categories_,
                self._encoder.named_transformers_["categories"].infrequent_categories_,
                strict=True,
            )
        ]
        self._origins = np.concatenate(
            [np.flatnonzero(~mask), np.repeat(np.flatnonzero(mask), widths)]
        )
        return _finite(points)

    def _new_points(self, X: Any) -> FloatArray:
        check_is_fitted(self)
        parameters.refuse_dask(X)
        if self._encoder is None:
            return np.asarray(
                validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
            )
        validate_data(self, X, skip_check_array=True, reset=False)
        return _finite(self._encoder.transform(X))

    def _from_dask(self, X: Any, y: Any, random: np.random.RandomState) -> DrawnRows:
        """Draw rows of dask collections, rare classes whole, and say so."""
        seed = int(random.randint(np.iinfo(np.int32).max))
        drawn = drawn_rows(X, y, self.max_samples, seed)
        n_drawn, n_all = drawn.y.size, int(drawn.sizes.sum())
        if n_drawn < n_all:
            warnings.warn(
                f"RareClassClassifier learns from {n_drawn} of {n_all} rows, drawn by class with "
                "rare classes whole; weights restore the shares of the classes. max_samples says "
                "how many.",
                UserWarning,
                stacklevel=3,
            )
        return drawn

    def _class_sizes(self, codes: IndexArray) -> FloatArray:
        """Return how many samples each class has, here or in the data that they are a draw of."""
        if self.class_sizes is None:
            return np.bincount(codes).astype(np.float64)
        return parameters.check_class_sizes(self.class_sizes, self.classes_)

    def _drawn(self, codes: IndexArray, random: np.random.RandomState) -> IndexArray:
        """Rows to learn from: all, or of every class the same number as far as it has them."""
        if self.max_samples is None or codes.size <= self.max_samples:
            return np.arange(codes.size)
        wanted = even_shares(np.bincount(codes), self.max_samples)
        if wanted.min() == 0:
            allowed = f"at least {wanted.size}, one for each class"
            raise parameters.refusal("max_samples", self.max_samples, allowed)
        drawn = [
            random.permutation(np.flatnonzero(codes == code))[:size]
            for code, size in enumerate(wanted)
        ]
        return np.sort(np.concatenate(drawn))

    def _grow_forest(
        self, points: FloatArray, codes: IndexArray, random: np.random.RandomState
    ) -> FloatArray:
        """Train the forest; return its out-of-bag outputs."""
        self.forest_ = ExtraTreesClassifier(
            self.n_trees,
            bootstrap=True,
            oob_score=True,
            n_jobs=self.n_jobs,
            random_state=random.randint(np.iinfo(np.int32).max),
        )
        with warnings.catch_warnings():  # with few trees some samples are in all bootstraps
            warnings.filterwarnings("ignore", "Some inputs do not have OOB scores", UserWarning)
            self.forest_.fit(points, codes)
        shares = np.asarray(self.forest_.oob_decision_function_)
        shares = np.where(shares.sum(axis=1, keepdims=True) > 0, shares, np.nan)
        return self._corrected(shares)

    def _corrected(self, shares: FloatArray) -> FloatArray:
        """Shares of votes as numbers from -1 to 1, 0 where they equal the class's own share."""
        return corrected_share(shares[:, self._problems], self._drawn_shares)

    def _fit_members(
        self,
        points: FloatArray,
        codes: IndexArray,
        weight: FloatArray,
        random: np.random.RandomState,
    ) -> FloatArray:
        """Train and calibrate both members; return the decision values out of bag.

        Weights restore the shares of the classes.
        """
        forest = self._grow_forest(points, codes, random)
        sizes = np.bincount(codes)
        self._banked = [place for place, code in enumerate(self._problems) if sizes[code] > 1]
        self._warn_of_single(sizes)
        self._metric = RankMetric(points, np.asarray(self.forest_.feature_importances_))
        balanced = [balancing_weights(codes == code, weight) for code in self._problems]
        found = []
        for bank, outputs in self._banks(self._metric.transform(points), codes, random):
            members = [
                self._line(name, own, codes, balanced, [FIRST_GUESS] * len(self._problems))
                for name, own in (("forest", forest), ("bank", outputs))
            ]
            found.append((bank, members, _pooled(members, self._banked, forest, outputs)))
        known = ~np.isnan(np.sum([pool for _, _, pool in found], axis=0))
        losses = [_balanced_loss(pool, known, codes, self._problems, weight) for *_, pool in found]
        self._bank, self.members_, pool = found[int(np.argmin(losses))]
        priors = [(1.0, float(np.log(q / (1 - q)))) for q in self._shares]
        self._pooled = self._line("pool", pool, codes, [weight] * len(self._problems), priors)
        return self._signed(pool)

    def _warn_of_single(self, sizes: IndexArray) -> None:
        single = [str(self.classes_[code]) for code in np.flatnonzero(sizes == 1)]
        if single:
            warnings.warn(
                f"Classes with a single training sample: {', '.join(single)}. Only the forest "
                "scores them, and their recall cannot be estimated.",
                UserWarning,
                stacklevel=4,
            )

    def _banks(
        self, coordinates: FloatArray, codes: IndexArray, random: np.random.RandomState
    ) -> Iterator[tuple[KernelBank | None, FloatArray]]:
        """Yield banks and their out-of-bag outputs, NaN where there are none."""
        nothing = np.full((codes.size, len(self._problems)), np.nan)
        if not self._banked:
            yield None, nothing
            return
        data = coordinates, codes, [self._problems[place] for place in self._banked]
        how: dict[str, Any] = {"widths": self.widths, "C": self.C}
        how["n_threads"] = effective_n_jobs(self.n_jobs)
        sizes = {"max_per_class": self.max_per_class, "min_majority": self.min_majority}
        bags = dealt_bags(codes, self.n_bags, random, **sizes)
        banks = [(bags, small_bank(*data, bags, **how))]
        if codes.size > MOST_BAGGED:
            halves = halves_of(codes, random)
            seed = int(random.randint(np.iinfo(np.int32).max))
            bags = [half for half in halves for _ in self.widths]
            banks.append((bags, landmark_bank(*data, halves, seed=seed, **how)))
        for rows, bank in banks:
            outputs = nothing.copy()
            outputs[:, self._banked] = bank.out_of_bag(coordinates, rows)
            yield bank, outputs

    def _line(
        self,
        name: str,
        outputs: FloatArray,
        codes: IndexArray,
        weights: Sequence[FloatArray],
        guesses: Sequence[tuple[float, float]],
    ) -> CalibratedMember:
        lines = [
            _calibration(outputs[:, place], codes == code, weight, guess, self.shrinkage)
            for place, (code, weight, guess) in enumerate(
                zip(self._problems, weights, guesses, strict=True)
            )
        ]
        slopes, intercepts = np.array(lines).T
        return CalibratedMember(name, slopes, intercepts)

    def _log_odds(self, X: Any) -> FloatArray:
        """Log-odds of each problem's class under equal shares, of shape (n, n_problems)."""
        points = self._new_points(X)
        bank = np.zeros((len(points), len(self._problems)))
        if self._bank is not None:
            bank[:, self._banked] = self._bank.values(self._metric.transform(points))
        forest = self._corrected(self.forest_.predict_proba(points))
        return _pooled(self.members_, self._banked, forest, bank)

    def _labels(self, odds: FloatArray) -> NDArray[Any]:
        """Labels of highest log-odds; of two equal ones that of the rarer class."""
        if self.classes_.size > 2:
            return np.asarray(self.classes_[odds.argmax(axis=1)])
        rare = self._problems[0]
        return np.asarray(self.classes_[np.where(odds[:, 0] >= 0, rare, 1 - rare)])

    def _probabilities(self, odds: FloatArray) -> FloatArray:
        """Probabilities under the class shares of the training data."""
        own = expit(odds * self._pooled.slope + self._pooled.intercept)
        if self.classes_.size > 2:
            return summing_to_one(own)
        columns = [1.0 - own[:, 0], own[:, 0]]
        return np.stack(columns if self._problems[0] == 1 else columns[::-1], axis=1)

    def _signed(self, odds: FloatArray) -> FloatArray:
        """Log-odds as ``decision_function`` returns them."""
        if self.classes_.size > 2:
            return odds
        return odds[:, 0] if self._problems[0] == 1 else -odds[:, 0]


def _categorical(X: Any, asked: Any) -> BoolArray:
    """Mask of the columns that hold categories; text that nobody has called so is refused."""
    n_columns = X.shape[1] if getattr(X, "ndim", 0) == 2 or hasattr(X, "columns") else 0
    names = np.array([str(name) for name in getattr(X, "columns", ())])
    if isinstance(asked, str) and asked == FROM_DTYPE:
        kinds = [str(kind).lower() for kind in getattr(X, "dtypes", ())]
        mask = np.array([kind.startswith(CATEGORICAL) for kind in kinds] or [False] * n_columns)
    else:
        mask = categorical_mask(asked, n_columns, names if names.size else None)
    for place, name in enumerate(names.tolist()):
        if not mask[place] and _holds_text(X, place):
            raise ValueError(
                f"The column {name!r} holds text; give it a categorical dtype, or name it in "
                "categorical_features."
            )
    return mask


def _rows_of(table: Any, rows: IndexArray) -> Any:
    """Return some rows of an array or a frame; the table itself if these are all."""
    if rows.size == len(table):
        return table
    return table.iloc[rows] if hasattr(table, "iloc") else table[rows]


def _holds_text(frame: Any, place: int) -> bool:
    column = frame.iloc[:, place] if hasattr(frame, "iloc") else frame[:, place]
    is_number = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb"
    return not is_number and any(isinstance(cell, str) for cell in column)


def _finite(points: Any) -> FloatArray:
    numbers = np.asarray(points, dtype=np.float64)
    if np.isinf(numbers).any():
        raise ValueError("X has infinite values; finite ones and missing ones (NaN) are allowed.")
    return numbers


def _pooled(
    members: Sequence[CalibratedMember],
    banked: Sequence[int],
    forest: FloatArray,
    bank: FloatArray,
) -> FloatArray:
    """Mean of the members' log-odds; the forest's alone for classes without a bank."""
    odds = members[0].log_odds(forest)
    odds[:, banked] = (odds[:, banked] + members[1].log_odds(bank)[:, banked]) / 2
    return odds


def _balanced_loss(
    odds: FloatArray,
    known: BoolArray,
    codes: IndexArray,
    problems: Sequence[int],
    weight: FloatArray,
) -> float:
    """Sum over the problems of the mean logistic losses of both sides, where odds are known."""
    total = 0.0
    for column, here, code in zip(odds.T, known.T, problems, strict=True):
        for sign, side in ((1.0, here & (codes == code)), (-1.0, here & (codes != code))):
            if side.any():
                loss = np.logaddexp(0.0, -sign * column[side])
                total += float(np.average(loss, weights=weight[side]))
    return total


def _calibration(
    outputs: FloatArray,
    is_own: BoolArray,
    weight: FloatArray,
    guess: tuple[float, float],
    shrinkage: float,
) -> tuple[float, float]:
    """Fit a line to the outputs that there are; the guess, where one side has none."""
    known = ~np.isnan(outputs)
    if not (known & is_own).any() or not (known & ~is_own).any():
        return guess
    return shrunken_logit(
        outputs[known], is_own[known], weight[known], centre=guess, shrinkage=shrinkage
    )
