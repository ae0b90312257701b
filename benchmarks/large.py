"""Many rows: fit, predict, memory, Gmean and the recall of small disjuncts, beside LightGBM.

    python benchmarks/large.py [--sizes 100000 1000000] [--contenders NAME ...] [--json FILE]

The data are planted: one common class of wide clouds, and a rare one, 1 in 21 rows, of eight
compact clouds in its midst, which have 40 % to 0.5 % of the rare rows. Test rows are as many in
each cloud of the rare class, so that every recall is known to about 1 %. The clouds are Gaussian,
which suits a Gaussian kernel. Each contender runs in a process of its own, on one thread, and reads
the data from a file; times are CPU seconds, the peak is that of the whole process, data included.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from report import write_json
from timing import ask_for_one_thread, peak_memory_mb

N_FEATURES = 10
IMBALANCE = 20
# Shares of the rare class, largest first.
SHARES = np.array([0.40, 0.25, 0.15, 0.10, 0.05, 0.03, 0.015, 0.005])
N_SMALL = 3
TEST_ROWS_PER_DISJUNCT = 2500
TEST_ROWS_COMMON = 22_000
# Clouds of the common class, and how far from their centres those of the rare class lie, in units
# of their own width: so far that most of a rare cloud can be told from the common one.
N_COMMON_CLOUDS, COMMON_RADIUS, RARE_DISTANCE, RARE_WIDTH = 12, 3.0, 2.5, 0.5
CHUNK = 200_000
SEED = 0

Arrays = tuple[NDArray[Any], ...]


def clouds() -> tuple[NDArray[Any], NDArray[Any]]:
    """Centres of the common and of the rare clouds."""
    rng = np.random.default_rng(SEED)
    common = COMMON_RADIUS * _directions(rng, N_COMMON_CLOUDS)
    near = common[rng.permutation(N_COMMON_CLOUDS)[: SHARES.size]]
    return common, near + RARE_DISTANCE * _directions(rng, SHARES.size)


def _directions(rng: np.random.Generator, n: int) -> NDArray[Any]:
    directions = rng.normal(size=(n, N_FEATURES))
    return np.asarray(directions / np.linalg.norm(directions, axis=1, keepdims=True))


def training_rows(n: int, rng: np.random.Generator) -> Arrays:
    """Draw rows in random order: X and y."""
    common, rare = clouds()
    y = (rng.random(n) < 1.0 / (1 + IMBALANCE)).astype(np.int8)
    part = np.where(y == 1, rng.choice(SHARES.size, n, p=SHARES), 0)
    centre = np.where(y[:, None] == 1, rare[part], common[rng.integers(N_COMMON_CLOUDS, size=n)])
    return centre + rng.normal(size=(n, N_FEATURES)) * np.where(y == 1, RARE_WIDTH, 1.0)[:, None], y


def test_rows() -> Arrays:
    """Draw rows for the test: X, and the number of the disjunct or -1."""
    rng = np.random.default_rng(SEED + 1)
    common, rare = clouds()
    part = np.repeat(np.arange(SHARES.size), TEST_ROWS_PER_DISJUNCT)
    few = rare[part] + RARE_WIDTH * rng.normal(size=(part.size, N_FEATURES))
    many = common[rng.integers(N_COMMON_CLOUDS, size=TEST_ROWS_COMMON)]
    many = many + rng.normal(size=many.shape)
    return np.vstack([many, few]), np.concatenate([np.full(len(many), -1), part])


def write_rows(folder: Path, n: int) -> None:
    """Write X.npy and y.npy, a chunk at a time."""
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float64, (n, N_FEATURES))
    y = np.lib.format.open_memmap(folder / "y.npy", "w+", np.int8, (n,))
    rng = np.random.default_rng(SEED + 2)
    for start in range(0, n, CHUNK):
        rows = slice(start, min(start + CHUNK, n))
        X[rows], y[rows] = training_rows(rows.stop - rows.start, rng)


def _low_rank(folder: Path, **parameters: Any) -> Any:
    from kpboost import NystroemKPBoostSVC
    from kpboost.lowrank import NpyBlocks

    given = {"C": 1.0, "gamma": 0.1, "n_landmarks": 300, "random_state": 0, **parameters}
    return NystroemKPBoostSVC(**given).fit(NpyBlocks(folder / "X.npy", folder / "y.npy"))


def _lightgbm(folder: Path) -> Any:
    from lightgbm import LGBMClassifier

    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    return LGBMClassifier(class_weight="balanced", n_jobs=1, verbose=-1).fit(X, y)


CONTENDERS: dict[str, Callable[[Path], Any]] = {
    "low rank, sample": _low_rank,
    "low rank, sample, m=200": lambda folder: _low_rank(folder, n_landmarks=200),
    "low rank, all rows": lambda folder: _low_rank(folder, max_samples=None),
    "LightGBM balanced": _lightgbm,
}


def measure(name: str, folder: Path) -> dict[str, Any]:
    """Let one contender work in this process."""
    start = time.process_time()
    model = CONTENDERS[name](folder)
    fit, peak = time.process_time() - start, peak_memory_mb()
    X, part = test_rows()
    start = time.process_time()
    answer = np.asarray(model.predict(X))
    predict = time.process_time() - start
    recalls = [float(answer[part == k].mean()) for k in range(SHARES.size)]
    tpr, tnr = float(SHARES @ recalls), float(1.0 - answer[part < 0].mean())
    return {
        "name": name,
        "fit_s": fit,
        "predict_s": predict,
        "peak_mb": peak,
        "gmean": float(np.sqrt(tpr * tnr)),
        "tnr": tnr,
        "small": float(np.mean(recalls[-N_SMALL:])),
        "tiniest": recalls[-1],
        "recalls": recalls,
        "rounds": int(np.size(getattr(model, "estimator_weights_", []))),
    }


def measure_alone(name: str, folder: Path) -> dict[str, Any]:
    """Let one contender work in a process of its own, whose memory is then its own."""
    command = [sys.executable, __file__, "--worker", name, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def show(n: int, row: dict[str, Any]) -> None:
    numbers = f"{row['fit_s']:9.2f}{row['predict_s']:9.3f}{row['peak_mb']:9.0f}"
    scores = f"{row['gmean']:8.4f}{row['tnr']:8.4f}{row['small']:8.3f}{row['tiniest']:9.3f}"
    print(f"{n:>10,}  {row['name']:26}{numbers}{scores}{row['rounds']:8}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--contenders", nargs="+", choices=CONTENDERS, default=list(CONTENDERS))
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--worker", nargs=2, metavar=("NAME", "FOLDER"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        print(json.dumps(measure(arguments.worker[0], Path(arguments.worker[1]))))
        return
    ask_for_one_thread()
    heads = f"{'fit s':>9}{'pred. s':>9}{'peak MB':>9}{'Gmean':>8}{'tnr':>8}{'small':>8}"
    print(f"{'rows':>10}  {'':26}{heads}{'tiniest':>9}{'rounds':>8}")
    rows = []
    for n in arguments.sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_rows(Path(folder), n)
            for name in arguments.contenders:
                rows.append({"n": n, **measure_alone(name, Path(folder))})
                show(n, rows[-1])
    if arguments.json:
        write_json(arguments.json, {"rows": rows})


if __name__ == "__main__":
    main()
