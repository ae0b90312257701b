"""A grid of 37 steps x 2 C on one fold against the obvious way with SVC, as ratios of times.

The obvious way is timed on a sample of 14 of the 74 candidates, and its time is scaled up.

python benchmarks/grid.py            everything: an hour, most of it the peer's
python benchmarks/grid.py --quick    two minutes
"""

import argparse
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import report
from options import choose_problems, parser_of
from problems import load
from searches import N_CANDIDATES, N_SAMPLED
from timing import ask_for_one_thread, interleaved_minima
from worker import Worker

SIZES = (500, 1000, 2000)
LENGTH_SCALES = (1.0, 3.0)
CAP_SECONDS = 300.0

QUICK_SIZES = (500, 1000)
QUICK_REAL_DATA = ("breast_cancer",)
QUICK_LENGTH_SCALES = (1.0,)

CONTENDERS = ("ours_grid", "ours_grid_two_threads", "svc_grid")
# Runs of a contender go on until they have taken this many seconds together.
BUDGET_SECONDS = 5.0
# Problems above this size are judged on their own as well.
LARGE_N = 1000
# The grid has values of C of its own.
NO_C = 0.0


@dataclass(frozen=True)
class GridCell:
    """What was measured for one problem and one kernel width; None for what was stopped.

    Attributes
    ----------
    problem : str
    n : int
        Number of points, four fifths of which are for training.
    length_scale : float
    one_thread, two_threads : float or None
        Seconds of KPBoostSVCCV for all candidates.
    obvious_sample : float or None
        Seconds of the obvious way for the sample.
    obvious_all : float
        The same for all candidates, extrapolated; a lower bound if it was stopped.
    recall_ours, recall_obvious : float or None
        Mean recall over classes and the sampled candidates.
    """

    problem: str
    n: int
    length_scale: float
    one_thread: float | None
    two_threads: float | None
    obvious_sample: float | None
    obvious_all: float
    recall_ours: float | None
    recall_obvious: float | None

    @property
    def ratio(self) -> float | None:
        """Time of the obvious way over ours, on one thread."""
        return None if self.one_thread is None else self.obvious_all / self.one_thread

    @property
    def speed_up(self) -> float | None:
        """Our time on one thread over that on two."""
        if self.one_thread is None or self.two_threads is None:
            return None
        return self.one_thread / self.two_threads


def main() -> None:
    options = parse_options()
    ask_for_one_thread()
    cells: list[GridCell] = []
    print(header())
    for name in [f"generated-{n}" for n in options.sizes] + list(options.data):
        for length_scale in options.sigma:
            cells.append(measure(name, length_scale, options.cap, options.budget))
            print(line(cells[-1]), flush=True)
        if options.json:
            write(options.json, cells)
    print(summary(cells))


def measure(name: str, length_scale: float, cap: float, budget: float) -> GridCell:
    """Let all contenders take turns, each in a process of its own."""
    with ExitStack() as stack:
        workers = {each: Worker(each, name, length_scale) for each in CONTENDERS}
        for worker in workers.values():
            stack.callback(worker.close)
        runs = {each: partial(worker.fit, NO_C, cap) for each, worker in workers.items()}
        seconds = interleaved_minima(runs, budget=budget)
        recalls = {
            each: None if seconds[each] is None else workers[each].objective()
            for each in ("ours_grid", "svc_grid")
        }
    sample = seconds["svc_grid"]
    return GridCell(
        problem=name,
        n=load(name).n,
        length_scale=length_scale,
        one_thread=seconds["ours_grid"],
        two_threads=seconds["ours_grid_two_threads"],
        obvious_sample=sample,
        obvious_all=(cap if sample is None else sample) * N_CANDIDATES / N_SAMPLED,
        recall_ours=recalls["ours_grid"],
        recall_obvious=recalls["svc_grid"],
    )


def header() -> str:
    """Headings of the table."""
    return (
        f"{'problem':<16}{'n':>6}{'sigma':>6}{'ours s':>9}{'obvious s*':>12}{'ratio*':>9}"
        f"{'2 threads':>11}{'recall':>9}{'obvious':>9}"
    )


def line(cell: GridCell) -> str:
    """One line of the table."""
    bound = ">" if cell.obvious_sample is None else ""
    return (
        f"{cell.problem:<16}{cell.n:>6}{cell.length_scale:>6g}{_text(cell.one_thread, 3):>9}"
        f"{bound + _text(cell.obvious_all, 1):>12}{bound + _text(cell.ratio, 1):>9}"
        f"{_text(cell.speed_up, 2):>11}{_text(cell.recall_ours, 4):>9}"
        f"{_text(cell.recall_obvious, 4):>9}"
    )


def summary(cells: Sequence[GridCell]) -> str:
    """Extremes and means, over all cells and over the large ones."""
    note = f"* extrapolated from {N_SAMPLED} to {N_CANDIDATES} candidates"
    large = [cell for cell in cells if cell.n > LARGE_N]
    lines = [note, "", f"{'':<26}{'geo. mean':>10}{'smallest':>10}{'largest':>10}{'cells':>7}"]
    lines.append(_spread("obvious over ours", [cell.ratio for cell in cells]))
    lines.append(_spread(f"the same, n > {LARGE_N}", [cell.ratio for cell in large]))
    lines.append(_spread("one thread over two", [cell.speed_up for cell in cells]))
    return "\n".join(lines)


def write(path: Path, cells: Sequence[GridCell]) -> None:
    """Write everything that was measured, with the versions it was measured with."""
    rows = [asdict(cell) | {"ratio": cell.ratio, "speed_up": cell.speed_up} for cell in cells]
    sizes = {"candidates": N_CANDIDATES, "sampled_by_the_obvious_way": N_SAMPLED}
    report.write_json(path, {**sizes, "cells": rows})


def _text(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _spread(title: str, values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return f"{title:<26}{'-':>10}"
    mean = report.geometric_mean(known)
    return f"{title:<26}{mean:>10.2f}{min(known):>10.2f}{max(known):>10.2f}{len(known):>7}"


def parse_options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--sigma", type=float, nargs="+", help="length scales of the kernel")
    parser.add_argument("--cap", type=float, default=CAP_SECONDS, help="stop a run after that long")
    parser.add_argument("--budget", type=float, default=BUDGET_SECONDS, help="seconds of repeats")
    return fill_in(parser.parse_args())


def fill_in(options: argparse.Namespace) -> argparse.Namespace:
    """Whatever was not asked for: everything, or the quick choice."""
    quick: bool = options.quick
    choose_problems(options, sizes=SIZES, quick_sizes=QUICK_SIZES, quick_data=QUICK_REAL_DATA)
    options.sigma = options.sigma or (QUICK_LENGTH_SCALES if quick else LENGTH_SCALES)
    return options


if __name__ == "__main__":
    main()
