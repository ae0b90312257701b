"""Run every command of an installed kpboost once, on a small table.

``make wheels`` runs it in fresh environments that hold the wheel and no compiler. It ends with the
first command that fails, and prints the processor time until the first audit was on disk.
"""

import csv
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++")
KPBOOST = Path(sys.executable).with_name("kpboost")


def main() -> None:
    found = [name for name in COMPILERS if shutil.which(name)]
    if found:
        sys.exit(f"There is a compiler on PATH ({', '.join(found)}); this is no test of a wheel.")
    with tempfile.TemporaryDirectory() as folder:
        walk(Path(folder))
    print("Every command works.")


def walk(folder: Path) -> None:
    write_table(folder / "table.csv")
    run(folder, "--version")
    run(folder, "--help")
    run(folder, "audit", "table.csv", "--target", "kind")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"First audit after {used.ru_utime + used.ru_stime:.0f} s of processor time.", flush=True)
    run(folder, "disjuncts", "table.csv", "--target", "kind")
    run(folder, "fit", "table.csv", "--target", "kind", "--out", "model.skops")
    run(folder, "predict", "model.skops", "table.csv", "--out", "answers.csv")
    methods = ["--methods", "svm,kpboost", "--folds", "2"]
    run(folder, "compare", "table.csv", "--target", "kind", *methods, "--store", "runs.sqlite")
    run(folder, "status", "runs.sqlite")
    run(folder, "report", "runs.sqlite")
    run(folder, "methods")
    run(folder, "datasets")
    run(folder, "paper", "--dry-run", "--only", "two-class-low")


def write_table(path: Path) -> None:
    """300 rows: two columns, and a rare class in two places."""
    draw = random.Random(0)
    rows = [(draw.gauss(0, 1), draw.gauss(0, 1), "common") for _ in range(250)]
    rows += [(draw.gauss(3, 0.4), draw.gauss(3, 0.4), "rare") for _ in range(40)]
    rows += [(draw.gauss(-3, 0.3), draw.gauss(2, 0.3), "rare") for _ in range(10)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("length", "width", "kind"), *rows])


def run(folder: Path, *arguments: str) -> None:
    print("kpboost", *arguments, flush=True)
    done = subprocess.run([KPBOOST, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\nexit code {done.returncode}")


if __name__ == "__main__":
    main()
