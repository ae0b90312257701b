"""One thread per job: many jobs at a time use the processors better than the threads of one."""

from threading import local

from threadpoolctl import threadpool_limits

_own = local()


def pin_threads() -> None:
    """Limit BLAS in this process and OpenMP in this thread to one thread, once and for all."""
    if not getattr(_own, "pinned", False):
        threadpool_limits(limits=1)
        _own.pinned = True
