"""What any solver has to do: libsvm's time over that of the steps that cannot be left out.

python benchmarks/least_time.py [--data NAME...]       three minutes

Suppose somebody told us which points are free and which are at their bounds. There would still be
the matrix to look at, one factor of the free points' part to make (LAPACK's) and one product with
the support vectors' rows to compute all residuals. A solver that is to be exact and goes through a
factor cannot be faster than these three. The last columns: libsvm at 1e-3 over that, conjugate
gradients instead of the factor (steps to 1e-6), and libsvm over ours.
"""

import argparse
from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf
from scipy.sparse.linalg import cg
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from kpboost.kernels import rbf_kernel
from kpboost.solvers import DenseGram, solve_dual
from problems import load, names_of_real_data
from timing import interleaved_minima, seconds_of

REAL_DATA, GENERATED = ("pima", "yeast", "digits"), ("generated-2000", "generated-5000")
LENGTH_SCALES = (0.3, 1.0, 3.0)
CS = (1.0, 100.0, 1000.0)
MILLISECONDS = 1000.0
Matrix = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = [name for name in REAL_DATA if name in names_of_real_data()]
    parser.add_argument(
        "--data", nargs="+", default=[*known, *GENERATED], help="problems, such as pima"
    )
    options = parser.parse_args()
    print(
        f"{'data':>15}{'sigma':>6}{'C':>6}{'free':>6}{'check':>8}{'factor':>8}{'product':>8}"
        f"{'ours':>8}{'libsvm':>8}{'at most':>8}{'CG steps':>9}{'ratio':>7}"
    )
    with threadpool_limits(1):
        for name, length_scale in product(options.data, LENGTH_SCALES):
            for C in CS:
                print(line(name, length_scale, C), flush=True)


def line(name: str, length_scale: float, C: float) -> str:
    problem = load(name)
    gram = rbf_kernel(problem.X, gamma=0.5 / length_scale**2)
    coef = solve_dual(gram, problem.y, C).dual_coef
    support, size = np.flatnonzero(coef), np.abs(coef)
    sizes, rows = coef[support], gram[support]
    free = np.flatnonzero((size > 0) & (size < C))
    block = np.asfortranarray(gram[np.ix_(free, free)])
    svc = SVC(C=C, kernel="precomputed", cache_size=1000)
    works: dict[str, Callable[[], object]] = {
        "check": lambda: DenseGram(gram),
        "factor": lambda: dpotrf(block, lower=1),
        "product": lambda: sizes @ rows,
        "ours": lambda: solve_dual(gram, problem.y, C),
        "libsvm": lambda: svc.fit(gram, problem.y),
    }
    minima = interleaved_minima({key: partial(seconds_of, work) for key, work in works.items()})
    ms = {key: MILLISECONDS * seconds for key, seconds in minima.items() if seconds is not None}
    most = ms["libsvm"] / (ms["check"] + ms["factor"] + ms["product"])
    times = "".join(f"{ms[key]:8.2f}" for key in works)
    return (
        f"{name:>15}{length_scale:6g}{C:6g}{free.size:6}{times}{most:8.1f}"
        f"{steps_of_conjugate_gradients(block):9}{ms['libsvm'] / ms['ours']:7.1f}"
    )


def steps_of_conjugate_gradients(matrix: Matrix) -> int:
    """Return the steps for a right-hand side of ones, to 1e-6 of it; each is a product."""
    steps = 0

    def count(_: Matrix) -> None:
        nonlocal steps
        steps += 1

    cg(matrix, np.ones(len(matrix)), rtol=1e-6, maxiter=2000, callback=count)
    return steps


if __name__ == "__main__":
    main()
