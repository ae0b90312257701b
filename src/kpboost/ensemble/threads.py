"""Boosting runs of several two-class problems in threads, all stopped by one Ctrl-C."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from kpboost.solvers import StopFlag

Result = TypeVar("Result")


def run_in_threads(tasks: Sequence[Callable[[StopFlag], Result]], n_threads: int) -> list[Result]:
    """Run the tasks and return their results in order.

    The solver releases Python's lock, so that threads over one shared Gram matrix use several
    processors. Python gives Ctrl-C to the main thread; here it raises a flag that every task
    gets as its argument, and waits for what the tasks make of it: those that have something to
    return do so, and the KeyboardInterrupt of the others is raised.

    Parameters
    ----------
    tasks : sequence of callables
        Each takes a StopFlag.
    n_threads : int
        1 runs them one after the other, in this thread.

    Returns
    -------
    list
    """
    stop = StopFlag()
    if n_threads == 1 or len(tasks) == 1:
        return [task(stop) for task in tasks]
    with ThreadPoolExecutor(min(n_threads, len(tasks))) as pool:
        futures = [pool.submit(task, stop) for task in tasks]
        try:
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            stop.set()
            return [_partial_result(future) for future in futures]
        finally:
            stop.set()  # after an error in one task the others need not go on


def _partial_result(future: "Future[Result]") -> Result:
    if future.cancel():
        raise KeyboardInterrupt
    return future.result()
