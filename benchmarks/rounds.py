"""Ten rounds of KPBoost against the obvious way with SVC, as ratios of times in one run.

python benchmarks/rounds.py            everything: hours, most of them the peer's
python benchmarks/rounds.py --quick    two or three minutes
"""

import argparse
from collections.abc import Sequence

import report
from cells import contenders_of, measure
from options import choose_problems, parser_of
from problems import load
from report import Cell, Comparison
from timing import MEGABYTE, ask_for_one_thread
from worker import Worker

SIZES = (500, 1000, 2000, 5000)
CS = (1.0, 100.0, 1000.0)
LENGTH_SCALES = (0.5, 1.0, 3.0)
CAP_SECONDS = 120.0
MEMORY_SIZE = 5000

QUICK_SIZES = (500, 1000)
QUICK_REAL_DATA = ("breast_cancer", "digits")
QUICK_LENGTH_SCALES = (1.0,)
QUICK_CAP_SECONDS = 20.0

COMPARISONS = (
    Comparison("ours_rounds", "svc_rounds", "rounds"),
    Comparison("ours_fit", "svc_fit", "fit"),
    Comparison("ours_predict", "svc_predict", "predict"),
)
# Problems of this kind are judged on their own as well.
LARGE_N, LARGE_C = 1000, 1000.0


def main() -> None:
    options = parse_options()
    ask_for_one_thread()
    names = [f"generated-{n}" for n in options.sizes] + list(options.data)
    cells: list[Cell] = []
    print(report.header(COMPARISONS))
    for name in names:
        for length_scale in options.sigma:
            contenders = contenders_of(COMPARISONS)
            for cell in measure(name, options.C, length_scale, contenders, options.cap):
                cells.append(cell)
                print(report.line(cell, COMPARISONS), flush=True)
        if options.json:
            report.write_cells(options.json, cells, COMPARISONS)
    print(summary(cells))
    print(memory_line(options.memory_size))


def summary(cells: Sequence[Cell]) -> str:
    """Summarise all cells, then the large ones."""
    lines = [report.summary(cells, COMPARISONS)]
    large = [cell for cell in cells if cell.n > LARGE_N and cell.C >= LARGE_C]
    if large:
        lines += [f"\nn > {LARGE_N} and C >= {LARGE_C:g}", report.ratio_table(large, COMPARISONS)]
    return "\n".join(lines)


def memory_line(n: int) -> str:
    """Peak memory of KPBoostSVC.fit, points and libraries' buffers included."""
    worker = Worker("ours_fit", f"generated-{n}", 1.0)
    worker.fit(1.0, CAP_SECONDS)
    worker.close()
    gram_mb = 8 * load(f"generated-{n}").n ** 2 / MEGABYTE
    return (
        f"\npeak memory of KPBoostSVC.fit at n = {n}: {worker.memory_mb:.0f} MB, "
        f"{worker.memory_mb / gram_mb:.2f} Gram matrices"
    )


def parse_options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--C", type=float, nargs="+", default=CS, help="upper bounds")
    parser.add_argument("--sigma", type=float, nargs="+", help="length scales of the kernel")
    parser.add_argument("--cap", type=float, help="stop a contender after this many seconds")
    parser.add_argument("--memory-size", type=int, default=MEMORY_SIZE, help="n for peak memory")
    return fill_in(parser.parse_args())


def fill_in(options: argparse.Namespace) -> argparse.Namespace:
    """Whatever was not asked for: everything, or the quick choice."""
    quick: bool = options.quick
    choose_problems(options, sizes=SIZES, quick_sizes=QUICK_SIZES, quick_data=QUICK_REAL_DATA)
    options.sigma = options.sigma or (QUICK_LENGTH_SCALES if quick else LENGTH_SCALES)
    options.cap = options.cap or (QUICK_CAP_SECONDS if quick else CAP_SECONDS)
    return options


if __name__ == "__main__":
    main()
