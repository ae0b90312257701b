import numpy as np
import pytest

from support.small_training import few_candidates, few_trees  # noqa: F401


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    """A terminal in which every sentence has one line; test_help has narrow ones."""
    monkeypatch.setenv("COLUMNS", "1000")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to work in, and no data folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KPBOOST_DATA", raising=False)
    return tmp_path


@pytest.fixture
def small_csv(here):
    """A file of two classes, one rare; quick to learn from."""
    rng = np.random.default_rng(0)
    common, rare = rng.normal(0, 1, (60, 2)), rng.normal(3, 1, (15, 2))
    lines = ["a,b,label"]
    lines += [f"{x:.4f},{y:.4f},common" for x, y in common]
    lines += [f"{x:.4f},{y:.4f},rare" for x, y in rare]
    file = here / "small.csv"
    file.write_text("\n".join(lines) + "\n")
    return file
