"""Where jobs run: threads of this process, processes of this machine, or somebody's cluster.

A pool hands out futures of :mod:`concurrent.futures`, so that the loop over jobs is the same for
all. Only the process that owns the pool writes to the store.
"""

import warnings
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread, local
from typing import Any, Protocol

from threadpoolctl import threadpool_limits

from kpboost.experiments._jobs import JobResult, Task, execute
from kpboost.experiments._splits import PreparedDataset

_own = local()


def pin_threads() -> None:
    """Limit BLAS in this process and OpenMP in this thread to one thread, once and for all."""
    if not getattr(_own, "pinned", False):
        threadpool_limits(limits=1)
        _own.pinned = True


def execute_pinned(task: Task, data: PreparedDataset) -> JobResult:
    """Do a job on a worker of somebody's cluster, where nothing of ours has been set up."""
    pin_threads()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of thousands of fits; what matters is in the record
        return execute(task, data)


BACKENDS = ("threads", "processes", "dask", "ray")


class Pool(Protocol):
    """What runs jobs."""

    def n_slots(self) -> int:
        """Return how many jobs can run at a time."""

    def share(self, data: PreparedDataset) -> Any:
        """Bring a data set to where jobs run; return what to hand to submit."""

    def submit(self, task: Task, shared: Any) -> "Future[JobResult]":
        """Start a job."""

    def close(self) -> None:
        """End at once; jobs at work are given up."""


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

    def submit(self, task: Task, shared: PreparedDataset) -> "Future[JobResult]":
        """Start a job as soon as a thread is free."""
        future: Future[JobResult] = Future()
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


def _fulfil(future: "Future[JobResult]", task: Task, data: PreparedDataset) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(execute(task, data))
    except BaseException as error:  # whatever it is, it belongs to who asked
        future.set_exception(error)


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
        from ._process_pool import ProcessPool

        return ProcessPool(n_jobs)
    if backend == "dask":
        from ._dask_pool import DaskPool

        return DaskPool(n_jobs, scheduler)
    from ._ray_pool import RayPool

    return RayPool(n_jobs, scheduler)
