"""A cluster of dask.distributed, one that exists or one of this machine."""

from concurrent.futures import Future
from importlib import import_module
from typing import Any

from kpboost.experiments._jobs import JobResult, Task
from kpboost.experiments._splits import PreparedDataset

from ._pool import execute_pinned

# Seconds within which a scheduler answers.
CONNECT_SECONDS = 20


class DaskPool:
    """Workers of a dask cluster.

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
        try:
            client = import_module("distributed").Client
        except ImportError as error:
            raise ValueError(
                "The backend 'dask' needs dask.distributed; pip install 'kpboost[cluster]' "
                "brings it."
            ) from error
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

    def submit(self, task: Task, shared: Any) -> "Future[JobResult]":
        """Start a job on some worker."""
        return self._executor.submit(execute_pinned, task, shared)  # type: ignore[no-any-return]

    def close(self) -> None:
        """Cancel what is at work and leave; a cluster of this machine ends."""
        self._executor.shutdown(wait=False)
        self._client.close()


def _same(data: PreparedDataset) -> PreparedDataset:
    return data
