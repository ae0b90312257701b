"""From memory to files to a cluster: the same model, bit for bit, and what each step costs.

A common class, and a rare one with a large and a small part. The rows are learnt from three times:
in memory, from .npy files block by block, and on a dask cluster of this machine, whose workers read
the files themselves. Replace LocalCluster by the address of a scheduler, and the last step runs on
as many machines as there are; files must then be where all of them can read.

    python examples/laptop_cluster.py [--rows 100000]
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from numpy.typing import NDArray

from kpboost import NystroemKPBoostSVC
from kpboost.dask import DaskKPBoostSVC
from kpboost.lowrank import NpyBlocks

CHUNK = 8192 * 2
PARAMETERS: dict[str, Any] = {"C": 1.0, "n_landmarks": 100, "max_samples": 20_000}
CENTRES = np.array([[0, 0, 0, 0], [3, 0, 0, 0], [0, 3, 3, 0]])
SHARES = (0.95, 0.045, 0.005)


def main() -> None:
    """Fit three times and compare."""
    parser = argparse.ArgumentParser(description="The same model in memory and on a cluster.")
    parser.add_argument("--rows", type=int, default=100_000, metavar="N")
    n_rows = parser.parse_args().rows
    X, y = rows(n_rows, seed=0)
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "X.npy"), Path(folder, "y.npy")
        for file, array in zip(files, (X, y), strict=True):
            np.save(file, array)
        models = [in_memory(X, y), from_files(*files), on_cluster(*files, n_rows)]
    same = all(np.array_equal(model.coef_, models[0].coef_) for model in models)
    print(f"\nThe three models are {'equal, bit for bit' if same else 'DIFFERENT'}.")
    new, truth = rows(20_000, seed=1)
    right = models[-1].predict(new) == truth
    print(f"Recall on new rows: rare {right[truth == 1].mean():.3f}, ", end="")
    print(f"common {right[truth == 0].mean():.3f}.")


def rows(n: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw points and labels; 1 is rare, and has two parts."""
    rng = np.random.default_rng(seed)
    part = rng.choice(len(SHARES), n, p=SHARES)
    width = np.where(part == 0, 1.0, 0.5)[:, None]
    return CENTRES[part] + width * rng.normal(size=(n, 4)), (part > 0).astype(np.int64)


def in_memory(X: NDArray[Any], y: NDArray[Any]) -> NystroemKPBoostSVC:
    """Fit arrays."""
    model = NystroemKPBoostSVC(**PARAMETERS, random_state=0)
    return timed("in memory", lambda: model.fit(X, y))


def from_files(X: Path, y: Path) -> NystroemKPBoostSVC:
    """Fit files, of which one block is in memory at a time."""
    model = NystroemKPBoostSVC(**PARAMETERS, random_state=0)
    return timed("from .npy files", lambda: model.fit(NpyBlocks(X, y, n_rows=CHUNK)))


def on_cluster(X: Path, y: Path, n_rows: int) -> NystroemKPBoostSVC:
    """Fit dask arrays, whose chunks are read by two worker processes."""
    start = time.perf_counter()
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        print(f"{'starting two workers':<24}{time.perf_counter() - start:>6.1f} s")
        points, labels = chunked(X, (n_rows, 4)), chunked(y, (n_rows,))
        model = DaskKPBoostSVC(**PARAMETERS, random_state=0, client=client)
        timed("on them, first fit", lambda: model.fit(points, labels))
        timed("on them, second fit", lambda: model.fit(points, labels))
        answers = model.predict(points)  # nothing happens before it is computed
        print(f"{int((answers == 1).sum().compute())} of {n_rows} rows are called rare.")
        return model.to_local()


def chunked(file: Path, shape: tuple[int, ...]) -> da.Array:
    """Return a dask array over a file, which only workers open."""
    dtype = np.load(file, mmap_mode="r").dtype
    chunks = [
        da.from_delayed(dask.delayed(part)(str(file), start), (stop - start, *shape[1:]), dtype)
        for start in range(0, shape[0], CHUNK)
        for stop in [min(start + CHUNK, shape[0])]
    ]
    return da.concatenate(chunks)


def part(file: str, start: int) -> NDArray[Any]:
    """Read one chunk."""
    return np.array(np.load(file, mmap_mode="r")[start : start + CHUNK])


def timed(name: str, work: Callable[[], Any]) -> Any:
    """Print how long some work took on the clock, and return its result."""
    start = time.perf_counter()
    result = work()
    print(f"{name:<24}{time.perf_counter() - start:>6.1f} s")
    return result


if __name__ == "__main__":
    main()
