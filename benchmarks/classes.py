"""KPBoostSVC with several classes: peak memory of fit, size as a file, prediction next to SVC.

    python benchmarks/classes.py [--json FILE]

Columns: peak memory of fit in Gram matrices (8 n^2 bytes), the pickled ensemble in MB, and the time
of ONE SVC.predict over that of KPBoostSVC.predict with ten rounds, on the training points. Each
line is measured in a process of its own, on one thread.
"""

import argparse
import multiprocessing
import pickle
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from report import write_json
from timing import MEGABYTE, ask_for_one_thread, interleaved_minima, peak_memory_mb, seconds_of

# Name, number of points, number of classes, share of the first class (None: all the same).
GENERATED: list[tuple[str, int, int, float | None]] = [
    ("two classes", 500, 2, None),
    ("two classes", 1000, 2, None),
    ("three classes", 500, 3, None),
    ("three classes", 2000, 3, None),
    ("one large of four", 1000, 4, 0.9),
    ("ten classes", 1000, 10, None),
    ("ten classes", 2000, 10, None),
    ("forty classes", 2000, 40, None),
]
N_FEATURES = 10
SEED = 0
C = 10.0
# A first fit loads libraries and fills pools of memory; it happens on this many points.
WARM_UP_POINTS = 200


def generated(n: int, n_classes: int, first: float | None) -> tuple[Any, NDArray[np.intp]]:
    """Overlapping clusters, one per class, at least two points each."""
    rng = np.random.default_rng(SEED)
    share = np.full(n_classes, 1 / n_classes)
    if first is not None:
        share[:] = (1 - first) / (n_classes - 1)
        share[0] = first
    drawn = rng.choice(n_classes, n - 2 * n_classes, p=share)
    y = rng.permutation(np.r_[np.tile(np.arange(n_classes), 2), drawn])
    centres = rng.normal(size=(n_classes, N_FEATURES))
    return rng.normal(size=(n, N_FEATURES)) + centres[y], y


def digits() -> tuple[Any, NDArray[np.intp]]:
    from sklearn.datasets import load_digits
    from sklearn.preprocessing import scale

    X, y = load_digits(return_X_y=True)
    return scale(X), y


def figures(X: Any, y: NDArray[np.intp]) -> dict[str, float]:
    """Measure one data set; runs in a process of its own."""
    from sklearn.svm import SVC
    from threadpoolctl import threadpool_limits

    from kpboost import KPBoostSVC

    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        KPBoostSVC(C).fit(*generated(WARM_UP_POINTS, 3, None))
        before = peak_memory_mb()
        model = KPBoostSVC(C).fit(X, y)
        memory = peak_memory_mb() - before
        svc = SVC(C=C).fit(X, y)
        seconds = interleaved_minima(
            {
                "ours": partial(seconds_of, partial(model.predict, X)),
                "svc": partial(seconds_of, partial(svc.predict, X)),
            }
        )
    ours, theirs = seconds["ours"], seconds["svc"]
    assert ours is not None
    assert theirs is not None
    return {
        "grams": memory * MEGABYTE / (8 * y.size**2),
        "file_mb": len(pickle.dumps(model)) / MEGABYTE,
        "predict": theirs / ours,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    ask_for_one_thread()
    data = [(name, *generated(n, k, first)) for name, n, k, first in GENERATED]
    data.append(("digits", *digits()))
    rows = []
    print(f"{'data':<20}{'n':>6}{'grams':>8}{'file MB':>9}{'predict':>9}")
    for name, X, y in data:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            row = pool.apply(figures, (X, y))
        rows.append({"data": name, "n": y.size, **row})
        print(
            f"{name:<20}{y.size:>6}{row['grams']:>8.2f}{row['file_mb']:>9.2f}{row['predict']:>9.1f}",
            flush=True,
        )
    if arguments.json:
        write_json(arguments.json, {"rows": rows})


if __name__ == "__main__":
    main()
