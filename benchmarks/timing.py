"""Fair times: one thread, interleaved repeats, the minimum of each contender."""

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

# Seconds that the repeats of one contender may take together before no more are made.
REPEAT_BUDGET = 1.0
MOST_REPEATS = 15

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
MEGABYTE = 1e6
STATUS = Path("/proc/self/status")


def ask_for_one_thread() -> None:
    """Tell every thread pool that a process started from now on creates to hold one thread."""
    for variable in THREAD_VARIABLES:
        os.environ[variable] = "1"


def seconds_of(work: Callable[[], object]) -> float:
    """Wall-clock seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def interleaved_minima(
    runs: Mapping[str, Callable[[], float | None]], *, budget: float = REPEAT_BUDGET
) -> dict[str, float | None]:
    """Let the contenders take turns and keep the shortest time of each.

    Taking turns spreads a slow moment of the machine over all of them. A run returns its seconds,
    or None when it was stopped; a contender that was stopped once runs no more and keeps None.

    Parameters
    ----------
    runs : mapping of name to callable
        Each call does the work once and returns its seconds, or None.

    budget : float
        A contender takes part until its runs have taken this many seconds together.

    Returns
    -------
    minima : dict
        Seconds, or None for a contender that was stopped.
    """
    times: dict[str, list[float]] = {name: [] for name in runs}
    stopped: set[str] = set()
    for _ in range(MOST_REPEATS):
        for name, run in runs.items():
            if name in stopped or sum(times[name]) > budget:
                continue
            seconds = run()
            if seconds is None:
                stopped.add(name)
            else:
                times[name].append(seconds)
    return {name: None if name in stopped else min(times[name]) for name in runs}


def peak_memory_mb() -> float:
    """Largest resident memory that this process has had so far, in MB; nan where it is unknown."""
    if STATUS.exists():  # Linux; what getrusage says there includes the process that started this
        lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
        return 1024 * int(lines["VmHWM"].split()[0]) / MEGABYTE
    try:
        import resource
    except ImportError:  # Windows
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    in_bytes = peak if sys.platform == "darwin" else 1024 * peak
    return in_bytes / MEGABYTE
