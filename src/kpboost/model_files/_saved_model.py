"""A trained model with the columns it expects: it reads files of new rows, and predicts them."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost._notebook import MOST_SHOWN, Facts, FactsMixin, counted, names
from kpboost._text import some_of
from kpboost._typing import FloatArray, IndexArray
from kpboost.datasets import (
    ColumnChoices,
    ColumnRole,
    Leak,
    Table,
    copy_sentences,
    encode_like,
    leak_sentences,
    parquet_batches,
    read_table,
    role_sentences,
)
from kpboost.methods import METHODS
from kpboost.model_selection import OperatingPoint, decision_scores, positive_class

from ._evaluation import weakness
from ._held_out import (
    HeldOutScores,
    checked_wish,
    one_score,
    oriented,
)

# Roles of columns whose cells must be read as text, lest 1.234 become a little more than one.
WRITTEN = ("identifier", "date", "number")
# Files that need not fit into memory, and rows that are answered at a time.
PARQUET, BATCH_ROWS = ".parquet", 65_536


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SavedModel(FactsMixin):
    """A trained model and what it must remember of its training file.

    Attributes
    ----------
    model : Pipeline
        Fitted preparation and classifier.
    method : str
        Name of its method.
    target : str
        Name of the class column.
    features : Table
        The features that it takes, without rows: names, categories, and as ``roles`` the columns
        of the training file that were not features as they were; new rows are read alike.
    class_sizes : dict
        Rows of each class in the training file.
    recalls : dict
        Recall of each class, out of fold.
    n_rows : int
        Rows that the model was trained on; it may be a sample of many.
    tested_sizes : dict
        Rows of each class that the recalls were measured on: all, or those of a draw from a large
        file. Empty for a file of an earlier version, which means all.
    tune : bool
        Whether its parameters were chosen from the paper's grid.
    random_state : int
        Seed that it was trained with.
    n_folds : int
        Folds of the recalls.
    left_out : tuple of str
        Classes that were not trained on, as they have one row.
    asked : ColumnChoices
        What the user has said about the columns.
    leaks : tuple of Leak
        Columns that alone predict the class almost perfectly.
    n_copies : int
        Training rows that are copies of others.
    copies_together : bool
        Whether copies were in one fold each.
    version : str
        Version of kpboost that trained it.
    held_out : HeldOutScores or None
        Out-of-fold predictions, of at most 50,000 rows; None of a file of an earlier version.
    operating_point : OperatingPoint or None
        What decides in place of the method itself, by the scores of ``decision_function``. Of two
        classes its threshold is on the score of its second, the positive one.

    See Also
    --------
    train : Makes one.
    save_model : Writes one to a file.
    load_model : Reads one.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from kpboost.datasets import load
    >>> from kpboost.model_files import load_model, save_model, train
    >>> data = load("planted-two")
    >>> with TemporaryDirectory() as folder:
    ...     _ = save_model(train(data, "svm"), f"{folder}/model.skops")
    ...     model = load_model(f"{folder}/model.skops")
    >>> (model.predict(data.table) == data.y).mean() > 0.9
    np.True_
    """

    model: Any
    method: str
    target: str
    features: Table
    class_sizes: dict[str, int]
    recalls: dict[str, float]
    n_rows: int
    tune: bool = False
    random_state: int = 0
    n_folds: int = 5
    left_out: tuple[str, ...] = ()
    asked: ColumnChoices = field(default_factory=ColumnChoices)
    leaks: tuple[Leak, ...] = ()
    n_copies: int = 0
    copies_together: bool = False
    version: str = version("kpboost")
    held_out: HeldOutScores | None = None
    operating_point: OperatingPoint | None = None
    tested_sizes: dict[str, int] = field(default_factory=dict)

    def _facts(self) -> Facts:
        method = METHODS.get(self.method)
        yield "method", self.method if method is None else method.title
        yield "predicts", self.target
        yield "classes", counted(self.class_sizes)
        yield "features", f"{len(self.features.names)}, {names(self.features.names)}"
        yield "trained on", f"{self.n_rows:,} rows"
        recalls = [f"{label!r} {recall:.3f}" for label, recall in self.recalls.items()]
        yield "recall out of fold", some_of(recalls, MOST_SHOWN)
        if self.operating_point is not None:
            yield "operating point", self.operating_point.rule

    @property
    def n_samples(self) -> int:
        """Rows of the training file that have a class which the model knows."""
        return sum(self.class_sizes.values())

    def predict(self, table: Any, *, extra: str = "refuse", unseen: str = "refuse") -> NDArray[Any]:
        """Labels of the rows of a table.

        Parameters
        ----------
        table : Table, pandas or polars frame
            Named columns, as of ``read_table``; the class column may be among them and is not
            looked at.
        extra : {"refuse", "ignore"}, default="refuse"
            What to do with columns that the training file did not have.
        unseen : {"refuse", "missing"}, default="refuse"
            What to do with categories that the training file did not have.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        rows = self._encoded(table, extra, unseen)
        if self.operating_point is None:
            return np.asarray(self.model.predict(rows))
        return self._decided_by_point(self._scores(rows))

    def decision_function(
        self, table: Any, *, extra: str = "refuse", unseen: str = "refuse"
    ) -> FloatArray:
        """Scores of the rows of a table.

        Parameters
        ----------
        table : Table, pandas or polars frame
            As for :meth:`predict`.
        extra : {"refuse", "ignore"}, default="refuse"
            What to do with columns that the training file did not have.
        unseen : {"refuse", "missing"}, default="refuse"
            What to do with categories that the training file did not have.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            The estimator's decision values, or the logarithms of its probabilities where it has
            none (of two classes, their difference). Of two classes the score is that of the second
            in the order of ``class_sizes``, and the other's is its negative; several have a column
            each. The threshold of ``operating_point`` is on the score of ``pos_label``, which is
            this one or its negative.
        """
        return self._scores(self._encoded(table, extra, unseen))

    def predict_proba(
        self, table: Any, *, extra: str = "refuse", unseen: str = "refuse"
    ) -> FloatArray:
        """Probabilities of the classes for the rows of a table.

        Parameters
        ----------
        table : Table, pandas or polars frame
            As for :meth:`predict`.
        extra : {"refuse", "ignore"}, default="refuse"
            What to do with columns that the training file did not have.
        unseen : {"refuse", "missing"}, default="refuse"
            What to do with categories that the training file did not have.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The estimator's own, where it has them; otherwise from its scores, by a shrunken
            logistic regression on those that training rows got out of fold. Columns are in the
            order of ``class_sizes``. An operating point does not change them.
        """
        return self._probabilities(self._encoded(table, extra, unseen))

    def predict_all(
        self, table: Any, *, extra: str = "refuse", unseen: str = "refuse"
    ) -> tuple[NDArray[Any], FloatArray, FloatArray]:
        """Labels, scores and probabilities together, with as little work as the method allows.

        Columns are checked and prepared once. ``rare_class`` is evaluated once for all three;
        other methods once for each answer that does not follow from another one.

        Parameters
        ----------
        table : Table, pandas or polars frame
            As for :meth:`predict`.
        extra : {"refuse", "ignore"}, default="refuse"
            What to do with columns that the training file did not have.
        unseen : {"refuse", "missing"}, default="refuse"
            What to do with categories that the training file did not have.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            As of :meth:`predict`.
        scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
            As of :meth:`decision_function`.
        probabilities : ndarray of shape (n_rows, n_classes)
            As of :meth:`predict_proba`.
        """
        rows = self._encoded(table, extra, unseen)
        points, last = self.model[:-1].transform(rows), self.model[-1]
        if hasattr(last, "predict_all"):
            labels, scores, likely = last.predict_all(points)
        else:
            labels = last.predict(points) if self.operating_point is None else None
            scores = self._scores(points, last)
            likely = self._probabilities(points, last, scores)
        if self.operating_point is not None:
            labels = self._decided_by_point(scores)
        return np.asarray(labels), scores, likely

    def with_operating_point(
        self,
        *,
        costs: Any = None,
        recall: float | None = None,
        alarms: float | None = None,
        pos_label: str | None = None,
    ) -> "SavedModel":
        """Return the same model with another operating point; nothing is trained.

        Parameters
        ----------
        costs : mapping or array-like of shape (n_classes, n_classes), optional
            Costs by pairs of true and predicted class, such as ``{("sick", "well"): 5}``, where
            other errors cost 1; or a matrix, rows true and columns predicted, in the order of
            ``class_sizes``. The lowest cost is chosen.
        recall : float, optional
            Recall of ``pos_label`` to reach.
        alarms : float, optional
            Largest share of rows to be called ``pos_label``.
        pos_label : str, optional
            The class that a recall or alarms are about; by default the rarest.

        Returns
        -------
        SavedModel
            Without any of ``costs``, ``recall`` and ``alarms``, the method itself decides.
        """
        wish = checked_wish(self._classes, costs, recall, alarms, pos_label)
        if wish and self.held_out is None:
            raise ValueError(
                "This model is of an earlier version and has no out-of-fold scores to choose an "
                "operating point on; fit it again."
            )
        if self.held_out is None:
            return replace(self, operating_point=None)
        if not wish:
            plain = replace(self.held_out, decided=None)
            return replace(self, operating_point=None, held_out=plain)
        point, decided = self.held_out.choose(self._classes, wish)
        return replace(
            self, operating_point=point, held_out=replace(self.held_out, decided=decided)
        )

    def _encoded(self, table: Any, extra: str, unseen: str) -> FloatArray:
        """Numbers and codes of a table, as the model takes them."""
        rows = _named(table)
        if self.target not in self.features.names:
            rows = rows.without(self.target)
        return encode_like(rows, self.features, extra=extra, unseen=unseen).values

    def _scores(self, rows: FloatArray, model: Any = None) -> FloatArray:
        """Scores by the whole model, or by its last step for rows that have been prepared."""
        model = self.model if model is None else model
        codes = {label: code for code, label in enumerate(np.asarray(model.classes_).tolist())}
        return one_score(decision_scores(model, rows, codes))

    def _decided_by_point(self, scores: FloatArray) -> NDArray[Any]:
        point: Any = self.operating_point
        return np.asarray(point.predict(oriented(scores, self._classes, point.classes)))

    def _probabilities(
        self, rows: FloatArray, model: Any = None, scores: FloatArray | None = None
    ) -> FloatArray:
        model = self.model if model is None else model
        if hasattr(model, "predict_proba"):
            return np.asarray(model.predict_proba(rows))
        if self.held_out is None:
            raise ValueError(
                "This model is of an earlier version, and its method has no probabilities; fit it "
                "again."
            )
        scores = self._scores(rows, model) if scores is None else scores
        return self.held_out.calibration.probabilities(scores)

    @property
    def weakness(self) -> str:
        """Why the model is poor, in one sentence; empty if it is not, or if nobody knows."""
        if self.held_out is None:
            return ""
        return weakness(self.held_out, self.decided)

    @property
    def decided(self) -> IndexArray:
        """Numbers of the classes of the out-of-fold rows, by models that had not seen them.

        A threshold, too, was chosen without the row, but for files that do not say.
        """
        if self.held_out is None:
            raise ValueError("This model is of an earlier version and has no out-of-fold scores.")
        return self.held_out.by_point(self.operating_point, self._classes)

    @property
    def pos_label(self) -> str:
        """The class that the operating point is about; without one, the rarest class."""
        if self.operating_point is not None:
            return str(self.operating_point.pos_label)
        sizes = np.array([*self.class_sizes.values()])
        return self._classes[positive_class(self._classes, sizes, None)]

    @property
    def n_tested(self) -> dict[str, int]:
        """Rows of each class that the recalls were measured on."""
        return self.tested_sizes or self.class_sizes

    @property
    def is_of_draw(self) -> bool:
        """Tell whether only a draw of the training file was ever looked at."""
        return self.n_tested != self.class_sizes

    @property
    def _classes(self) -> list[str]:
        return [*self.class_sizes]

    @property
    def roles(self) -> tuple[ColumnRole, ...]:
        """Columns of the training file that were not features as they were."""
        return self.features.roles

    @property
    def id_columns(self) -> tuple[str, ...]:
        """Names of the columns of identifiers in the training file."""
        return tuple(role.name for role in self.roles if role.kind == "identifier")

    @property
    def notes(self) -> tuple[str, ...]:
        """What there is to know about the columns and about copied rows, a sentence each."""
        copies = copy_sentences(self.n_copies, sum(self.n_tested.values()), self.copies_together)
        return (*leak_sentences(self.leaks), *copies, *role_sentences(self.roles))

    @property
    def choices(self) -> ColumnChoices:
        """All that was decided about the columns, for another file of the same kind."""
        gone = [role.name for role in self.roles if role.is_left_out]
        dropped = [name for name in gone if name not in self.id_columns]
        made = {name for role in self.roles for name in role.made}
        kept = [name for name in self.features.names if name not in made]
        return ColumnChoices(dropped, self.id_columns, kept, many_classes=True, optional=True)

    def read(self, path: str | Path) -> Table:
        """Read a file of new rows, as the training file was read.

        Parameters
        ----------
        path : str or Path
            The file; see ``read_table`` for the formats.

        Returns
        -------
        Table
            For ``predict``. Identifiers, dates and numbers with a comma or a unit are in it as
            they were written: by themselves, new rows might read otherwise.
        """
        return read_table(path, nominal=self._written)

    def read_batches(self, path: str | Path) -> Iterator[Table]:
        """Read a file of new rows, some rows at a time.

        Parameters
        ----------
        path : str or Path
            The file. One of Parquet may be of any size. Others are read as a whole, since what a
            column of text is, only its last row tells.

        Yields
        ------
        Table
            For ``predict``, as of :meth:`read`; at most 65,536 rows.
        """
        if Path(path).suffix.lower() == PARQUET:
            yield from parquet_batches(path, nominal=self._written, n_rows=BATCH_ROWS)
            return
        table = self.read(path)
        for start in range(0, table.n_rows, BATCH_ROWS):
            yield table.take(np.arange(start, min(start + BATCH_ROWS, table.n_rows)))

    @property
    def _written(self) -> dict[str, None]:
        return {role.name: None for role in self.roles if role.kind in WRITTEN}


def _named(table: Any) -> Table:
    if isinstance(table, Table):
        return table
    if not hasattr(table, "columns"):
        raise ValueError(
            f"A table with names of columns is needed (read_table, or a frame), not a "
            f"{type(table).__name__}."
        )
    return read_table(table)
