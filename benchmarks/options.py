"""The options that all benchmarks have, and what they stand for where they are left out."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from problems import names_of_real_data


def parser_of(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options of every benchmark."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="few and small problems")
    parser.add_argument("--sizes", type=int, nargs="*", help="sizes of the generated problems")
    parser.add_argument("--data", nargs="*", metavar="NAME", help="real data sets")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the measurements there")
    return parser


def choose_problems(
    options: argparse.Namespace,
    *,
    sizes: Sequence[int],
    quick_sizes: Sequence[int],
    quick_data: Sequence[str],
) -> None:
    """Fill in what was not asked for: everything, or the quick choice; sizes alone mean no data."""
    if options.sizes is None and options.data is None:
        options.sizes = quick_sizes if options.quick else sizes
        options.data = quick_data if options.quick else names_of_real_data()
    options.sizes, options.data = options.sizes or [], options.data or []
