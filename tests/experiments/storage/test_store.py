"""Stores: one experiment each; damaged, foreign and future files are refused in words."""

import hashlib
import json
import os
import sqlite3
import zipfile
import zlib
from contextlib import suppress
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.extra import numpy as arrays_of

from kpboost.experiments import ExperimentSpec, StoreError, describe, outcomes, run
from kpboost.experiments.storage import _store as packing
from kpboost.experiments.storage._store import (
    CLAIMS,
    SCHEMA_VERSION,
    TABLES,
    Store,
    pack,
    smallest_integers,
    unpack,
    unpack_text,
    values_of_json,
)

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


VIEW = "CREATE VIEW jobs AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n FROM c) SELECT "
JOB = "INSERT INTO jobs VALUES ('wine', 'svm', 0, '-', 'search', {}, '', {}, {}, '', '', x'', x'')"
DATASET = (
    "INSERT INTO datasets VALUES ('wine', 0, {status}, {error}, '', {points}, 2, 3, {folds}, "
    "{ratio}, {counts}, x'')"
)
RESULT = "INSERT INTO results VALUES ('wine', 'svm', {}, {}, 0.5, 0.5, {}, '{{}}', {}, 0.0, {})"


def result(fold, gmean, recalls, seconds, **others):
    """A row of results; other measures stand beside the predictions."""
    arrays = {"codes": np.zeros(2, dtype=int), "balanced_accuracy": np.array(0.5), **others}
    return RESULT.format(fold, gmean, recalls, seconds, f"x'{pack(arrays).hex()}'")


def dataset(status="'ready'", error="''", points=9, folds=2, ratio=2.0, counts="'{}'"):
    return DATASET.format(**locals())


# All statements of the stores that every version so far has written.
STATEMENTS = "49acdf0b36d077578aeace99cc10984c795f3ff1cdbc2b96ae48c1fea6c992a6"


def test_stores_of_earlier_versions_have_the_same_statements():
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES + CLAIMS)
    rows = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
    assert hashlib.sha256("".join(sql for (sql,) in rows).encode()).hexdigest() == STATEMENTS
    connection.close()


def redefined(part, other):
    """Statements that make the table of facts anew, with its rows and another definition."""
    definition = "CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL)"
    return [
        "ALTER TABLE facts RENAME TO old",
        definition.replace(part, other),
        "INSERT INTO facts SELECT * FROM old",
        "DROP TABLE old",
    ]


@pytest.mark.parametrize(
    ("statements", "words"),
    [
        (["DROP TABLE jobs", VIEW + "n AS status FROM c"], "holds a view 'jobs'"),
        (["CREATE VIEW more AS SELECT 1"], "holds a view 'more'"),
        (["CREATE TRIGGER t AFTER INSERT ON jobs BEGIN SELECT 1; END"], "holds a trigger 't'"),
        (["CREATE INDEX i ON jobs (abs(fold))"], "holds a index 'i'"),
        (["CREATE VIRTUAL TABLE v USING fts5(a)"], "holds a table 'v'"),
        (["CREATE TABLE cakes (name TEXT)"], "holds a table 'cakes'"),
        (["DROP TABLE results"], "has no table 'results'"),
        (["ALTER TABLE facts ADD COLUMN x AS (value || value)"], "has a table 'facts'"),
        (["ALTER TABLE facts RENAME COLUMN value TO wert"], "has a table 'facts'"),
        (
            redefined("TEXT PRIMARY KEY", "TEXT PRIMARY KEY CHECK (length(key) > 0)"),
            "table 'facts'",
        ),
        (redefined("NOT NULL", "NOT NULL DEFAULT (randomblob(9))"), "has a table 'facts'"),
        (redefined("NOT NULL", "NOT NULL COLLATE NOCASE"), "has a table 'facts'"),
        (redefined(")", ") WITHOUT ROWID"), "has a table 'facts'"),
    ],
)
def test_a_store_holds_its_tables_and_nothing_else(path, statements, words):
    for statement in statements:
        change(path, statement)
    for read in (describe, outcomes, lambda store: run(SPEC, store)):
        with pytest.raises(StoreError, match=words):
            read(path)


@pytest.mark.parametrize(
    "statement",
    [
        JOB.format("'happy'", 1.0, 1),
        JOB.format("'done'", -5.0, 1),
        JOB.format("'done'", "9e999", 1),
        JOB.format("'done'", 1.0, -(10**18)),
        dataset(status="'great'"),
        dataset(points=-1),
        dataset(points="'many'"),
        dataset(folds=10**9),
        dataset(ratio="9e999"),
        dataset(counts="'{\"a\": -1}'"),
        dataset(counts="'[]'"),
        dataset(counts="'" + "[" * 100_000 + "'"),
        dataset(error="x'ff'"),
        result(-1, 0.5, "'{}'", 1.0),
        result(0, 17.0, "'{}'", 1.0),
        result(0, "'good'", "'{}'", 1.0),
        result(0, 0.5, "'{\"a\": 3}'", 1.0),
        result(0, 0.5, "'" + "[" * 100_000 + "'", 1.0),
        result(0, 0.5, "'{}'", "-1.0"),
        result(0, 0.5, "'{}'", 1.0, roc_auc=np.array(np.inf)),
        result(0, 0.5, "'{}'", 1.0, roc_auc=np.array("good")),
        result(0, 0.5, "'{}'", 1.0, roc_auc=np.zeros(2)),
        result(0, 0.5, "'{}'", 1.0, balanced_accuracy=np.zeros(0)),
        "UPDATE facts SET value = '" + "[" * 100_000 + "' WHERE key = 'spec'",
        "UPDATE facts SET value = '" + "[" * 100_000 + "' WHERE key = 'versions'",
    ],
    ids=lambda statement: statement[:70].replace(" ", ""),
)
def test_absurd_values_are_damage(path, statement):
    change(path, statement)
    with pytest.raises(StoreError, match=r"is damaged: .{3,300}\.$"):
        outcomes(path), describe(path)


def test_good_values_pass(path):
    for statement in (dataset(), JOB.format("'done'", 1.0, 1), result(0, 0.5, "'{}'", 1.0)):
        change(path, statement)
    (found,) = outcomes(path)
    assert (found.scores["gmean"], found.scores["balanced_accuracy"]) == (0.5, 0.5)
    assert np.isnan(found.scores["roc_auc"])
    assert describe(path).counts == {"done": 1, "failed": 0}


@pytest.mark.parametrize("end", ["unlink", "replace"])
def test_a_store_that_goes_away_during_a_run_is_no_success(small_spec, tmp_path, end):
    path = tmp_path / "store.db"

    def interfere(progress):
        if progress.done == 1 and path.exists():
            path.unlink()
            if end == "replace":
                path.write_bytes(b"")

    with pytest.raises(StoreError, match="was deleted or replaced during the run"):
        run(replace(small_spec, methods=("svm",)), path, on_progress=interfere)


def test_a_store_that_goes_away_at_the_end_is_no_success_either(small_spec, tmp_path):
    path = tmp_path / "store.db"

    def interfere(progress):
        if progress.done == progress.total:
            path.unlink(missing_ok=True)

    with pytest.raises(StoreError, match="was deleted or replaced during the run"):
        run(replace(small_spec, methods=("svm",)), path, on_progress=interfere)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_is_no_store(tmp_path):
    os.mkfifo(tmp_path / "pipe.db")
    with pytest.raises(StoreError, match="a device or a pipe"):
        describe(tmp_path / "pipe.db")


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


@given(arrays_of.arrays(np.int64, (3, 4), elements=st.integers(-1, 2**40)))
def test_whole_numbers_survive_in_a_narrow_type(values):
    np.testing.assert_array_equal(smallest_integers(values), values)
    back = unpack(pack({"values": smallest_integers(values)}))["values"]
    np.testing.assert_array_equal(back, values)


@pytest.mark.parametrize(("highest", "size"), [(1, 1), (127, 1), (128, 2), (40000, 4)])
def test_types_are_narrow(highest, size):
    assert smallest_integers(np.array([-1, highest])).itemsize == size


@given(st.binary())
def test_other_bytes_are_refused(data):
    with pytest.raises(ValueError, match=r"damaged|pickle"):
        unpack(data)


def test_objects_are_neither_written_nor_read():
    with pytest.raises(ValueError, match="Object arrays"):
        pack({"x": np.array([print], dtype=object)})
    assert unpack(pack({"x": np.zeros(2)})).keys() == {"x"}  # and no option among them


def test_same_answers_take_little_room():
    answers = np.tile(np.arange(200) % 2, (2738, 1))
    assert len(pack({"answers": smallest_integers(answers)})) < 10_000


def test_arrays_that_claim_more_than_they_hold_are_refused():
    packed = pack({"a": np.zeros(1000, dtype=np.int8)})
    entries = zipfile.ZipFile(BytesIO(packed)).read("a.npy")
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr("a.npy", entries.replace(b"(1000,)", b"(10000000000000,)"))
    with pytest.raises(ValueError, match="damaged arrays"):
        unpack(stream.getvalue())


def test_what_unpacks_to_too_much_is_refused(monkeypatch):
    packed = pack({"a": np.zeros(1_000_000, dtype=np.int8)})
    monkeypatch.setattr(packing, "MAX_BYTES", 10_000)
    with pytest.raises(ValueError, match="larger than any data set"):
        unpack(packed)


@pytest.mark.parametrize("size", [packing.MAX_TEXT_BYTES + 1, 1 << 28])
def test_a_text_unpacks_up_to_a_limit(size):
    packed = zlib.compress(b"a" * size)
    with pytest.raises(ValueError, match="it has no end within 16,777,216 bytes"):
        unpack_text(packed)
    assert unpack_text(zlib.compress(b"[1]")) == "[1]"


def test_json_of_more_values_than_any_store_holds_is_not_parsed():
    text = "[" + "{}," * 3_000_000 + "{}]"
    with pytest.raises(ValueError, match="more than 1,000,000 values"):
        values_of_json(text)


def test_the_parameters_of_a_hundred_thousand_candidates_fit():
    candidate = {"C": 2.0**-5, "gamma": 2.0**-15, "step": 0.3, "roi_scale": 0.25, "n_rounds": 50}
    packed = zlib.compress(json.dumps([candidate] * 100_000).encode())
    assert values_of_json(unpack_text(packed))[-1] == candidate
