"""A trained model with the columns it expects, in one file of the skops format."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from kpboost._files import replace_file
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
from kpboost.methods import METHODS, current_name
from kpboost.model_selection import OperatingPoint, decision_scores, positive_class

from ._archive import ModelFileError, described, refusal
from ._evaluation import BASELINES, weakness
from ._held_out import (
    ROUNDING,
    HeldOutScores,
    as_content,
    checked_held_out,
    checked_point,
    checked_wish,
    one_score,
    oriented,
)
from ._trusted import dumped, load_to_predict, load_to_train, unknown_types

FORMAT, FORMAT_VERSION = "kpboost model", 3
# Files of the first version have former names of methods, and imbalanced-learn's RUSBoost under the
# name that is the paper's now. Those of the second have no out-of-fold scores either.
FIRST_VERSION, READ_VERSIONS = 1, (1, 2, 3)
FIRST_NAMES = {"rusboost": "rusboost_imblearn"}
# Roles of columns whose cells must be read as text, lest 1.234 become a little more than one.
WRITTEN = ("identifier", "date", "number")
# Files that need not fit into memory, and rows that are answered at a time.
PARQUET, BATCH_ROWS = ".parquet", 65_536
ADVICE = "if it is your own file, name the types as trusted (--trust on the command line)"


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
        dropped = [role.name for role in self.roles if role.kind in ("dropped", "text")]
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
            For ``predict``. Identifiers, dates and numbers with a comma are in it as they were
            written: by themselves, new rows might read otherwise.
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


def save_model(saved: SavedModel, path: str | Path) -> None:
    """Write a model to a file.

    Parameters
    ----------
    saved : SavedModel
        The model.
    path : str or Path
        The file, which is replaced as a whole.
    """
    content = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "version": saved.version,
        "method": saved.method,
        "target": saved.target,
        "features": [
            [name, *(["number", None] if words is None else ["nominal", list(words)])]
            for name, words in zip(saved.features.names, saved.features.categories, strict=True)
        ],
        "class_sizes": saved.class_sizes,
        "recalls": saved.recalls,
        "tested_sizes": saved.n_tested,
        "n_rows": saved.n_rows,
        "tune": saved.tune,
        "random_state": saved.random_state,
        "n_folds": saved.n_folds,
        "left_out": list(saved.left_out),
        "roles": [
            [role.name, role.kind, role.reason, role.way, list(role.parts), role.asked]
            for role in saved.roles
        ],
        "asked": _as_data(saved.asked),
        "leaks": [[leak.column, leak.score, leak.follows_rows] for leak in saved.leaks],
        "n_copies": saved.n_copies,
        "copies_together": saved.copies_together,
        "held_out": as_content(saved.held_out),
        "operating_point": saved.operating_point and saved.operating_point.as_dict(),
        "model": saved.model,
    }
    replace_file(path, dumped(content))


def load_model(path: str | Path, *, trusted: Sequence[str] = ()) -> SavedModel:
    """Read a model from a file.

    Parameters
    ----------
    path : str or Path
        The file.
    trusted : sequence of str, default=()
        Types to accept beyond our own list, by their full names.

    Returns
    -------
    SavedModel

    Raises
    ------
    ModelFileError
        If the file is not a model of kpboost, or holds types that are not trusted; the message
        names them.
    """
    saved = checked_model(load_to_predict(path, trusted, ADVICE), path)
    try:
        _try_out(saved)
    except Exception as error:  # a trained model has an answer for every row
        raise refusal(path, f"is a damaged model file ({type(error).__name__}: {error})") from error
    return saved


def is_model_file(path: str | Path) -> bool:
    """Tell whether a file looks like one of ``save_model``; nothing is built from it."""
    return FORMAT.encode() in described(path)


def types_to_trust(path: str | Path) -> tuple[str, ...]:
    """Types in a skops file that must be named as trusted before it is loaded; none of most."""
    return tuple(unknown_types(path))


def checked_model(content: Any, path: str | Path, *, trained: bool = True) -> SavedModel:
    """Return what a file has held as a model, if it is one; by default only a trained one."""
    if not is_saved_model(content):
        raise ModelFileError(f"{path}: is a skops file, but not one that kpboost fit has made.")
    if content.get("format_version") not in READ_VERSIONS:
        raise refusal(
            path,
            f"has the format {content.get('format_version')!r}; this version reads "
            f"{READ_VERSIONS[0]} to {READ_VERSIONS[-1]}",
        )
    try:
        features = _features(content["features"], content.get("roles", ()))
        model = _pipeline(content["model"])
        sizes = {str(k): _count(v) for k, v in content["class_sizes"].items()}
        return SavedModel(
            model=_trained(model, len(features.names)) if trained else model,
            method=_method(content),
            target=str(content["target"]),
            features=features,
            class_sizes=sizes,
            recalls={str(k): _share(content["recalls"][k]) for k in content["class_sizes"]},
            n_rows=_count(content.get("n_rows", sum(sizes.values()))),
            tested_sizes=_tested(content.get("tested_sizes", sizes), sizes),
            tune=bool(content.get("tune", False)),
            random_state=_count(content.get("random_state", 0)),
            n_folds=_count(content.get("n_folds", 5)),
            left_out=tuple(map(str, content.get("left_out", ()))),
            asked=_asked(content["asked"]) if "asked" in content else _asked_by(features.roles),
            leaks=tuple(_leak(each) for each in content.get("leaks", ())),
            n_copies=_count(content.get("n_copies", 0)),
            copies_together=bool(content.get("copies_together", False)),
            version=str(content["version"]),
            held_out=checked_held_out(content.get("held_out"), len(sizes), BASELINES),
            operating_point=checked_point(content.get("operating_point"), [*sizes]),
        )
    except Exception as error:
        raise refusal(path, f"is a damaged model file ({error})") from error


def is_saved_model(content: Any) -> bool:
    """Tell whether a file's content claims to be a model of ours."""
    return isinstance(content, dict) and content.get("format") == FORMAT


def _method(content: Any) -> str:
    """Return the name of the method as it is now."""
    name = str(content["method"])
    former = FIRST_NAMES if content["format_version"] == FIRST_VERSION else {}
    return former.get(name, current_name(name))


def _pipeline(model: Any) -> Any:
    if not isinstance(model, Pipeline):
        raise ValueError(f"its model is a {type(model).__name__}, not a pipeline")
    return model


def _trained(model: Any, n_columns: int) -> Any:
    check_is_fitted(model)
    if model.n_features_in_ != n_columns:
        raise ValueError(f"it names {n_columns} columns for a model of {model.n_features_in_}")
    return model


def _features(columns: Any, entries: Any) -> Table:
    """Return the features, if none is a column that their roles leave out or take to pieces."""
    roles = tuple(_role(each) for each in entries)
    names, categories = zip(*map(_feature, columns), strict=True)
    gone = {role.name for role in roles if role.is_left_out or role.kind == "date"}
    both = sorted(gone & {*names})
    if both:
        raise ValueError(f"it takes the column {both[0]!r} and leaves it out")
    return Table.without_rows(names, categories, roles)


def _role(entry: Any) -> ColumnRole:
    name, kind, reason, way, parts, asked = entry
    return ColumnRole(str(name), kind, str(reason), way, tuple(map(str, parts)), bool(asked))


def _as_data(asked: ColumnChoices) -> list[Any]:
    keep = asked.keep if isinstance(asked.keep, str) else list(asked.keep)
    return [list(asked.drop), list(asked.id_columns), keep, asked.many_classes]


def _asked(entry: Any) -> ColumnChoices:
    drop, id_columns, keep, many_classes = entry
    return ColumnChoices(drop, id_columns, keep, bool(many_classes))


def _asked_by(roles: Sequence[ColumnRole]) -> ColumnChoices:
    """Return what was asked as far as the roles tell, for files that do not say it themselves."""
    dropped, named, kept = (
        [role.name for role in roles if role.asked and role.kind == kind]
        for kind in ("dropped", "identifier", "kept")
    )
    return ColumnChoices(dropped, named, kept)


def _leak(entry: Any) -> Leak:
    column, score, follows_rows = entry
    return Leak(str(column), float(score), bool(follows_rows))


def _try_out(saved: SavedModel) -> None:
    """Predict rows of missing values, of zeros and of last categories, as any model of ours can."""
    n_categories = [len(words or ("",)) for words in saved.features.categories]
    rows = np.array([[np.nan] * len(n_categories), [0.0] * len(n_categories), n_categories])
    rows[2] -= 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answers = np.asarray(saved.model.predict(rows))
        scores = saved._scores(rows)
        likely = saved._probabilities(rows) if _has_probabilities(saved) else None
    if answers.shape != (len(rows),) or not {*map(str, answers)} <= saved.class_sizes.keys():
        raise ValueError("it predicts labels that it does not name")
    if [*map(str, saved.model.classes_)] != [*saved.class_sizes]:
        raise ValueError("it has other classes than it names")
    if not np.isfinite(scores).all() or not _are_probabilities(likely, len(rows), saved):
        raise ValueError("its scores or probabilities are not valid")


def _has_probabilities(saved: SavedModel) -> bool:
    return saved.held_out is not None or hasattr(saved.model, "predict_proba")


def _are_probabilities(likely: FloatArray | None, n_rows: int, saved: SavedModel) -> bool:
    if likely is None:
        return True
    fits = likely.shape == (n_rows, len(saved.class_sizes)) and np.isfinite(likely).all()
    return bool(fits and (likely >= 0).all() and np.abs(likely.sum(axis=1) - 1).max() <= ROUNDING)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ValueError(f"{value!r} is not a number of rows, folds or draws")
    return int(value)


def _tested(given: Any, sizes: dict[str, int]) -> dict[str, int]:
    """Return the rows of each class that were tested, no more than there are."""
    tested = {str(name): _count(value) for name, value in given.items()}
    if [*tested] != [*sizes] or any(not 0 < tested[name] <= sizes[name] for name in sizes):
        raise ValueError("it tested other rows than it has")
    return tested


def _share(value: Any) -> float:
    if not 0.0 <= float(value) <= 1.0:
        raise ValueError(f"{value!r} is not a recall")
    return float(value)


def _feature(entry: Any) -> tuple[str, tuple[str, ...] | None]:
    name, kind, categories = entry
    if kind not in ("number", "nominal"):
        raise ValueError(f"kind {kind!r} of a column is not known")
    return str(name), None if categories is None else tuple(map(str, categories))


def load_estimator(path: str | Path, *, trusted: Sequence[str] = ()) -> Any:
    """Read a classifier, or a model of ours, from a skops file.

    Parameters
    ----------
    path : str or Path
        A file of ``skops.io.dump``: a scikit-learn classifier or pipeline, fitted or not; or a file
        of ``kpboost fit``.
    trusted : sequence of str, default=()
        Types to accept beyond scikit-learn's estimators and our own, by their full names. They are
        restored as they are in the file, fitted state and all.

    Returns
    -------
    classifier or SavedModel
        What the file holds, with its settings, its classes and its columns; it is not fitted.

    Raises
    ------
    ModelFileError
        If it holds something else, or types that are not trusted; the message names them.
    """
    content = load_to_train(path, trusted, ADVICE)
    if is_saved_model(content):
        return checked_model(content, path, trained=False)
    if not _can_be_trained(content):
        raise refusal(
            path,
            f"holds a {type(content).__name__}; a classifier, a pipeline that ends in one, "
            "or a model of kpboost fit is needed",
        )
    return content


def _can_be_trained(content: Any) -> bool:
    """Tell whether something is a classifier whose settings are all there."""
    try:
        clone(content)
        return bool(is_classifier(content))
    except Exception:  # of a forged file, whatever scikit-learn stumbles over
        return False
