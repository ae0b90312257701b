"""Large files: compared on a draw in the proportions of the classes, which is said."""

import numpy as np
import pandas as pd
import pytest

from kpboost.experiments import ExperimentSpec, _data as reading, plan
from kpboost.experiments._data import find_datasets


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """900 rows of a, 95 of b and 5 of c, as Parquet and as CSV; more than 200 are too many."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(reading, "MOST_COMPARED", 200)
    monkeypatch.setattr("kpboost.datasets._draw.FEWEST_IN_PROPORTION", 10)
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["a", "b", "c"], [900, 95, 5]))
    frame = pd.DataFrame({"x": rng.normal(size=1000), "z": rng.normal(size=1000), "y": y})
    frame.to_parquet(tmp_path / "t.parquet", row_group_size=300)
    frame.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path


def test_a_large_file_is_drawn_from(folder):
    found = {}
    for name in ("t.parquet", "t.csv"):
        spec = ExperimentSpec([str(folder / name)], ["svm"], target="y")
        data = find_datasets(spec)
        found[name] = data.found["t"]
        sizes = dict(zip(*np.unique(data.found["t"].y, return_counts=True), strict=True))
        assert sizes == {"a": 180, "b": 19, "c": 5}
        assert data.in_file == {"t": {"a": 900, "b": 95, "c": 5}}
        notes = " ".join(plan(spec).notes)
        assert "compared on 204 of 1,000 rows" in notes
        assert "more densely 5 of 5 of “c”: precision" in notes
    np.testing.assert_allclose(found["t.parquet"].X, found["t.csv"].X, rtol=1e-12)


def test_a_small_file_and_the_papers_protocols_take_all_rows(folder, monkeypatch):
    for protocol in ("published", "stated"):
        spec = ExperimentSpec([str(folder / "t.csv")], ["svm"], target="y", protocol=protocol)
        assert find_datasets(spec).found["t"].n_samples == 1000
    monkeypatch.setattr(reading, "MOST_COMPARED", 1000)
    spec = ExperimentSpec([str(folder / "t.parquet")], ["svm"], target="y")
    assert find_datasets(spec).in_file == {}
    assert find_datasets(spec).found["t"].n_samples == 1000
