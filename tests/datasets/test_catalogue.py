"""The catalogue next to the paper's own table."""

import csv

import numpy as np
import pytest

from kpboost.datasets import catalogue
from kpboost.datasets._catalogue import chosen_rows, listed_rows, parents, unknown
from support.shared_data import table_file


def test_facts_are_the_papers():
    with table_file("datasets.csv").open() as file:
        printed = [tuple(row.values()) for row in csv.DictReader(file)]
    ours = [
        (e.alias, e.name, e.n_points, e.n_features, e.n_classes, e.imbalance_ratio, e.n_disjuncts)
        for e in catalogue()
    ]
    assert ours == [
        (alias, name, *map(int, sizes), float(ratio), int(disjuncts))
        for alias, name, *sizes, ratio, disjuncts in printed
    ]


def test_seventy_three_sets_in_four_groups():
    groups = [entry.group for entry in catalogue()]
    counts = {group: groups.count(group) for group in groups}
    assert counts == {
        "two-class-low": 42,
        "two-class-high": 10,
        "multi-class-low": 12,
        "multi-class-high": 9,
    }


def test_groups_follow_from_classes_and_dimension():
    for entry in catalogue():
        classes = "two-class" if entry.n_classes == 2 else "multi-class"
        # Below a hundred the paper calls a set low-dimensional, above five hundred high.
        assert entry.group == f"{classes}-{'low' if entry.n_features < 100 else 'high'}"


@pytest.mark.parametrize("entry", catalogue(), ids=lambda entry: entry.name)
def test_every_set_says_where_it_comes_from(entry):
    assert entry.derivation
    assert entry.source
    joined = [part.partition("=")[0] for part in entry.classes.split(";") if part]
    assert len(joined) in (0, entry.n_classes)


def test_parents_of_which_something_is_known_have_children():
    assert set(parents()) <= {entry.parent for entry in catalogue()}


@pytest.mark.parametrize("entry", [e for e in catalogue() if e.rows], ids=lambda e: e.name)
def test_chosen_points_are_as_many_as_the_paper_has(entry):
    kind, _, rest = entry.rows.partition(" ")
    if kind == "listed":
        assert len(set(listed_rows(rest))) == len(listed_rows(rest)) == entry.n_points
    elif kind == "first":
        assert int(rest) == entry.n_points
    else:
        sizes = {part.partition("=")[0]: int(part.partition("=")[2]) for part in rest.split(";")}
        y = [label for label in sizes for _ in range(3000)]
        assert len(chosen_rows(np.array(y), entry.rows, "")) == entry.n_points


def test_a_wrong_name_is_answered_with_the_nearest():
    assert "did you mean 'glass015vs2'" in unknown("glass15vs2", ())
    assert "did you mean" not in unknown("###", ())
