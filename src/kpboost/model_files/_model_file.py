"""Models as files of the skops format: what is written, and what is checked when it is read."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from kpboost._files import replace_file
from kpboost._typing import FloatArray
from kpboost.datasets import ColumnChoices, ColumnRole, Leak, Table
from kpboost.methods import current_name

from ._archive import ModelFileError, described, refusal
from ._evaluation import BASELINES
from ._held_out import ROUNDING, as_content, checked_held_out, checked_point
from ._saved_model import SavedModel
from ._trusted import dumped, load_to_predict, load_to_train, unknown_types

FORMAT, FORMAT_VERSION = "kpboost model", 3
# Files of the first version have former names of methods, and imbalanced-learn's RUSBoost under the
# name that is the paper's now. Those of the second have no out-of-fold scores either.
FIRST_VERSION, READ_VERSIONS = 1, (1, 2, 3)
FIRST_NAMES = {"rusboost": "rusboost_imblearn"}
ADVICE = "if it is your own file, name the types as trusted (--trust on the command line)"


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
