"""Processes of this machine, by joblib's loky: they start clean, and a lost one is noticed."""

import os
import warnings
from concurrent.futures import BrokenExecutor, Future
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import sleep

import numpy as np
from joblib.externals.loky import ProcessPoolExecutor

from ..jobs import JobResult, Task, execute
from ..preparation import Points
from ..storage.packing import unpack
from .pinning import pin_threads

# Data sets that a worker keeps; jobs come data set by data set.
KEPT_DATASETS = 2
# Seconds between two looks of a worker at whether there is still somebody to work for.
WATCH_PERIOD = 2.0


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

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            max_workers=self._n_processes, initializer=_begin, initargs=(os.getpid(),)
        )

    def n_slots(self) -> int:
        """Return the number of processes."""
        return self._n_processes

    def share(self, points: Points) -> str:
        """Write the data set to a file that workers read once."""
        path = Path(self._folder.name) / f"{points.fingerprint}.npz"
        if not path.exists():
            np.savez(
                path,
                allow_pickle=False,
                name=np.array(points.name),
                X=points.X,
                nominal=points.nominal,
                codes=points.codes,
                disjuncts=points.disjuncts,
                disjunct_sizes=points.disjunct_sizes,
                n_classes=np.array(points.n_classes),
            )
        return str(path)

    def submit(self, task: Task, shared: str) -> "Future[JobResult]":
        """Start a job; a pool that lost a worker is replaced by a new one."""
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
def _read(path: str) -> Points:
    arrays = unpack(Path(path).read_bytes())
    return Points(
        name=str(arrays["name"]),
        fingerprint=Path(path).stem,
        X=arrays["X"],
        nominal=arrays["nominal"],
        codes=arrays["codes"],
        disjuncts=arrays["disjuncts"],
        disjunct_sizes=arrays["disjunct_sizes"],
        n_classes=int(arrays["n_classes"]),
    )
