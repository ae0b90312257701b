"""Classifiers from skops files that other people's programs have written.

Nothing here predicts by a loaded model: an audit trains its settings anew. So only settings are
restored, and what a fit has left behind stays in the file, where it can do no harm.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sklearn.base import clone, is_classifier

from .archive import refusal
from .saved_model import ADVICE, checked_model, is_saved_model
from .trusted import load_to_train


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
