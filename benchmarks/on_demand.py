"""How the time of one fit grows where the rows of the kernel do not fit the cache.

    python benchmarks/on_demand.py                        20,000 and 50,000 points, a minute
    python benchmarks/on_demand.py --sizes 50000 100000 --C 100

One thread, processor time, single runs of `KernelSVC` with its default of 1000 MB for rows on
generated points in ten dimensions. `growth` is the exponent from the size before: 2 says that twice
the points take four times as long.
"""

import argparse
from itertools import product
from math import log
from time import thread_time

from kpboost import KernelSVC
from problems import generated
from timing import ask_for_one_thread, peak_memory_mb

SIZES = (20_000, 50_000)
LENGTH_SCALE = 1.0
COSTS = (1.0, 100.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--C", type=float, nargs="+", default=COSTS)
    parser.add_argument("--sigma", type=float, default=LENGTH_SCALE)
    options = parser.parse_args()
    ask_for_one_thread()
    print(f"{'C':>6}{'n':>8}{'seconds':>9}{'growth':>8}{'n_SV':>8}{'peak MB':>9}")
    before: dict[float, tuple[int, float]] = {}
    for C, n in product(options.C, sorted(options.sizes)):
        seconds, n_support = fitted(n, C, options.sigma)
        growth = "-"
        if C in before:
            smaller, less = before[C]
            growth = f"{log(seconds / less) / log(n / smaller):.2f}"
        before[C] = n, seconds
        print(
            f"{C:6g}{n:8}{seconds:9.2f}{growth:>8}{n_support:8}{peak_memory_mb():9.0f}", flush=True
        )


def fitted(n: int, C: float, length_scale: float) -> tuple[float, int]:
    """Processor seconds of a fit, and its support vectors."""
    problem = generated(n)
    machine = KernelSVC(C=C, gamma=0.5 / length_scale**2)
    begun = thread_time()
    machine.fit(problem.X, problem.y)
    return thread_time() - begun, len(machine.support_)


if __name__ == "__main__":
    main()
