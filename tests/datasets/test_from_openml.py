"""What openml.org gives, played by a double: tests use no network."""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from kpboost.datasets import DataError, _sources as module, catalogue, load, source_of

NAMES = [
    "soybean12",
    "CNAE9_2",
    "CNAE9_35vs6789",
    "CNAE9_3vs4567",
    "mnist_2vs17",
    "mnist_6vs09",
    "dermatology",
    "CNAE9_15vs249vs3vs6vs78",
    "CNAE9_1vs2vs34vs56vs789",
]


@pytest.fixture
def openml(monkeypatch):
    """Let fetch_openml answer with the frame that a test prepares."""
    calls = {}

    def fetch(name, *, version, as_frame, n_retries):
        calls["asked"] = (name, version)
        if isinstance(calls["answer"], Exception):
            raise calls["answer"]
        frame = calls["answer"]
        return Bunch(frame=frame, target=frame.iloc[:, -1])

    monkeypatch.setattr(module, "fetch_openml", fetch)
    monkeypatch.setattr(module, "reachable", lambda: True)
    monkeypatch.setattr(module, "fetched_before", lambda: False)
    return calls


def cnae(n_per_class=120):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, size=(9 * n_per_class, 3)), columns=["V1", "V2", "V3"])
    return frame.assign(Class=pd.Categorical(np.tile([str(k) for k in range(1, 10)], n_per_class)))


def test_sets_of_openml(openml):
    assert [entry.name for entry in catalogue() if module.from_openml(entry)] == NAMES
    assert source_of("CNAE9_2") == "www.openml.org"


def test_a_child_is_made(openml):
    openml["answer"] = cnae()
    data = load("CNAE9_3vs4567")
    assert openml["asked"] == ("cnae-9", 1)
    assert data.source == "openml.org: cnae-9:1"
    assert (data.y == "positive").sum() == 120
    assert (data.y == "negative").sum() == 360
    assert not data.nominal.any()


def test_nominal_columns_are_numbered_as_declared(openml):
    openml["answer"] = pd.DataFrame(
        {
            "date": pd.Categorical(["may", None, "april"], ["may", "april"]),
            "class": pd.Categorical(["anthracnose", "rust", "rust"]),
        }
    )
    data = load("soybean12")
    assert np.array_equal(data.X[:, 0], [1, np.nan, 0], equal_nan=True)
    assert data.y.tolist() == ["positive", "negative", "negative"]


def test_a_failure_says_which_file_would_do(openml):
    openml["answer"] = OSError("HTTP Error 503")
    with pytest.raises(DataError, match=r"503\); supply CNAE9_2\.csv or CNAE9\.csv"):
        load("CNAE9_2")


def test_another_set_of_that_name_is_refused(openml):
    openml["answer"] = cnae(2)
    with pytest.raises(DataError, match="has 2 points of class '3'; 120 are needed"):
        load("CNAE9_3vs4567")


def test_fetching_waits_for_a_limited_time(openml, monkeypatch):
    openml["answer"] = cnae()
    limits = []
    answer = module.fetch_openml

    def fetch(*names, **options):
        limits.append(module.socket.getdefaulttimeout())
        return answer(*names, **options)

    monkeypatch.setattr(module, "fetch_openml", fetch)
    load("CNAE9_2")
    assert limits == [module.SILENCE]
    assert module.socket.getdefaulttimeout() is None


@pytest.fixture
def attempts(monkeypatch):
    """Count the attempts to connect, which all fail."""
    tried = []

    def refuse(address, timeout):
        tried.append(timeout)
        raise OSError("no route")

    module._answers.cache_clear()
    monkeypatch.setattr(module.socket, "create_connection", refuse)
    monkeypatch.setattr(module, "getproxies", dict)
    monkeypatch.setattr(module, "fetched_before", lambda: False)
    yield tried
    module._answers.cache_clear()


def test_without_a_network_nobody_waits(attempts, monkeypatch):
    monkeypatch.setattr(module, "monotonic", lambda: 30.0)
    for name in NAMES:
        assert source_of(name) == ""
    assert attempts == [module.SECONDS]
    with pytest.raises(DataError, match=r"supply CNAE9_2\.csv"):
        load("CNAE9_2")


def test_a_network_may_come_back(attempts, monkeypatch):
    for now in (30.0, 59.0, 61.0):
        monkeypatch.setattr(module, "monotonic", lambda now=now: now)
        assert not module.reachable()
    assert len(attempts) == 2


def test_what_was_fetched_once_needs_no_network(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "kept"))
    assert not module.fetched_before()
    assert not (tmp_path / "kept").exists()
    (tmp_path / "kept" / "openml").mkdir(parents=True)
    assert module.fetched_before()


def test_behind_a_proxy_only_fetching_can_tell(attempts, monkeypatch):
    monkeypatch.setattr(module, "getproxies", lambda: {"https": "http://proxy:8080"})
    assert module.reachable()
    assert attempts == []
