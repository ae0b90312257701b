"""Files of the user's folder: which one is taken, and what it is taken for."""

import numpy as np
import pytest

from kpboost.datasets import catalogue, load, source_of
from kpboost.datasets._sources import find_file, from_folder

ENTRIES = {entry.name: entry for entry in catalogue()}
KEEL = "@attribute a real\n@attribute Class {positive, negative}\n@outputs Class\n@data\n"


def test_nothing_is_found_in_an_empty_folder(tmp_path):
    assert [e.name for e in catalogue() if from_folder(e, tmp_path)] == []


@pytest.mark.parametrize("name", ["glass6_aka_glass7.csv", "glass6.dat", "parents/glass6.dat"])
def test_the_papers_name_and_keels(tmp_path, name):
    (tmp_path / "parents").mkdir()
    csv = "a,class\n1,positive\n2,negative\n"
    (tmp_path / name).write_text(csv if name.endswith("csv") else f"{KEEL}1,positive\n2,negative\n")
    data = load("glass6_aka_glass7", data_dir=tmp_path)
    assert data.name == "glass6_aka_glass7"
    assert data.y.tolist() == ["positive", "negative"]
    assert source_of("glass6_aka_glass7", data_dir=tmp_path) == str(tmp_path / name)


def test_the_own_file_goes_before_the_parents(tmp_path):
    (tmp_path / "glass.csv").write_text("Id,RI,class\n1,5,1\n2,6,2\n")
    assert load("glass0", data_dir=tmp_path).X.tolist() == [[5], [6]]
    (tmp_path / "glass0.csv").write_text("RI,class\n7,positive\n8,negative\n")
    assert load("glass0", data_dir=tmp_path).X.tolist() == [[7], [8]]


def test_where_parent_and_child_bear_one_name_the_classes_decide(tmp_path):
    rows = [f"{k},{-1.0 if k % 2 else 1.0}" for k in range(2000)]
    (tmp_path / "banana.csv").write_text("at1,class\n" + "\n".join(rows))
    data = load("banana", data_dir=tmp_path)
    assert dict(zip(*np.unique(data.y, return_counts=True), strict=True)) == {
        "negative": 975,
        "positive": 238,
    }
    (tmp_path / "banana.csv").write_text("at1,class\n1,positive\n2,negative\n")
    assert load("banana", data_dir=tmp_path).n_samples == 2


def test_keels_folds_come_along(tmp_path):
    rows = ["1,positive\n", "2,negative\n", "3,positive\n", "4,negative\n"]
    (tmp_path / "pima.dat").write_text(KEEL + "".join(rows))
    for fold, (train, test) in {1: (rows[2:], rows[:2]), 2: (rows[:2], rows[2:])}.items():
        (tmp_path / f"pima-2-{fold}tra.dat").write_text(KEEL + "".join(train))
        (tmp_path / f"pima-2-{fold}tst.dat").write_text(KEEL + "".join(test))
    folds = load("pima", data_dir=tmp_path).folds
    assert [test.tolist() for _, test in folds] == [[0, 1], [2, 3]]


def test_endings_that_we_do_not_read(tmp_path):
    (tmp_path / "pima.xlsx").write_text("")
    assert find_file(tmp_path, "pima") is None
    assert find_file(tmp_path, "") is None
