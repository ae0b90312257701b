"""The paper's published numbers of disjuncts, from the default finder.

All low-dimensional sets of the catalogue with at most 2,200 points: columns to mean 0 and variance
1, nominal columns as codes in declared order, missing values as the column's mean.
"""

import csv

import numpy as np
import pandas as pd
import pytest

from kpboost.disjuncts import DisjunctFinder
from support.shared_data import DATA, TABLES

CATALOGUE = TABLES / "datasets.csv"
MOST_POINTS = 2200
N_SETS = 53
LEAST_REPRODUCED = 38

# What the finder gives where it misses, and why, as far as is known. Disjuncts depend on the order
# of rows: "orders" is the range over random orders of the same rows (20 for sets of more than 1,000
# points, 100 for others).
MISSES = {
    "balance": (56, "a grid of 5^4 points, most distances tie; orders 50 to 86 leave 118 open"),
    "banana": (50, "the points of the paper's sample are not known; ours are others"),
    "car3": (33, "a grid of 1,728 points, most distances tie; orders 22 to 36 leave 83 open"),
    "dermatology": (31, "with the 8 missing ages as 0 instead of the mean it gives 43"),
    "glass0": (43, "the paper has one point fewer; without any of three negatives it gives 35"),
    "glass123vs456": (49, "not known, perhaps the order of rows; orders 27 to 52"),
    "glass5": (33, "with the rows in the order of UCI's file it gives 35"),
    "glass6_aka_glass7": (35, "with the rows in the order of UCI's file it gives 33"),
    "hayes": (49, "63 duplicates among 132 points, so order and ties; orders 28 to 60"),
    "lymphography": (59, "not known, perhaps the nominal codes or the order; orders 53 to 66"),
    "shuttle": (658, "ties of whole numbers: the lower row here; by unrounded distances 657"),
    "soybean12": (70, "2,337 missing cells, filling and codes are not known; orders 55 to 109"),
    "thyroid1": (19, "with the rows in the order of UCI's file it gives 20"),
    "zoo3": (18, "42 duplicates among 101 points, so order and ties; orders 16 to 26"),
}


def published():
    if not CATALOGUE.exists():
        return {}
    table = pd.read_csv(CATALOGUE)
    chosen = table[table["alias"].str.contains("MD") & (table["points"] <= MOST_POINTS)]
    return dict(zip(chosen["name"], chosen["disjuncts"], strict=True))


def read_set(name):
    file = DATA / f"{name}.csv"
    frame = pd.read_csv(file, dtype=str, keep_default_na=False)
    kinds = declared_types(name)
    columns = [
        numbers_of(frame[column], kinds.get(column, "real")) for column in frame.columns[:-1]
    ]
    return standardised(np.column_stack(columns)), frame.iloc[:, -1].to_numpy(str)


def declared_types(name):
    with open(DATA / "COLUMNS.csv", newline="", encoding="utf-8") as lines:
        rows = [row for row in csv.DictReader(lines) if row["name"] == name]
    return {row["column"]: row["declared_type"] for row in rows}


def numbers_of(column, kind):
    if kind.startswith("nominal"):
        values = kind[kind.index("{") + 1 : kind.rindex("}")].split(",")
        codes = {value.strip(" '\""): str(code) for code, value in enumerate(values)}
        column = column.map(lambda cell: cell if cell == "?" else codes[cell.strip(" '\"")])
    return column.replace("?", "nan").to_numpy(np.float64)


def standardised(X):
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 1e-12, spread, 1.0)


@pytest.fixture(scope="module")
def found():
    names = published()
    if not names:
        pytest.skip("the shared data sets and tables are not here")
    return {name: DisjunctFinder().fit(*read_set(name)).n_disjuncts_ for name in names}


def test_number_of_sets(found):
    assert len(found) == N_SETS


def test_enough_published_numbers_are_reproduced(found):
    exact = [name for name, count in published().items() if found[name] == count]
    assert len(exact) >= LEAST_REPRODUCED


def test_the_misses_are_those_listed(found):
    """A new miss is a change of the algorithm; one that goes away leaves the list."""
    missed = {name: found[name] for name, count in published().items() if found[name] != count}
    assert missed == {name: count for name, (count, _) in MISSES.items()}


def test_missing_ages_as_zero_give_the_published_number(found):
    frame = pd.read_csv(DATA / "dermatology.csv", na_values="?")
    X = standardised(frame.iloc[:, :-1].fillna(0).to_numpy(np.float64))
    assert DisjunctFinder().fit(X, frame.iloc[:, -1]).n_disjuncts_ == published()["dermatology"]


def test_rows_in_the_order_of_uci_give_the_published_number(found):
    """new-thyroid holds the same points as thyroid1, in the order of UCI's file."""
    frames = [pd.read_csv(DATA / f"{name}.csv") for name in ("new-thyroid", "thyroid1")]
    points = [frame.iloc[:, :-1].to_numpy(np.float64) for frame in frames]
    # Equal points of thyroid1 have equal labels, so sorting both pairs the rows.
    here, there = (np.lexsort(each.T) for each in points)
    order = np.empty_like(here)
    order[here] = there
    np.testing.assert_array_equal(points[1][order], points[0])
    y = frames[1].iloc[order, -1]
    finder = DisjunctFinder().fit(standardised(points[0]), y)
    assert finder.n_disjuncts_ == published()["thyroid1"]
