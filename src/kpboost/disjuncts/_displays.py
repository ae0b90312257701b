"""The kappa-delta curve, drawn with its knee."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.utils.validation import check_is_fitted

from kpboost import _plotting as drawing
from kpboost._notebook import Facts, FactsMixin, names
from kpboost._validation import well_formed


class DisjunctCurveDisplay(FactsMixin):
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

    See Also
    --------
    DisjunctFinder : Computes the curve.
    DisjunctMapDisplay : Draws the points.

    Examples
    --------
    >>> from kpboost.disjuncts import DisjunctCurveDisplay
    >>> DisjunctCurveDisplay([1, 2, 3], [20, 6, 5], n_neighbors=2)
    DisjunctCurveDisplay(neighbours chosen (kappa): 2; largest number tried: 3)
    """

    def __init__(
        self, n_neighbors_path: ArrayLike, n_disjuncts_path: ArrayLike, n_neighbors: int
    ) -> None:
        self.n_neighbors_path = n_neighbors_path
        self.n_disjuncts_path = n_disjuncts_path
        self.n_neighbors = n_neighbors

    def _facts(self) -> Facts:
        yield "neighbours chosen (kappa)", self.n_neighbors
        yield "largest number tried", int(np.max(self.n_neighbors_path))

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
        plt = drawing.pyplot(type(self).__name__)

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


# Markers tell the classes apart; with more classes they start again.
MARKERS = "os^Dv<>pP*Xh"
# A disjunct of ten points or fewer gets full weight in the paper's authors' program.
SMALL_SIZE = 10
POINT_AREA, RING_AREA = 18.0, 90.0


class DisjunctMapDisplay(FactsMixin):
    """Points in two dimensions: a marker per class, a colour per disjunct, rings on small ones.

    Parameters
    ----------
    positions : array-like of shape (n_samples, 2)
        Where the points lie on the map.
    labels : array-like of shape (n_samples,)
        Numbers of their disjuncts.
    disjunct_classes : array-like of shape (n_disjuncts,)
        Label of each disjunct's class.
    disjunct_sizes : array-like of shape (n_disjuncts,)
        Number of points of each disjunct.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it is drawn.
    figure_ : matplotlib Figure
        The figure around it.
    points_ : list of matplotlib PathCollection
        The points, one collection per class.
    rings_ : matplotlib PathCollection
        Rings around the points of small disjuncts.

    See Also
    --------
    DisjunctFinder : Finds the disjuncts.
    DisjunctCurveDisplay : Draws the curve that chose kappa.

    Examples
    --------
    >>> from kpboost.disjuncts import DisjunctMapDisplay
    >>> DisjunctMapDisplay([[0, 0], [0, 1], [5, 5]], [0, 0, 1], ["a", "b"], [2, 1])
    DisjunctMapDisplay(points: 3; disjuncts: 2; classes: 'a', 'b')
    """

    def __init__(
        self,
        positions: ArrayLike,
        labels: ArrayLike,
        disjunct_classes: ArrayLike,
        disjunct_sizes: ArrayLike,
    ) -> None:
        self.positions = positions
        self.labels = labels
        self.disjunct_classes = disjunct_classes
        self.disjunct_sizes = disjunct_sizes

    def _facts(self) -> Facts:
        yield "points", f"{np.size(self.labels):,}"
        yield "disjuncts", f"{np.size(self.disjunct_sizes):,}"
        yield "classes", names(np.unique(self.disjunct_classes))

    @classmethod
    def from_estimator(
        cls,
        finder: Any,
        X: Any,
        *,
        projection: Any = None,
        small_size: int = SMALL_SIZE,
        ax: Any = None,
    ) -> Self:
        """Draw the points that a finder was fitted to.

        Parameters
        ----------
        finder : DisjunctFinder
            Fitted.
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The points it was fitted to, in the same order.
        projection : transformer, default=None
            Its ``fit_transform(X)`` gives at least two columns, of which the first two are drawn.
            None draws two columns as they are, and the principal components of more.
        small_size : int, default=10
            Disjuncts of at most this many points are ringed.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        display : DisjunctMapDisplay
        """
        check_is_fitted(finder)
        positions = _project(X, projection)
        if positions.shape[0] != finder.labels_.size:
            raise ValueError(
                f"X has {positions.shape[0]} rows; it must be the {finder.labels_.size} points of "
                "fit."
            )
        display = cls(positions, finder.labels_, finder.disjunct_classes_, finder.disjunct_sizes_)
        return display.plot(small_size=small_size, ax=ax)

    def plot(self, *, small_size: int = SMALL_SIZE, ax: Any = None) -> Self:
        """Draw the map.

        Parameters
        ----------
        small_size : int, default=10
            Disjuncts of at most this many points are ringed.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        self : DisjunctMapDisplay
        """
        plt = drawing.pyplot(type(self).__name__)

        self.ax_: Any = plt.subplots()[1] if ax is None else ax
        self.figure_ = self.ax_.figure
        positions, labels = np.asarray(self.positions), np.asarray(self.labels)
        owners = np.asarray(self.disjunct_classes)
        colours = plt.get_cmap("tab20")(np.arange(owners.size) % plt.get_cmap("tab20").N)
        self.points_ = [
            self._draw_class(positions, labels, colours, owners, number)
            for number in range(np.unique(owners).size)
        ]
        small = np.asarray(self.disjunct_sizes)[labels] <= small_size
        self.rings_ = self._draw_rings(positions[small], small_size)
        self.ax_.set(xlabel="first direction", ylabel="second direction")
        self.ax_.legend()
        return self

    def _draw_class(
        self,
        positions: NDArray[np.float64],
        labels: NDArray[np.intp],
        colours: NDArray[np.float64],
        owners: NDArray[Any],
        number: int,
    ) -> Any:
        name = np.unique(owners)[number]
        own = owners[labels] == name
        return self.ax_.scatter(
            *positions[own].T,
            c=colours[labels[own]],
            s=POINT_AREA,
            marker=MARKERS[number % len(MARKERS)],
            label=f"class {name}",
        )

    def _draw_rings(self, positions: NDArray[np.float64], small_size: int) -> Any:
        return self.ax_.scatter(
            *positions.T,
            s=RING_AREA,
            facecolors="none",
            edgecolors="black",
            linewidths=0.8,
            label=f"disjuncts of at most {small_size}",
        )


def _project(X: Any, projection: Any) -> NDArray[np.float64]:
    points: Any = well_formed(X) if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    if projection is not None:
        flat = projection.fit_transform(points)
    elif points.shape[1] > 2:
        flat = _principal(points)
    else:
        flat = points.toarray() if sparse.issparse(points) else points
    if flat.shape[1] < 2:
        flat = np.column_stack([flat, np.zeros(flat.shape[0])])  # a line, drawn as one
    return np.asarray(flat, dtype=np.float64)[:, :2]


def _principal(points: Any) -> Any:
    """Two directions of largest variance; sparse points are not centred, which would fill them."""
    reducer = TruncatedSVD if sparse.issparse(points) else PCA
    return reducer(n_components=2, random_state=0).fit_transform(points)
