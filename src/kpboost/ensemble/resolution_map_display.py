"""A map of the plane: where each round has resolution, where it draws the line, where it errs."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree
from sklearn.utils.validation import check_is_fitted, validate_data

from kpboost import _drawing as drawing
from kpboost.problems.kernel_use import is_precomputed

from .kpboost_svc import KPBoostSVC
from .rounds import PAPER

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

PANEL_SIZE = 3.1  # inches
MOST_COLUMNS = 4
MARGIN = 0.08  # of the range of the points, on each side of the map
# From no resolution left to all of it: the light stays on around misclassified points.
DIM, BRIGHT = "#7F93A6", "#FFFFFF"


@dataclass(eq=False)
class ResolutionMapDisplay:
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
    figure_: Any = field(init=False, repr=False)
    ax_: Any = field(init=False, repr=False)

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
            names=_names(estimator),
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
    """+1 where positive decision values speak for the positive class."""
    return 1.0 if estimator.pos_label_ == estimator.classes_[1] else -1.0


def _names(estimator: KPBoostSVC) -> tuple[str, str]:
    first, second = (str(label) for label in estimator.classes_)
    return (second, first) if _side(estimator) > 0 else (first, second)
