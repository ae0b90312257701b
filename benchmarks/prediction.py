"""Prediction and kernel blocks against scikit-learn, as ratios of times on one thread.

    python benchmarks/prediction.py [--json FILE]

Columns: SVC.predict / one machine; SVC.predict / ten machines over the same support vectors;
scikit-learn's rbf_kernel / ours for one set of points, and for two; SVC.predict / KernelSVC.predict
for batches of one, ten and a hundred rows, and / ten rounds of KPBoostSVC for one row, validation
included; these calls are made twenty in a row, as a service makes them. Larger is better for us.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel as sklearn_rbf_kernel
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from kpboost import KernelSVC, KPBoostSVC
from kpboost.kernels import rbf_decision, rbf_kernel
from report import write_json
from timing import interleaved_minima, seconds_of

FEATURES = (2, 5, 10, 20, 60)
SUPPORT_VECTORS = (50, 500, 5000)
N_PREDICTED = 1000
BATCHES = (1, 10, 100)
CALLS_IN_A_ROW = 20
N_MACHINES = 10
MICROSECONDS = 1e6
# Scales distances so that kernel values are neither all 0 nor all 1.
GAMMA_TIMES_FEATURES = 0.5


def machine_with(n_sv: int, d: int, gamma: float) -> SVC:
    """Return an SVC whose training points are all support vectors: labels are drawn by lot."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n_sv, d)), np.arange(n_sv) % 2
    return SVC(C=1e-3, gamma=gamma, tol=1.0).fit(X, y)


def ten_rounds_of(X: NDArray[np.float64], gamma: float) -> KPBoostSVC:
    """Ten rounds that all vote, with every point at its bound: classes by a rule, a tiny C."""
    classes = (X[:, 0] > np.median(X[:, 0])).astype(int)
    rounds = KPBoostSVC(C=1e-4, gamma=gamma, n_estimators=N_MACHINES).fit(X, classes)
    assert rounds.selected_rounds_.all()
    assert len(rounds.support_) == len(X)
    return rounds


def measure(n_sv: int, d: int) -> dict[str, float]:
    gamma = GAMMA_TIMES_FEATURES / d
    svc = machine_with(n_sv, d, gamma)
    vectors = svc.support_vectors_
    X = np.random.default_rng(1).normal(size=(N_PREDICTED, d))
    codes = np.arange(len(vectors)) % 2
    ours = KernelSVC(C=1e-3, gamma=gamma).fit(vectors, codes)
    rounds = ten_rounds_of(vectors, gamma)
    one: dict[str, Any] = {"gamma": gamma, "coef": svc.dual_coef_, "intercept": svc.intercept_}
    ten: dict[str, Any] = {
        "gamma": gamma,
        "coef": np.repeat(svc.dual_coef_, N_MACHINES, axis=0),
        "intercept": np.repeat(svc.intercept_, N_MACHINES),
    }
    works = {
        "svc": lambda: svc.predict(X),
        "one": lambda: rbf_decision(X, vectors, **one),
        "ten": lambda: rbf_decision(X, vectors, **ten),
        "their_gram": lambda: sklearn_rbf_kernel(X, gamma=gamma),
        "our_gram": lambda: rbf_kernel(X, gamma=gamma),
        "their_block": lambda: sklearn_rbf_kernel(X, vectors, gamma),
        "our_block": lambda: rbf_kernel(X, vectors, gamma=gamma),
    }
    batches = {"rounds": partial(rounds.predict, X[:1])}
    for rows in BATCHES:
        batches |= {
            f"their_{rows}": partial(svc.predict, X[:rows]),
            f"our_{rows}": partial(ours.predict, X[:rows]),
        }
    runs = {name: partial(seconds_of, work) for name, work in works.items()}
    runs |= {name: partial(seconds_in_a_row, work) for name, work in batches.items()}
    minima = interleaved_minima(runs)
    seconds = {name: value for name, value in minima.items() if value is not None}
    difference = rbf_decision(X, vectors, **one)[:, 0] - svc.decision_function(X)
    return {
        "n_sv": len(vectors),
        "d": d,
        "one": seconds["svc"] / seconds["one"],
        "ten": seconds["svc"] / seconds["ten"],
        "gram": seconds["their_gram"] / seconds["our_gram"],
        "block": seconds["their_block"] / seconds["our_block"],
        **{_batch(rows): seconds[f"their_{rows}"] / seconds[f"our_{rows}"] for rows in BATCHES},
        "rounds": seconds["their_1"] / seconds["rounds"],
        "our row": MICROSECONDS * seconds["our_1"],
        "error": float(np.abs(difference).max()),
    }


def seconds_in_a_row(work: Callable[[], object]) -> float:
    """Seconds of one of several calls, which find in the caches what the call before left there."""
    return seconds_of(lambda: [work() for _ in range(CALLS_IN_A_ROW)]) / CALLS_IN_A_ROW


def _batch(rows: int) -> str:
    return f"{rows} row" if rows == 1 else f"{rows} rows"


COLUMNS = ("one", "ten", "gram", "block", *map(_batch, BATCHES), "rounds")


def show(row: dict[str, float]) -> None:
    ratios = "".join(f"{row[name]:9.1f}" for name in COLUMNS)
    figures = f"{ratios}{row['our row']:9.1f}{row['error']:10.1e}"
    print(f"{row['n_sv']:6.0f}{row['d']:5.0f}{figures}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    heads = "".join(f"{name:>9}" for name in (*COLUMNS, "our us"))
    print(f"{'n_sv':>6}{'d':>5}{heads}{'error':>10}")
    rows = []
    with threadpool_limits(1):
        for n_sv in SUPPORT_VECTORS:
            for d in FEATURES:
                rows.append(measure(n_sv, d))
                show(rows[-1])
    if arguments.json:
        write_json(arguments.json, {"rows": rows})


if __name__ == "__main__":
    main()
