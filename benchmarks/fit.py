"""Ours against scikit-learn's SVC and scikit-learn-intelex, as ratios of times in one run.

python benchmarks/fit.py            everything: hours, most of them the peers'
python benchmarks/fit.py --quick    a few minutes
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import report
from problems import load, names_of_real_data
from timing import ask_for_one_thread, interleaved_minima
from worker import Worker

SIZES = (200, 500, 1000, 2000, 5000, 10_000, 20_000)
CS = (1.0, 100.0, 1000.0)
LENGTH_SCALES = (0.3, 1.0, 3.0)
CAP_SECONDS = 60.0

QUICK_SIZES = (200, 500, 1000)
QUICK_REAL_DATA = ("breast_cancer",)
QUICK_CAP_SECONDS = 20.0

CONTENDERS = (
    "ours_gram",
    "svc_gram",
    "ours_rbf",
    "svc_rbf",
    "intelex_rbf",
    "ours_rounds",
    "svc_rounds",
)
# Above this size the Gram matrices of all contenders do not fit into memory side by side; they
# then run one after the other, each in its turn alone, instead of taking turns.
MOST_POINTS_SIDE_BY_SIDE = 5000

Measured = dict[str, report.Measurement]


def main() -> None:
    options = parse_options()
    ask_for_one_thread()
    contenders = available_contenders()
    names = [f"generated-{n}" for n in options.sizes] + list(options.data)
    cells: list[report.Cell] = []
    print(report.header())
    for name in names:
        for length_scale in LENGTH_SCALES:
            for cell in measure(name, length_scale, contenders, options.cap):
                cells.append(cell)
                print(report.line(cell), flush=True)
        if options.json:
            report.write_json(options.json, cells)
    print(report.summary(cells))


def measure(
    name: str, length_scale: float, contenders: Sequence[str], cap: float
) -> Iterator[report.Cell]:
    """Time all contenders on one problem and one kernel width; yields a cell for each C."""
    n = load(name).n
    together = n <= MOST_POINTS_SIDE_BY_SIDE
    groups = [contenders] if together else [[contender] for contender in contenders]
    measured: dict[float, Measured] = {C: {} for C in CS}
    for group in groups:
        for C, of_group in measure_group(group, name, length_scale, cap).items():
            measured[C].update(of_group)
    for C in CS:
        yield report.Cell(name, n, C, length_scale, cap, measured[C])


def measure_group(
    contenders: Sequence[str], name: str, length_scale: float, cap: float
) -> dict[float, Measured]:
    """Time contenders that live side by side and take turns, for every C."""
    with ExitStack() as stack:
        workers: dict[str, Worker] = {}
        measured: dict[float, Measured] = {}
        for C in CS:
            for contender in contenders:
                if contender not in workers:
                    workers[contender] = Worker(contender, name, length_scale)
                    stack.callback(workers[contender].close)
                workers[contender].prepare(C)
            measured[C] = take_turns(workers, C, cap)
            for contender in [c for c, m in measured[C].items() if m.seconds is None]:
                workers.pop(contender).close()
        return measured


def take_turns(workers: dict[str, Worker], C: float, cap: float) -> Measured:
    minima = interleaved_minima(
        {name: partial(worker.fit, C, cap) for name, worker in workers.items()}
    )
    return {name: _measurement(workers[name], seconds) for name, seconds in minima.items()}


def _measurement(worker: Worker, seconds: float | None) -> report.Measurement:
    if seconds is None:
        return report.Measurement(None, None, None)
    return report.Measurement(seconds, worker.objective(), worker.memory_mb)


def available_contenders() -> list[str]:
    if find_spec("sklearnex") is not None:
        return list(CONTENDERS)
    print("scikit-learn-intelex is not installed; its column stays empty.")
    return [name for name in CONTENDERS if name != "intelex_rbf"]


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small problems only")
    parser.add_argument("--sizes", type=int, nargs="*", help="sizes of the generated problems")
    parser.add_argument("--data", nargs="*", metavar="NAME", help="real data sets")
    parser.add_argument("--cap", type=float, help="stop a fit after this many seconds")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements there")
    options = parser.parse_args()
    return fill_in(options)


def fill_in(options: argparse.Namespace) -> argparse.Namespace:
    """Whatever was not asked for: everything, or the quick choice; sizes alone mean no data."""
    quick: bool = options.quick
    if options.sizes is None and options.data is None:
        options.sizes = QUICK_SIZES if quick else SIZES
        options.data = QUICK_REAL_DATA if quick else names_of_real_data()
    options.sizes, options.data = options.sizes or [], options.data or []
    options.cap = options.cap or (QUICK_CAP_SECONDS if quick else CAP_SECONDS)
    return options


if __name__ == "__main__":
    main()
