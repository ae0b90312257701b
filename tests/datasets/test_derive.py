import numpy as np
import pytest

from kpboost.datasets import DataError, Dataset, Table, catalogue, load
from kpboost.datasets._catalogue import chosen_rows, derive, joined_classes, old_classes
from support.shared_data import data_folder

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
    with pytest.raises(DataError, match=r"has [26] points"):
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
