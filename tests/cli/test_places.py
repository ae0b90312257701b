from pathlib import Path

import pytest

from kpboost.cli._paths import report_beside, variant_of
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
