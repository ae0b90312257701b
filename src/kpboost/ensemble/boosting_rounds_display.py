"""A picture of the rounds: how good each is, what it weighs, and which of them vote."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from kpboost import _drawing as drawing

from .kpboost_svc import KPBoostSVC
from .rounds import HALF_OF_LARGEST

FloatArray = NDArray[np.float64]

FIGURE_SIZE = (6.4, 5.4)
PANEL_HEIGHTS = (1.3, 1.0, 1.0)
BAR_WIDTH = 0.6
MARKER_SIZE = 6.0
MOST_TICKS = 15


@dataclass(eq=False)
class BoostingRoundsDisplay:
    """Rates, errors and weights of the rounds of one two-class problem.

    Three panels over the rounds: the rates of correct training answers of both classes, as the
    estimator's ``judge_rounds`` takes them, the error eps, and the weight alpha. Full markers and
    bars are rounds that vote; hollow markers are rounds that do not. Dotted lines mark what a round
    must match to vote: the positive class's rate in round 1, and the smaller of eps in round 1 and
    half of the largest possible error.

    Use :meth:`from_estimator` to make one.

    Parameters
    ----------
    tpr, tnr : ndarray of shape (n_rounds,)
        Rates of correct answers for the positive and for the negative class.
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
    figure_: Any = field(init=False, repr=False)
    ax_: Any = field(init=False, repr=False)

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
            axes.set_xticks(_ticks(self.errors.size))
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


def _ticks(n_rounds: int) -> list[int]:
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
    # Positive values speak for the later class of the pair; signs tell whether it is "positive".
    return (pair[1], pair[0]) if estimator._signs[problem] > 0 else pair
