"""A cluster of ray, one that exists or one of this machine."""

from concurrent.futures import Future
from importlib import import_module
from typing import Any

from kpboost.experiments._jobs import JobResult, Task
from kpboost.experiments._splits import PreparedDataset

from ._pool import execute_pinned

# How often a job moves to another worker after its own has died.
MOST_MOVES = 3


class RayPool:
    """Workers of a ray cluster.

    Parameters
    ----------
    n_workers : int
        Processors to use where there is no cluster yet.
    scheduler : str or None
        Address, or "auto" for the one of this machine; None starts one.
    """

    def __init__(self, n_workers: int, scheduler: str | None) -> None:
        try:
            ray = import_module("ray")
        except ImportError as error:
            raise ValueError("The backend 'ray' needs ray; pip install ray brings it.") from error
        self._ray = ray
        self._is_own = not ray.is_initialized()
        if self._is_own:
            own = {"num_cpus": n_workers} if scheduler is None else {"address": scheduler}
            try:
                ray.init(include_dashboard=False, log_to_driver=False, **own)
            except (ConnectionError, ValueError) as error:
                raise ValueError(f"There is no ray cluster at {scheduler!r}: {error}.") from error
        self._execute = ray.remote(num_cpus=1, max_retries=MOST_MOVES)(execute_pinned)

    def n_slots(self) -> int:
        """Return the number of processors of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def share(self, data: PreparedDataset) -> Any:
        """Put the data set where all workers can read it."""
        return self._ray.put(data)

    def submit(self, task: Task, shared: Any) -> "Future[JobResult]":
        """Start a job on some worker."""
        return self._execute.remote(task, shared).future()  # type: ignore[no-any-return]

    def close(self) -> None:
        """Leave; a cluster of this machine that was started here ends."""
        if self._is_own:
            self._ray.shutdown()
