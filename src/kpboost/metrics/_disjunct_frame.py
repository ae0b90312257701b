"""What an average hides: recall by class and by disjunct, with intervals."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from kpboost._notebook import html_table

from ._by_class import Points, check_confidence_level, clopper_pearson, scored_points
from ._by_disjunct import Sizes, Tally, tally

if TYPE_CHECKING:
    import pandas as pd

Metric = Callable[[NDArray[Any], NDArray[Any]], float]

COLUMNS = (
    "level",
    "class",
    "disjunct",
    "size",
    "n_points",
    "n_correct",
    "recall",
    "recall_low",
    "recall_high",
)


@dataclass(frozen=True, slots=True)
class GroupRecall:
    """Recall of a group of test points.

    Attributes
    ----------
    level : {"overall", "class", "disjunct"}
        What the group is.
    class_label : object
        The group's class; None for all points.
    disjunct : object
        The group's disjunct; None for all points and for a class.
    size : int
        Size in the whole data set; of a class and overall, that of the disjuncts with test points.
    n_points, n_correct : int
        Test points, and those of them that are predicted correctly.
    recall : float
        Their share; overall it is the accuracy.
    recall_low, recall_high : float
        Ends of its Clopper-Pearson interval.
    metrics : dict
        Values of the other metrics by name.
    """

    level: str
    class_label: Any
    disjunct: Any
    size: int
    n_points: int
    n_correct: int
    recall: float
    recall_low: float
    recall_high: float
    metrics: dict[str, float]

    def cells(self) -> list[Any]:
        """Values in the order of the table's columns."""
        own = (self.level, self.class_label, self.disjunct, self.size, self.n_points)
        recall = (self.n_correct, self.recall, self.recall_low, self.recall_high)
        return [*own, *recall, *self.metrics.values()]


class DisjunctFrame:
    """Recall, and any other metric, overall, by class and by disjunct.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels of the test points.
    disjuncts : array-like of shape (n_samples,)
        Disjunct of each test point; each disjunct is a part of one class. Delta
    disjunct_sizes : mapping, pandas series or array-like, optional
        Sizes over the whole data set, as in :func:`gsdi_score`. |Delta|
    metrics : mapping from name to function, optional
        Functions of true and predicted labels to evaluate on each group too.
    confidence_level : float, default=0.95
        Level of the exact (Clopper-Pearson) intervals of the recalls.

    Attributes
    ----------
    overall : GroupRecall
        All test points.
    by_class : tuple of GroupRecall
        Classes that have test points, sorted by label.
    by_disjunct : tuple of GroupRecall
        Disjuncts that have test points: by class, then from the smallest.
    worst : GroupRecall
        Disjunct with the lowest recall; among equals the one with most test points.
    n_unseen : int
        Number of disjuncts without test points, which are left out.
    confidence_level : float
        As given.

    See Also
    --------
    DisjunctRecallDisplay : Draws it.
    kpboost.DisjunctFinder : Finds the disjuncts.

    Examples
    --------
    >>> from kpboost.metrics import DisjunctFrame
    >>> frame = DisjunctFrame([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0], disjuncts=[0, 0, 0, 1, 1, 2])
    >>> frame.worst.disjunct, frame.worst.recall
    (2, 0.0)
    """

    def __init__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        disjuncts: ArrayLike,
        disjunct_sizes: Sizes | None = None,
        metrics: Mapping[str, Metric] | None = None,
        confidence_level: float = 0.95,
    ) -> None:
        check_confidence_level(confidence_level)
        extra = _checked_metrics(metrics)
        points = scored_points(y_true, y_pred)
        counts = tally(points, disjuncts, disjunct_sizes)
        labels = column_or_1d(y_true), column_or_1d(y_pred)
        groups = list(_groups(points, counts, *labels, extra, confidence_level))
        self.overall = groups[0]
        self.by_class = tuple(group for group in groups if group.level == "class")
        self.by_disjunct = tuple(group for group in groups if group.level == "disjunct")
        self.worst = min(self.by_disjunct, key=lambda group: (group.recall, -group.n_points))
        self.n_unseen = counts.n_unseen
        self.confidence_level = confidence_level

    def rows(self) -> tuple[GroupRecall, ...]:
        """All groups: overall, classes, disjuncts."""
        return (self.overall, *self.by_class, *self.by_disjunct)

    def columns(self) -> list[str]:
        """Names of the columns of the table."""
        return [*COLUMNS, *self.overall.metrics]

    def to_frame(self) -> "pd.DataFrame":
        """Table of all groups as a pandas data frame, one row each."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                'to_frame needs pandas, which is not installed: pip install "kpboost[cli]".'
            ) from error
        columns = zip(*(row.cells() for row in self.rows()), strict=True)
        named = dict(zip(self.columns(), columns, strict=True))
        # As objects, or whole-number labels beside an empty cell would turn into 3.0.
        labels = {name: pd.Series(named[name], dtype=object) for name in ("class", "disjunct")}
        return pd.DataFrame(named | labels)

    def to_html(self) -> str:
        """Table of all groups as HTML, with every name escaped; the worst disjunct is marked."""
        rows = self.rows()
        marked = [row is self.worst for row in rows]
        cells = [row.cells() for row in rows]
        return html_table(self.columns(), cells, marked, "kpboost kpboost-disjuncts")

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        worst = self.worst
        return (
            f"DisjunctFrame({len(self.by_class)} classes, {len(self.by_disjunct)} disjuncts, "
            f"recall {self.overall.recall:.3f} overall, {worst.recall:.3f} on the worst disjunct, "
            f"{worst.disjunct!r} of class {worst.class_label!r})"
        )


def _checked_metrics(metrics: Mapping[str, Metric] | None) -> dict[str, Metric]:
    named = dict(metrics or {})
    taken = [name for name in named if name in COLUMNS]
    if taken:
        raise ValueError(f"metrics names {taken[0]!r}, which is a column already; rename it.")
    useless = [name for name, metric in named.items() if not callable(metric)]
    if useless:
        raise ValueError(f"metrics[{useless[0]!r}] must be a function of y_true and y_pred.")
    return named


def _groups(
    points: Points,
    counts: Tally,
    y_true: NDArray[Any],
    y_pred: NDArray[Any],
    metrics: dict[str, Metric],
    confidence_level: float,
) -> Iterator[GroupRecall]:
    """Yield all groups in the order of the rows."""
    members = _members(counts) if metrics else []
    for level, class_label, disjunct, chosen in _selections(points, counts):
        n_points = int(counts.n_points[chosen].sum())
        n_correct = int(counts.n_correct[chosen].sum())
        low, high = clopper_pearson(n_correct, n_points, confidence_level=confidence_level)
        yield GroupRecall(
            level=level,
            class_label=class_label,
            disjunct=disjunct,
            size=int(counts.sizes[chosen].sum()),
            n_points=n_points,
            n_correct=n_correct,
            recall=n_correct / n_points,
            recall_low=float(low),
            recall_high=float(high),
            metrics=_evaluated(metrics, y_true, y_pred, members, chosen),
        )


def _members(counts: Tally) -> list[NDArray[np.intp]]:
    """Points of each disjunct; found once, as there may be very many disjuncts."""
    order = np.argsort(counts.members, kind="stable")
    return np.split(order, np.cumsum(counts.n_points)[:-1].astype(np.intp))


def _evaluated(
    metrics: dict[str, Metric],
    y_true: NDArray[Any],
    y_pred: NDArray[Any],
    members: list[NDArray[np.intp]],
    chosen: NDArray[np.bool_],
) -> dict[str, float]:
    if not metrics:
        return {}
    here = np.sort(np.concatenate([members[i] for i in np.flatnonzero(chosen)]))
    return {name: float(metric(y_true[here], y_pred[here])) for name, metric in metrics.items()}


def _selections(points: Points, counts: Tally) -> Iterator[tuple[str, Any, Any, NDArray[np.bool_]]]:
    """Yield level, class, disjunct and the disjuncts that make up each group."""
    classes, labels = points.classes.tolist(), counts.labels.tolist()
    yield "overall", None, None, np.ones(len(labels), dtype=np.bool_)
    for code, class_label in enumerate(classes):
        yield "class", class_label, None, counts.class_codes == code
    for i in np.lexsort((counts.sizes, counts.class_codes)):
        only = np.zeros(len(labels), dtype=np.bool_)
        only[i] = True
        yield "disjunct", classes[counts.class_codes[i]], labels[i], only
