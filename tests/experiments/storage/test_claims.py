"""Claims: one run per job, and none that outlives its run."""

import subprocess
import sys

import pytest

from kpboost.experiments import ExperimentSpec, describe, loop, run
from kpboost.experiments.jobs import JobKey
from kpboost.experiments.loop import JOBS_PER_SLOT
from kpboost.experiments.storage import claims as claims_module
from kpboost.experiments.storage.claims import Claims
from kpboost.experiments.storage.store import Store
from patience import HANG

KEY, OTHER = JobKey("two", "c45_ib1", 0, "-"), JobKey("two", "c45_ib1", 1, "-")
# Claims the job and dies without a word.
DYING = """
import os, sys
from kpboost.experiments.jobs import JobKey
from kpboost.experiments.storage.claims import Claims
from kpboost.experiments.storage.store import Store

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
