"""Boosting runs of several two-class problems in threads, all stopped by one Ctrl-C."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from kpboost.solvers import StopFlag

Result = TypeVar("Result")

# Seconds between two looks at signals. Not every wait ends with one: not on Windows, and not where
# a library has asked the system to resume waits, as polars does.
SIGNAL_PERIOD = 0.1


def run_in_threads(tasks: Sequence[Callable[[StopFlag], Result]], n_threads: int) -> list[Result]:
    """Run the tasks and return their results in order.

    The solver releases Python's lock, so that threads over one shared Gram matrix use several
    processors. Python gives Ctrl-C to the main thread; here it raises a flag that every task
    gets as its argument, and waits for what the tasks make of it, also those still to begin:
    those that have something to return do so, and the first KeyboardInterrupt of another is raised.

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
        futures: list[Future[Result]] = []
        try:
            _submit_rest(pool, tasks, stop, futures)
            _wait_for(futures)
            return [future.result() for future in futures]
        except KeyboardInterrupt:
            stop.set()
            _submit_rest(pool, tasks, stop, futures)
            return [future.result() for future in futures]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # after an error no other task begins,
            stop.set()  # and none goes on


def _submit_rest(
    pool: ThreadPoolExecutor,
    tasks: Sequence[Callable[[StopFlag], Result]],
    stop: StopFlag,
    futures: "list[Future[Result]]",
) -> None:
    """Submit the tasks that have no future yet: all, or those that Ctrl-C came before."""
    for task in tasks[len(futures) :]:
        futures.append(pool.submit(task, stop))


def _wait_for(futures: "Sequence[Future[Result]]") -> None:
    """Wait until all are done; an error in one of them is raised at once."""
    running = set(futures)
    while running:
        done, running = wait(running, SIGNAL_PERIOD, FIRST_EXCEPTION)
        for future in done:
            future.result()
