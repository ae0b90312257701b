import tomllib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from kpboost.experiments import ExperimentSpec


@given(
    names=st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, unique=True
    ),
    target=st.none() | st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
    n_folds=st.none() | st.integers(2, 100),
)
def test_toml_and_back(names, target, n_folds):
    spec = ExperimentSpec(names, ["svm"], n_folds=n_folds, target=target, protocol="stated")
    assert ExperimentSpec.from_mapping(tomllib.loads(spec.to_toml())) == spec


def test_file(tmp_path):
    path = tmp_path / "spec.toml"
    path.write_text('datasets = ["wine"]\nmethods = ["svm", "kpboost"]\ngrid = "paper"\n')
    expected = ExperimentSpec(("wine",), ("svm", "kpboost"), grid="paper")
    assert ExperimentSpec.from_toml(path) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('datasets = ["wine"]\nmethods = ["svm"]\ngird = "paper"', "the key 'gird'"),
        ('datasets = ["wine"]', "no key 'methods'"),
        ("datasets = [", "not a TOML file"),
        ('datasets = ["wine"]\nmethods = ["svn"]', "no method 'svn'"),
        ('datasets = "wine"\nmethods = ["svm"]', "a list of names"),
        ("datasets = [1]\nmethods = ['svm']", "at least one name"),
        ("datasets = []\nmethods = ['svm']", "at least one name"),
        ('datasets = ["a", "a"]\nmethods = ["svm"]', "'a' more than once"),
        ('datasets = ["a"]\nmethods = ["svm"]\nseed = -1', "seed=-1"),
        ('datasets = ["a"]\nmethods = ["svm"]\nn_folds = 1', "n_folds=1"),
        ('datasets = ["a"]\nmethods = ["svm"]\nn_folds = true', "n_folds=True"),
        ('datasets = ["a"]\nmethods = ["svm"]\nprotocol = "honest"', "'nested' or"),
        ('datasets = ["a"]\nmethods = ["svm"]\ntarget = 3', "target=3"),
    ],
)
def test_refusals(tmp_path, text, words):
    path = tmp_path / "spec.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=words) as caught:
        ExperimentSpec.from_toml(path)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "spec.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="not a TOML file"):
        ExperimentSpec.from_toml(path)


def test_paths_become_text():
    spec = ExperimentSpec([Path("a.csv")], ["svm"], data_dir=Path("folder"))
    assert (spec.datasets, spec.data_dir) == (("a.csv",), "folder")


def test_columns_survive_the_way_through_toml(tmp_path):
    spec = ExperimentSpec(["a.csv"], ["svm"], drop=["x", "y"], keep=["all"], many_classes=True)
    (tmp_path / "spec.toml").write_text(spec.to_toml())
    assert ExperimentSpec.from_toml(tmp_path / "spec.toml") == spec
    assert "many_classes = true" in spec.to_toml()
    assert "id_columns" not in spec.to_toml()
    assert spec.choices.keeps_all
    with pytest.raises(ValueError, match=r"drop=\[1\] is not allowed"):
        ExperimentSpec(["a.csv"], ["svm"], drop=[1])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("datasets = " + "[" * 100_000, "nested too deeply|not a TOML file"),
        ("a = {b = " * 20_000, "nested too deeply|not a TOML file"),
        ("x" * 5_000_000, "is larger than"),
        ("\0", "not a TOML file"),
        ("datasets = [" + '"a", ' * 50_000 + "]\nmethods = ['svm']", "'a' more than once"),
    ],
)
def test_hostile_files_end_in_a_sentence(text, words, tmp_path):
    (tmp_path / "e.toml").write_text(text)
    with pytest.raises(ValueError, match=words):
        ExperimentSpec.from_toml(tmp_path / "e.toml")


def test_what_is_no_file_is_refused(tmp_path):
    for place in (tmp_path, tmp_path / "gone.toml", Path("/dev/zero")):
        with pytest.raises(ValueError, match=r"is not a file|cannot be read"):
            ExperimentSpec.from_toml(place)
