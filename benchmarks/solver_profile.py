"""Where the time of the solver goes: phases of one fit, or of ten rounds, from samples of perf.

python benchmarks/solver_profile.py         some cells, most of them slow beside libsvm
python benchmarks/solver_profile.py --data pima --C 100 --length-scale 2 --work rounds

Needs `perf` and a core that keeps its symbols; `make profile` builds one and calls this. Shares do
not depend on what else the machine does, milliseconds do. The name is not `profile`, which would
hide the module of Python's library from every script of this folder.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import thread_time

import numpy as np

from problems import Problem, load, names_of_real_data
from timing import ask_for_one_thread

# A function belongs to the first phase whose pattern its name has. Pairs are steps of SMO, on whole
# rows in the opening and in blocks later; which of the two, the names of functions do not tell. Nor
# do they tell whose vectors are added up: those of paths, of strides or of a start of low rank.
PHASES = {
    "check": r"weigh_four_rows|asymmetr|make_dense_rows|all_finite",
    "entries": r"large_entries|NearEntries|near_entries|near_solve|NearSolve",
    "pairs": r"best_partner|move_then_highest|highest_of|open_on_whole_rows|smo|move_pair",
    "copies": r"Block::(fill|select|make|close|set|copy|release)",
    "factor": r"cholesky|Factor",
    "path": r"newton_path|Path|solve_upper|of_lower",
    "passes": r"add_rows|DenseRows|product",
    "strides": r"Extrapolation",
    "lowrank": r"Landmarks|Primal|low_rank",
    "vectors": r"::dot|add_row\b",
    "choice": r"working_set|extremes|points_round|points_above|points_below|free_slots|introsort",
    "rest": r"",
}
WORKS = ("fit", "rounds")
CELLS = (
    *(("generated-2000", sigma, C, "fit") for sigma in (0.3, 1.0, 3.0) for C in (1.0, 100.0)),
    *(("generated-5000", sigma, 100.0, "fit") for sigma in (0.3, 1.0, 3.0)),
    *(("generated-10000", 1.0, C, "fit") for C in (100.0, 1000.0)),
    *(("pima", 1.0, C, "fit") for C in (1.0, 100.0, 1000.0)),
    ("yeast", 1.0, 1.0, "fit"),
    ("yeast", 3.0, 1000.0, "fit"),
    ("digits", 3.0, 100.0, "fit"),
    ("pima", 2.0, 100.0, "rounds"),
    ("vehicle0", 3.0, 1000.0, "rounds"),
    ("yeast", 0.5, 100.0, "rounds"),
    ("generated-2000", 1.0, 100.0, "rounds"),
)
Cell = tuple[str, float, float, str]
STEPS = (0.001, 0.01, 0.1, 0.5)
N_ROUNDS = 10
SECONDS = 1.0
SAMPLES_PER_SECOND = 2000
MILLISECONDS = 1000.0


def main() -> None:
    options = parse_options()
    if options.child:
        (cell,) = cells_of(options)
        print(repeat(cell))
        return
    if shutil.which("perf") is None:
        sys.exit("perf is not installed; it is part of the kernel's tools (Debian: linux-perf).")
    ask_for_one_thread()
    print(f"{'data':>15} {'sigma':>5} {'C':>5} {'work':>6} {'ms':>8}", *_columns(PHASES))
    for cell in cells_of(options):
        milliseconds, counts = sampled(cell)
        shares = shares_of(counts)
        name, length_scale, C, work = cell
        print(f"{name:>15} {length_scale:5g} {C:5g} {work:>6} {milliseconds:8.2f}", end=" ")
        print(*_columns(f"{shares[phase]:.0%}" for phase in PHASES), flush=True)
        if options.functions:
            print_functions(counts)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", help="problems, such as pima or generated-5000")
    parser.add_argument("--C", nargs="+", type=float, default=[100.0])
    parser.add_argument("--length-scale", nargs="+", type=float, default=[1.0])
    parser.add_argument("--work", nargs="+", choices=WORKS, default=["fit"])
    parser.add_argument("--functions", action="store_true", help="name the functions, too")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def cells_of(options: argparse.Namespace) -> list[Cell]:
    if options.data is None:
        known = names_of_real_data()
        return [cell for cell in CELLS if cell[0].startswith("generated-") or cell[0] in known]
    return list(product(options.data, options.length_scale, options.C, options.work))


def sampled(cell: Cell) -> tuple[float, Counter[str]]:
    """Milliseconds of one piece of work, and samples by function of the compiled core."""
    with TemporaryDirectory() as folder:
        samples = Path(folder) / "perf.data"
        record = ["perf", "record", "-q", "-F", str(SAMPLES_PER_SECOND), "-o", str(samples)]
        done = subprocess.run(
            [*record, *child_of(cell)], check=True, capture_output=True, text=True, env=os.environ
        )
        return float(done.stdout), Counter(dict(functions_in(samples)))


def child_of(cell: Cell) -> list[str]:
    """Command that does the work of a cell for a while, and prints its milliseconds."""
    name, length_scale, C, work = cell
    settings = ["--data", name, "--length-scale", str(length_scale), "--C", str(C), "--work", work]
    return [sys.executable, __file__, "--child", *settings]


def functions_in(samples: Path) -> Iterator[tuple[str, int]]:
    report = ["perf", "report", "-i", str(samples), "--stdio", "--no-children"]
    fields = ["-F", "sample,dso,symbol"]
    done = subprocess.run([*report, *fields], check=True, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        found = re.match(r"\s*(\d+)\s+_core\S*\s+\[\.\]\s+(.*?)\s*$", line)
        if found:
            yield found[2], int(found[1])


def shares_of(counts: Counter[str]) -> dict[str, float]:
    if not counts:
        sys.exit("perf took no sample of the core; is it allowed to (perf_event_paranoid)?")
    if counts.most_common(1)[0][0].startswith("0x"):
        sys.exit("The core has no symbols: build one that keeps them, by `make profile`.")
    phases: Counter[str] = Counter()
    for name, count in counts.items():
        phases[next(phase for phase, words in PHASES.items() if re.search(words, name))] += count
    return {phase: phases[phase] / max(phases.total(), 1) for phase in PHASES}


def print_functions(counts: Counter[str]) -> None:
    for name, count in counts.most_common(12):
        print(f"{count / counts.total():>10.1%}  {name[:100]}")


def repeat(cell: Cell) -> float:
    """Do the work again and again for a while; milliseconds of processor time for each."""
    work, n_times = work_of(cell), 0
    begun = thread_time()
    while thread_time() - begun < SECONDS or n_times == 0:
        work()
        n_times += 1
    return MILLISECONDS * (thread_time() - begun) / n_times


def work_of(cell: Cell) -> Callable[[], object]:
    """One solve from a matrix that is still to be checked, or the rounds after the first."""
    from kpboost.ensemble._boosting import boost
    from kpboost.solvers import DenseGram, solve_dual

    name, length_scale, C, work = cell
    problem = load(name)
    gram, bounds = gram_of(problem, length_scale), np.full(problem.n, C)
    if work == "fit":
        return lambda: solve_dual(DenseGram(gram), problem.y, bounds)
    known = DenseGram(gram)
    first = solve_dual(known, problem.y, bounds)
    return lambda: [
        boost(known, problem.y, bounds, step=step, n_rounds=N_ROUNDS, first=first) for step in STEPS
    ]


def gram_of(problem: Problem, length_scale: float) -> np.ndarray:
    from sklearn.metrics.pairwise import rbf_kernel

    return np.asarray(rbf_kernel(problem.X, gamma=0.5 / length_scale**2))


def _columns(texts: Iterable[str]) -> Iterator[str]:
    return (f"{text:>7}" for text in texts)


if __name__ == "__main__":
    main()
