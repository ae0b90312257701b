"""Processes of this machine that leave Ctrl-C to their owner, and end with it however it ends."""

import multiprocessing.resource_tracker
import os
import signal
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Thread, local
from time import sleep
from types import TracebackType
from typing import Any, Self, TypeVar

from joblib.externals import loky
from threadpoolctl import threadpool_limits

# Seconds between two looks of a worker process at whether its owner still lives.
WATCH_PERIOD = 2.0
# Helpers that start with the first worker; older ones let all that start after them hear Ctrl-C.
TRACKERS = (multiprocessing.resource_tracker, loky.backend.resource_tracker)

Result = TypeVar("Result")
_own = local()


def pin_threads() -> None:
    """Limit BLAS in this process and OpenMP in this thread to one thread, once and for all."""
    if not getattr(_own, "pinned", False):
        threadpool_limits(limits=1)
        _own.pinned = True


class WorkerProcesses:
    """Processes by joblib's loky: they start clean, and a lost one is noticed.

    Warnings of theirs are not shown: they would not say which fit they are about.

    Parameters
    ----------
    n_processes : int
    """

    def __init__(self, n_processes: int) -> None:
        self._executor = loky.ProcessPoolExecutor(
            max_workers=n_processes, initializer=_begin, initargs=(os.getpid(),)
        )

    def submit(self, work: Callable[..., Result], *arguments: Any) -> Future[Result]:
        """Start a piece of work as soon as a process is free; BrokenExecutor if one was lost."""
        with _deaf_to_ctrl_c():
            return self._executor.submit(work, *arguments)  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the processes, whatever they do."""
        self._executor.shutdown(wait=True, kill_workers=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


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
    os.environ["OMP_NUM_THREADS"] = "1"  # for libraries that are not loaded yet
    threadpool_limits(limits=1)
    warnings.simplefilter("ignore")
    Thread(target=_leave_with, args=(owner,), daemon=True).start()


def _leave_with(owner: int) -> None:
    """End this process after its owner, who could not say so if it was killed."""
    while os.getppid() == owner:
        sleep(WATCH_PERIOD)
    os._exit(1)
