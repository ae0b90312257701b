"""The kappa-delta curve, drawn with its knee."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted


class DisjunctCurveDisplay:
    """Number of disjuncts against number of neighbours, and the point that was chosen.

    Parameters
    ----------
    n_neighbors_path : array-like of shape (n_steps,)
        Numbers of neighbours. kappa
    n_disjuncts_path : array-like of shape (n_steps,)
        Numbers of disjuncts. delta
    n_neighbors : int
        The number that was chosen, one of the path.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        The figure around it.
    line_ : matplotlib Line2D
        The curve.
    knee_ : matplotlib Line2D
        The mark of the chosen point.
    """

    def __init__(
        self, n_neighbors_path: ArrayLike, n_disjuncts_path: ArrayLike, n_neighbors: int
    ) -> None:
        self.n_neighbors_path = n_neighbors_path
        self.n_disjuncts_path = n_disjuncts_path
        self.n_neighbors = n_neighbors

    @classmethod
    def from_estimator(
        cls, finder: Any, *, ax: Any = None, line_style: Mapping[str, Any] | None = None
    ) -> Self:
        """Draw the curve of a fitted finder.

        Parameters
        ----------
        finder : DisjunctFinder
            Fitted.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        line_style : dict, default=None
            Properties of the curve, as for ``Axes.plot``.

        Returns
        -------
        display : DisjunctCurveDisplay
        """
        check_is_fitted(finder)
        display = cls(finder.n_neighbors_path_, finder.n_disjuncts_path_, finder.n_neighbors_)
        return display.plot(ax=ax, line_style=line_style)

    def plot(self, *, ax: Any = None, line_style: Mapping[str, Any] | None = None) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        line_style : dict, default=None
            Properties of the curve, as for ``Axes.plot``.

        Returns
        -------
        self : DisjunctCurveDisplay
        """
        import matplotlib.pyplot as plt

        self.ax_: Any = plt.subplots()[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        style = {"marker": ".", **(line_style or {})}
        self.line_ = self.ax_.plot(self.n_neighbors_path, self.n_disjuncts_path, **style)[0]
        self.knee_ = self._mark_knee()
        self.ax_.set(xlabel="neighbours (kappa)", ylabel="disjuncts (delta)", ylim=(0, None))
        self.ax_.legend()
        return self

    def _mark_knee(self) -> Any:
        position = np.flatnonzero(np.asarray(self.n_neighbors_path) == self.n_neighbors)[0]
        count = int(np.asarray(self.n_disjuncts_path)[position])
        label = f"{count} disjuncts with {self.n_neighbors} neighbours"
        return self.ax_.plot(
            [self.n_neighbors], [count], "o", ms=11, mfc="none", color="tab:red", label=label
        )[0]
