"""From a parent set to one of the paper's: columns left out, points chosen, classes joined.

The rules are words of the catalogue. Classes: ``positive=3+5;negative=*`` joins classes 3 and 5
under one label and all others under another; a class that no part names is left out. Points:
``first 132``, ``draw 3=60;5=60`` (so many of each class, with a fixed seed) or ``listed NAME``
(row numbers in the package).
"""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from .catalogue import CatalogueEntry
from .data_error import DataError
from .dataset import Dataset

IndexArray = NDArray[np.intp]
LabelArray = NDArray[np.str_]

# Of the draws that the paper does not describe: anyone gets the same points, if not the paper's.
SEED = 0
# Stands for all classes that no other part names.
OTHERS = "*"


def derive(parent: Dataset, entry: CatalogueEntry) -> Dataset:
    """Return the paper's set, made from its parent."""
    rows = chosen_rows(parent.y, entry.rows, parent.source)
    labels = joined_classes(parent.y, entry.classes, parent.source)
    rows = rows[labels[rows] != ""]
    kept = [place for place, name in enumerate(parent.feature_names) if name != entry.drop]
    return replace(
        parent,
        name=entry.name,
        X=parent.X[np.ix_(rows, kept)],
        y=labels[rows],
        feature_names=tuple(parent.feature_names[place] for place in kept),
        nominal=parent.nominal[kept],
        categories=tuple(parent.categories[place] for place in kept),
        folds=None,
    )


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
