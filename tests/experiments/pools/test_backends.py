"""The same results wherever jobs run, also when workers die."""

import os
import signal
import sys
import warnings
from pathlib import Path

import pytest

from kpboost.experiments import ExperimentSpec, outcomes, run
from support.small_experiments import core_of, write_points

# When a worker dies: early enough that others still have its jobs to do.
FATAL_JOB = 3


@pytest.fixture(scope="module")
def spec(tmp_path_factory):
    """Two data sets; methods that depend on each other, and one that draws."""
    folder = tmp_path_factory.mktemp("data")
    two = write_points(folder / "two.csv")
    three = write_points(folder / "three.csv", n_points=45, n_classes=3)
    return ExperimentSpec([two, three], ["svm", "kpboost", "rusboost"], n_folds=2)


@pytest.fixture(scope="module")
def expected(spec, tmp_path_factory):
    path = tmp_path_factory.mktemp("one") / "one.db"
    run(spec, path)
    return results(path)


def results(path):
    return [core_of(own) for own in outcomes(path)]


def test_threads(spec, expected, tmp_path):
    run(spec, tmp_path / "two.db", backend="threads", n_jobs=2)
    assert results(tmp_path / "two.db") == expected
    assert all(own[2] == "complete" for own in expected)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for workers in /proc")
def test_processes_of_which_one_is_killed(spec, expected, tmp_path):
    before, killed = set(children()), []

    def kill_one(progress):
        if progress.done == FATAL_JOB and not killed:
            killed.append(workers(before)[0])
            os.kill(killed[0], signal.SIGKILL)

    run(spec, tmp_path / "two.db", backend="processes", n_jobs=2, on_progress=kill_one)
    assert killed
    assert results(tmp_path / "two.db") == expected


def workers(before):
    """Return the processes that loky started for jobs; its tracker of resources is not one."""
    lines = {pid: Path(f"/proc/{pid}/cmdline").read_text() for pid in children()}
    return [pid for pid, line in lines.items() if pid not in before and "tracker" not in line]


def children():
    """Return the child processes of this one, started by whichever of its threads."""
    lists = Path("/proc/self/task").glob("*/children")
    return [int(pid) for own in lists for pid in own.read_text().split()]


def test_dask_with_a_worker_that_is_killed(spec, expected, tmp_path):
    distributed = pytest.importorskip("distributed")
    killed = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:

        def kill_one(progress):
            if progress.done == FATAL_JOB and not killed:
                killed.append(next(iter(cluster.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

        address = cluster.scheduler_address
        path = tmp_path / "dask.db"
        summary = run(spec, path, backend="dask", scheduler=address, on_progress=kill_one)
    assert killed
    assert (summary.failed, summary.done) == (0, summary.total)
    assert results(path) == expected


def test_a_scheduler_that_is_not_there(spec, tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("kpboost.experiments._pools.CONNECT_SECONDS", 1)
    with pytest.raises(ValueError, match=r"no dask scheduler at 'tcp://127\.0\.0\.1:9'"):
        run(spec, tmp_path / "s.db", backend="dask", scheduler="tcp://127.0.0.1:9")


def test_ray(spec, expected, tmp_path):
    pytest.importorskip("ray")
    run(spec, tmp_path / "ray.db", backend="ray", n_jobs=2)
    assert results(tmp_path / "ray.db") == expected


@pytest.mark.parametrize(("backend", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_cluster_that_is_not_installed(spec, tmp_path, monkeypatch, backend, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ValueError, match=f"The backend '{backend}' needs"):
        run(spec, tmp_path / "s.db", backend=backend)


def test_warnings_of_jobs_are_not_shown_and_those_of_others_are(spec, tmp_path):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        run(spec, tmp_path / "s.db", backend="threads", n_jobs=2)
        warnings.warn("after", stacklevel=1)
    assert [str(own.message) for own in seen] == ["after"]


def test_an_unknown_backend(spec, tmp_path):
    with pytest.raises(ValueError, match="backend='fork'"):
        run(spec, tmp_path / "s.db", backend="fork")
