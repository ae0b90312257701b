"""Where jobs run: threads of this process, processes of this machine, or somebody's cluster.

A pool hands out futures of :mod:`concurrent.futures`, so that the scheduler is the same for all.
Only the process that owns the pool writes to the store.
"""

import warnings
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Protocol

import joblib

from kpboost._parallel import WorkerProcesses, pin_threads

from ._jobs import JobResult, Task, execute
from ._splits import PreparedDataset

BACKENDS = ("threads", "processes", "dask", "ray")
# Data sets that a worker process keeps; jobs come data set by data set.
KEPT_DATASETS = 2
# Seconds within which a scheduler of dask answers.
CONNECT_SECONDS = 20
# How often a job of ray moves to another worker after its own has died.
MOST_MOVES = 3

JobFuture = Future[JobResult]


class Pool(Protocol):
    """What runs jobs."""

    def n_slots(self) -> int:
        """Return how many jobs can run at a time."""

    def share(self, data: PreparedDataset) -> Any:
        """Bring a data set to where jobs run; return what to hand to submit."""

    def submit(self, task: Task, shared: Any) -> JobFuture:
        """Start a job."""

    def close(self) -> None:
        """End at once; jobs at work are given up."""


def make_pool(backend: str, n_jobs: int, scheduler: str | None) -> Pool:
    """Open a pool.

    Parameters
    ----------
    backend : {"threads", "processes", "dask", "ray"}
    n_jobs : int
        Jobs at a time on this machine; a cluster knows its own number.
    scheduler : str or None
        Address of a cluster; None starts one on this machine.
    """
    if backend == "threads" or (backend == "processes" and n_jobs == 1):
        return ThreadPool(n_jobs)
    if backend == "processes":
        return ProcessPool(n_jobs)
    return (DaskPool if backend == "dask" else RayPool)(n_jobs, scheduler)


class ThreadPool:
    """Threads of this process.

    They are daemons: after Ctrl-C nobody waits for the jobs that are at work, whose results would
    be thrown away.

    Parameters
    ----------
    n_threads : int
    """

    def __init__(self, n_threads: int) -> None:
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._n_threads = n_threads
        # Filters are the process's, not a thread's: set them once for all jobs.
        self._quiet = warnings.catch_warnings()
        self._quiet.__enter__()
        warnings.simplefilter("ignore")
        for _ in range(n_threads):
            Thread(target=self._work, daemon=True).start()

    def n_slots(self) -> int:
        """Return the number of threads."""
        return self._n_threads

    def share(self, data: PreparedDataset) -> PreparedDataset:
        """Return the data set itself: threads see the same memory."""
        return data

    def submit(self, task: Task, shared: PreparedDataset) -> JobFuture:
        """Start a job as soon as a thread is free."""
        future: JobFuture = Future()
        self._queue.put(lambda: _fulfil(future, task, shared))
        return future

    def close(self) -> None:
        """Let the threads end after the jobs at work."""
        self._quiet.__exit__(None, None, None)
        for _ in range(self._n_threads):
            self._queue.put(None)

    def _work(self) -> None:
        pin_threads()
        while (job := self._queue.get()) is not None:
            job()


def _fulfil(future: JobFuture, task: Task, data: PreparedDataset) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(execute(task, data))
    except BaseException as error:  # whatever it is, it belongs to the owner of the future
        future.set_exception(error)


class ProcessPool:
    """Processes of this machine; new ones take the place of a pool that lost one.

    Parameters
    ----------
    n_processes : int
    """

    def __init__(self, n_processes: int) -> None:
        self._n_processes = n_processes
        self._folder = TemporaryDirectory(prefix="kpboost-")
        self._processes = WorkerProcesses(n_processes)

    def n_slots(self) -> int:
        """Return the number of processes."""
        return self._n_processes

    def share(self, data: PreparedDataset) -> str:
        """Write the data set to a file that workers read once."""
        path = Path(self._folder.name) / data.fingerprint
        if not path.exists():
            joblib.dump(data, path)
        return str(path)

    def submit(self, task: Task, shared: str) -> JobFuture:
        """Start a job; a pool that lost a worker is replaced by a new one."""
        try:
            return self._processes.submit(_execute_from_file, task, shared)
        except BrokenExecutor:
            self._processes.close()
            self._processes = WorkerProcesses(self._n_processes)
            return self._processes.submit(_execute_from_file, task, shared)

    def close(self) -> None:
        """End the processes, whatever they do."""
        self._processes.close()
        self._folder.cleanup()


def _execute_from_file(task: Task, path: str) -> JobResult:
    return execute(task, _read(path))


@lru_cache(maxsize=KEPT_DATASETS)
def _read(path: str) -> PreparedDataset:
    return joblib.load(path)  # type: ignore[no-any-return]  # our own, in a folder of our own


def _execute_on_cluster(task: Task, data: PreparedDataset) -> JobResult:
    """Do a job on a worker of somebody's cluster, where nothing of ours has been set up."""
    pin_threads()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of thousands of fits; what matters is in the record
        return execute(task, data)


def _package(backend: str, package: str, install: str) -> Any:
    try:
        return import_module(package)
    except ImportError as error:
        raise ValueError(
            f"The backend {backend!r} needs {package}; pip install {install} brings it."
        ) from error


class DaskPool:
    """Workers of a cluster of dask.distributed, one that exists or one of this machine.

    A worker that dies costs nothing but time: the scheduler gives its jobs to another, and sends
    the data set again, which travels as a task of its own.

    Parameters
    ----------
    n_workers : int
        Used where there is no scheduler yet.
    scheduler : str or None
        Address, for example "tcp://head:8786"; None starts a cluster on this machine.
    """

    def __init__(self, n_workers: int, scheduler: str | None) -> None:
        client = _package("dask", "distributed", "'kpboost[cluster]'").Client
        try:
            if scheduler is None:
                self._client = client(n_workers=n_workers, threads_per_worker=1)
            else:
                self._client = client(scheduler, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            raise ValueError(f"There is no dask scheduler at {scheduler!r}: {error}.") from error
        self._executor = self._client.get_executor(pure=False)

    def n_slots(self) -> int:
        """Return the number of threads of all workers; at least 1, for those still to come."""
        return max(1, int(sum(self._client.nthreads().values())))

    def share(self, data: PreparedDataset) -> Any:
        """Send the data set to the cluster."""
        return self._client.submit(_same, data, key=f"kpboost-{data.fingerprint}")

    def submit(self, task: Task, shared: Any) -> JobFuture:
        """Start a job on some worker."""
        return self._executor.submit(_execute_on_cluster, task, shared)  # type: ignore[no-any-return]

    def close(self) -> None:
        """Cancel what is at work and leave; a cluster of this machine ends."""
        self._executor.shutdown(wait=False)
        self._client.close()


def _same(data: PreparedDataset) -> PreparedDataset:
    return data


class RayPool:
    """Workers of a ray cluster, one that exists or one of this machine.

    Parameters
    ----------
    n_workers : int
        Processors to use where there is no cluster yet.
    scheduler : str or None
        Address, or "auto" for the one of this machine; None starts one.
    """

    def __init__(self, n_workers: int, scheduler: str | None) -> None:
        self._ray = _package("ray", "ray", "ray")
        self._is_own = not self._ray.is_initialized()
        if self._is_own:
            own = {"num_cpus": n_workers} if scheduler is None else {"address": scheduler}
            try:
                self._ray.init(include_dashboard=False, log_to_driver=False, **own)
            except (ConnectionError, ValueError) as error:
                raise ValueError(f"There is no ray cluster at {scheduler!r}: {error}.") from error
        self._execute = self._ray.remote(num_cpus=1, max_retries=MOST_MOVES)(_execute_on_cluster)

    def n_slots(self) -> int:
        """Return the number of processors of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def share(self, data: PreparedDataset) -> Any:
        """Put the data set where all workers can read it."""
        return self._ray.put(data)

    def submit(self, task: Task, shared: Any) -> JobFuture:
        """Start a job on some worker."""
        return self._execute.remote(task, shared).future()  # type: ignore[no-any-return]

    def close(self) -> None:
        """Leave; a cluster of this machine that was started here ends."""
        if self._is_own:
            self._ray.shutdown()
