"""A picture of recall against the size of disjuncts."""

from typing import Any, Self

from numpy.typing import ArrayLike

from kpboost import _plotting as drawing
from kpboost._notebook import Facts, FactsMixin

from ._by_disjunct import Sizes
from ._disjunct_frame import DisjunctFrame

# Colours that remain distinct to colour-blind eyes, each with a marker of its own; they repeat
# after seven classes.
STYLES = (
    ("#0072B2", "o"),
    ("#D55E00", "s"),
    ("#009E73", "^"),
    ("#CC79A7", "D"),
    ("#E69F00", "v"),
    ("#56B4E9", "P"),
    ("#000000", "X"),
)
# Recalls of 0 and 1 stay clear of the frame.
MARGIN = 0.05


class DisjunctRecallDisplay(FactsMixin):
    """Recall of each disjunct, with its interval, over the size of the disjunct.

    Parameters
    ----------
    frame : DisjunctFrame
        What to draw.

    Attributes
    ----------
    frame : DisjunctFrame
        As given.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn; set by ``plot``.
    errorbars_ : list of matplotlib ErrorbarContainer
        One per class; set by ``plot``.

    See Also
    --------
    DisjunctFrame : The same as a table.

    Examples
    --------
    >>> from kpboost.metrics import DisjunctFrame, DisjunctRecallDisplay
    >>> frame = DisjunctFrame([0, 0, 1], [0, 0, 0], disjuncts=[0, 0, 1])
    >>> DisjunctRecallDisplay(frame).frame.worst.recall
    0.0
    """

    def __init__(self, frame: DisjunctFrame) -> None:
        self.frame = frame

    def _facts(self) -> Facts:
        yield "shows", self.frame

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        disjuncts: ArrayLike,
        disjunct_sizes: Sizes | None = None,
        confidence_level: float = 0.95,
        ax: Any = None,
    ) -> Self:
        """Draw the recalls of predictions.

        Parameters are those of :class:`DisjunctFrame`, and the axes of :meth:`plot`.
        """
        frame = DisjunctFrame(
            y_true,
            y_pred,
            disjuncts=disjuncts,
            disjunct_sizes=disjunct_sizes,
            confidence_level=confidence_level,
        )
        return cls(frame).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        disjuncts: ArrayLike,
        disjunct_sizes: Sizes | None = None,
        confidence_level: float = 0.95,
        ax: Any = None,
    ) -> Self:
        """Draw the recalls of a fitted classifier on points ``X`` with labels ``y``.

        The other parameters are those of :class:`DisjunctFrame`, and the axes of :meth:`plot`.
        """
        return cls.from_predictions(
            y,
            estimator.predict(X),
            disjuncts=disjuncts,
            disjunct_sizes=disjunct_sizes,
            confidence_level=confidence_level,
            ax=ax,
        )

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        self : DisjunctRecallDisplay
        """
        plt = drawing.pyplot(type(self).__name__)
        self.ax_ = plt.subplots(layout="constrained")[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        self.errorbars_ = [
            self._draw_class(group.class_label, *STYLES[i % len(STYLES)])
            for i, group in enumerate(self.frame.by_class)
        ]
        self._label_axes()
        return self

    def _draw_class(self, class_label: Any, colour: str, marker: str) -> Any:
        groups = [group for group in self.frame.by_disjunct if group.class_label == class_label]
        return self.ax_.errorbar(
            [group.size for group in groups],
            [group.recall for group in groups],
            yerr=[
                [group.recall - group.recall_low for group in groups],
                [group.recall_high - group.recall for group in groups],
            ],
            fmt=marker,
            color=colour,
            capsize=2,
            alpha=0.8,
            label=f"class {class_label}".replace("$", r"\$"),  # a lone $ would start a formula
        )

    def _label_axes(self) -> None:
        overall = self.frame.overall.recall
        self.ax_.axhline(overall, color="0.5", linestyle=":", label=f"overall, {overall:.3f}")
        self.ax_.set_xscale("log")
        self.ax_.set_ylim(-MARGIN, 1.0 + MARGIN)
        self.ax_.set_xlabel("size of the disjunct (points in the whole data set)")
        percent = 100.0 * self.frame.confidence_level
        self.ax_.set_ylabel(f"recall with {percent:g} % interval")
        self.ax_.legend()
        drawing.quiet(self.ax_)
