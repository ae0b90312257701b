"""Outcomes made by hand, for tests of what is shown of them."""

import numpy as np

from kpboost.experiments import DatasetInfo, ExperimentSpec, FoldOutcome, Outcome, StoreInfo
from kpboost.reports._comparison import compare_outcomes
from kpboost.reports._report import build_report

METHODS = ("svm", "svm_balanced", "kpboost", "kpboost_roi", "gradient_boosting_balanced")
SETS = ("rare-digits", "planted-two", "four-digits", "rare-malignant", "planted-three")


def outcome(dataset, method, score, *, status="complete", error="", seconds=1.0, n_folds=2,
            lacking=()):  # fmt: skip
    """One data set and method; the measures differ a little from the score that is given."""
    measures = {
        **{"gmean": score, "auc": (1 + score) / 2, "balanced_accuracy": (1 + score) / 2},
        **{"gsdi": score**2, "roc_auc": score**0.5, "average_precision": score**3},
        **{"log_loss": 1 - score, "brier": (1 - score) ** 2},
    }
    measures |= dict.fromkeys(lacking, float("nan"))
    fold = {"class_recalls": {"a": score, "b": score}, "params": {"C": 10.0}}
    folds = tuple(
        FoldOutcome(number, measures, **fold, fit_seconds=0.1, predict_seconds=0.01)
        for number in range(n_folds if status == "complete" else 0)
    )
    means = measures if folds else dict.fromkeys(measures, float("nan"))
    return Outcome(
        dataset, method, "nested", "quick", status, n_folds, folds, means,
        seconds=seconds, n_candidates=9, error=error,
    )  # fmt: skip


def table_of_outcomes(n_datasets=5, methods=METHODS, seed=0, names=None):
    """A full table; later methods are a little better."""
    rng = np.random.default_rng(seed)
    names = names or [SETS[k] if k < len(SETS) else f"set-{k}" for k in range(n_datasets)]
    hardness = rng.uniform(0.1, 0.4, size=len(names))
    return [
        outcome(
            name,
            method,
            float(np.clip(1 - hardness[row] + 0.03 * column + rng.normal(0, 0.03), 0, 1)),
            seconds=float(0.5 * 2**column * rng.uniform(0.5, 2)),
        )
        for row, name in enumerate(names)
        for column, method in enumerate(methods)
    ]


def made_report(made, titles=None):
    """The report of such outcomes, with made-up facts about the data sets."""
    comparison = compare_outcomes(made, titles or {})
    facts = tuple(
        DatasetInfo(name, "ready", 400, 10, 20, {"a": 350, "b": 50}, 7.0, "")
        for name in comparison.datasets
    )
    spec = ExperimentSpec(comparison.datasets, METHODS)
    versions = {"kpboost": "0.1.0", "numpy": "2.0"}
    info = StoreInfo(spec, versions, "2026-01-01T00:00:00", 1, {"done": 1, "failed": 0}, facts)
    return build_report(comparison, info)
