"""Any scikit-learn classifier as a weak learner: its seeds, its weights, its confidences."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import has_fit_parameter

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

LARGEST_SEED = np.iinfo(np.int32).max


def check_classifier(value: Any) -> None:
    """Refuse anything but a classifier of scikit-learn's kind, as an object."""
    instance = not isinstance(value, type) and hasattr(value, "get_params")
    if not (instance and is_classifier(value)):
        raise ValueError(
            f"estimator={value!r} is not allowed; it must be a classifier, such as "
            "DecisionTreeClassifier(), or None."
        )


def fresh_learner(prototype: Any, rng: np.random.RandomState) -> Any:
    """Clone a classifier and give every random state in it a seed of its own."""
    learner = clone(prototype)
    names = sorted(name for name in learner.get_params() if _is_random_state(name))
    return learner.set_params(**{name: rng.randint(LARGEST_SEED) for name in names})


def fit_weighted(
    learner: Any, X: Any, codes: IndexArray, weight: FloatArray, rng: np.random.RandomState
) -> Any:
    """Train on weighted points; by resampling, if the learner's `fit` knows no weights.

    Parameters
    ----------
    learner : classifier
    X : ndarray or CSR matrix of shape (n, n_features)
    codes : ndarray of shape (n,)
        Number of each point's class.
    weight : ndarray of shape (n,)
        Any positive total; the learner sees weights with a mean of 1, because trees compare them
        with numbers of points.
    rng : RandomState

    Returns
    -------
    classifier
        The learner itself, fitted.
    """
    share = weight / weight.sum()
    if has_fit_parameter(learner, "sample_weight"):
        return learner.fit(X, codes, sample_weight=share * share.size)
    rows = resample(codes, share, rng)
    return learner.fit(X[rows], codes[rows])


def resample(codes: IndexArray, share: FloatArray, rng: np.random.RandomState) -> IndexArray:
    """Draw as many points as there are, by their shares, with replacement.

    A class that was not drawn gets its heaviest point, since learners need two classes or more.
    """
    drawn = rng.choice(codes.size, size=codes.size, p=share)
    missing = np.setdiff1d(codes, codes[drawn])
    heaviest = [np.where(codes == code, share, -1.0).argmax() for code in missing]
    return np.concatenate([drawn, np.array(heaviest, dtype=np.intp)])


def confidence(learner: Any, X: Any, n_classes: int) -> FloatArray:
    """Class confidences in [0, 1], 0 for classes that the learner has not met.

    Parameters
    ----------
    learner : classifier
        Fitted on class numbers. Without `predict_proba` its labels count as certain.
    X : ndarray or CSR matrix of shape (n, n_features)
    n_classes : int

    Returns
    -------
    ndarray of shape (n, n_classes)
    """
    if not hasattr(learner, "predict_proba"):
        return np.asarray(np.eye(n_classes)[learner.predict(X)])
    full = np.zeros((X.shape[0], n_classes))
    full[:, learner.classes_] = learner.predict_proba(X)
    return full


def _is_random_state(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")
