import numpy as np
import pytest

from kpboost.datasets import DataError, catalogue, load
from kpboost.datasets._sources import ENVIRONMENT
from support.shared_data import data_folder

ABSENT = {"breastcancer2"} | {e.name for e in catalogue() if e.name.startswith("imageNet")}
# One point too many in every copy; another count of words: see the catalogue's sources.
OTHER_SHAPE = {"glass0": (214, 9), "rcv1_1vs36vs245": (300, 21531)}


@pytest.fixture
def shared():
    return data_folder()


@pytest.mark.parametrize(
    "entry", [e for e in catalogue() if e.name not in ABSENT], ids=lambda e: e.name
)
def test_sizes_are_the_papers(entry, shared):
    data = load(entry.name, data_dir=shared)
    assert data.X.shape == OTHER_SHAPE.get(entry.name, (entry.n_points, entry.n_features))
    assert len(data.classes) == entry.n_classes
    assert data.imbalance_ratio == pytest.approx(entry.imbalance_ratio, abs=0.018)


@pytest.mark.parametrize("name", sorted(ABSENT))
def test_what_cannot_be_had_says_which_file_to_supply(name, tmp_path):
    with pytest.raises(DataError, match=rf"supply {name}\.csv with \d+ columns"):
        load(name, data_dir=tmp_path)


def test_a_supplied_file_is_read(tmp_path):
    (tmp_path / "breastcancer2.csv").write_text("a,b,class\n1,2,x\n3,4,y\n5,6,y\n")
    assert load("breastcancer2", data_dir=tmp_path).X.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_the_environment_names_the_folder(tmp_path, monkeypatch):
    (tmp_path / "pima.csv").write_text("a,class\n1,x\n2,y\n")
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path))
    assert load("pima").n_samples == 2
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "pima.csv").write_text("a,class\n1,x\n2,y\n3,y\n")
    assert load("pima", data_dir=tmp_path / "other").n_samples == 3


def test_an_alias_is_a_name(tmp_path):
    (tmp_path / "pima.csv").write_text("a,class\n1,x\n2,y\n")
    assert load("TMD26", data_dir=tmp_path).name == "pima"


def test_a_child_is_made_from_its_parent(tmp_path):
    (tmp_path / "parents").mkdir()
    (tmp_path / "parents" / "glass.csv").write_text(
        "Id,RI,class\n1,0.5,1\n2,0.6,2\n3,0.7,3\n4,0.8,6\n5,0.9,7\n"
    )
    data = load("glass015vs2", data_dir=tmp_path)
    assert data.feature_names == ("RI",)
    assert data.X[:, 0].tolist() == [0.5, 0.6, 0.7, 0.8]
    assert data.y.tolist() == ["negative", "negative", "positive", "negative"]


def test_nominal_columns_are_numbered_as_declared(tmp_path):
    (tmp_path / "abalone.csv").write_text("Sex,class\nI,3\nM,11\nF,11\nF,4\n")
    data = load("abalone3vs11", data_dir=tmp_path)
    assert data.X[:, 0].tolist() == [2, 0, 1]
    assert data.categories == (("M", "F", "I"),)
    assert data.nominal.tolist() == [True]


def test_a_namesake_with_other_classes_is_refused(tmp_path):
    (tmp_path / "glass2.csv").write_text("RI,class\n1,positive\n2,negative\n")
    with pytest.raises(DataError, match="has 2 classes; the paper's glass2 has 6"):
        load("glass2", data_dir=tmp_path)


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="did you mean 'abalone19'"):
        load("abalone91")


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DataError, match="not a folder"):
        load("pima", data_dir=tmp_path / "absent")


def test_missing_values_are_nan(shared):
    assert np.isnan(load("cleveland0vs4", data_dir=shared).X).sum() == 4
