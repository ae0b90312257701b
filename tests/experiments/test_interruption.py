"""Runs that end before their time, and two at a time: nothing is lost, nothing is done twice."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from kpboost.experiments import ExperimentSpec, describe, outcomes, run
from support.patience import HANG
from support.small_experiments import core_of

# A line per finished job, so that the parent knows when to strike; at the last line that it waits
# for the run stands still, or a slow parent would come too late. Jobs at work go on meanwhile.
SCRIPT = """
import sys
from time import sleep
from kpboost.experiments import ExperimentSpec, run

lines = []

def tell(progress):
    lines.append(progress.done)
    print(progress.done, flush=True)
    if len(lines) == int(sys.argv[3]):
        sleep(1000)

summary = run(ExperimentSpec.from_toml(sys.argv[1]), sys.argv[2], on_progress=tell)
print("done now", summary.done_now, flush=True)
"""


def start(spec_file, store, n_lines=0):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", SCRIPT, str(spec_file), str(store), str(n_lines)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def strike(process, signal_number, n_lines):
    """Send a signal after so many lines; the process is at work on something then."""
    for _ in range(n_lines):
        process.stdout.readline()
    process.send_signal(signal_number)
    _, errors = process.communicate(timeout=HANG)
    return errors


@pytest.fixture
def spec_file(small_spec, tmp_path):
    (tmp_path / "spec.toml").write_text(small_spec.to_toml())
    return tmp_path / "spec.toml"


@pytest.fixture
def expected(small_spec, tmp_path):
    run(small_spec, tmp_path / "undisturbed.db")
    return results(tmp_path / "undisturbed.db")


def results(path):
    return [core_of(own) for own in outcomes(path)]


def test_kill_and_resume(spec_file, expected, tmp_path):
    store = tmp_path / "store.db"
    kept = 0
    for n_lines in (5, 4):
        process = start(spec_file, store, n_lines)
        strike(process, signal.SIGKILL, n_lines)
        assert process.returncode == -signal.SIGKILL
        done = describe(store).counts["done"]
        # A line is written after the transaction: what was told is there. (The first says 0 more.)
        assert done >= kept + n_lines - 1
        kept = done
    summary = run(ExperimentSpec.from_toml(spec_file), store)
    assert summary.done_now == summary.total - kept > 0
    assert results(store) == expected
    assert all(0 < own.scores["roc_auc"] <= 1 for own in outcomes(store))  # kept, not recomputed


def test_results_that_a_killed_run_left_to_be_written(spec_file, small_spec, expected, tmp_path):
    """Between a job's transaction and that of its result there is a moment."""
    store = tmp_path / "store.db"
    run(small_spec, store)
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("DELETE FROM results")
    assert run(small_spec, store).done_now == 0
    assert results(store) == expected


def test_ctrl_c(spec_file, expected, tmp_path):
    store = tmp_path / "store.db"
    process = start(spec_file, store, 6)
    errors = strike(process, signal.SIGINT, 6)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors
    assert describe(store).counts["done"] >= 5
    run(ExperimentSpec.from_toml(spec_file), store)
    assert results(store) == expected


def test_two_writers(spec_file, expected, tmp_path):
    store = tmp_path / "store.db"
    both = [start(spec_file, store) for _ in range(2)]
    done_now = []
    for process in both:
        lines, errors = process.communicate(timeout=HANG)
        assert process.returncode == 0, errors
        done_now.append(int(lines.split()[-1]))
    assert results(store) == expected
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (n_jobs,) = connection.execute("SELECT count(*) FROM jobs").fetchone()
    info = describe(store)
    assert info.counts == {"done": n_jobs, "failed": 0}
    assert sum(done_now) == n_jobs  # none twice
