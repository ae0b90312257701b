"""A trained model with the columns it expects, in one file of the skops format.

A file is not trusted. Its types are listed before anything is built from it, and a type that is
neither known as harmless to skops nor one of ours is refused by name. Compiled trees are not on the
list: arrays in them are followed without checks, so a forged file could crash the program. Who
has made such a file can name the type as trusted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from kpboost.datasets import Feature, Table, encode_like

FORMAT, FORMAT_VERSION = "kpboost model", 1
# Larger than any model of ours; whatever claims more is not one.
MAX_BYTES = 1 << 30
# What our own recipes are made of beyond skops' own list; none of it runs code of the file.
TRUSTED = (
    "kpboost.ensemble.kpboost_svc.KPBoostSVC",
    "kpboost.model_selection.kpboost_svc_cv.KPBoostSVCCV",
    "kpboost.model_selection.rare_class_kfold.RareClassKFold",
    "kpboost.recipes.row_cap.RowCapClassifier",
    "kpboost.svm.kernel_svc.KernelSVC",
    "numpy.dtype",
    "sklearn.metrics._classification.balanced_accuracy_score",
    "sklearn.metrics._scorer._Scorer",
)


class ModelFileError(ValueError):
    """A file that is no model of ours, or holds what must not be loaded."""


@dataclass(frozen=True, slots=True, eq=False)
class SavedModel:
    """A trained model and what it must remember of its training file.

    Attributes
    ----------
    model : Pipeline
        Fitted preparation and classifier.
    method : str
        Name of its recipe.
    target : str
        Name of the class column.
    features : tuple of Feature
        Columns that it takes: names, kinds, categories.
    class_sizes : dict
        Training rows of each class.
    recalls : dict
        Recall of each class, out of fold.
    version : str
        Version of kpboost that trained it.
    """

    model: Any
    method: str
    target: str
    features: tuple[Feature, ...]
    class_sizes: dict[str, int]
    recalls: dict[str, float]
    version: str = version("kpboost")

    def predict(
        self, table: Table, *, extra: str = "refuse", unseen: str = "refuse"
    ) -> NDArray[Any]:
        """Labels of the rows of a table.

        Parameters
        ----------
        table : Table
            A file's columns; the class column may be among them and is not looked at.
        extra : {"refuse", "ignore"}, default="refuse"
            What to do with columns that the training file did not have.
        unseen : {"refuse", "missing"}, default="refuse"
            What to do with categories that the training file did not have.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        known = {feature.name for feature in self.features}
        points = table if self.target in known else table.without(self.target)
        encoded = encode_like(points, self.features, extra=extra, unseen=unseen)
        return np.asarray(self.model.predict(encoded.matrix()))


def save_model(saved: SavedModel, path: str | Path) -> None:
    """Write a model to a file.

    Parameters
    ----------
    saved : SavedModel
        The model.
    path : str or Path
        The file, which is replaced.
    """
    content = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "version": saved.version,
        "method": saved.method,
        "target": saved.target,
        "features": [
            [each.name, each.kind, None if each.categories is None else list(each.categories)]
            for each in saved.features
        ],
        "class_sizes": saved.class_sizes,
        "recalls": saved.recalls,
        "model": saved.model,
    }
    _skops().dump(content, path)


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
        If the file is none of ours or holds types that are not trusted; the message names them.
    """
    file = Path(path)
    if file.stat().st_size > MAX_BYTES:
        raise ModelFileError(f"{path}: is larger than any model of ours ({MAX_BYTES:,} bytes).")
    skops = _skops()
    try:
        types = skops.get_untrusted_types(file=file)
    except Exception as error:  # whatever a forged archive can provoke means the same
        raise ModelFileError(f"{path}: is not a model file.") from error
    strangers = sorted(set(types) - set(TRUSTED) - set(trusted))
    if strangers:
        raise ModelFileError(
            f"{path}: holds {', '.join(strangers)}, which a file must not bring along; if it is "
            "your own file, name the types as trusted (--trust on the command line)."
        )
    try:
        content = skops.load(file, trusted=types)
    except Exception as error:
        raise ModelFileError(f"{path}: is a damaged model file ({error}).") from error
    return _checked(content, path)


def _checked(content: Any, path: str | Path) -> SavedModel:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFileError(f"{path}: is a skops file, but not one that kpboost fit has made.")
    if content.get("format_version") != FORMAT_VERSION:
        raise ModelFileError(
            f"{path}: has the format {content.get('format_version')!r}; this version reads "
            f"{FORMAT_VERSION}."
        )
    try:
        features = tuple(_feature(each) for each in content["features"])
        return SavedModel(
            model=_trained(content["model"], len(features)),
            method=str(content["method"]),
            target=str(content["target"]),
            features=features,
            class_sizes={str(k): int(v) for k, v in content["class_sizes"].items()},
            recalls={str(k): float(v) for k, v in content["recalls"].items()},
            version=str(content["version"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelFileError(f"{path}: is a damaged model file ({error}).") from error


def _trained(model: Any, n_columns: int) -> Any:
    if not isinstance(model, Pipeline):
        raise ValueError(f"its model is a {type(model).__name__}, not a pipeline")
    check_is_fitted(model)
    if model.n_features_in_ != n_columns:
        raise ValueError(f"it names {n_columns} columns for a model of {model.n_features_in_}")
    return model


def _feature(entry: Any) -> Feature:
    name, kind, categories = entry
    if kind not in ("number", "nominal"):
        raise ValueError(f"kind {kind!r} of a column is not known")
    return Feature(str(name), kind, None if categories is None else tuple(map(str, categories)))


def _skops() -> Any:
    try:
        return import_module("skops.io")
    except ImportError as error:
        raise ImportError(
            "Model files need skops, which is not installed: pip install skops."
        ) from error
