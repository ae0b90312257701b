"""Processes of this machine, by joblib's loky: they start clean, and a lost one is noticed."""

import multiprocessing.resource_tracker
import os
import signal
import warnings
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import sleep

import joblib
from joblib.externals import loky

from kpboost.experiments._jobs import JobResult, Task, execute
from kpboost.experiments._splits import PreparedDataset

from ._pool import pin_threads

# Data sets that a worker keeps; jobs come data set by data set.
KEPT_DATASETS = 2
# Seconds between two looks of a worker at whether there is still somebody to work for.
WATCH_PERIOD = 2.0
# Helpers that start with the first worker; older ones let all that start after them hear Ctrl-C.
TRACKERS = (multiprocessing.resource_tracker, loky.backend.resource_tracker)


class ProcessPool:
    """Worker processes.

    Parameters
    ----------
    n_processes : int
    """

    def __init__(self, n_processes: int) -> None:
        self._n_processes = n_processes
        self._folder = TemporaryDirectory(prefix="kpboost-")
        self._executor = self._start()

    def _start(self) -> loky.ProcessPoolExecutor:
        return loky.ProcessPoolExecutor(
            max_workers=self._n_processes, initializer=_begin, initargs=(os.getpid(),)
        )

    def n_slots(self) -> int:
        """Return the number of processes."""
        return self._n_processes

    def share(self, data: PreparedDataset) -> str:
        """Write the data set to a file that workers read once."""
        path = Path(self._folder.name) / data.fingerprint
        if not path.exists():
            joblib.dump(data, path)
        return str(path)

    def submit(self, task: Task, shared: str) -> "Future[JobResult]":
        """Start a job; a pool that lost a worker is replaced by a new one."""
        with _deaf_to_ctrl_c():
            try:
                future = self._executor.submit(_execute_from_file, task, shared)
            except BrokenExecutor:
                self._executor.shutdown(wait=False, kill_workers=True)
                self._executor = self._start()
                future = self._executor.submit(_execute_from_file, task, shared)
        return future  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the processes, whatever they do."""
        self._executor.shutdown(wait=True, kill_workers=True)
        self._folder.cleanup()


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Hold Ctrl-C back for a moment; processes that begin in it never hear any.

    A terminal sends it to all processes, and one that is still importing would print where it was.
    To end them is up to their owner, who hears it as soon as the moment is over.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    for tracker in TRACKERS:
        tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(owner: int) -> None:
    """Make a new process ready: one thread, and no warnings of thousands of fits."""
    pin_threads()
    warnings.simplefilter("ignore")
    Thread(target=_leave_with, args=(owner,), daemon=True).start()


def _leave_with(owner: int) -> None:
    """End this process after its owner, who could not say so if it was killed."""
    while os.getppid() == owner:
        sleep(WATCH_PERIOD)
    os._exit(1)


def _execute_from_file(task: Task, path: str) -> JobResult:
    return execute(task, _read(path))


@lru_cache(maxsize=KEPT_DATASETS)
def _read(path: str) -> PreparedDataset:
    return joblib.load(path)  # type: ignore[no-any-return]  # our own, in a folder of our own
