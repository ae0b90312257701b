"""Checks of constructor parameters: one sentence each, with the name, the value, and the allowed.

They run at the start of ``fit``, before any work, and leave the parameters as they are.
"""

import reprlib
from collections.abc import Callable, Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from kpboost._typing import BoolArray, FloatArray

# scikit-learn takes one more; an audit adds 1 to its seed for new folds.
LARGEST_SEED = 2**32 - 2


def check_positive(name: str, value: Any) -> None:
    """Refuse anything but a positive, finite number."""
    if not is_positive(value):
        raise refusal(name, value, "a positive, finite number")


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Refuse a word that is not among the allowed ones."""
    if not isinstance(value, str) or value not in allowed:
        raise refusal(name, value, " or ".join(repr(word) for word in allowed))


def check_positive_or_word(name: str, value: Any, words: tuple[str, ...]) -> None:
    """Refuse anything but a positive, finite number or one of the words."""
    if not (is_positive(value) or (isinstance(value, str) and value in words)):
        listed = ", ".join(repr(word) for word in words)
        raise refusal(name, value, f"{listed} or a positive, finite number")


def check_kernel(name: str, value: Any) -> None:
    """Refuse a kernel other than "rbf", "precomputed" or a function."""
    if not (callable(value) or (isinstance(value, str) and value in ("rbf", "precomputed"))):
        raise refusal(name, value, "'rbf', 'precomputed' or a function of two sets of rows")


def check_gamma(name: str, value: Any) -> None:
    """Refuse a kernel width other than "scale", "auto" or a positive number."""
    check_positive_or_word(name, value, ("scale", "auto"))


def check_class_weight(name: str, value: Any) -> None:
    """Refuse class weights other than positive ones, "balanced" or None; labels come later."""
    balanced = isinstance(value, str) and value == "balanced"
    if not (value is None or balanced or isinstance(value, Mapping)):
        raise refusal(name, value, "a dict from label to weight, 'balanced' or None")
    if isinstance(value, Mapping) and not all(is_positive(each) for each in value.values()):
        raise refusal(name, value, "a dict whose weights are positive, finite numbers")


def check_max_iter(name: str, value: Any) -> None:
    """Refuse an iteration limit other than a positive whole number or None."""
    if value is not None and not is_count(value):
        raise refusal(name, value, "a whole number of at least 1, or None")


def check_count(name: str, value: Any) -> None:
    """Refuse anything but a positive whole number."""
    if not is_count(value):
        raise refusal(name, value, "a whole number of at least 1")


def check_n_neighbors(value: Any) -> None:
    """Refuse anything but "auto" or a positive whole number."""
    automatic = isinstance(value, str) and value == "auto"
    if not (automatic or is_count(value)):
        raise refusal("n_neighbors", value, "'auto' or a whole number of at least 1")


def check_share(name: str, value: Any) -> None:
    """Refuse anything but a number above 0 and up to 1."""
    if not _is_share(value):
        raise refusal(name, value, "a number above 0 and up to 1")


def check_share_or_none(name: str, value: Any) -> None:
    """Refuse anything but None or a number above 0 and up to 1."""
    if value is not None and not _is_share(value):
        raise refusal(name, value, "None or a number above 0 and up to 1")


def check_roi_scale(name: str, value: Any) -> None:
    """Refuse anything but None or a number from 0 to 1."""
    if value is not None and not (is_not_negative(value) and value <= 1):
        raise refusal(name, value, "None or a number from 0 to 1")


def check_not_negative(name: str, value: Any) -> None:
    """Refuse anything but a finite number of at least 0."""
    if not is_not_negative(value):
        raise refusal(name, value, "a finite number of at least 0")


def check_not_negative_or_none(name: str, value: Any) -> None:
    """Refuse anything but None or a finite number of at least 0."""
    if value is not None and not is_not_negative(value):
        raise refusal(name, value, "None or a finite number of at least 0")


def check_n_jobs(value: Any) -> None:
    """Refuse a number of jobs other than None or a whole number except 0."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if value is not None and not (whole and value != 0):
        raise refusal("n_jobs", value, "None or a whole number other than 0 (-1: all processors)")


def check_seed(name: str, value: Any) -> None:
    """Refuse anything but a whole number that every generator of numpy takes."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not (whole and 0 <= int(value) <= LARGEST_SEED):
        raise refusal(name, value, f"a whole number from 0 to {LARGEST_SEED}")


def check_verbose(name: str, value: Any) -> None:
    """Refuse anything but a whole number of at least 0, or a Boolean."""
    if not (isinstance(value, Integral) and int(value) >= 0):
        raise refusal(name, value, "a whole number of at least 0")


def check_flag(name: str, value: Any) -> None:
    """Refuse anything but True or False."""
    if value is not True and value is not False:
        raise refusal(name, value, "True or False")


def check_multi_class(name: str, value: Any) -> None:
    """Refuse anything but "one_vs_one" or "one_vs_rest"."""
    check_choice(name, value, ("one_vs_one", "one_vs_rest"))


def check_voting(name: str, value: Any) -> None:
    """Refuse anything but "hard" or "soft"."""
    check_choice(name, value, ("hard", "soft"))


# Parameters whose names mean the same in all estimators, in the order of the checks.
SHARED: Mapping[str, Callable[[str, Any], None]] = {
    "C": check_positive,
    "cache_size": check_positive,
    "class_weight": check_class_weight,
    "gamma": check_gamma,
    "max_iter": check_max_iter,
    "min_improvement": check_not_negative_or_none,
    "multi_class": check_multi_class,
    "n_estimators": check_count,
    "n_iterations": check_count,
    "n_jobs": lambda name, value: check_n_jobs(value),
    "normalize": check_flag,
    "tol": check_positive,
    "verbose": check_verbose,
    "voting": check_voting,
}


def check_shared(estimator: Any) -> None:
    """Refuse bad values of those parameters that an estimator shares with others."""
    given = vars(estimator)  # get_params reads the constructor's signature every time, and is slow
    for name, check in SHARED.items():
        if name in given:
            check(name, given[name])


def is_not_negative(value: Any) -> bool:
    """Tell whether a value is a finite number of at least 0."""
    return _is_number(value) and isfinite(value) and value >= 0


def is_positive(value: Any) -> bool:
    """Tell whether a value is a finite number above 0."""
    return _is_number(value) and isfinite(value) and value > 0


def is_count(value: Any) -> bool:
    """Tell whether a value is a positive whole number."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def _is_share(value: Any) -> bool:
    return is_positive(value) and value <= 1


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def refusal(name: str, value: Any, allowed: str) -> ValueError:
    """Return the error of a parameter: its name, its value, and what it must be, in words."""
    return ValueError(f"{name}={value!r} is not allowed; it must be {allowed}.")


def check_sample_weight(sample_weight: ArrayLike | None, n_samples: int) -> FloatArray:
    """Sample weights as an array: one per sample, none negative, some positive; ones by default.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), number or None
        Weights as the user gave them; one number stands for all samples.
    n_samples : int
        Number of samples.

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    if sample_weight is None:
        return np.ones(n_samples)
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"sample_weight={reprlib.repr(sample_weight)} is not allowed; it must be one number "
            "per sample, or None."
        ) from None
    if weight.ndim == 0:
        weight = np.full(n_samples, weight)
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}; one weight per sample is needed, "
            f"({n_samples},)."
        )
    if not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise ValueError("sample_weight has negative or non-finite values; 0 or more is allowed.")
    if not np.any(weight):
        raise ValueError("sample_weight is zero for every sample; some must be positive.")
    return weight


def check_class_sizes(class_sizes: Any, classes: NDArray[Any]) -> FloatArray:
    """Return the sizes that some classes are told to have.

    Parameters
    ----------
    class_sizes : mapping
        From labels to positive numbers; labels that are not asked for may be among them.
    classes : ndarray of shape (n_classes,)
        The labels asked for.

    Returns
    -------
    ndarray of shape (n_classes,)
    """
    labels = classes.tolist()
    known = isinstance(class_sizes, Mapping) and {*labels} <= {*class_sizes}
    if not known or not all(is_positive(class_sizes[label]) for label in labels):
        allowed = f"a mapping with a positive number for each class, {labels}"
        raise refusal("class_sizes", class_sizes, allowed)
    return np.array([class_sizes[label] for label in labels], dtype=np.float64)


def well_formed(X: Any) -> Any:
    """Return X as it is, unless it is sparse and its indices point outside.

    Parameters
    ----------
    X : object
        Points of any kind. Compiled code, scipy's and ours, follows the indices of a sparse matrix
        without looking; scikit-learn does not look either. It refuses other than two dimensions.

    Returns
    -------
    object
        X itself.

    Raises
    ------
    ValueError
        If it is a sparse matrix with an index that is out of range.
    """
    if sparse.issparse(X) and X.ndim == 2:
        try:
            _check_indices(X)
        except (ValueError, IndexError, TypeError) as error:
            raise ValueError(f"X is a sparse matrix with indices out of range: {error}.") from error
    return X


def _check_indices(X: Any) -> None:
    if X.format in ("csr", "csc", "bsr"):
        # a second matrix on the same arrays, as the check may tidy up what it looks at
        type(X)((X.data, X.indices, X.indptr), shape=X.shape).check_format(full_check=True)
    elif X.format == "coo":
        for places, length in zip((X.row, X.col), X.shape, strict=True):
            if places.shape != X.data.shape:
                raise ValueError("there must be a row and a column for every value")
            if places.size and not 0 <= places.min() <= places.max() < length:
                raise ValueError(f"a place lies outside the shape {X.shape}")
    else:
        _check_indices(X.tocsr())


def categorical_mask(
    categorical_features: ArrayLike | None, n_features: int, names: NDArray[Any] | None
) -> BoolArray:
    """Which columns are nominal.

    Parameters
    ----------
    categorical_features : array-like or None
        A Boolean per column, numbers of columns, or names of columns; None is none.
    n_features : int
        Number of columns.
    names : ndarray of shape (n_features,) or None
        Names of the columns, where the data had names.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    mask = np.zeros(n_features, dtype=bool)
    if categorical_features is None:
        return mask
    chosen = np.asarray(categorical_features)
    if chosen.size == 0:
        return mask
    if chosen.ndim == 1 and chosen.dtype == bool:
        return _checked_mask(chosen, n_features)
    if chosen.ndim == 1 and np.issubdtype(chosen.dtype, np.integer):
        mask[_checked_numbers(chosen, n_features)] = True
        return mask
    if chosen.ndim == 1 and all(isinstance(name, str) for name in chosen.tolist()):
        mask[_positions(chosen, names)] = True
        return mask
    raise ValueError(
        f"categorical_features={categorical_features!r} is not allowed; it must be None, one truth "
        "value per column, or a list of column numbers or names."
    )


def _checked_mask(chosen: BoolArray, n_features: int) -> BoolArray:
    if chosen.size != n_features:
        raise ValueError(
            f"categorical_features has {chosen.size} Booleans, but X has {n_features} columns."
        )
    return chosen.copy()


def _checked_numbers(chosen: NDArray[Any], n_features: int) -> NDArray[Any]:
    strange = chosen[(chosen < 0) | (chosen >= n_features)]
    if strange.size:
        raise ValueError(
            f"categorical_features names column {strange[0]}, but the columns of X are 0 to "
            f"{n_features - 1}."
        )
    return chosen


def _positions(chosen: NDArray[Any], names: NDArray[Any] | None) -> list[int]:
    known = [] if names is None else names.tolist()
    strange = [name for name in chosen.tolist() if name not in known]
    if strange:
        raise ValueError(
            f"categorical_features names the column {strange[0]!r}, but the columns of X "
            + (f"are {known}." if known else "have no names.")
        )
    return [known.index(name) for name in chosen.tolist()]


def is_on_dask(data: Any) -> bool:
    """Tell whether data are a collection of dask, which need not be installed."""
    return hasattr(data, "__dask_graph__")


def refuse_dask(X: Any) -> None:
    """Refuse a collection of dask, which a cluster would have to send here whole."""
    if is_on_dask(X):
        raise ValueError(
            "X is a dask collection, and all of it would be loaded into memory; predict chunk by "
            "chunk with X.map_blocks(model.predict, ...) or X.map_partitions(model.predict, ...), "
            "or pass X.compute() if it fits."
        )
