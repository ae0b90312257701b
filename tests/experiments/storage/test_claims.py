"""Claims: one run per job, and none that outlives its run."""

import subprocess
import sys
from socket import gethostname
from time import time

import pytest

from kpboost.experiments import ExperimentSpec, _scheduler as loop, describe, run
from kpboost.experiments._jobs import JobKey
from kpboost.experiments._scheduler import JOBS_PER_SLOT
from kpboost.experiments.storage import _claims as claims_module
from kpboost.experiments.storage._claims import Claims
from kpboost.experiments.storage._rows import values_of
from kpboost.experiments.storage._store import CLAIMS, Store
from support.patience import HANG

KEY, OTHER = JobKey("two", "c45_ib1", 0, "-"), JobKey("two", "c45_ib1", 1, "-")
# Claims the job and dies without a word.
DYING = """
import os, sys
from kpboost.experiments._jobs import JobKey
from kpboost.experiments.storage._claims import Claims
from kpboost.experiments.storage._store import Store

with Store(sys.argv[1], create=True) as store:
    print(Claims(store).take(JobKey("two", "c45_ib1", 0, "-")), flush=True)
    os._exit(1)
"""


@pytest.fixture
def runs(tmp_path):
    """Two runs on one store."""
    path = tmp_path / "store.db"
    with Store(path, create=True) as first, Store(path) as second:
        yield Claims(first), Claims(second)


def test_one_run_per_job(runs):
    first, second = runs
    assert first.take(KEY)
    assert first.take(KEY)  # it is its own already
    assert not second.take(KEY)
    assert second.take(OTHER)
    first.release(OTHER)  # not its own
    assert not first.take(OTHER)


def test_what_is_given_up_can_be_taken(runs):
    first, second = runs
    first.take(KEY)
    first.take(OTHER)
    first.release(KEY)
    assert second.take(KEY)
    assert not second.take(OTHER)
    first.release_all()
    assert second.take(OTHER)


def test_a_silent_run_loses_its_claims_and_one_that_renews_does_not(runs, monkeypatch):
    first, second = runs
    now = claims_module.time()
    first.take(KEY)
    monkeypatch.setattr(claims_module, "time", lambda: now + 50.0)
    assert not second.take(KEY)
    first.renew()  # too early: nothing is written
    monkeypatch.setattr(claims_module, "RENEWAL_SECONDS", 0.0)
    monkeypatch.setattr(claims_module, "time", lambda: now + 55.0)
    first.renew()
    monkeypatch.setattr(claims_module, "time", lambda: now + 100.0)
    assert not second.take(KEY)
    monkeypatch.setattr(claims_module, "time", lambda: now + 116.0)
    assert second.take(KEY)
    assert not first.take(KEY)


@pytest.mark.skipif(sys.platform == "win32", reason="there only time tells")
def test_a_dead_run_loses_its_claims_at_once(tmp_path):
    path = tmp_path / "store.db"
    command = [sys.executable, "-c", DYING, str(path)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=HANG).stdout
    assert said.strip() == "True"
    with Store(path) as store:
        assert store.rows("SELECT count(*) AS n FROM claims")[0]["n"] == 1
        assert Claims(store).take(KEY)


def test_a_run_waits_for_what_another_has_and_leaves_nothing_behind(
    two_classes, tmp_path, monkeypatch
):
    path, waits, begun = tmp_path / "store.db", [], claims_module.time()
    monkeypatch.setattr(loop, "sleep", waits.append)
    monkeypatch.setattr(claims_module, "time", lambda: begun + sum(waits))
    with Store(path, create=True) as store:
        store.adopt(ExperimentSpec([two_classes], ["c45_ib1"], n_folds=2))
        assert Claims(store).take(KEY)  # and is never heard of again
        summary = run(ExperimentSpec([two_classes], ["c45_ib1"], n_folds=2), path)
        assert summary.done_now == summary.total == 4
        assert sum(waits) >= claims_module.LEASE_SECONDS
        assert store.rows("SELECT * FROM claims") == []
    assert describe(path).counts == {"done": 4, "failed": 0}


def test_stores_from_before_there_were_claims(two_classes, tmp_path):
    path = tmp_path / "store.db"
    spec = ExperimentSpec([two_classes], ["c45_ib1"], n_folds=2)
    run(spec, path)
    with Store(path) as store, store.transaction() as connection:
        connection.execute("DROP TABLE claims")
    assert describe(path).counts["done"] == 4
    assert run(spec, path).done_now == 0


def test_a_job_that_is_over_is_given_up(two_classes, tmp_path):
    path, held = tmp_path / "store.db", []

    def look(progress):
        with Store(path) as store:
            held.append(len(store.rows("SELECT * FROM claims")))

    run(ExperimentSpec([two_classes], ["c45_ib1"], n_folds=3), path, on_progress=look)
    assert 0 < max(held) <= JOBS_PER_SLOT < len(held) - 1


@pytest.fixture
def claimed(tmp_path):
    """A store in which a run of another machine has claimed a job until a given time."""

    def claim(until, owner="far-away/77/abcd"):
        path = tmp_path / "store.db"
        with Store(path, create=True) as store, store.transaction() as connection:
            connection.execute(CLAIMS)
            values = (*values_of(KEY), owner, until)
            connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        return path

    return claim


def test_a_claim_far_in_the_future_is_said_and_ends(claimed, monkeypatch):
    with Store(claimed(time() + 10**6)) as store:
        ours = Claims(store)
        assert not ours.take(KEY)
        assert not ours.take(KEY)
        (note,) = ours.notes  # said once
        assert "far-away has claimed a job" in note
        assert "its clock is ahead" in note
        later = claims_module.monotonic() + claims_module.LEASE_SECONDS + 1
        monkeypatch.setattr(claims_module, "monotonic", lambda: later)
        assert ours.take(KEY)


def test_a_claim_in_the_future_that_is_renewed_is_respected(claimed, monkeypatch):
    with Store(claimed(time() + 3600)) as store:
        ours = Claims(store)
        assert not ours.take(KEY)
        later = claims_module.monotonic() + claims_module.LEASE_SECONDS + 1
        monkeypatch.setattr(claims_module, "monotonic", lambda: later)
        claimed(time() + 3660)
        assert not ours.take(KEY)


@pytest.mark.parametrize("until", ["soon", float("inf"), -1.0, b"x"])
@pytest.mark.parametrize("owner", ["far-away/77/abcd", "", "/", "\x1b[2J", 5])
def test_a_claim_that_nobody_could_have_made_is_void(claimed, until, owner):
    with Store(claimed(until, owner)) as store:
        assert Claims(store).take(KEY)


@pytest.mark.parametrize("process", ["x", "", "-1", "9" * 30])
def test_a_process_that_cannot_be_is_not_asked_for(claimed, process):
    with Store(claimed(time() + 30, f"{gethostname()}/{process}/abcd")) as store:
        assert not Claims(store).take(KEY)


def test_a_clock_that_is_ahead_is_told_while_the_run_waits(small_spec, tmp_path, monkeypatch):
    monkeypatch.setattr(claims_module, "LEASE_SECONDS", 0.5)
    run(small_spec, tmp_path / "store.db")
    with Store(tmp_path / "store.db") as store, store.transaction() as connection:
        rows = connection.execute("SELECT dataset, method, fold, width, kind FROM jobs").fetchall()
        connection.execute("DELETE FROM jobs")
        connection.execute("DELETE FROM results")
        for row in rows:
            values = (*row, "far-away/77/abcd", time() + 10**6)
            connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    told = []
    summary = run(small_spec, tmp_path / "store.db", n_jobs=1, on_progress=told.append)
    assert summary.done == summary.total
    assert "clock is ahead" in told[-1].notes[0]
    assert told[0].notes == ()
