"""Stores: one experiment each; damaged, foreign and future files are refused in words."""

import sqlite3
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kpboost.experiments import ExperimentSpec, StoreError, describe, outcomes, run
from kpboost.experiments.storage.schema import SCHEMA_VERSION
from kpboost.experiments.storage.store import Store

SPEC = ExperimentSpec(["wine"], ["svm"])


@pytest.fixture
def path(tmp_path):
    with Store(tmp_path / "store.db", create=True) as store:
        store.adopt(SPEC)
    return tmp_path / "store.db"


def change(path, statement):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement)
    connection.close()


def test_spec_and_facts_come_back(path):
    info = describe(path)
    assert (info.spec, info.schema_version) == (SPEC, SCHEMA_VERSION)
    assert info.counts == {"done": 0, "failed": 0}
    assert {"python", "kpboost", "numpy"} <= set(info.versions)


@pytest.mark.parametrize(
    "change_of_mind",
    [{"protocol": "stated"}, {"grid": "paper"}, {"seed": 1}, {"n_folds": 3}],
    ids=str,
)
def test_another_experiment_is_refused(path, change_of_mind):
    (name,) = change_of_mind
    with Store(path) as store, pytest.raises(StoreError, match=f"{name}=.*another store"):
        store.adopt(replace(SPEC, **change_of_mind))


def test_more_methods_are_welcome(path):
    with Store(path) as store:
        store.adopt(replace(SPEC, methods=("kpboost", "svm")))
        assert store.spec().methods == ("svm", "kpboost")


def test_a_future_version(path):
    change(path, f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(StoreError, match=f"schema version {SCHEMA_VERSION + 1}"):
        outcomes(path)


def test_a_database_of_another_program(tmp_path):
    change(tmp_path / "other.db", "CREATE TABLE cakes (name TEXT)")
    before = (tmp_path / "other.db").read_bytes()
    with pytest.raises(StoreError, match="another program"):
        run(SPEC, tmp_path / "other.db")
    assert (tmp_path / "other.db").read_bytes() == before


def test_a_file_that_is_no_database(tmp_path):
    (tmp_path / "notes.txt").write_text("dear diary, " * 200)
    with pytest.raises(StoreError, match="not a store"):
        run(SPEC, tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text().startswith("dear diary")


def test_places_where_no_store_is(tmp_path):
    with pytest.raises(StoreError, match="no store"):
        outcomes(tmp_path / "nothing.db")
    assert not (tmp_path / "nothing.db").exists()
    with pytest.raises(StoreError, match="folder"):
        outcomes(tmp_path)
    with pytest.raises(StoreError, match="no folder"):
        run(SPEC, tmp_path / "nowhere" / "store.db")
    (tmp_path / "empty.db").touch()
    with pytest.raises(StoreError, match="empty"):
        outcomes(tmp_path / "empty.db")


def test_a_damaged_spec(path):
    change(path, "UPDATE facts SET value = '{\"datasets\": [' WHERE key = 'spec'")
    with pytest.raises(StoreError, match="damaged"):
        describe(path)


@settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck))
@given(where=st.floats(0, 1), what=st.binary(min_size=1, max_size=400), cut=st.booleans())
def test_damaged_bytes_are_a_store_error_or_harmless(finished, tmp_path, where, what, cut):
    data = bytearray(finished)
    place = int(where * len(data))
    data[place : place + len(what)] = what
    victim = tmp_path / "victim.db"
    for side in ("-wal", "-shm"):
        (tmp_path / f"victim.db{side}").unlink(missing_ok=True)
    victim.write_bytes(data[:place] if cut else data)
    with suppress(StoreError):  # and nothing else
        outcomes(victim)
        describe(victim)


@pytest.fixture
def finished(small_spec, tmp_path):
    path = tmp_path / "finished.db"
    run(replace(small_spec, methods=("svm",)), path)
    return path.read_bytes()


def test_data_that_changed_are_refused(small_spec, two_classes, tmp_path):
    spec = replace(small_spec, methods=("svm",))
    run(spec, tmp_path / "store.db")
    two_classes.write_text(two_classes.read_text().replace("0.1", "0.2", 1))
    with pytest.raises(StoreError, match="'two' is not the one"):
        run(spec, tmp_path / "store.db")
