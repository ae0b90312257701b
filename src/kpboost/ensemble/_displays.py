"""A picture of the rounds: how good each is, what it weighs, and which of them vote."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree
from sklearn.utils.validation import check_is_fitted, validate_data

from kpboost import _plotting as drawing
from kpboost._notebook import Facts, FactsMixin, names
from kpboost._typing import BoolArray, FloatArray
from kpboost.problems import is_precomputed

from ._boosting import HALF_OF_LARGEST, PAPER
from ._kpboost_svc import KPBoostSVC

FIGURE_SIZE = (6.4, 5.4)
PANEL_HEIGHTS = (1.3, 1.0, 1.0)
BAR_WIDTH = 0.6
MARKER_SIZE = 6.0
MOST_TICKS = 15


@dataclass(eq=False, repr=False)
class BoostingRoundsDisplay(FactsMixin):
    """Rates, errors and weights of the rounds of one two-class problem.

    Three panels over the rounds: the rates of correct predictions in both classes, as the
    estimator's ``judge_rounds`` takes them, the error eps, and the weight alpha. Full markers and
    bars are rounds that vote; hollow markers are rounds that do not. Dotted lines mark what a round
    must match to vote: the positive class's rate in round 1, and the smaller of eps in round 1 and
    half of the largest possible error.

    Use :meth:`from_estimator` to make one.

    Parameters
    ----------
    tpr, tnr : ndarray of shape (n_rounds,)
        Rates of correct predictions for the positive and for the negative class.
    errors : ndarray of shape (n_rounds,)
        Distance of (tpr, tnr) from (1, 1). eps_t
    weights : ndarray of shape (n_rounds,)
        Weights in the vote. alpha_t
    selected : ndarray of bool of shape (n_rounds,)
        Which rounds vote. The set T
    names : tuple of str, default=("positive", "negative")
        What to call the two classes.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : ndarray of shape (3,)
        The Axes of rates, errors and weights.

    See Also
    --------
    ResolutionMapDisplay : Draws rounds over the plane of two features.
    KPBoostSVC : The classifier whose rounds it draws.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kpboost.ensemble import BoostingRoundsDisplay, KPBoostSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = KPBoostSVC(perturbation_step=0.02).fit(scale(X), y)
    >>> display = BoostingRoundsDisplay.from_estimator(model)  # doctest: +SKIP
    """

    tpr: FloatArray
    tnr: FloatArray
    errors: FloatArray
    weights: FloatArray
    selected: NDArray[np.bool_]
    names: tuple[str, str] = ("positive", "negative")
    figure_: Any = field(init=False)
    ax_: Any = field(init=False)

    def _facts(self) -> Facts:
        yield "rounds", f"{self.selected.sum()} of {self.selected.size} vote"
        yield "classes", names(self.names)

    @classmethod
    def from_estimator(cls, estimator: KPBoostSVC, *, problem: int = 0, ax: Any = None) -> Self:
        """Draw the rounds of a fitted KPBoostSVC.

        Parameters
        ----------
        estimator : KPBoostSVC
            Fitted.
        problem : int, default=0
            Which two-class problem of more than two classes, in the order of the estimator's
            arrays.
        ax : Axes or array-like of three Axes, optional
            Where to draw; one Axes is divided. A new figure by default.

        Returns
        -------
        BoostingRoundsDisplay
        """
        if not isinstance(estimator, KPBoostSVC):
            raise ValueError(
                f"estimator is a {type(estimator).__name__}; it must be a fitted KPBoostSVC (of a "
                "pipeline take the last step, pipeline[-1])."
            )
        check_is_fitted(estimator)
        errors = np.atleast_2d(estimator.estimator_errors_)
        if not 0 <= problem < len(errors):
            raise ValueError(
                f"problem={problem!r} does not exist; the estimator has {len(errors)} two-class "
                "problem(s), counted from 0."
            )
        return cls(
            tpr=np.atleast_2d(estimator.estimator_tpr_)[problem],
            tnr=np.atleast_2d(estimator.estimator_tnr_)[problem],
            errors=errors[problem],
            weights=np.atleast_2d(estimator.estimator_weights_)[problem],
            selected=np.atleast_2d(estimator.selected_rounds_)[problem],
            names=_class_names(estimator, problem),
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes or array-like of three Axes, optional
            Where to draw; one Axes is divided. A new figure by default.

        Returns
        -------
        BoostingRoundsDisplay
            This object, with ``figure_`` and ``ax_``.
        """
        self.figure_, self.ax_ = drawing.panels(
            type(self).__name__, ax, len(PANEL_HEIGHTS), size=FIGURE_SIZE, heights=PANEL_HEIGHTS
        )
        rates, errors, weights = self.ax_
        self._draw_rates(rates)
        self._draw_errors(errors)
        self._draw_weights(weights)
        for axes in self.ax_:
            drawing.quiet(axes)
            axes.set_xlim(0.5, self.errors.size + 0.5)
            axes.set_xticks(_round_ticks(self.errors.size))
            axes.tick_params(labelbottom=axes is weights)
        return self

    def _draw_rates(self, axes: Any) -> None:
        positive, negative = self.names
        axes.axhline(self.tpr[0], color=drawing.POSITIVE, linewidth=0.8, linestyle=":")
        self._line(axes, self.tpr, drawing.POSITIVE, "o", f"tpr: {positive}")
        self._line(axes, self.tnr, drawing.NEGATIVE, "s", f"tnr: {negative}")
        if not self.selected.all():
            look = {"color": drawing.FAINT, "markerfacecolor": "white", "linestyle": "none"}
            axes.plot([], [], marker="o", markersize=MARKER_SIZE, label="does not vote", **look)
        axes.set_ylabel("rate")
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(-0.02, 1.0),
            ncols=3,
            frameon=False,
            handletextpad=0.2,
        )

    def _draw_errors(self, axes: Any) -> None:
        limit = min(float(self.errors[0]), HALF_OF_LARGEST)
        axes.axhline(limit, color=drawing.INK, linewidth=0.8, linestyle=":")
        self._line(axes, self.errors, drawing.INK, "D", "error")
        axes.set_ylabel(r"error $\epsilon$")

    def _draw_weights(self, axes: Any) -> None:
        numbers = np.arange(1, self.weights.size + 1)
        axes.bar(numbers, self.weights, BAR_WIDTH, color=drawing.FAINT)
        axes.set_ylim(bottom=0.0)
        axes.set_ylabel(r"weight $\alpha$")
        axes.set_xlabel("round")

    def _line(self, axes: Any, values: FloatArray, colour: str, marker: str, label: str) -> None:
        """Draw a line with full markers at the rounds that vote, hollow ones elsewhere."""
        numbers = np.arange(1, values.size + 1)
        look = {"color": colour, "marker": marker, "markersize": MARKER_SIZE}
        axes.plot(numbers, values, markerfacecolor="white", linewidth=1.4, **look)
        chosen = self.selected
        axes.plot(numbers[chosen], values[chosen], linestyle="none", label=label, **look)


def _round_ticks(n_rounds: int) -> list[int]:
    """Round 1 and at most MOST_TICKS more, in even steps."""
    step = -(-n_rounds // MOST_TICKS)
    return [1, *range(step, n_rounds + 1, step)] if step > 1 else list(range(1, n_rounds + 1))


def _class_names(estimator: KPBoostSVC, problem: int) -> tuple[str, str]:
    """Names of the positive and the negative class of a problem."""
    classes = [str(label) for label in estimator.classes_]
    if len(classes) > 2 and estimator.multi_class == "one_vs_rest":
        pair = ("rest", classes[problem])
    else:
        first, second = np.triu_indices(len(classes), k=1)
        pair = (classes[first[problem]], classes[second[problem]])
    # Positive values mean the later class of the pair; signs tell whether it is "positive".
    return (pair[1], pair[0]) if estimator._signs[problem] > 0 else pair


PANEL_SIZE = 3.1  # inches
MOST_COLUMNS = 4
MARGIN = 0.08  # of the range of the points, on each side of the map
# From no resolution left to all of it: the light stays on around misclassified points.
DIM, BRIGHT = "#7F93A6", "#FFFFFF"


@dataclass(eq=False, repr=False)
class ResolutionMapDisplay(FactsMixin):
    """Resolution, decision boundary and errors of some rounds, for two features and two classes.

    One panel per round. The shade is the resolution D that the round's kernel has left at the
    nearest training point: round 1 has all of it, later rounds lose it around points that are
    classified correctly. The line is the boundary f_t = 0 that new points meet; the dashed
    one is that of round 1. Rings are training points that the round misclassified: the errors
    that tpr and tnr count. Judged as new points, they lie on the wrong side of the line; judged as
    in the paper, in the round's own kernel, they need not.

    Use :meth:`from_estimator` to make one.

    Parameters
    ----------
    x, y : ndarray of shape (n_columns,) and (n_rows,)
        The grid.
    resolution : ndarray of shape (n_panels, n_rows, n_columns)
        D at the training point nearest to each node, between 0 and 1.
    decision : ndarray of shape (n_panels, n_rows, n_columns)
        f_t at the nodes.
    first_decision : ndarray of shape (n_rows, n_columns)
        f_1 at the nodes.
    points : ndarray of shape (n_samples, 2)
        Training points.
    positive : ndarray of bool of shape (n_samples,)
        Which of them are of the positive class.
    misclassified : ndarray of bool of shape (n_panels, n_samples)
        Which of them the round got wrong.
    rounds : ndarray of shape (n_panels,)
        Numbers of the rounds, from 1.
    names : tuple of str, default=("positive", "negative")
        What to call the two classes.
    features : tuple of str, default=("", "")
        Names of the two features.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : ndarray of shape (n_panels,)
        One Axes per round.

    See Also
    --------
    BoostingRoundsDisplay : Draws rates, errors and weights of the rounds.
    KPBoostSVC : The classifier whose rounds it draws.

    Examples
    --------
    >>> from kpboost import KPBoostSVC
    >>> from kpboost.datasets import load
    >>> from kpboost.ensemble import ResolutionMapDisplay
    >>> data = load("planted-two")
    >>> model = KPBoostSVC(n_estimators=3).fit(data.X, data.y)
    >>> ResolutionMapDisplay.from_estimator(model, data.X, data.y)  # doctest: +SKIP
    """

    x: FloatArray
    y: FloatArray
    resolution: FloatArray
    decision: FloatArray
    first_decision: FloatArray
    points: FloatArray
    positive: BoolArray
    misclassified: BoolArray
    rounds: NDArray[np.intp]
    names: tuple[str, str] = ("positive", "negative")
    features: tuple[str, str] = ("", "")
    figure_: Any = field(init=False)
    ax_: Any = field(init=False)

    def _facts(self) -> Facts:
        yield "rounds shown", names(self.rounds)
        yield "points", f"{len(self.points):,}"
        yield "classes", names(self.names)

    @classmethod
    def from_estimator(
        cls,
        estimator: KPBoostSVC,
        X: Any,
        y: ArrayLike,
        *,
        rounds: Sequence[int] | None = None,
        grid_resolution: int = 200,
        ax: Any = None,
    ) -> Self:
        """Draw the rounds of a KPBoostSVC over the plane of its two features.

        Parameters
        ----------
        estimator : KPBoostSVC
            Fitted to `X` and `y`.
        X : array-like of shape (n_samples, 2)
            The training points, as `fit` got them.
        y : array-like of shape (n_samples,)
            Their labels.
        rounds : sequence of int, optional
            Which rounds, from 1. By default the first, the middle and the last one.
        grid_resolution : int, default=200
            Number of nodes along each axis.
        ax : Axes or array-like of one Axes per round, optional
            Where to draw; one Axes is divided. A new figure by default.

        Returns
        -------
        ResolutionMapDisplay
        """
        points, labels = _training_plane(estimator, X, y)
        chosen = _chosen_rounds(rounds, estimator.estimator_errors_.size)
        across, up = (_ticks(column, grid_resolution) for column in points.T)
        nodes = np.column_stack([part.ravel() for part in np.meshgrid(across, up)])
        nearest = cKDTree(points).query(nodes)[1]
        shape = (chosen.size, up.size, across.size)
        decision = _values(estimator, nodes)
        positive = labels == estimator.pos_label_
        return cls(
            x=across,
            y=up,
            resolution=np.exp(estimator.log_scale_[chosen - 1][:, nearest]).reshape(shape),
            decision=decision[chosen - 1].reshape(shape),
            first_decision=decision[0].reshape(shape[1:]),
            points=points,
            positive=positive,
            misclassified=(_says_positive(estimator, points) != positive)[chosen - 1],
            rounds=chosen,
            names=_class_names(estimator, 0),
            features=tuple(getattr(estimator, "feature_names_in_", ("", ""))),
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes or array-like of one Axes per round, optional
            Where to draw; one Axes is divided. A new figure by default.

        Returns
        -------
        ResolutionMapDisplay
            This object, with ``figure_`` and ``ax_``.
        """
        n = self.rounds.size
        n_columns = min(n, MOST_COLUMNS)
        n_rows = -(-n // n_columns)
        self.figure_, self.ax_ = drawing.panels(
            type(self).__name__,
            ax,
            n,
            size=(PANEL_SIZE * n_columns + 0.8, PANEL_SIZE * n_rows + 0.7),
            heights=(1.0,) * n_rows,
            n_columns=n_columns,
        )
        for panel, axes in enumerate(self.ax_):
            shade = self._draw_panel(panel, axes)
            axes.tick_params(labelleft=panel % n_columns == 0, labelbottom=panel + n_columns >= n)
            axes.set_xlabel(self.features[0] if panel + n_columns >= n else "")
            axes.set_ylabel(self.features[1] if panel % n_columns == 0 else "")
        self._explain(shade, own_figure=ax is None)
        return self

    def _draw_panel(self, panel: int, axes: Any) -> Any:
        from matplotlib.colors import LinearSegmentedColormap

        shade = axes.pcolormesh(
            self.x,
            self.y,
            self.resolution[panel],
            cmap=LinearSegmentedColormap.from_list("resolution", [DIM, BRIGHT]),
            vmin=min(float(self.resolution.min()), 0.99),  # a range also where nothing was lost
            vmax=1.0,
            shading="nearest",
            rasterized=True,
        )
        if self.rounds[panel] > 1:
            self._draw_boundary(axes, self.first_decision, linestyles="--", linewidths=1.0)
        self._draw_boundary(axes, self.decision[panel], linestyles="-", linewidths=1.8)
        self._draw_points(panel, axes)
        axes.set_title(f"round {self.rounds[panel]}", loc="left", fontsize="medium")
        return shade

    def _draw_boundary(
        self, axes: Any, values: FloatArray, linestyles: str, linewidths: float
    ) -> None:
        if values.min() < 0 < values.max():  # otherwise there is none on the map
            axes.contour(
                self.x,
                self.y,
                values,
                levels=[0.0],
                colors=drawing.INK,
                linestyles=linestyles,
                linewidths=linewidths,
            )

    def _draw_points(self, panel: int, axes: Any) -> None:
        edge = {"edgecolors": "white", "linewidths": 0.4}
        looks = (
            (~self.positive, drawing.NEGATIVE, "s", 14, self.names[1]),
            (self.positive, drawing.POSITIVE, "o", 24, self.names[0]),
        )
        for members, colour, marker, size, name in looks:
            axes.scatter(
                *self.points[members].T,
                s=size,
                c=colour,
                marker=marker,
                label=name,
                zorder=3,
                **edge,
            )
        axes.scatter(
            *self.points[self.misclassified[panel]].T,
            s=80,
            facecolors="none",
            edgecolors=drawing.INK,
            linewidths=1.1,
            label="misclassified",
            zorder=4,
        )

    def _explain(self, shade: Any, own_figure: bool) -> None:
        """Say what colours and marks mean, outside the panels of a figure of our own."""
        if not own_figure:
            self.ax_[0].legend(loc="best", fontsize="small")
            return
        handles, labels = self.ax_[0].get_legend_handles_labels()
        self.figure_.legend(
            handles, labels, loc="outside upper left", ncols=3, frameon=False, handletextpad=0.2
        )
        self.figure_.colorbar(
            shade, ax=list(self.ax_), label="resolution D", pad=0.01, fraction=0.05, aspect=25
        )


def _training_plane(estimator: KPBoostSVC, X: Any, y: ArrayLike) -> tuple[FloatArray, NDArray[Any]]:
    """Return checked points and labels."""
    if not isinstance(estimator, KPBoostSVC):
        raise ValueError(
            f"estimator is a {type(estimator).__name__}; it must be a fitted KPBoostSVC (of a "
            "pipeline take the last step, pipeline[-1], and the points as that step sees them)."
        )
    check_is_fitted(estimator)
    _check_drawable(estimator)
    points = validate_data(estimator, X, reset=False, dtype=np.float64)
    labels = np.asarray(y)
    n = estimator.log_scale_.shape[1]
    if len(points) != n or labels.shape != (n,):
        raise ValueError(
            f"X has {len(points)} rows and y has shape {labels.shape}; both must be the {n} "
            "training points of the estimator."
        )
    unknown = np.setdiff1d(labels, estimator.classes_).tolist()
    if unknown:
        raise ValueError(f"y holds the label {unknown[0]!r}, which the estimator does not know.")
    return points, labels


def _check_drawable(estimator: KPBoostSVC) -> None:
    if is_precomputed(estimator.kernel):
        raise ValueError("The kernel is precomputed; a map needs points with two features.")
    if estimator.classes_.size != 2:
        raise ValueError(f"The estimator has {estimator.classes_.size} classes; a map needs two.")
    if estimator.n_features_in_ != 2:
        raise ValueError(f"The estimator has {estimator.n_features_in_} features; a map needs two.")


def _chosen_rounds(rounds: Sequence[int] | None, n_rounds: int) -> NDArray[np.intp]:
    if rounds is None:
        return np.unique([1, (n_rounds + 1) // 2, n_rounds])
    chosen = np.asarray(rounds)
    if chosen.ndim != 1 or not chosen.size or not np.issubdtype(chosen.dtype, np.integer):
        raise ValueError(f"rounds={rounds!r}; it must be a list of round numbers, from 1.")
    if chosen.min() < 1 or chosen.max() > n_rounds:
        raise ValueError(f"rounds={rounds!r}; the estimator has rounds 1 to {n_rounds}.")
    return chosen.astype(np.intp)


def _ticks(column: FloatArray, n: int) -> FloatArray:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 2:
        raise ValueError(f"grid_resolution={n!r}; it must be a whole number of at least 2.")
    low, high = float(column.min()), float(column.max())
    margin = MARGIN * (high - low) or 1.0
    return np.linspace(low - margin, high + margin, n)


def _values(estimator: KPBoostSVC, points: FloatArray) -> FloatArray:
    """Decision values f_t for new points, one row per round."""
    with warnings.catch_warnings():
        # The points come from a frame with names, or the grid is ours: either way columns fit.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return estimator.round_decision_function(points).T


def _says_positive(estimator: KPBoostSVC, points: FloatArray) -> BoolArray:
    """Answers of the rounds at the training points, by which they are judged."""
    values = _values(estimator, points)
    if estimator.judge_rounds == PAPER and not estimator._is_roi:
        # In the round's own kernel: with D = 1 for new points, but not for training points.
        offset = estimator.intercept_[:, None]
        values = np.exp(estimator.log_scale_) * (values - offset) + offset
    return values * _side(estimator) >= 0.0


def _side(estimator: KPBoostSVC) -> float:
    """+1 where positive decision values mean the positive class."""
    return 1.0 if estimator.pos_label_ == estimator.classes_[1] else -1.0
