from pathlib import Path

import pytest

from kpboost.cli.places import report_beside


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
