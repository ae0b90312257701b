"""Checks of the finder's parameters: one sentence each, with the value and what is allowed."""

from numbers import Integral
from typing import Any


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Refuse a word that is not among the allowed ones."""
    if not isinstance(value, str) or value not in allowed:
        raise _refusal(name, value, " or ".join(repr(word) for word in allowed))


def check_n_neighbors(value: Any) -> None:
    """Refuse anything but "auto" or a positive whole number."""
    automatic = isinstance(value, str) and value == "auto"
    if not (automatic or (_is_whole(value) and value >= 1)):
        raise _refusal("n_neighbors", value, "'auto' or a whole number of at least 1")


def check_n_jobs(value: Any) -> None:
    """Refuse a number of jobs other than None or a whole number except 0."""
    if value is not None and not (_is_whole(value) and value != 0):
        raise _refusal("n_jobs", value, "None or a whole number other than 0 (-1: all processors)")


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _refusal(name: str, value: Any, allowed: str) -> ValueError:
    return ValueError(f"{name}={value!r} is not allowed; it must be {allowed}.")
