"""The disjuncts of a labelled data set, by the paper's Algorithm 2 and its variants."""

import warnings
from collections.abc import Iterator
from math import isqrt
from typing import Any, Self, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from kpboost import _core, _validation as parameters
from kpboost._notebook import NotebookMixin
from kpboost._typing import BaseEstimator, FloatArray, IndexArray
from kpboost._validation import well_formed

from ._approximate import (
    MOST_EXACT,
    NOBODY,
    approximate_nearest,
    is_installed,
    warn_of_exact_search,
)

Rows = NDArray[np.int32]
Points: TypeAlias = Any  # a C-contiguous float64 array or a CSR matrix; scipy carries no types

# Distances pass through blocks of this size, one per thread: enough rows to repay each call, little
# next to the memory of any machine.
BLOCK_BYTES = 16 * 2**20
# Sparse distances come from |x|^2 + |y|^2 - 2 x'y; what is left of equal points is below this share
# of the norms (a few roundings) and means 0.
CANCELLATION = 1e-14
# The curve of a large data set ends here, unless more is asked for: a curve to the square root of
# a million would need 4 GB of links, and its knee is at a few neighbours.
LONGEST_LARGE_PATH = 64
PAPER_PATH = "sqrt"


def nearest(points: Points, n_neighbors: int, n_jobs: int | None) -> Rows:
    """Each point's nearest others: a row of at most n_neighbors, nearest first, then NOBODY."""
    out = np.full((points.shape[0], n_neighbors), NOBODY, dtype=np.int32)
    norms = squared_norms(points) if sparse.issparse(points) else None
    Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(_fill)(points[rows], points, norms, rows.start, out[rows])
        for rows in _blocks(points.shape[0], points.shape[0])
    )
    return out


def nearest_of(queries: Points, points: Points) -> Rows:
    """Row of the point nearest to each query; one may be sparse and the other dense."""
    queries = _stored_like(points, queries)
    out = np.full((queries.shape[0], 1), NOBODY, dtype=np.int32)
    norms = squared_norms(points) if sparse.issparse(points) else None
    for rows in _blocks(queries.shape[0], points.shape[0]):
        _fill(queries[rows], points, norms, NOBODY, out[rows])
    return out[:, 0]


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    step = max(1, BLOCK_BYTES // (8 * n_columns))
    return (slice(first, min(first + step, n_rows)) for first in range(0, n_rows, step))


def _fill(queries: Points, points: Points, norms: FloatArray | None, own: int, out: Rows) -> None:
    """Write the neighbours of one block; `own` is the first query's row among the points."""
    if norms is None:
        squared = np.empty((queries.shape[0], points.shape[0]))
        _core.rbf_block(queries, points, None, squared)
    else:
        squared = _sparse_squared(queries, points, norms)
    _core.nearest_in_block(squared, own, out)


def _stored_like(points: Points, queries: Points) -> Points:
    if sparse.issparse(points):
        return sparse.csr_array(queries)
    return queries.toarray() if sparse.issparse(queries) else queries


def squared_norms(points: Points) -> FloatArray:
    """Squared lengths of sparse points."""
    norms = np.asarray(points.multiply(points).sum(axis=1), dtype=np.float64).ravel()
    if not np.isfinite(norms).all():
        raise ValueError("X has rows whose squared length is beyond 1e308; scale the columns down.")
    return norms


def _sparse_squared(queries: Points, points: Points, norms: FloatArray) -> FloatArray:
    lengths = np.add.outer(squared_norms(queries), norms)
    squared = lengths - 2 * (queries @ points.T).toarray()
    squared[squared < CANCELLATION * lengths] = 0.0
    return np.ascontiguousarray(squared)


def disjunct_counts(links: Rows, connection: str, n_columns: int) -> IndexArray:
    """Numbers of disjuncts with 1, 2, ..., n_columns links; columns past the last add nothing."""
    counts, _ = _grow(links, connection, n_columns)
    last = counts[-1] if counts.size else links.shape[0]
    return np.append(counts, np.repeat(last, n_columns - counts.size)).astype(np.intp)


def disjunct_labels(
    links: Rows, connection: str, n_columns: int, codes: IndexArray
) -> tuple[IndexArray, IndexArray]:
    """Each point's disjunct, and each disjunct's class.

    Disjuncts are numbered class by class, and within a class by their lowest row.
    """
    _, lowest = _grow(links, connection, n_columns)
    heads = np.unique(lowest)
    heads = heads[np.argsort(codes[heads], kind="stable")]
    number = np.empty(codes.size, dtype=np.intp)
    number[heads] = np.arange(heads.size)
    return number[lowest], codes[heads]


def _grow(links: Rows, connection: str, n_columns: int) -> tuple[NDArray[np.int64], Rows]:
    counts = np.empty(min(n_columns, links.shape[1]), dtype=np.int64)
    lowest = np.empty(links.shape[0], dtype=np.int32)
    _core.grow(links, connection, counts, lowest)
    return counts, lowest


# Breaks whose errors differ by less than this share of the curve's height differ by rounding.
ERROR_TOLERANCE = 1e-9
# The extra step to the right is taken while the fall behind the knee is at least this share of the
# fall before it. The value is that of the paper's authors' program.
STEEP_SHARE = 0.33


def find_knee(curve: NDArray[np.generic], rule: str) -> int:
    """Position of the knee by "kaplan", or by "kaplan_shift": with the extra step.

    A curve of fewer than three points has no knee; its last point is taken.
    """
    heights = np.asarray(curve, dtype=np.float64)
    if heights.size < 3:
        return heights.size - 1
    knee = _kaplan_knee(heights)
    return knee + 1 if rule == "kaplan_shift" and _still_steep(heights, knee) else knee


def _kaplan_knee(heights: FloatArray) -> int:
    breaks = range(1, heights.size - 1)
    errors = np.array([_line_error(heights[: b + 1]) + _line_error(heights[b:]) for b in breaks])
    good = errors <= errors.min() + ERROR_TOLERANCE * np.ptp(heights)
    return breaks[int(good.argmax())]


def _line_error(heights: FloatArray) -> float:
    """Sum of the absolute residuals of the least-squares line through at least two points."""
    x = np.arange(heights.size) - (heights.size - 1) / 2
    y = heights - heights.mean()
    return float(np.abs(y - (x @ y) / (x @ x) * x).sum())


def _still_steep(heights: FloatArray, knee: int) -> bool:
    before = abs(heights[knee] - heights[knee - 1])
    behind = abs(heights[knee + 1] - heights[knee])
    return bool(behind >= STEEP_SHARE * before)


class NeighborSearch:
    """Searches for links: exact among few points, approximate among many.

    Parameters
    ----------
    recall : float
        Share of the true neighbours to be found among many points; 1 is an exact search.
    n_jobs : int or None
        Threads.

    Attributes
    ----------
    reached : float
        Lowest share that a search has reached.
    """

    def __init__(self, recall: float, n_jobs: int | None) -> None:
        self.recall, self.n_jobs = recall, n_jobs
        self.reached = 1.0

    def links(
        self, points: Points, codes: IndexArray, n_neighbors: int, neighbors_from: str
    ) -> Rows:
        """Targets of each point's links, nearest first, NOBODY where there is none.

        Column k - 1 holds the k-th nearest neighbour, so that the first k columns are the links for
        kappa = k.
        """
        if neighbors_from == "class":
            return self._within_classes(points, codes, n_neighbors)
        return self._among_all(points, codes, n_neighbors)

    def _among_all(self, points: Points, codes: IndexArray, n_neighbors: int) -> Rows:
        """Take at most as many neighbours as the smallest class has points: the paper's cap."""
        width = min(n_neighbors, int(np.bincount(codes).min()), codes.size - 1)
        links = self.nearest(points, width)
        for rows in _blocks(*links.shape):
            links[rows][codes[links[rows]] != codes[rows, None]] = NOBODY
        return links

    def _within_classes(self, points: Points, codes: IndexArray, n_neighbors: int) -> Rows:
        """Take at most as many neighbours as a point has in its class; each class its own cap."""
        largest = int(np.bincount(codes).max())
        links = np.full((codes.size, min(n_neighbors, largest - 1)), NOBODY, dtype=np.int32)
        for code in range(int(codes.max()) + 1):
            rows = np.flatnonzero(codes == code).astype(np.int32)
            width = min(n_neighbors, rows.size - 1)
            found = self.nearest(points[rows], width)
            links[rows, :width] = np.where(found == NOBODY, NOBODY, rows[found])
        return links

    def nearest(self, points: Points, width: int) -> Rows:
        """Return each point's nearest others, nearest first, NOBODY where there is none."""
        n_points = points.shape[0]
        if n_points <= MOST_EXACT or self.recall == 1.0 or sparse.issparse(points):
            return nearest(points, width, self.n_jobs)
        if not is_installed():
            warn_of_exact_search(n_points)
            return nearest(points, width, self.n_jobs)
        found = approximate_nearest(points, width, self.recall, self.n_jobs)
        self.reached = min(self.reached, found.recall)
        return found.rows


class CopiedRowsWarning(UserWarning):
    """Most neighbours of most rows are copies of the row: links lead nowhere else.

    See Also
    --------
    DisjunctFinder : Warns so.
    """


def warn_of_copies(points: Points, links: Rows, n_neighbors: int, n_disjuncts: int) -> None:
    """Warn if at least half of the rows have copies for at least half of their neighbours."""
    width = min(n_neighbors, links.shape[1])
    if not width:
        return
    middle = (width + 1) // 2
    copied = _n_copies(points, links[:, :width]) >= middle
    if 2 * copied.sum() < copied.size:
        return
    warnings.warn(
        f"{copied.mean():.0%} of the rows have at least {middle} exact "
        f"{'copies' if middle > 1 else 'copy'} of the same class: "
        f"{copied.size:,} rows, {_n_different(points):,} different ones. With n_neighbors_="
        f"{n_neighbors} their links lead to their copies, and the {n_disjuncts:,} disjuncts tell "
        "how often rows were copied rather than where the classes lie. Fit to the different rows "
        "only: drop_duplicates() of a DataFrame of features and labels finds them.",
        CopiedRowsWarning,
        stacklevel=3,
    )


# Rows that are compared with their neighbours at a time.
BLOCK_ROWS = 8192


def _n_copies(points: Points, links: Rows) -> NDArray[np.int64]:
    """Count the links of every point that lead to a copy of it."""
    counts = np.zeros(links.shape[0], dtype=np.int64)
    for start in range(0, counts.size, BLOCK_ROWS):
        for targets in links[start : start + BLOCK_ROWS].T:
            rows = np.flatnonzero(targets != NOBODY)
            distances = abs(points[start + rows] - points[targets[rows]]).sum(axis=1)
            counts[start + rows] += np.asarray(distances).ravel() == 0.0
    return counts


def _n_different(points: Points) -> int:
    """Count the different rows; those of sparse points by their products with a random vector."""
    if sparse.issparse(points):
        points = points @ np.random.default_rng(0).random(points.shape[1])
    return len(np.unique(points, axis=0))


class DisjunctFinder(NotebookMixin, BaseEstimator):
    """Find the disjuncts of each class: its parts that neighbour links do not connect.

    Every point is linked to those of its kappa nearest neighbours that have its own class, and what
    links connect is a disjunct. The number of disjuncts delta falls with kappa; the knee of the
    curve chooses kappa. The defaults give the numbers of disjuncts that the paper published.

    Parameters
    ----------
    n_neighbors : "auto" or int, default="auto"
        Number of nearest neighbours; "auto" takes the knee of the curve over
        1, ..., floor(sqrt(n_samples)). kappa
    neighbors_from : {"all", "class"}, default="all"
        Whether neighbours are searched among all points, and those of other classes then dropped,
        or within the point's class. Among all, no point gets more neighbours than the smallest
        class has points; within a class, no more than that class offers.
    connection : {"directed", "weak", "strong"}, default="directed"
        What links connect: the searches of Algorithm 2, which follow links from the lowest row not
        yet visited and depend on the order of the rows; components of links taken either way; or
        components in which paths lead from each point to each other. The last two do not depend
        on the order of the rows, but for ties of distances.
    knee_rule : {"kaplan_shift", "kaplan"}, default="kaplan_shift"
        How "auto" finds the knee: Kaplan's two lines, with one step further where the curve is
        still steep, or without it. Used only with "auto".
    max_neighbors : "auto", "sqrt" or int, default="auto"
        Where the curve of ``n_neighbors="auto"`` ends: "sqrt" is the paper's
        floor(sqrt(n_samples)); "auto" is the same up to 50,000 points, and 64 above.
    neighbor_recall : float, default=0.999
        Above 50,000 points, the share of the true neighbours that the search has to find; it needs
        faiss (``pip install "kpboost[large]"``). 1 is an exact search at any size. Sparse points
        are always searched exactly.
    n_jobs : int or None, default=None
        Threads for the search of neighbours; None is 1, -1 all processors.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Number of each point's disjunct. They go class by class, in the order of ``classes_``, and
        within a class by the disjuncts' first rows.
    n_disjuncts_ : int
        Number of disjuncts. delta
    n_disjuncts_per_class_ : ndarray of shape (n_classes,)
        Number of disjuncts of each class. delta_c
    disjunct_sizes_ : ndarray of shape (n_disjuncts_,)
        Number of points of each disjunct. |Delta|
    disjunct_classes_ : ndarray of shape (n_disjuncts_,)
        Label of each disjunct's class.
    n_neighbors_ : int
        Number of neighbours in use; where it exceeds the limit named under ``neighbors_from``,
        the limit counts. kappa
    n_neighbors_path_ : ndarray of shape (n_steps,)
        1, 2, ..., up to the largest number of neighbours tried.
    n_disjuncts_path_ : ndarray of shape (n_steps,)
        Numbers of disjuncts along it; they never rise.
    neighbor_recall_ : float
        Share of the true neighbours that was found, measured on 500 points; 1 if the search was
        exact.
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    n_features_in_ : int
        Number of columns of the data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, where the data had names.

    See Also
    --------
    DisjunctCurveDisplay : Draws the number of disjuncts over kappa.
    kpboost.DisjunctFrame : Recall of a classifier on each disjunct.

    Notes
    -----
    Distances are Euclidean, so columns should be on one scale. Neighbours come by distance, and by
    row where squared distances agree to nine digits. A point is not its own neighbour; its
    duplicates are neighbours at distance 0: where rows have many, a :class:`CopiedRowsWarning` says
    so. With fewer than 9 points the curve has no knee, and the
    last kappa is taken.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from kpboost.disjuncts import DisjunctFinder
    >>> X, y = load_wine(return_X_y=True)
    >>> DisjunctFinder().fit(scale(X), y).n_disjuncts_
    23
    """

    def __init__(
        self,
        n_neighbors: int | str = "auto",
        *,
        neighbors_from: str = "all",
        connection: str = "directed",
        knee_rule: str = "kaplan_shift",
        max_neighbors: int | str = "auto",
        neighbor_recall: float = 0.999,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.neighbors_from = neighbors_from
        self.connection = connection
        self.knee_rule = knee_rule
        self.max_neighbors = max_neighbors
        self.neighbor_recall = neighbor_recall
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Find the disjuncts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points, at least two.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        self : DisjunctFinder
        """
        self._check_parameters()
        X, y = validate_data(
            self,
            well_formed(X),
            y,
            accept_sparse="csr",
            dtype=np.float64,
            order="C",
            ensure_min_samples=2,
        )
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        longest = self._longest_path(codes.size)
        search = NeighborSearch(self.neighbor_recall, self.n_jobs)
        links = search.links(X, codes, longest, self.neighbors_from)
        self.neighbor_recall_ = search.reached
        self._follow_curve(links, longest)
        self._remember(links, codes)
        warn_of_copies(X, links, self.n_neighbors_, self.n_disjuncts_)
        self._points, self._codes = X, codes  # new points are compared with these
        return self

    def fit_predict(self, X: Any, y: ArrayLike) -> IndexArray:
        """Find the disjuncts and return each point's.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points, at least two.
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        ndarray of shape (n_samples,)
            ``labels_``.
        """
        return self.fit(X, y).labels_

    def predict(self, X: Any, y: ArrayLike) -> IndexArray:
        """Disjuncts of labelled points: that of the nearest training point of the same class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Points.
        y : array-like of shape (n_samples,)
            Their labels, all known from training.

        Returns
        -------
        ndarray of shape (n_samples,)
            Numbers as in ``labels_``. Of several nearest points the one with the lowest row counts,
            so a training point with an earlier duplicate gets the duplicate's disjunct.
        """
        check_is_fitted(self)
        X, y = validate_data(
            self, well_formed(X), y, reset=False, accept_sparse="csr", dtype=np.float64, order="C"
        )
        codes = self._codes_of(y)
        labels = np.empty(codes.size, dtype=np.intp)
        for code in np.unique(codes):
            theirs, ours = np.flatnonzero(codes == code), np.flatnonzero(self._codes == code)
            labels[theirs] = self.labels_[ours[nearest_of(X[theirs], self._points[ours])]]
        return labels

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self) -> None:
        parameters.check_n_neighbors(self.n_neighbors)
        parameters.check_choice("neighbors_from", self.neighbors_from, ("all", "class"))
        parameters.check_choice("connection", self.connection, ("directed", "weak", "strong"))
        parameters.check_choice("knee_rule", self.knee_rule, ("kaplan_shift", "kaplan"))
        if self.max_neighbors not in ("auto", PAPER_PATH):
            parameters.check_count("max_neighbors", self.max_neighbors)
        parameters.check_share("neighbor_recall", self.neighbor_recall)
        parameters.check_n_jobs(self.n_jobs)

    def _longest_path(self, n_samples: int) -> int:
        if self.n_neighbors != "auto":
            return int(self.n_neighbors)
        if self.max_neighbors == "auto":
            most = LONGEST_LARGE_PATH if n_samples > MOST_EXACT else n_samples
        else:
            most = n_samples if self.max_neighbors == PAPER_PATH else int(self.max_neighbors)
        return min(isqrt(n_samples), most)

    def _follow_curve(self, links: Rows, longest: int) -> None:
        self.n_neighbors_path_ = np.arange(1, longest + 1)
        self.n_disjuncts_path_ = disjunct_counts(links, self.connection, longest)
        last = longest - 1
        automatic = self.n_neighbors == "auto"
        knee = find_knee(self.n_disjuncts_path_, self.knee_rule) if automatic else last
        self.n_neighbors_ = int(self.n_neighbors_path_[knee])

    def _remember(self, links: Rows, codes: IndexArray) -> None:
        self.labels_, owners = disjunct_labels(links, self.connection, self.n_neighbors_, codes)
        self.n_disjuncts_ = owners.size
        self.n_disjuncts_per_class_ = np.bincount(owners, minlength=self.classes_.size)
        self.disjunct_sizes_ = np.bincount(self.labels_)
        self.disjunct_classes_ = self.classes_[owners]

    def _codes_of(self, y: ArrayLike) -> IndexArray:
        labels = column_or_1d(y)
        known = np.isin(labels, self.classes_)
        if not known.all():
            stranger = labels[~known].tolist()[0]
            raise ValueError(
                f"y holds the label {stranger!r}, which was not among the labels of fit: "
                f"{self.classes_.tolist()}."
            )
        return np.asarray(np.searchsorted(self.classes_, labels))
