"""Ours against scikit-learn's SVC and scikit-learn-intelex, as ratios of times in one run.

python benchmarks/fit.py            everything: hours, most of them the peers'
python benchmarks/fit.py --quick    a few minutes
"""

import argparse
from importlib.util import find_spec

import report
from cells import contenders_of, measure
from options import choose_problems, parser_of
from report import Comparison
from timing import ask_for_one_thread

SIZES = (200, 500, 1000, 2000, 5000, 10_000, 20_000)
CS = (1.0, 100.0, 1000.0)
LENGTH_SCALES = (0.3, 1.0, 3.0)
CAP_SECONDS = 60.0

QUICK_SIZES = (200, 500, 1000)
QUICK_REAL_DATA = ("breast_cancer",)
QUICK_CAP_SECONDS = 20.0

COMPARISONS = (
    Comparison("ours_gram", "svc_gram", "SVC(precomp.)"),
    Comparison("ours_rbf", "svc_rbf", "SVC(rbf)"),
    Comparison("ours_rbf", "intelex_rbf", "intelex(rbf)"),
)


def main() -> None:
    options = parse_options()
    ask_for_one_thread()
    contenders = available_contenders()
    names = [f"generated-{n}" for n in options.sizes] + list(options.data)
    cells: list[report.Cell] = []
    print(report.header(COMPARISONS))
    for name in names:
        for length_scale in LENGTH_SCALES:
            for cell in measure(name, CS, length_scale, contenders, options.cap):
                cells.append(cell)
                print(report.line(cell, COMPARISONS), flush=True)
        if options.json:
            report.write_cells(options.json, cells, COMPARISONS)
    print(report.summary(cells, COMPARISONS))


def available_contenders() -> list[str]:
    if find_spec("sklearnex") is not None:
        return contenders_of(COMPARISONS)
    print("scikit-learn-intelex is not installed; its column stays empty.")
    return [name for name in contenders_of(COMPARISONS) if name != "intelex_rbf"]


def parse_options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("--cap", type=float, help="stop a fit after this many seconds")
    options = parser.parse_args()
    return fill_in(options)


def fill_in(options: argparse.Namespace) -> argparse.Namespace:
    """Whatever was not asked for: everything, or the quick choice."""
    quick: bool = options.quick
    choose_problems(options, sizes=SIZES, quick_sizes=QUICK_SIZES, quick_data=QUICK_REAL_DATA)
    options.cap = options.cap or (QUICK_CAP_SECONDS if quick else CAP_SECONDS)
    return options


if __name__ == "__main__":
    main()
