"""One thread per job: many jobs at a time use the processors better than the threads of one."""

import warnings
from threading import local

from threadpoolctl import threadpool_limits

from ..jobs import JobResult, Task, execute
from ..preparation import Points

_own = local()


def pin_threads() -> None:
    """Limit BLAS in this process and OpenMP in this thread to one thread, once and for all."""
    if not getattr(_own, "pinned", False):
        threadpool_limits(limits=1)
        _own.pinned = True


def execute_pinned(task: Task, points: Points) -> JobResult:
    """Do a job on a worker of somebody's cluster, where nothing of ours has been set up."""
    pin_threads()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of thousands of fits; what matters is in the record
        return execute(task, points)
