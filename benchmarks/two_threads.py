"""One fit by one thread and by two, as ratios of wall-clock times: above 1, two are faster.

    python benchmarks/two_threads.py                   2,000 to 10,000 generated points, minutes
    python benchmarks/two_threads.py --quick
    python benchmarks/two_threads.py --sizes 50000 --C 1 --sigma 1

`matrix` is a solve on a matrix that is still to be checked, left out above 10,000 points; `points`
is `KernelSVC.fit`. Both give the same coefficients, bit for bit, which is checked. The machine must
have a second processor with nothing else to do.
"""

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from kpboost import KernelSVC
from kpboost.solvers import DenseGram, several_threads, solve_dual
from options import parser_of
from problems import Problem, generated
from report import write_json
from timing import ask_for_one_thread, interleaved_minima, seconds_of

SIZES, QUICK_SIZES = (2000, 5000, 10000), (2000,)
LENGTH_SCALES = (0.3, 1.0, 3.0)
COSTS = (1.0, 100.0, 1000.0)
LARGEST_MATRIX = 10_000
THREADS = (1, 2)
MILLISECONDS = 1000.0

Fit = Callable[[int], np.ndarray]


def main() -> None:
    options = parse_options()
    ask_for_one_thread()
    print(f"{'n':>6} {'sigma':>5} {'C':>5} {'matrix ms':>10} {'ratio':>6} {'points ms':>10} ratio")
    rows = []
    for n in options.sizes:
        problem = generated(n)
        for length_scale, C in product(options.sigma, options.C):
            rows.append(measured(problem, length_scale, C))
            show(rows[-1])
    if options.json:
        write_json(options.json, {"rows": rows})


def parse_options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--sigma", type=float, nargs="*", default=LENGTH_SCALES)
    parser.add_argument("--C", type=float, nargs="*", default=COSTS)
    options = parser.parse_args()
    if options.data:
        parser.error("--data: the points are generated; choose --sizes")
    options.sizes = options.sizes or (QUICK_SIZES if options.quick else SIZES)
    return options


def measured(problem: Problem, length_scale: float, C: float) -> dict[str, float]:
    """Milliseconds with one thread, and how many times as fast two are."""
    row = {"n": problem.n, "sigma": length_scale, "C": C}
    for name, fit in fits_of(problem, length_scale, C).items():
        check_same(fit)
        runs = {str(k): partial(seconds_of, partial(fit, k)) for k in THREADS}
        one, two = (seconds or 0.0 for seconds in interleaved_minima(runs).values())
        row |= {f"{name} ms": MILLISECONDS * one, name: one / two}
    return row


def fits_of(problem: Problem, length_scale: float, C: float) -> Mapping[str, Fit]:
    gamma = 0.5 / length_scale**2

    def from_points(n_threads: int) -> np.ndarray:
        machine = KernelSVC(C=C, gamma=gamma, n_jobs=n_threads)
        return machine.fit(problem.X, problem.y).dual_coef_

    if problem.n > LARGEST_MATRIX:
        return {"points": from_points}
    gram = rbf_kernel(problem.X, gamma=gamma)

    def on_matrix(n_threads: int) -> np.ndarray:
        with several_threads(n_threads):
            return solve_dual(DenseGram(gram), problem.y, C).dual_coef

    return {"matrix": on_matrix, "points": from_points}


def check_same(fit: Fit) -> None:
    one, two = (fit(k) for k in THREADS)
    if not np.array_equal(one, two):
        raise SystemExit("The solution depends on the number of threads.")


def show(row: Mapping[str, float]) -> None:
    cells = [
        f"{row[f'{name} ms']:10.1f} {row[name]:6.2f}" if name in row else f"{'-':>10} {'-':>6}"
        for name in ("matrix", "points")
    ]
    print(f"{row['n']:6.0f} {row['sigma']:5g} {row['C']:5g}", *cells, flush=True)


if __name__ == "__main__":
    main()
