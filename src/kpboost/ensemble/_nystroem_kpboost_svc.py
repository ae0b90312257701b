"""KPBoost-SVM on a low-rank kernel, for any number of rows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import Tags, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from kpboost import _validation as parameters
from kpboost._shares import even_shares
from kpboost._typing import FloatArray
from kpboost.kernels import gamma_from_variance, resolve_gamma
from kpboost.lowrank import (
    CLASS_KMEANS,
    LANDMARK_RULES,
    ArrayBlocks,
    Blocks,
    FeatureMap,
    GivenBlocks,
    LocalBlocks,
    Sample,
    Survey,
    choose_landmarks,
    counted,
    drawn,
    feature_map,
    featured,
    given_blocks,
    joined,
    side_by_side,
    standing_for,
    surveyed,
)
from kpboost.problems import (
    BinaryProblem,
    DecisionClassifier,
    binary_problems,
    class_weights,
    positive_sides,
)

from ._boosting import ClassRates
from ._kpboost_svc import progress, stage_weights, warn_of
from ._low_rank_rounds import (
    JudgedProblem,
    LandmarkMachines,
    ProblemRounds,
    RoundPlan,
    as_machines,
    decrement_on_all_rows,
    judged,
    make_rounds,
    rates_of,
    verdict,
)
from ._voting import HARD, class_scores

# Rows of the sample that the rounds are solved on, unless another number is asked for.
SAMPLE_ROWS = 100_000
# A sample below this size per class might leave a class out.
LEAST_SAMPLE = 100
# Features of all rows are kept up to this size; beyond it they are computed in every pass.
FEATURE_BYTES = 2 * 2**30
AUTO = "auto"


class PreparedRows(NamedTuple):
    """Training data before the first round, for any C and gamma.

    Attributes
    ----------
    rows : Blocks
        All rows that count.
    survey : Survey
        Of them.
    sample : Sample
        Some of them, which stand for all.
    is_whole : bool
        Whether the sample has all rows.
    landmarks : ndarray of shape (m, d)
    """

    rows: Blocks
    survey: Survey
    sample: Sample
    is_whole: bool
    landmarks: FloatArray


class NystroemKPBoostSVC(DecisionClassifier):
    """KPBoost-SVM for many rows: a kernel of low rank, solved on a sample, judged on every row.

    :class:`~kpboost.KPBoostSVC` costs about the square of the number of rows. Here the kernel is
    replaced by products of features from ``n_landmarks`` landmarks (Nystroem's method), every
    round is a linear machine, the rounds are solved on a sample with all rows of rare classes, and
    one pass judges them on all rows. Time grows with the rows, memory need not.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of a margin violation. C_r
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the RBF kernel, as in :class:`~kpboost.KPBoostSVC`. sigma
    n_estimators : int, default=10
        Number of boosting rounds at most, the plain machine included. T
    perturbation_step : float, default=0.01
        Growth of a row's perturbation parameter k when it is classified correctly. varsigma
    n_landmarks : int, default=500
        Landmarks of the kernel at most. With as many as there are different rows the kernel is
        exact. Time grows with it, and for the features of the sample with its square.
    landmarks : {"class_kmeans", "uniform"}, default="class_kmeans"
        Centres of the classes by k-means, an even share for each class, so that a remote part
        of a rare class has one; or rows drawn at random.
    loss_width : float, default=0.5
        Width of the rounded corner of the hinge loss, in units of the margin; 0 would be the
        SVM's hinge. Smaller is slower.
    max_samples : "auto", int or None, default="auto"
        Rows of the sample that the rounds are solved on, about. Each class gets an even share,
        small classes are in it whole. "auto" is 100,000; None solves on all rows.
    n_iter_no_change : int or None, default=3
        Boosting stops after this number of rounds in a row that cannot vote in any problem, judged
        on the sample. None runs all rounds.
    class_weight : dict, "balanced" or None, default="balanced"
        Factor of ``C`` per class. Without balanced weights the rounds of a rare class may switch
        from one class to the other, and their vote is fragile.
    multi_class : {"one_vs_rest", "one_vs_one"}, default="one_vs_rest"
        How more than two classes become two-class problems. All of them share landmarks and
        features. OVA / OVO
    voting : {"hard", "soft"}, default="hard"
        Signs of the rounds' decision values, or the values, as in :class:`~kpboost.KPBoostSVC`.
    pos_label : label or None, default=None
        The positive class of two; None takes the rarer one. +1
    tol : float, default=1e-4
        A solve ends where the next Newton step would lower its objective by less than this share.
    max_iter : int, default=40
        Most Newton steps of a round.
    batch_size : int, default=8192
        Rows that are read and predicted at a time.
    random_state : int, RandomState or None, default=None
        Seed of the sample and of the landmarks.
    verbose : int, default=0
        1 shows a progress bar over rounds and problems.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels of the classes with a positive weight.
    pos_label_ : label
        The positive class; only for two classes.
    landmarks_ : ndarray of shape (n_landmarks, n_features)
        Landmarks.
    coef_ : ndarray of shape (n_rounds, n_landmarks)
        Coefficients of the rounds' kernel machines.
    intercept_ : ndarray of shape (n_rounds,)
        Offsets of the rounds' decision functions. b
    estimator_weights_, estimator_errors_, estimator_tpr_, estimator_tnr_ : ndarray
        Of the rounds, (n_rounds,), as in :class:`~kpboost.KPBoostSVC`, judged on all training
        rows as new points. alpha_t, eps_t
    selected_rounds_ : ndarray of bool of shape (n_rounds,)
        Which rounds vote. The set T
    only_first_round_ : bool
        Whether round 1 alone votes in every problem: boosting added nothing to it.
    gamma_ : float
        Width parameter in use.
    n_components_ : int
        Rank of the kernel: eigenvalues of the landmarks' kernel matrix that count.
    n_iter_ : ndarray of shape (n_rounds,)
        Steps of each round: one in b alone, then Newton's.
    n_samples_seen_ : int
        Rows of positive weight.
    n_samples_solved_ : int
        Rows that the machines were solved on.
    sample_decrement_ : float
        What is lost by solving on a sample: the share of round 1's objective on all rows that one
        more Newton step would save, the largest over the problems. NaN after an interruption.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the training data had names.

    See Also
    --------
    KPBoostSVC : The same with the exact kernel.
    kpboost.NystroemKPBoostSVCCV : Chooses C and gamma by cross-validation.
    kpboost.dask.DaskKPBoostSVC : The same on dask collections.

    Notes
    -----
    With more than two classes the arrays of rounds have a leading axis of problems, as in
    :class:`~kpboost.KPBoostSVC`. There is no ``roi_scale``: new points would need their nearest
    training row. The objective is that of all rows also when it is solved on a sample, so that
    ``C`` means the same.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost import NystroemKPBoostSVC
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 2))
    >>> y = (np.hypot(*X.T) < 0.4).astype(int)
    >>> model = NystroemKPBoostSVC(C=10, n_landmarks=100, random_state=0).fit(X, y)
    >>> int(model.pos_label_), model.landmarks_.shape
    (1, (100, 2))
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float | str = "scale",
        n_estimators: int = 10,
        perturbation_step: float = 0.01,
        n_landmarks: int = 500,
        landmarks: str = CLASS_KMEANS,
        loss_width: float = 0.5,
        max_samples: int | str | None = AUTO,
        n_iter_no_change: int | None = 3,
        class_weight: Mapping[Any, float] | str | None = "balanced",
        multi_class: str = "one_vs_rest",
        voting: str = HARD,
        pos_label: Any = None,
        tol: float = 1e-4,
        max_iter: int = 40,
        batch_size: int = 8192,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.n_estimators = n_estimators
        self.perturbation_step = perturbation_step
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.loss_width = loss_width
        self.max_samples = max_samples
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.voting = voting
        self.pos_label = pos_label
        self.tol = tol
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train the rounds.

        Ctrl-C keeps the rounds done so far, with a warning, once every two-class problem has its
        first; they are then judged on the sample alone.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or iterable of blocks
            Training points, a memory map too; or, without `y`, blocks (X, y) or (X, y,
            sample_weight) that can be iterated over again, such as
            :class:`~kpboost.lowrank.NpyBlocks` or :class:`~kpboost.lowrank.ParquetBlocks`.
        y : array-like of shape (n_samples,), optional
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of ``C``, one per sample; 0 or more.

        Returns
        -------
        self : NystroemKPBoostSVC
        """
        with threadpool_limits(1, "blas"):
            self._fit_prepared(self._prepare(X, y, sample_weight))
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Weighted votes, hard or soft as ``voting`` says; their sign is the prediction.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            As :meth:`kpboost.KPBoostSVC.decision_function`.
        """
        weights = self._given_weights()
        return next(self._scores(X, [weights], np.flatnonzero(weights.any(axis=0))))

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the votes after 1, 2, ... rounds; the last is ``decision_function``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        n_rounds = self._given_weights().shape[1]
        errors, tpr = self._stacked("estimator_errors_"), self._stacked("estimator_tpr_")
        stages = [stage_weights(errors[:, :t], tpr[:, :t]) for t in range(1, n_rounds + 1)]
        yield from self._scores(X, stages, np.arange(n_rounds))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predicted labels after 1, 2, ... rounds.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        return map(self._labels, self.staged_decision_function(X))

    def round_decision_function(self, X: Any) -> FloatArray:
        """Decision values of the single rounds' machines, f_t; all points count as new.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_rounds) or (n_samples, n_problems, n_rounds)
            Positive for the later class of a problem, or the one against the rest.
        """
        n_rounds = self._given_weights().shape[1]
        values = np.concatenate(list(self._values(X, np.arange(n_rounds))))
        return values[:, 0] if self.classes_.size == 2 else values

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

    def _check_parameters(self) -> None:
        parameters.check_shared(self)
        parameters.check_positive("perturbation_step", self.perturbation_step)
        parameters.check_count("n_landmarks", self.n_landmarks)
        parameters.check_choice("landmarks", self.landmarks, LANDMARK_RULES)
        parameters.check_positive("loss_width", self.loss_width)
        parameters.check_max_iter("n_iter_no_change", self.n_iter_no_change)
        parameters.check_count("max_iter", self.max_iter)
        parameters.check_count("batch_size", self.batch_size)
        automatic = isinstance(self.max_samples, str) and self.max_samples == AUTO
        if not (automatic or self.max_samples is None or parameters.is_count(self.max_samples)):
            allowed = "'auto', a whole number of at least 1, or None"
            raise parameters.refusal("max_samples", self.max_samples, allowed)

    def _source(
        self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None
    ) -> ArrayBlocks | GivenBlocks:
        """Return the data as blocks, which are read and checked in every pass."""
        if y is not None:
            return self._array_blocks(X, y, sample_weight)
        if hasattr(X, "shape") or hasattr(X, "__array__") or sparse.issparse(X):
            raise ValueError(
                "NystroemKPBoostSVC requires y to be passed, but the target y is None; only "
                "blocks (X, y) bring their own."
            )
        if sample_weight is not None:
            raise ValueError(
                "sample_weight goes with X and y; blocks bring their own, as (X, y, weights)."
            )
        blocks = given_blocks(X, self.batch_size)
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if hasattr(X, "feature_names"):
            self.feature_names_in_ = np.array(X.feature_names, dtype=object)
        return blocks

    def _array_blocks(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> ArrayBlocks:
        points, labels = validate_data(
            self, X, y, dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        check_classification_targets(labels)
        weight = (
            None
            if sample_weight is None
            else parameters.check_sample_weight(sample_weight, labels.size)
        )
        return ArrayBlocks(points, labels, weight, self.batch_size)

    def _prepare(
        self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None
    ) -> PreparedRows:
        """Check parameters and data, and do what depends neither on C nor on gamma."""
        self._check_parameters()
        source = self._source(X, y, sample_weight)
        return self._prepare_blocks(LocalBlocks(source), isinstance(source, GivenBlocks))

    def _prepare_blocks(self, blocks: Blocks, may_change: bool) -> PreparedRows:
        """Survey the blocks of an engine, draw the sample, choose landmarks."""
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        survey: Survey = blocks.total(surveyed, may_change, merge=joined)
        self._check_classes(survey)
        prints = survey.fingerprints if may_change else None
        rows = blocks.each(counted, survey.labels, prints, keep=False)
        sample, is_whole = self._draw(rows, survey, rng)
        n_classes = survey.labels.size
        landmarks = choose_landmarks(sample, n_classes, self.n_landmarks, self.landmarks, rng)
        return PreparedRows(rows, survey, sample, is_whole, landmarks)

    def _fit_prepared(self, prepared: PreparedRows) -> None:
        """Make the rounds and remember them."""
        rows, survey, sample, is_whole, landmarks = prepared
        own_map = feature_map(landmarks, self._width(survey))
        on_sample = is_whole or self.max_samples is not None
        features = self._features(sample if on_sample else rows, own_map, survey)
        sides, signs, factors = self._problems(survey)
        problems = [ProblemRounds(features, own_map.n_components, own, factors) for own in sides]
        verdicts, machines, decrement = self._boost(problems, prepared, own_map, factors)
        warn_of(verdicts)
        self._remember(survey, verdicts, machines, signs)
        self.n_components_ = own_map.n_components
        self.n_samples_solved_ = int(sample.codes.size if on_sample else survey.sizes.sum())
        self.sample_decrement_ = decrement

    def _check_classes(self, survey: Survey) -> None:
        n_classes = survey.labels.size
        if n_classes < 2:
            raise ValueError(
                f"y has {n_classes} class(es) with a positive sample weight; "
                "a classifier needs samples of at least 2 classes."
            )
        least = LEAST_SAMPLE * n_classes
        if parameters.is_count(self.max_samples) and int(self.max_samples or 0) < least:
            allowed = f"at least {least}, {LEAST_SAMPLE} for each class"
            raise parameters.refusal("max_samples", self.max_samples, allowed)

    def _draw(self, rows: Blocks, survey: Survey, rng: np.random.Generator) -> tuple[Sample, bool]:
        """Draw the sample; tell whether it is all rows."""
        size = self.max_samples if parameters.is_count(self.max_samples) else SAMPLE_ROWS
        chances = even_shares(survey.sizes, int(size)) / survey.sizes  # type: ignore[arg-type]
        seed = int(rng.integers(2**31))
        sample: Sample = rows.total(drawn, chances, seed, merge=side_by_side)
        if (chances == 1.0).all():
            return sample, True
        return standing_for(sample, survey.mass), False

    def _width(self, survey: Survey) -> float:
        if self.gamma == "scale":
            return gamma_from_variance(survey.variance * survey.n_features)
        return resolve_gamma(self.gamma, np.zeros((1, survey.n_features)))

    def _features(self, rows: Sample | Blocks, own_map: FeatureMap, survey: Survey) -> Blocks:
        if isinstance(rows, Sample):
            return LocalBlocks(rows.slices(self.batch_size)).each(featured, own_map)
        n_bytes = 4 * own_map.n_components * int(survey.sizes.sum())
        return rows.each(featured, own_map, keep=n_bytes <= FEATURE_BYTES)

    def _problems(self, survey: Survey) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Sides of the classes in every problem, which side was positive, and costs by class."""
        codes = np.arange(survey.labels.size)  # one row for each class
        problems = list(binary_problems(codes, codes.size, self.multi_class))
        signs = positive_sides(problems, survey.mass, survey.labels, self.pos_label)
        factors = class_weights(self.class_weight, survey.labels, codes, survey.mass)
        return _sides(problems, codes.size) * signs[:, None], signs, self.C * factors

    def _boost(
        self,
        problems: Sequence[ProblemRounds],
        prepared: PreparedRows,
        own_map: FeatureMap,
        factors: FloatArray,
    ) -> tuple[list[JudgedProblem], LandmarkMachines, float]:
        """Make the rounds and judge them on all rows, or after Ctrl-C on those of the solves."""
        plan = RoundPlan(
            n_rounds=self.n_estimators,
            step=self.perturbation_step,
            delta=self.loss_width,
            tol=self.tol,
            max_iter=self.max_iter,
            patience=self.n_iter_no_change,
        )
        title = f"KPBoost: {plan.n_rounds} rounds of {len(problems)} two-class problem(s)"
        with progress(self.verbose, title, len(problems) * plan.n_rounds) as on_round:
            interrupted = make_rounds(problems, plan, on_round)
        machines = as_machines(problems, own_map)
        rates, decrement = [problem.rates for problem in problems], np.nan
        if not interrupted:
            try:
                rates, decrement = self._judge(problems, prepared, own_map, machines, factors)
            except KeyboardInterrupt:
                interrupted = True
        n_rounds = machines.intercept.shape[1]
        verdicts = [
            verdict(problem, own, n_rounds, self.voting, interrupted)
            for problem, own in zip(problems, rates, strict=True)
        ]
        return verdicts, machines, decrement

    def _judge(
        self,
        problems: Sequence[ProblemRounds],
        prepared: PreparedRows,
        own_map: FeatureMap,
        machines: LandmarkMachines,
        factors: FloatArray,
    ) -> tuple[list[ClassRates], float]:
        """Ask all rows, in one pass: rates of all rounds, and what round 1 left undone."""
        sides, mass = np.array([problem.sides for problem in problems]), prepared.survey.mass
        wrong, pulls, pulls_b = prepared.rows.total(
            judged, machines, sides, factors, self.loss_width
        )
        by_side = np.stack([(sides > 0) @ mass, (sides < 0) @ mass], axis=1)
        rates = [rates_of(own, both) for own, both in zip(wrong, by_side, strict=True)]
        decrements = [
            decrement_on_all_rows(problem.machines[0], own_map, pull, pull_b)
            for problem, pull, pull_b in zip(problems, pulls, pulls_b, strict=True)
        ]
        return rates, max(decrements)

    def _remember(
        self,
        survey: Survey,
        verdicts: Sequence[JudgedProblem],
        machines: LandmarkMachines,
        signs: FloatArray,
    ) -> None:
        # Two classes make one problem, whose axis is left out.
        first: Any = 0 if survey.labels.size == 2 else slice(None)
        self.classes_ = survey.labels
        self.__dict__.pop("pos_label_", None)  # of an earlier fit
        if survey.labels.size == 2:
            self.pos_label_ = survey.labels[1 if signs[0] > 0 else 0]
        self.n_features_in_ = survey.n_features
        self.n_samples_seen_ = int(survey.sizes.sum())
        self.landmarks_, self.gamma_ = machines.landmarks, machines.gamma
        self.coef_ = (signs[:, None, None] * machines.coef)[first]
        self.intercept_ = (signs[:, None] * machines.intercept)[first]
        self.estimator_weights_ = np.array([each.weights for each in verdicts])[first]
        self.estimator_errors_ = np.array([each.errors for each in verdicts])[first]
        self.estimator_tpr_ = np.array([each.tpr for each in verdicts])[first]
        self.estimator_tnr_ = np.array([each.tnr for each in verdicts])[first]
        self.selected_rounds_ = np.array([each.kept for each in verdicts])[first]
        self.n_iter_ = np.array([each.n_iter for each in verdicts])[first]
        self.only_first_round_ = not self._stacked("selected_rounds_")[:, 1:].any()
        self._signs = signs

    def _given_weights(self) -> FloatArray:
        """Weights of the rounds, (n_problems, n_rounds), once the estimator is fitted."""
        check_is_fitted(self, "classes_")
        parameters.check_voting("voting", self.voting)
        return self._stacked("estimator_weights_")

    def _values(self, X: Any, rounds: NDArray[np.intp]) -> Iterator[FloatArray]:
        """Yield decision values of some rounds, (n_rows, n_problems, n_rounds), batch by batch."""
        points = validate_data(
            self, X, reset=False, dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        machines = self._machines(rounds)
        labels = np.zeros(len(points))
        for block in ArrayBlocks(points, labels, None, self.batch_size):
            yield machines.values(block.X)

    def _machines(self, rounds: NDArray[np.intp]) -> LandmarkMachines:
        """Return what predicts, from the fitted attributes, which alone are saved."""
        coef, intercept = self._stacked("coef_"), self._stacked("intercept_")
        return LandmarkMachines(self.landmarks_, self.gamma_, coef[:, rounds], intercept[:, rounds])

    def _scores(
        self, X: Any, stages: Sequence[FloatArray], rounds: NDArray[np.intp]
    ) -> Iterator[FloatArray]:
        """Yield the votes of several stages, in one pass over the kernel."""
        parts = [
            [self._vote(values, weights[:, rounds[: weights.shape[1]]]) for weights in stages]
            for values in self._values(X, rounds)
        ]
        return map(np.concatenate, zip(*parts, strict=True))

    def _vote(self, values: FloatArray, weights: FloatArray) -> FloatArray:
        own = values[:, :, : weights.shape[1]]
        n_classes = self.classes_.size
        return class_scores(own, weights, self._signs, n_classes, self.multi_class, self.voting)


def _sides(problems: Sequence[BinaryProblem], n_classes: int) -> FloatArray:
    """Return the target of each class in each problem, 0 where it takes no part."""
    sides = np.zeros((len(problems), n_classes))
    for own, problem in zip(sides, problems, strict=True):
        own[problem.rows] = problem.target
    return sides
