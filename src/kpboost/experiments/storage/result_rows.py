"""Results in a store: the chosen candidate of every data set, method and fold."""

import json
from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..records import FoldOutcome
from .packing import pack, smallest_integers, unpack, values_of_json
from .schema import StoreError
from .store import Store, damage_in_words, positive, share, whole

IndexArray = NDArray[np.intp]


def put_results(
    store: Store, dataset: str, method: str, folds: Sequence[tuple[FoldOutcome, IndexArray]]
) -> None:
    """Keep outcomes on folds with their predictions; those already there stay."""
    rows = [(dataset, method, *_columns(*fold)) for fold in folds]
    with store.transaction() as connection:
        for row in rows:
            marks = ", ".join("?" for _ in row)
            connection.execute(f"INSERT OR IGNORE INTO results VALUES ({marks})", row)


def _columns(outcome: FoldOutcome, predictions: IndexArray) -> tuple[Any, ...]:
    recalls = {name: None if isnan(own) else own for name, own in outcome.class_recalls.items()}
    return (
        outcome.fold,
        outcome.gmean,
        outcome.auc,
        outcome.gsdi,
        json.dumps(recalls),
        json.dumps(outcome.params),
        outcome.fit_seconds,
        outcome.predict_seconds,
        pack({"codes": smallest_integers(predictions)}),
    )


def fold_outcomes(store: Store) -> dict[tuple[str, str], list[FoldOutcome]]:
    """Return all outcomes by data set and method, folds in order."""
    found: dict[tuple[str, str], list[FoldOutcome]] = {}
    for row in store.rows(
        "SELECT dataset, method, fold, gmean, auc, gsdi, class_recalls, params, fit_seconds, "
        "predict_seconds FROM results ORDER BY dataset, method, fold"
    ):
        found.setdefault((row["dataset"], row["method"]), []).append(_outcome(row))
    return found


def result_keys(store: Store) -> set[tuple[str, str, int]]:
    """Return data set, method and fold of every result."""
    rows = store.rows("SELECT dataset, method, fold FROM results")
    return {(row["dataset"], row["method"], row["fold"]) for row in rows}


def kept_predictions(store: Store, dataset: str, method: str, fold: int) -> IndexArray:
    """Return the class numbers that were predicted for the test points of a fold."""
    rows = store.rows(
        "SELECT predictions FROM results WHERE dataset = ? AND method = ? AND fold = ?",
        (dataset, method, fold),
    )
    if not rows:
        raise StoreError(f"{store.path} has no result of {method} on fold {fold} of {dataset}.")
    with damage_in_words(store):
        return unpack(rows[0]["predictions"])["codes"].astype(np.intp)


def _outcome(row: Any) -> FoldOutcome:
    recalls = values_of_json(row["class_recalls"])
    return FoldOutcome(
        fold=whole(row["fold"]),
        gmean=share(row["gmean"]),
        auc=share(row["auc"]),
        gsdi=share(row["gsdi"]),
        class_recalls={name: share(own) for name, own in recalls.items()},
        params=dict(values_of_json(row["params"])),
        fit_seconds=positive(row["fit_seconds"]),
        predict_seconds=positive(row["predict_seconds"]),
    )
