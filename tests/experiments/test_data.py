"""Data sets of a spec: from the catalogue, from files, with folds of their own."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from kpboost.datasets import embedded, find_dataset, read_dataset
from kpboost.experiments import ExperimentSpec, _data as loading_module, describe, run
from kpboost.experiments._data import find_datasets, prepare_all
from kpboost.experiments.storage._rows import kept_dataset
from kpboost.experiments.storage._store import Store
from support.small_experiments import write_points


def test_names_and_files_side_by_side(tmp_path):
    own = write_points(tmp_path / "own.csv")
    found, missing, _ = find_datasets(ExperimentSpec([embedded()[0], own], ["svm"]))
    assert (list(found), missing) == ([embedded()[0], "own"], {})


def test_an_alias_is_the_name_it_stands_for(monkeypatch):
    data = SimpleNamespace(name="of a file")
    monkeypatch.setattr(loading_module, "find_chosen", lambda *given: data)
    found, missing, _ = find_datasets(ExperimentSpec(["TMD1"], ["svm"]))
    assert (found, missing) == ({"abalone19": data}, {})
    with pytest.raises(ValueError, match="Two data sets are called 'abalone19'"):
        find_datasets(ExperimentSpec(["TMD1", "abalone19"], ["svm"]))


def test_the_class_column_by_name(tmp_path):
    path = tmp_path / "first.csv"
    path.write_text("label,a\n" + "x,1\ny,2\n" * 9)
    found, *_ = find_datasets(ExperimentSpec([path], ["svm"], target="label"))
    assert sorted(set(found["first"].y)) == ["x", "y"]


def test_a_known_set_that_cannot_be_had_is_only_missing(tmp_path, monkeypatch):
    def find(given, target, data_dir, choices):
        if given in embedded():
            raise ValueError(f"{given} needs a file in {data_dir}.")
        return find_dataset(given)

    monkeypatch.setattr(loading_module, "find_chosen", find)
    own = write_points(tmp_path / "own.csv")
    spec = ExperimentSpec([embedded()[0], own], ["svm"], data_dir="there")
    found, missing, _ = find_datasets(spec)
    assert list(found) == ["own"]
    assert missing == {embedded()[0]: f"{embedded()[0]} needs a file in there."}


def test_folds_that_a_data_set_brings_along(two_classes, tmp_path, monkeypatch):
    rows = np.random.RandomState(0).permutation(60)
    folds = ((rows[:40], rows[40:]), (rows[20:], rows[:20]))
    data = replace(read_dataset(two_classes), folds=folds)
    monkeypatch.setattr(loading_module, "find_chosen", lambda *given: data)
    run(ExperimentSpec([two_classes], ["c45_ib1"]), tmp_path / "given.db")
    with Store(tmp_path / "given.db") as store:
        kept = kept_dataset(store, "two")
    for own, given in zip(kept.splits, folds, strict=True):
        np.testing.assert_array_equal(own[0], given[0])
        np.testing.assert_array_equal(own[1], given[1])


def test_a_store_keeps_disjuncts_and_partitions(two_classes, tmp_path, monkeypatch):
    spec = ExperimentSpec([two_classes], ["svm"])
    with Store(tmp_path / "store.db", create=True) as store:
        store.adopt(spec)
        before, _ = prepare_all(spec, store, find_datasets(spec))
        monkeypatch.setattr(loading_module, "DisjunctFinder", None)
        split = loading_module.split_dataset
        monkeypatch.setattr(loading_module, "split_dataset", lambda *given: split(*given)[::-1])
        after, _ = prepare_all(spec, store, find_datasets(spec))
    for name in ("disjuncts", "disjunct_sizes", "codes"):
        first, second = (getattr(own["two"], name) for own in (before, after))
        np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(before["two"].table.values, after["two"].table.values)
    assert len(before["two"].splits) == len(after["two"].splits) == 5
    for first, second in zip(before["two"].splits, after["two"].splits, strict=True):
        np.testing.assert_array_equal(first[1], second[1])


def test_a_set_that_was_missing_can_come_later(tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("a,class\n1,x\n2,x\n3,y\n")
    good = write_points(tmp_path / "good.csv")
    spec = ExperimentSpec([path, good], ["c45_ib1"])
    run(spec, tmp_path / "store.db")
    write_points(path)
    run(spec, tmp_path / "store.db")
    infos = describe(tmp_path / "store.db").datasets
    assert [(info.name, info.status) for info in infos] == [("good", "ready"), ("late", "ready")]


@pytest.mark.parametrize("cell", ["", "?"])
def test_missing_values(tmp_path, cell):
    path = write_points(tmp_path / "holes.csv")
    lines = path.read_text().splitlines()
    lines[3] = cell + lines[3][lines[3].index(",") :]
    path.write_text("\n".join(lines) + "\n")
    summary = run(ExperimentSpec([path], ["svm"], n_folds=2), tmp_path / "store.db")
    assert (summary.failed, summary.missing) == (0, {})


def test_columns_that_are_dropped_or_kept(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("id,a,b,label\n" + "".join(f"{i},{i % 3},1,{'xy'[i % 2]}\n" for i in range(40)))
    found, *_ = find_datasets(ExperimentSpec([path], ["svm"], drop=["b"]))
    assert found["own"].feature_names == ("a",)
    found, *_ = find_datasets(ExperimentSpec([path], ["svm"], keep=["id"], id_columns="a"))
    assert found["own"].feature_names == ("id", "b")
    found, *_ = find_datasets(ExperimentSpec([path], ["svm"], keep=["all"]))
    assert found["own"].feature_names == ("id", "a", "b")
