"""The catalogue next to the paper's own table."""

import csv

import numpy as np
import pytest

from kpboost.datasets import DataError, Dataset, Table, catalogue, load
from kpboost.datasets._catalogue import (
    chosen_rows,
    derive,
    joined_classes,
    listed_rows,
    old_classes,
    parent,
    parents,
    unknown,
)
from support.shared_data import data_folder, table_file


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
    assert "did you mean 'glass015vs2'" in unknown("glass15vs2")
    assert "did you mean" not in unknown("###")


def test_a_parent_of_which_nothing_is_known_has_a_name_only():
    assert parent("nobody").name == "nobody"
    assert not parent("nobody").common
    assert parent("nobody").nominal == {}


@pytest.mark.parametrize("known", parents().values(), ids=lambda known: known.name)
def test_facts(known):
    assert known.common or known.openml or known.sklearn
    assert not known.columns or known.columns[-1] == "class"
    assert not known.openml or known.openml.partition(":")[2].isdigit()
    for categories in known.nominal.values():
        assert len(categories) == len(set(categories)) >= 2


def test_abalones_sexes_are_in_keels_order():
    assert parent("abalone").nominal == {"Sex": ("M", "F", "I")}


ENTRIES = {entry.name: entry for entry in catalogue()}
Y = np.array(["1", "2", "3", "3", "2", "1"])


def test_classes_are_joined():
    assert joined_classes(Y, "a=1+3;b=2", "").tolist() == ["a", "b", "a", "a", "b", "a"]
    assert joined_classes(Y, "p=2;n=*", "").tolist() == ["n", "p", "n", "n", "p", "n"]
    assert joined_classes(Y, "p=2;n=1", "").tolist() == ["n", "p", "", "", "p", "n"]
    assert joined_classes(Y, "", "").tolist() == Y.tolist()


def test_a_class_that_does_not_occur_is_named():
    with pytest.raises(DataError, match=r"f\.csv: has no class '7'"):
        joined_classes(Y, "p=7;n=*", "f.csv")


def test_classes_that_a_rule_names():
    assert old_classes(ENTRIES["glass015vs2"]) == {"1", "2", "3", "6"}
    assert old_classes(ENTRIES["car3"]) == {"good"}


def test_points_are_chosen():
    assert chosen_rows(Y, "", "").tolist() == [0, 1, 2, 3, 4, 5]
    assert chosen_rows(Y, "first 2", "").tolist() == [0, 1]
    drawn = chosen_rows(Y, "draw 3=1;1=2", "")
    assert sorted(Y[drawn]) == ["1", "1", "3"]
    assert np.array_equal(drawn, np.sort(drawn))
    assert np.array_equal(drawn, chosen_rows(Y, "draw 3=1;1=2", ""))


@pytest.mark.parametrize("rule", ["first 7", "draw 3=3", "listed pageblocks"])
def test_too_few_points_are_refused(rule):
    with pytest.raises(DataError, match=r"has [26] rows"):
        chosen_rows(Y, rule, "f.csv")


def test_columns_follow_their_points():
    parent = Dataset(
        name="glass",
        table=Table(("Id", "RI", "Sort"), np.arange(15.0).reshape(5, 3), (None, None, ("x", "y"))),
        y=np.array(["1", "2", "3", "5", "6"]),
        folds=((np.arange(3), np.arange(3, 5)),),
    )
    child = derive(parent, ENTRIES["glass015vs2"])
    assert child.name == "glass015vs2"
    assert child.X.tolist() == [[1, 2], [4, 5], [7, 8], [13, 14]]
    assert child.y.tolist() == ["negative", "negative", "positive", "negative"]
    assert child.feature_names == ("RI", "Sort")
    assert child.nominal.tolist() == [False, True]
    assert child.categories == (None, ("x", "y"))
    assert child.folds is None


@pytest.mark.parametrize("name", ["banana", "CNAE9_2", "CNAE9_35vs6789", "soybean12", "abalone19"])
def test_children_of_the_shared_parents_are_the_shared_sets(name):
    folder = data_folder()
    expected = load(name, data_dir=folder)
    made = load(name, data_dir=folder / "parents")
    assert made.source.endswith(f"{ENTRIES[name].parent}.csv")
    assert np.array_equal(made.X, expected.X, equal_nan=True)
    assert np.array_equal(made.y, expected.y)
