"""A picture of an operating point: what it gives, and what another one would give."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import average_precision_score, confusion_matrix, roc_auc_score
from sklearn.utils import column_or_1d

from kpboost import _plotting as drawing, _validation as parameters
from kpboost._notebook import Facts, FactsMixin
from kpboost._typing import FloatArray, IndexArray

from ._operating_points import Estimate, OperatingPoint, measured, rate
from ._score_calibration import mean_one
from ._threshold_rules import Cuts

# Rates of 0 and 1 stay clear of the frame.
MARGIN = 0.03
# Above this share of a row the colour of a cell is too dark for dark figures.
DARK = 0.55
# With more classes a share below each count would not be legible.
MOST_SHARES = 6
# Inches, for two rows of two pictures.
SIZE = (9.6, 8.0)


class OperatingPointDisplay(FactsMixin):
    """Precision-recall curve, ROC curve, confusion matrix and cost curve around a chosen point.

    Curves are those of ``point.pos_label`` against the rest: they show what the same scores give
    if that class is favoured more or less. The chosen point has its 95 % intervals. The cost curve
    is drawn over the share of alarms; without costs it shows the balanced error, in which every
    class weighs the same.

    Parameters
    ----------
    point : OperatingPoint
        The choice.
    y_true : array-like of shape (n_samples,)
        Labels.
    scores : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores as the point takes them; samples with NaN are left out.
    estimates : dict or None, default=None
        "recalls", "precision", "alarms" and "cost" of the point; by default they are measured on
        these samples.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the samples in the curves and rates; the confusion matrix counts each once.

    Attributes
    ----------
    point, y_true, scores
        As given, without the samples that have no score.
    estimates : dict
        The rates that are drawn.
    is_crossed : bool
        Whether they were given: then they come from cross-fitting, and the point may lie a little
        below the curves, which belong to the scores that chose it.
    axes_, figure_ : ndarray of matplotlib Axes, Figure
        Where it was drawn; set by ``plot``.

    See Also
    --------
    choose_operating_point : Chooses the point.
    OperatingPointClassifier : A classifier that decides by one.

    Examples
    --------
    >>> from kpboost.model_selection import OperatingPointDisplay, choose_operating_point
    >>> y, scores = [0, 0, 0, 1, 0, 1], [0.1, 0.2, 0.3, 0.35, 0.4, 0.8]
    >>> point = choose_operating_point(y, scores)
    >>> display = OperatingPointDisplay(point, y, scores)
    >>> display.estimates["recalls"][0].value
    0.75
    """

    def __init__(
        self,
        point: OperatingPoint,
        y_true: ArrayLike,
        scores: ArrayLike,
        *,
        estimates: dict[str, Any] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        labels, values = column_or_1d(y_true), np.asarray(scores, dtype=np.float64)
        weight = parameters.check_sample_weight(sample_weight, labels.size)
        known = ~np.isnan(values).reshape(len(values), -1).any(axis=1) & (weight > 0.0)
        self.point, self.y_true, self.scores = point, labels[known], values[known]
        self._weight = mean_one(weight[known], int(known.sum()))
        places = {label: place for place, label in enumerate(point.classes)}
        strangers = [each for each in np.unique(self.y_true).tolist() if each not in places]
        if strangers:
            raise ValueError(f"y_true has the label {strangers[0]!r}, unknown to the point.")
        self._codes = np.array([places[each] for each in self.y_true.tolist()], dtype=np.intp)
        self._sizes = np.bincount(self._codes, minlength=len(places))
        if int(self._sizes[point.decision.pos]) in (0, self._codes.size):
            raise ValueError(f"Curves need samples with and without the label {point.pos_label!r}.")
        self.is_crossed = estimates is not None
        self._own, self._rivals = _margins(point, self.scores)
        self._predicted = np.array([places[each] for each in point.predict(self.scores).tolist()])
        pos = point.decision.pos
        self.estimates = estimates or measured(
            self._codes, self._predicted, self._sizes, pos, point.costs, self._weight
        )

    def _facts(self) -> Facts:
        yield "point", self.point
        yield "samples", f"{len(self.y_true):,}"

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, scores: ArrayLike, *, point: OperatingPoint, ax: Any = None
    ) -> Self:
        """Draw a point on the scores of samples that had no part in its choice.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels.
        scores : array-like of shape (n_samples,) or (n_samples, n_classes)
            Scores as the point takes them.
        point : OperatingPoint
            The choice.
        ax : None, matplotlib Axes or array-like of four, default=None
            Where to draw.

        Returns
        -------
        display : OperatingPointDisplay
        """
        return cls(point, y_true, scores).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: ArrayLike | None = None, *, ax: Any = None
    ) -> Self:
        """Draw the operating point of a fitted ``OperatingPointClassifier``.

        Parameters
        ----------
        estimator : OperatingPointClassifier
            Fitted.
        X : array-like, frame or sparse matrix of shape (n_samples, n_features), optional
            New samples. Without them the out-of-fold scores of the training samples are drawn,
            with the rates that cross-fitting gave.
        y : array-like of shape (n_samples,), optional
            Their labels.
        ax : None, matplotlib Axes or array-like of four, default=None
            Where to draw.

        Returns
        -------
        display : OperatingPointDisplay
        """
        point = estimator.operating_point_
        if (X is None) != (y is None):
            raise ValueError("X and y belong together; give both, or none for out-of-fold scores.")
        if y is not None:
            return cls(point, y, estimator.score_values(X)).plot(ax=ax)
        names = ("recalls", "precision", "alarms", "cost")
        crossed = {name: getattr(point, name) for name in names}
        return cls(
            point,
            estimator.oof_labels_,
            estimator.oof_scores_,
            estimates=crossed,
            sample_weight=estimator.oof_weights_,
        ).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : None, matplotlib Axes or array-like of four, default=None
            None makes a new figure; one Axes is divided.

        Returns
        -------
        self : OperatingPointDisplay
        """
        plt, name = drawing.pyplot(type(self).__name__), type(self).__name__
        if ax is None:
            self.figure_, grid = plt.subplots(2, 2, figsize=SIZE, layout="constrained")
            self.axes_ = grid.ravel()
            self.figure_.suptitle(_text(f"{self.point.rule[0].upper()}{self.point.rule[1:]}"))
        else:
            self.figure_, self.axes_ = drawing.panels(
                name, ax, 4, size=SIZE, heights=(1, 1), n_columns=2
            )
        cuts = Cuts.of(self._own, self._is_own.astype(np.intp), 1, self._weight)
        self._draw_precision(self.axes_[0], cuts)
        self._draw_roc(self.axes_[1], cuts)
        self._draw_confusion(self.axes_[2])
        self._draw_cost(self.axes_[3])
        return self

    @property
    def _is_own(self) -> NDArray[np.bool_]:
        return np.asarray(self._codes == self.point.decision.pos)

    def _draw_precision(self, ax: Any, cuts: Cuts) -> None:
        some = slice(None, -1)  # the last cut calls nobody, and has no precision
        recall = cuts.positives[some] / cuts.n_positives
        precision = cuts.positives[some] / (cuts.positives + cuts.negatives)[some]
        score = average_precision_score(self._is_own, self._own, sample_weight=self._weight)
        _curve(ax, recall, precision, f"average precision {score:.3f}")
        share = cuts.n_positives / self._codes.size
        ax.axhline(share, color=drawing.FAINT, linestyle=":", label=f"by chance {share:.3g}")
        own = self.estimates["recalls"][self.point.decision.pos]
        _mark(ax, own, self.estimates["precision"], f"precision {self.estimates['precision']}")
        _frame(
            ax, _text(f"recall of {self.point.pos_label!r}"), "precision", "Precision and recall"
        )
        ax.legend(loc="best", frameon=False, fontsize="small")

    def _draw_roc(self, ax: Any, cuts: Cuts) -> None:
        false, true = cuts.negatives / cuts.n_negatives, cuts.positives / cuts.n_positives
        area = roc_auc_score(self._is_own, self._own, sample_weight=self._weight)
        _curve(ax, false, true, f"area {area:.3f}")
        ax.plot([0, 1], [0, 1], color=drawing.FAINT, linestyle=":", label="by chance 0.5")
        own = self.estimates["recalls"][self.point.decision.pos]
        _mark(ax, self._false_alarms(cuts), own, f"recall {own}")
        name = _text(f"recall of {self.point.pos_label!r}")
        _frame(ax, "share of the others that raise an alarm", name, "ROC curve")
        ax.legend(loc="lower right", frameon=False, fontsize="small")

    def _false_alarms(self, cuts: Cuts) -> Estimate:
        """Share of the other classes that the point calls positive, from its other rates."""
        own, alarms = self.estimates["recalls"][self.point.decision.pos], self.estimates["alarms"]
        share = (alarms.value * self._codes.size - own.value * cuts.n_positives) / cuts.n_negatives
        n_others = int(np.sum(~self._is_own))
        return rate(min(max(round(share * n_others), 0), n_others), n_others)

    def _draw_confusion(self, ax: Any) -> None:
        n_classes = len(self.point.classes)
        table = confusion_matrix(self._codes, self._predicted, labels=range(n_classes))
        shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
        ax.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
        for row, column in np.ndindex(*table.shape):
            share = shares[row, column]
            below = f"\n{100 * share:.1f} %" if n_classes <= MOST_SHARES else ""
            words = f"{table[row, column]:,}{below}"
            colour = "white" if share > DARK else drawing.INK
            ax.text(column, row, words, ha="center", va="center", color=colour)
        names = [_text(str(label)) for label in self.point.classes]
        ax.set_xticks(range(n_classes), names)
        ax.set_yticks(range(n_classes), names)
        where = " (where it was chosen: optimistic)" if self.is_crossed else ""
        ax.set(xlabel="predicted", ylabel="true", title=f"Confusion matrix{where}")
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)

    def _draw_cost(self, ax: Any) -> None:
        alarms, costs = self._cost_curve()
        best = float(costs.min())
        _curve(ax, alarms, costs, f"lowest {best:.3g}")
        chosen = self._chosen_cost()
        known = self.point.costs is not None
        _mark(ax, self.estimates["alarms"], chosen, f"{'cost' if known else 'error'} {chosen}")
        ax.set_xlim(-MARGIN, 1.0 + MARGIN)
        ax.set_ylim(bottom=min(0.0, best))
        ax.set_xlabel(_text(f"alarms: share of samples called {self.point.pos_label!r}"))
        ax.set_ylabel("cost per sample" if known else "balanced error")
        ax.set_title("Cost" if known else "Balanced error (no costs were given)")
        drawing.quiet(ax)
        ax.legend(loc="best", frameon=False, fontsize="small")

    def _weights(self) -> FloatArray:
        """Cost of each true class (row) and predicted class (column), per sample of its class."""
        if self.point.costs is not None:
            return np.array(self.point.costs) / self._codes.size
        errors, tiny = 1.0 - np.eye(self._sizes.size), np.finfo(np.float64).tiny
        totals = np.bincount(self._codes, self._weight, self._sizes.size)
        return np.asarray(errors / np.maximum(totals, tiny)[:, None] / self._sizes.size)

    def _cost_curve(self) -> tuple[FloatArray, FloatArray]:
        """Cost over the share of alarms, from none to all, at distinct scores."""
        weights = self._weights()
        order = np.argsort(-self._own, kind="stable")
        codes, rivals, own = self._codes[order], self._rivals[order], self._weight[order]
        missed = own * weights[codes, rivals]
        change = own * weights[codes, self.point.decision.pos] - missed
        costs = missed.sum() + np.append(0.0, change.cumsum())
        falls = np.append(np.diff(self._own[order]) < 0, True)  # not between equal scores
        kept = np.append(0, 1 + np.flatnonzero(falls))
        return np.append(0.0, own.cumsum())[kept] / codes.size, costs[kept]

    def _chosen_cost(self) -> Estimate:
        if self.estimates["cost"] is not None:
            known: Estimate = self.estimates["cost"]
            return known
        value, low, high = np.array(self.estimates["recalls"]).mean(axis=0)
        return Estimate(1.0 - float(value), 1.0 - float(high), 1.0 - float(low))


def _margins(point: OperatingPoint, scores: FloatArray) -> tuple[FloatArray, IndexArray]:
    """How far each sample is on the positive side, and its class where it is not called so."""
    margins, pos = point.decision_function(scores), point.decision.pos
    if margins.ndim == 1:
        rivals = np.full(margins.size, 1 - pos, dtype=np.intp)
        return (margins if pos == 1 else -margins), rivals
    others = margins.copy()
    others[:, pos] = -np.inf
    return np.asarray(margins[:, pos] - others.max(axis=1)), np.asarray(others.argmax(axis=1))


def _curve(ax: Any, x: FloatArray, y: FloatArray, label: str) -> None:
    ax.plot(x, y, color=drawing.NEGATIVE, linewidth=1.6, label=label)


def _mark(ax: Any, x: Estimate, y: Estimate, label: str) -> None:
    """Draw the chosen point with both intervals."""
    bars = [[[max(e.value - e.low, 0.0)], [max(e.high - e.value, 0.0)]] for e in (x, y)]
    ax.errorbar(
        [x.value],
        [y.value],
        xerr=bars[0],
        yerr=bars[1],
        fmt="o",
        color=drawing.POSITIVE,
        markersize=7,
        markeredgecolor="white",
        elinewidth=1.4,
        capsize=3,
        zorder=5,
        label=label,
    )


def _frame(ax: Any, x: str, y: str, title: str) -> None:
    ax.set(xlim=(-MARGIN, 1 + MARGIN), ylim=(-MARGIN, 1 + MARGIN), xlabel=x, ylabel=y, title=title)
    drawing.quiet(ax)


def _text(words: str) -> str:
    return words.replace("$", r"\$")  # a lone $ would start a formula
