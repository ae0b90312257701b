"""A progress bar: rich where it is installed, plain lines elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from threading import Lock

# Plain lines are printed this many times in a run, at most.
PLAIN_LINES = 10


@contextmanager
def progress(verbose: int, title: str, total: int) -> Iterator[Callable[[], None]]:
    """Give a function to call after every step.

    Parameters
    ----------
    verbose : int
        0 shows nothing.
    title : str
        What is going on.
    total : int
        How many steps there will be altogether.

    Yields
    ------
    callable
        Takes nothing; may be called from several threads.
    """
    if not verbose:
        yield _nothing
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield _plain(title, total)
        return
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)


def _nothing() -> None:
    return None


def _plain(title: str, total: int) -> Callable[[], None]:
    done = 0
    lines_apart = ceil(total / PLAIN_LINES)
    lock = Lock()

    def after_step() -> None:
        nonlocal done
        with lock:
            done += 1
            if done == total or done % lines_apart == 0:
                print(f"{title}: {done} of {total} done", file=sys.stderr, flush=True)

    return after_step
