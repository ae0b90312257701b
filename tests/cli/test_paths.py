from pathlib import Path

import pytest

from kpboost.cli._options import check_file, check_folder, report_beside, variant_of
from kpboost.experiments import ExperimentSpec


@pytest.mark.parametrize(
    ("store", "folder"),
    [
        ("kpboost-compare-a/results.sqlite", "kpboost-compare-a"),
        ("kpboost-compare-a/other.sqlite", "kpboost-compare-a/other"),
        ("deep/my.sqlite", "deep/my"),
        ("my", "my-report"),
        ("results.sqlite", "results"),
    ],
)
def test_report_goes_beside_its_store(store, folder):
    assert report_beside(Path(store)) == Path(folder)


def test_inside_an_own_folder(tmp_path, monkeypatch):
    (tmp_path / "kpboost-compare").mkdir()
    monkeypatch.chdir(tmp_path / "kpboost-compare")
    assert report_beside(Path("results.sqlite")) == Path()


def test_what_differs_from_a_commands_own_settings_is_named():
    spec = ExperimentSpec(["wine"], ["svm"], grid="paper", n_folds=3, seed=7)
    assert variant_of(spec, protocol="nested", grid="quick") == ["paper", "3-fold", "seed-7"]
    assert variant_of(spec, protocol="stated", grid="paper") == ["nested", "3-fold", "seed-7"]


def test_a_new_file_and_one_of_ours_are_fine(tmp_path):
    check_file("--out", tmp_path / "new", is_ours=False, kind="a model")
    (tmp_path / "old").write_text("a model")
    check_file("--out", tmp_path / "old", is_ours=True, kind="a model")


def test_an_empty_file_is_no_loss(tmp_path):
    (tmp_path / "empty").touch()
    check_file("--out", tmp_path / "empty", is_ours=False, kind="a model")


def test_another_file_is_refused(tmp_path):
    (tmp_path / "thesis").write_text("years")
    with pytest.raises(ValueError, match="thesis is there already and is not a model"):
        check_file("--out", tmp_path / "thesis", is_ours=False, kind="a model")


@pytest.mark.parametrize("name", [".", "no/file"])
def test_a_place_for_a_file_is_needed(tmp_path, name):
    with pytest.raises(ValueError, match="a file in a folder that exists"):
        check_file("--out", tmp_path / name, is_ours=True, kind="a model")


def test_folders(tmp_path):
    check_folder(tmp_path / "new")
    check_folder(tmp_path)
    (tmp_path / "index.html").touch()
    with pytest.raises(ValueError, match="not an audit's"):
        check_folder(tmp_path)
    (tmp_path / "audit.json").touch()
    check_folder(tmp_path)
    with pytest.raises(ValueError, match="is a file"):
        check_folder(tmp_path / "audit.json")
