"""The steps from memory to a cluster: what the same fit costs on the same chunks.

    python benchmarks/cluster.py [--rows 1000000] [--chunk 81920] [--repeats 2]

The planted rows of large.py, in files. The contenders take turns; the cluster has two worker
processes of one thread, which read the files themselves ("persisted": which have read them before).
CPU seconds are those of this process and of the workers, and do not depend much on what else the
machine does; seconds on the clock do. Bytes are what the workers' own logs say they sent.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from large_data import N_FEATURES, write_rows
from timing import ask_for_one_thread

N_WORKERS = 2
PARAMETERS: dict[str, Any] = {"C": 1.0, "gamma": 0.1, "n_landmarks": 300, "random_state": 0}


def read(file: str, start: int, stop: int) -> NDArray[Any]:
    return np.array(np.load(file, mmap_mode="r")[start:stop])


def chunked(file: Path, shape: tuple[int, ...], size: int) -> Any:
    """Return a dask array over a file, which only workers read."""
    delayed, da = import_module("dask").delayed, import_module("dask.array")
    dtype = np.load(file, mmap_mode="r").dtype
    ends = [*range(0, shape[0], size), shape[0]]
    parts = [
        da.from_delayed(delayed(read)(str(file), a, b), (b - a, *shape[1:]), dtype)
        for a, b in pairwise(ends)
    ]
    return da.concatenate(parts)


def steps(folder: Path, n: int, size: int, client: Any) -> dict[str, Callable[[], Any]]:
    """Return the contenders; each returns its model."""
    import dask

    from kpboost import NystroemKPBoostSVC
    from kpboost.dask import DaskKPBoostSVC
    from kpboost.lowrank import NpyBlocks

    files = folder / "X.npy", folder / "y.npy"
    arrays = np.load(files[0]), np.load(files[1])
    lazy = chunked(files[0], (n, N_FEATURES), size), chunked(files[1], (n,), size)
    held = client.persist(lazy)

    def on_dask(*data: Any) -> Any:
        return DaskKPBoostSVC(**PARAMETERS, client=client).fit(*data)

    def in_threads() -> Any:
        with dask.config.set(scheduler="threads", num_workers=N_WORKERS):
            return DaskKPBoostSVC(**PARAMETERS).fit(*lazy)

    return {
        "memory": lambda: NystroemKPBoostSVC(**PARAMETERS).fit(*arrays),
        ".npy blocks": lambda: NystroemKPBoostSVC(**PARAMETERS).fit(NpyBlocks(*files, n_rows=size)),
        "dask, two threads": in_threads,
        "dask, two workers": lambda: on_dask(*lazy),
        "dask, persisted": lambda: on_dask(*held),
    }


def cpu_seconds(cluster: Any) -> float:
    """CPU seconds of the workers so far."""
    total = 0
    for nanny in cluster.workers.values():
        fields = Path(f"/proc/{nanny.pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def sent_megabytes(client: Any) -> tuple[float, float]:
    """Megabytes that workers have sent so far: to others than workers, and to workers."""
    workers = set(client.nthreads())
    transfers = [each for log in client.run(transfers_of).values() for each in log]
    away = sum(total for who, total in transfers if who not in workers)
    return away / 1e6, (sum(total for _, total in transfers) - away) / 1e6


def transfers_of(dask_worker: Any) -> list[tuple[Any, int]]:
    return [(each["who"], each["total"]) for each in dask_worker.transfer_outgoing_log]


def measure(name: str, step: Callable[[], Any], cluster: Any, client: Any) -> Any:
    """Let one contender work, print its figures, and return its model."""
    sent, workers = sent_megabytes(client), cpu_seconds(cluster)
    own, clock = time.process_time(), time.perf_counter()
    model = step()
    seconds = time.perf_counter() - clock, time.process_time() - own
    workers, after = cpu_seconds(cluster) - workers, sent_megabytes(client)
    moved = "".join(f"{b - a:>12.1f}" for a, b in zip(sent, after, strict=True))
    times = "".join(f"{each:>9.2f}" for each in (*seconds, workers))
    print(f"{name:<20}{times}{moved}", flush=True)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--chunk", type=int, default=81_920, help="rows of a chunk")
    parser.add_argument("--repeats", type=int, default=2)
    arguments = parser.parse_args()
    ask_for_one_thread()
    distributed = import_module("distributed")
    n, size = arguments.rows, arguments.chunk
    print(f"{n:,} rows, {n * N_FEATURES * 8 / 1e6:g} MB, chunks of {size:,}; ", end="")
    print(f"load of the machine {os.getloadavg()[0]:.1f}")
    print(f"{'':<20}{'clock s':>9}{'CPU s':>9}{'workers':>9}{'MB away':>12}{'MB between':>12}")
    with (
        tempfile.TemporaryDirectory() as folder,
        distributed.LocalCluster(
            n_workers=N_WORKERS, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        write_rows(Path(folder), n)
        contenders = steps(Path(folder), n, size, client)
        contenders["dask, two workers"]()  # workers import what they need
        models = []
        for _ in range(arguments.repeats):
            models += [measure(*each, cluster, client) for each in contenders.items()]
    equal = all(np.array_equal(model.coef_, models[0].coef_) for model in models)
    print("all models are equal, bit for bit" if equal else "the models DIFFER")


if __name__ == "__main__":
    main()
