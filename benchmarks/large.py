"""Many rows: fit, predict, memory, Gmean and the recall of small disjuncts, beside other methods.

    python benchmarks/large.py --quick                                a minute: 5,000 rows
    python benchmarks/large.py --rows 1000000 --methods "low rank, m=300" "LightGBM balanced"
    python benchmarks/large.py --real letter magic
    python benchmarks/large.py                                        everything, see README.md
    python benchmarks/large.py --table                                as Markdown, from the file

One cell is one method on one data set. Every cell is measured in a process of its own, on one
thread, and is written to a CSV file at once; cells that are in it are not measured again. Times are
CPU seconds, without imports and after a small fit that warms up; the peak is that of the whole
process, data included. Low-rank machines read planted rows from files, block by block, and that
counts as a part of the fit; the others have them in memory before. On real sets a cell is the mean
of three folds.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from large_data import N_SMALL, REAL, SHARES, real_rows, test_rows, write_rows
from large_methods import METHODS, REAL_METHODS, fitted_to_files, fitted_to_real
from large_table import markdown
from timing import ask_for_one_thread, peak_memory_mb

PLANTED = "planted"
ROWS = [50_000, 100_000, 1_000_000, 10_000_000]
QUICK_ROWS = [5_000]
WARM_UP_ROWS = 2_000
N_FOLDS = 3
RESULTS = Path(__file__).parent / "results" / "large.csv"
COLUMNS = [
    "data", "rows", "method", "fit_s", "predict_s", "peak_mb",
    "gmean", "tpr", "tnr", "small", "tiniest",
]  # fmt: skip

Row = dict[str, Any]


def seconds_of(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what some work gives, and its CPU seconds."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def planted_cell(method: str, folder: Path) -> Row:
    """Measure a method on planted rows, in this process."""
    with tempfile.TemporaryDirectory() as small:
        write_rows(Path(small), WARM_UP_ROWS)
        fitted_to_files(method, Path(small))().predict(np.load(Path(small) / "X.npy"))
    model, fit = seconds_of(fitted_to_files(method, folder))
    X, part = test_rows()
    answer, predict = seconds_of(lambda: np.asarray(model.predict(X)))
    recalls = np.array([answer[part == k].mean() for k in range(SHARES.size)])
    rates = _rates(float(SHARES @ recalls), float(1.0 - answer[part < 0].mean()))
    small_recall = {"small": float(recalls[-N_SMALL:].mean()), "tiniest": float(recalls[-1])}
    return {"fit_s": fit, "predict_s": predict, **rates, **small_recall}


def real_cell(method: str, name: str) -> Row:
    """Measure a method on folds of a real set, in this process."""
    from sklearn.model_selection import StratifiedKFold

    X, y = real_rows(name)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(X, y)
    cells = [_fold_cell(method, X, y, train, test) for train, test in folds]
    return {key: float(np.mean([cell[key] for cell in cells])) for key in cells[0]}


def _fold_cell(
    method: str, X: NDArray[Any], y: NDArray[Any], train: NDArray[Any], test: NDArray[Any]
) -> Row:
    from sklearn.preprocessing import StandardScaler

    scaler = StandardScaler().fit(X[train])
    model, fit = seconds_of(fitted_to_real(method, scaler.transform(X[train]), y[train]))
    points = scaler.transform(X[test])
    answer, predict = seconds_of(lambda: np.asarray(model.predict(points)))
    tpr, tnr = float(answer[y[test] == 1].mean()), float(1.0 - answer[y[test] == 0].mean())
    return {"fit_s": fit, "predict_s": predict, **_rates(tpr, tnr)}


def _rates(tpr: float, tnr: float) -> Row:
    return {"gmean": float(np.sqrt(tpr * tnr)), "tpr": tpr, "tnr": tnr}


def measured_alone(data: str, method: str, folder: str) -> Row:
    """Measure a cell in a process of its own, whose memory is then its own."""
    command = [sys.executable, __file__, "--worker", data, method, folder]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{method} on {data} failed:\n{done.stderr}")
    cell: Row = json.loads(done.stdout.splitlines()[-1])
    return cell


def work(data: str, method: str, folder: str) -> None:
    """Print a cell as JSON."""
    warnings.simplefilter("ignore")
    cell = planted_cell(method, Path(folder)) if data == PLANTED else real_cell(method, data)
    print(json.dumps({**cell, "peak_mb": peak_memory_mb()}))


class Results:
    """The CSV file: what is measured, and where the next cell goes."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.rows: list[Row] = []
        if file.exists():
            with file.open(newline="") as lines:
                self.rows = list(csv.DictReader(lines))

    def has(self, data: str, rows: int, method: str) -> bool:
        """Tell whether a cell is there."""
        asked = data, str(rows), method
        return any((row["data"], row["rows"], row["method"]) == asked for row in self.rows)

    def add(self, row: Row) -> None:
        """Append a cell to the file."""
        texts = {key: f"{v:.5g}" if isinstance(v, float) else str(v) for key, v in row.items()}
        self.rows.append(texts)
        is_new = not self.file.exists()
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", newline="") as lines:
            writer = csv.DictWriter(lines, COLUMNS)
            if is_new:
                writer.writeheader()
            writer.writerow(texts)
        print("  ".join(f"{key} {text}" for key, text in texts.items()), flush=True)


def measure_planted(results: Results, sizes: Iterable[int], methods: Iterable[str]) -> None:
    for n in sizes:
        able = [name for name in methods if n <= METHODS[name].most_rows]
        missing = [name for name in able if not results.has(PLANTED, n, name)]
        if not missing:
            continue
        with tempfile.TemporaryDirectory() as folder:
            write_rows(Path(folder), n)
            for name in missing:
                cell = measured_alone(PLANTED, name, folder)
                results.add({"data": PLANTED, "rows": n, "method": name, **cell})


def measure_real(results: Results, names: Iterable[str], methods: Iterable[str]) -> None:
    for data in names:
        n = len(real_rows(data)[1])
        for name in methods:
            if name in REAL_METHODS and not results.has(data, n, name):
                cell = measured_alone(data, name, "")
                results.add({"data": data, "rows": n, "method": name, **cell})


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="*", help=f"of planted data; {ROWS}")
    parser.add_argument("--real", nargs="*", choices=REAL, metavar="NAME", help=f"{[*REAL]}")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=[*METHODS], metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="few planted rows, no real data")
    parser.add_argument("--csv", type=Path, default=RESULTS, help="where cells are kept")
    parser.add_argument("--table", action="store_true", help="show what the file has, measure none")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(*options.worker)
        return
    results = Results(options.csv)
    if not options.table:
        ask_for_one_thread()
        everything = options.rows is None and options.real is None and not options.quick
        sizes = options.rows or (ROWS if everything else QUICK_ROWS if options.quick else [])
        measure_planted(results, sizes, options.methods)
        measure_real(results, [*REAL] if everything else options.real or [], options.methods)
    print(markdown(results.rows))


if __name__ == "__main__":
    main()
