"""Contenders of benchmarks/large.py: what they are, and how many rows they can take.

All weigh the classes alike, by weights or by sampling, and have no threshold of their own. Kernels
on planted data have C = 1 and gamma = 0.1, set by hand; on real data they are searched.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

C, GAMMA, N_LANDMARKS = 1.0, 0.1, 300
# For data that are not planted: enough for the target "as exact".
REAL_LANDMARKS = 600
SEED = 0

LOW_RANK = "low rank, m=300"
EXACT = "exact KPBoostSVC"
LIGHTGBM = "LightGBM balanced"
TUNED = "low rank, tuned"


@dataclass(frozen=True)
class Method:
    """A contender.

    Attributes
    ----------
    build : callable
        Returns an unfitted classifier; whatever it imports is not timed.
    most_rows : int
        Beyond, it would take hours or more memory than a workstation has.
    from_files : bool
        Whether it reads the rows from files, block by block.
    """

    build: Callable[[], Any]
    most_rows: int = 10_000_000
    from_files: bool = False


def _low_rank(**parameters: Any) -> Any:
    from kpboost import NystroemKPBoostSVC

    given = {"C": C, "gamma": GAMMA, "n_landmarks": N_LANDMARKS, "random_state": SEED}
    return NystroemKPBoostSVC(**{**given, **parameters})


def _searched(n_landmarks: int) -> Any:
    from kpboost import NystroemKPBoostSVCCV

    return NystroemKPBoostSVCCV(n_landmarks=n_landmarks, random_state=SEED)


def _exact(C: float = C, gamma: float | str = GAMMA) -> Any:
    from kpboost import KPBoostSVC

    return KPBoostSVC(C, gamma=gamma, class_weight="balanced")


def _rare_class() -> Any:
    from kpboost import RareClassClassifier

    return RareClassClassifier(random_state=SEED)


def _lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(class_weight="balanced", n_jobs=1, verbose=-1, random_state=SEED)


def _histogram() -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(class_weight="balanced", random_state=SEED)


def _forest() -> Any:
    from imblearn.ensemble import BalancedRandomForestClassifier

    return BalancedRandomForestClassifier(
        sampling_strategy="all", replacement=True, bootstrap=False, random_state=SEED
    )


def _nystroem(last: Any) -> Any:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.pipeline import make_pipeline

    return make_pipeline(Nystroem(gamma=GAMMA, n_components=N_LANDMARKS, random_state=SEED), last)


def _linear() -> Any:
    from sklearn.svm import LinearSVC

    return _nystroem(LinearSVC(C=C, class_weight="balanced", dual=False))


def _gradient() -> Any:
    from sklearn.linear_model import SGDClassifier

    return _nystroem(SGDClassifier(class_weight="balanced", random_state=SEED))


METHODS = {
    LOW_RANK: Method(_low_rank, from_files=True),
    "low rank, m=200": Method(lambda: _low_rank(n_landmarks=200), from_files=True),
    "low rank, all rows": Method(
        lambda: _low_rank(max_samples=None), most_rows=1_000_000, from_files=True
    ),
    TUNED: Method(lambda: _searched(N_LANDMARKS), from_files=True),
    EXACT: Method(_exact, most_rows=50_000),
    "RareClassClassifier": Method(_rare_class, most_rows=1_000_000),
    LIGHTGBM: Method(_lightgbm),
    "HistGradientBoosting balanced": Method(_histogram),
    "BalancedRandomForest": Method(_forest, most_rows=1_000_000),
    "Nystroem + LinearSVC": Method(_linear, most_rows=100_000),
    "Nystroem + SGD": Method(_gradient, most_rows=1_000_000),
}
# On real data a method is given columns of mean 0 and variance 1, and kernels are searched.
REAL_METHODS = (
    TUNED,
    EXACT,
    "RareClassClassifier",
    LIGHTGBM,
    "HistGradientBoosting balanced",
    "BalancedRandomForest",
)


def fitted_to_files(name: str, folder: Path) -> Callable[[], Any]:
    """Return what fits a contender to the rows of a folder; arrays are read before."""
    method = METHODS[name]
    model = method.build()
    if method.from_files:
        from kpboost.lowrank import NpyBlocks

        return lambda: model.fit(NpyBlocks(folder / "X.npy", folder / "y.npy"))
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    return lambda: model.fit(X, y)


def fitted_to_real(name: str, X: NDArray[Any], y: NDArray[Any]) -> Callable[[], Any]:
    """Return what fits a contender to real rows; the exact machine gets C and gamma searched."""
    if name == TUNED:
        model = _searched(REAL_LANDMARKS)
    elif name == EXACT:
        found = _searched(REAL_LANDMARKS).fit(X, y)
        model = _exact(found.C_, found.gamma_)
    else:
        model = METHODS[name].build()
    return lambda: model.fit(X, y)
