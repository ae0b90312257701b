"""Out-of-fold answers as an audit has them, kept on disk so that a stopped run can go on.

Models take most of an audit's time and do not depend on how missed parts are looked for. So
benchmarks of the search ask each model once for each data set.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kpboost.auditing._data import AuditData, audit_data_of
from kpboost.auditing._models import models_of
from kpboost.metrics import class_recalls
from kpboost.model_selection import OutOfFold, Split, make_folds

N_FOLDS = 5
# Of scikit-learn, as it is: its answers take a tenth of a second.
QUICK = "quick"
DEFAULT = "default"


@dataclass(frozen=True, eq=False)
class Answers:
    """A prepared table, folds, and the answers of the model under audit."""

    data: AuditData
    folds: list[Split]
    predictions: OutOfFold


def answers_of(
    name: str, make: Callable[[int], Any], model: Any, seed: int, folder: Path | None = None
) -> Answers:
    """Answers to one data set, from the folder where they are there already.

    The model is a classifier, the name of a method, or one of the two names above.
    """
    X, y = make(seed)[:2]
    data = audit_data_of(X, y, y.size, seed)
    folds = make_folds(data.codes, N_FOLDS, seed)
    path = folder / f"{_slug(name)}-{_slug(_name(model))}-{seed}.npz" if folder else None
    if path and path.exists():
        with np.load(path) as kept:
            return Answers(data, folds, OutOfFold(kept["predicted"], kept["scores"], 0.0))
    predictions = _best(_models(model, data, seed), data, folds)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part.npz")
        np.savez_compressed(part, predicted=predictions.predicted, scores=predictions.scores)
        part.rename(path)
    return Answers(data, folds, predictions)


def _models(model: Any, data: AuditData, seed: int) -> list[Any]:
    if isinstance(model, str) and model == QUICK:
        return models_of(make_pipeline(SimpleImputer(), StandardScaler(), SVC()), data, seed)
    is_default = isinstance(model, str) and model == DEFAULT
    return models_of(None if is_default else model, data, seed)


def _name(model: Any) -> str:
    return model if isinstance(model, str) else "own"


def _best(models: list[Any], data: AuditData, folds: list[Split]) -> OutOfFold:
    """Answers of the model with the best balanced accuracy, as an audit chooses it."""
    replies: list[OutOfFold] = [each.out_of_fold(data, folds) for each in models]
    return max(replies, key=lambda reply: _balanced_accuracy(data.codes, reply.predicted))


def _balanced_accuracy(codes: NDArray[np.intp], predicted: NDArray[np.intp]) -> float:
    return float(class_recalls(codes, predicted).mean())


def _slug(name: str) -> str:
    return re.sub(r"\W+", "_", name)
