"""Checks of constructor parameters: one sentence each, with the name, the value, and the allowed.

They run at the start of ``fit``, before any work, and leave the parameters as they are.
"""

from collections.abc import Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Any

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


def check_kernel(value: Any) -> None:
    """Refuse a kernel other than "rbf", "precomputed" or a function."""
    if not (callable(value) or (isinstance(value, str) and value in ("rbf", "precomputed"))):
        raise refusal("kernel", value, "'rbf', 'precomputed' or a function of two sets of rows")


def check_gamma(value: Any, name: str = "gamma") -> None:
    """Refuse a kernel width other than "scale", "auto" or a positive number."""
    check_positive_or_word(name, value, ("scale", "auto"))


def check_class_weight(value: Any) -> None:
    """Refuse class weights other than positive ones, "balanced" or None; labels come later."""
    balanced = isinstance(value, str) and value == "balanced"
    if not (value is None or balanced or isinstance(value, Mapping)):
        raise refusal("class_weight", value, "a dict from label to weight, 'balanced' or None")
    if isinstance(value, Mapping) and not all(is_positive(each) for each in value.values()):
        raise refusal("class_weight", value, "a dict whose weights are positive, finite numbers")


def check_max_iter(value: Any) -> None:
    """Refuse an iteration limit other than a positive whole number or None."""
    if value is not None and not _is_count(value):
        raise refusal("max_iter", value, "a whole number of at least 1, or None")


def check_count(name: str, value: Any) -> None:
    """Refuse anything but a positive whole number."""
    if not _is_count(value):
        raise refusal(name, value, "a whole number of at least 1")


def check_n_neighbors(value: Any) -> None:
    """Refuse anything but "auto" or a positive whole number."""
    automatic = isinstance(value, str) and value == "auto"
    if not (automatic or _is_count(value)):
        raise refusal("n_neighbors", value, "'auto' or a whole number of at least 1")


def check_share(name: str, value: Any) -> None:
    """Refuse anything but a number above 0 and up to 1."""
    if not _is_share(value):
        raise refusal(name, value, "a number above 0 and up to 1")


def check_share_or_none(name: str, value: Any) -> None:
    """Refuse anything but None or a number above 0 and up to 1."""
    if value is not None and not _is_share(value):
        raise refusal(name, value, "None or a number above 0 and up to 1")


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


def check_verbose(value: Any) -> None:
    """Refuse anything but a whole number of at least 0, or a truth value."""
    if not (isinstance(value, Integral) and int(value) >= 0):
        raise refusal("verbose", value, "a whole number of at least 0")


def check_flag(name: str, value: Any) -> None:
    """Refuse anything but True or False."""
    if value is not True and value is not False:
        raise refusal(name, value, "True or False")


def is_not_negative(value: Any) -> bool:
    """Tell whether a value is a finite number of at least 0."""
    return _is_number(value) and isfinite(value) and value >= 0


def is_positive(value: Any) -> bool:
    """Tell whether a value is a finite number above 0."""
    return _is_number(value) and isfinite(value) and value > 0


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def _is_share(value: Any) -> bool:
    return is_positive(value) and value <= 1


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def refusal(name: str, value: Any, allowed: str) -> ValueError:
    """Return the error of a parameter: its name, its value, and what it must be, in words."""
    return ValueError(f"{name}={value!r} is not allowed; it must be {allowed}.")
