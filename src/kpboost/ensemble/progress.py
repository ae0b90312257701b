"""A progress bar over rounds and problems: rich where it is installed, plain lines elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from threading import Lock

# Plain lines are printed this many times in a run, at most.
PLAIN_LINES = 10


@contextmanager
def round_progress(verbose: int, n_problems: int, n_rounds: int) -> Iterator[Callable[[], None]]:
    """Give a function to call after every round of every problem.

    Parameters
    ----------
    verbose : int
        0 shows nothing.
    n_problems, n_rounds : int
        How many rounds there will be altogether.

    Yields
    ------
    callable
        Takes nothing; may be called from several threads.
    """
    if not verbose:
        yield _nothing
        return
    title = f"KPBoost: {n_problems} problem{'s' * (n_problems > 1)}, {n_rounds} rounds"
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield _plain(title, n_problems * n_rounds)
        return
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task(title, total=n_problems * n_rounds)
        yield lambda: bar.advance(task)


def _nothing() -> None:
    return None


def _plain(title: str, total: int) -> Callable[[], None]:
    done = 0
    lines_apart = ceil(total / PLAIN_LINES)
    lock = Lock()

    def after_round() -> None:
        nonlocal done
        with lock:
            done += 1
            if done == total or done % lines_apart == 0:
                print(f"{title}: {done} of {total} done", file=sys.stderr, flush=True)

    return after_round
