"""Jobs in a store: what they found, or what they failed with."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost._typing import IndexArray
from kpboost.experiments._jobs import JobKey, JobResult
from kpboost.experiments._records import DatasetInfo, FoldOutcome
from kpboost.experiments._spec import MOST_FOLDS
from kpboost.experiments._splits import Points
from kpboost.model_selection import Split

from ._store import (
    Store,
    StoreError,
    damage_in_words,
    now,
    one_of,
    pack,
    positive,
    share,
    smallest_integers,
    text,
    unpack,
    unpack_text,
    values_of_json,
    versions_text,
    whole,
)

DONE, FAILED = "done", "failed"

# Names a job in a query, with the values of its key.
SAME_JOB = "dataset = ? AND method = ? AND fold = ? AND width = ? AND kind = ?"
_SCORES = ("recalls", "gmean", "auc", "gsdi", "fit_seconds", "predict_seconds")


@dataclass(frozen=True, slots=True, eq=False)
class KeptJob:
    """A finished job as it was kept.

    Attributes
    ----------
    key : JobKey
    params : list of dict
    arrays : dict from str to ndarray
        By the names of JobResult; predictions where they were kept.
    """

    key: JobKey
    params: list[dict[str, Any]]
    arrays: dict[str, NDArray[Any]]


def put_job(store: Store, result: JobResult) -> None:
    """Keep a finished job; if it is there already, nothing changes."""
    arrays: dict[str, NDArray[Any]] = {name: getattr(result, name) for name in _SCORES}
    if result.predictions is not None:
        arrays["predictions"] = smallest_integers(result.predictions)
    params = zlib.compress(json.dumps(result.params).encode())
    error = result.errors[0] if result.errors else ""
    row = (error, result.seconds, len(result.params), now(), versions_text(), params, pack(arrays))
    _put(store, result.key, DONE, row)


def put_failure(store: Store, key: JobKey, error: str) -> None:
    """Keep what a job failed with; one that is done stays done."""
    _put(store, key, FAILED, (error, 0.0, 0, now(), versions_text(), b"", b""))


def _put(store: Store, key: JobKey, status: str, row: tuple[Any, ...]) -> None:
    marks = ", ".join("?" for _ in range(6 + len(row)))
    with store.transaction() as connection:
        connection.execute(
            f"DELETE FROM jobs WHERE {SAME_JOB} AND status = ?", (*values_of(key), FAILED)
        )
        connection.execute(
            f"INSERT OR IGNORE INTO jobs VALUES ({marks})", (*values_of(key), status, *row)
        )


def statuses(store: Store) -> dict[JobKey, str]:
    """Return the status of every job that is over."""
    rows = store.rows("SELECT dataset, method, fold, width, kind, status FROM jobs")
    with damage_in_words(store):
        return {JobKey(*tuple(row)[:5]): one_of(row["status"], (DONE, FAILED)) for row in rows}


def is_done(store: Store, key: JobKey) -> bool:
    """Tell whether a job is done, by this process or another."""
    query = f"SELECT 1 FROM jobs WHERE {SAME_JOB} AND status = ?"
    return bool(store.rows(query, (*values_of(key), DONE)))


def kept_job(store: Store, key: JobKey) -> KeptJob:
    """Return a finished job."""
    rows = store.rows(
        f"SELECT * FROM jobs WHERE {SAME_JOB} AND status = ?", (*values_of(key), DONE)
    )
    if not rows:
        raise StoreError(f"{store.path} has no finished job {key}.")
    return _kept(store, rows[0])


def _kept(store: Store, row: Any) -> KeptJob:
    key = JobKey(row["dataset"], row["method"], row["fold"], row["width"], row["kind"])
    with damage_in_words(store):
        return KeptJob(key, values_of_json(unpack_text(row["params"])), unpack(row["arrays"]))


def values_of(key: JobKey) -> tuple[Any, ...]:
    """Return the columns that a job is called by."""
    return key.dataset, key.method, key.fold, key.width, key.kind


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


READY, DATASET_FAILED = "ready", "failed"


@dataclass(frozen=True, slots=True, eq=False)
class KeptDataset:
    """What a store keeps of a data set apart from its points.

    Attributes
    ----------
    info : DatasetInfo
    fingerprint : str
    disjuncts, disjunct_sizes : ndarray
    splits : tuple of (train, test)
    """

    info: DatasetInfo
    fingerprint: str
    disjuncts: IndexArray
    disjunct_sizes: IndexArray
    splits: tuple[Split, ...]


def put_dataset(
    store: Store, points: Points, labels: Sequence[str], ratio: float, splits: Sequence[Split]
) -> None:
    """Keep a data set that is ready; one that failed before is replaced."""
    counts = np.bincount(points.codes, minlength=points.n_classes).tolist()
    arrays: dict[str, IndexArray] = {
        "codes": points.codes,
        "disjuncts": points.disjuncts,
        "disjunct_sizes": points.disjunct_sizes,
    }
    for number, (train, test) in enumerate(splits):
        arrays |= {f"train_{number}": train, f"test_{number}": test}
    packed = pack({name: smallest_integers(values) for name, values in arrays.items()})
    row = {
        "name": points.name,
        "status": READY,
        "error": "",
        "fingerprint": points.fingerprint,
        "n_points": points.codes.size,
        "n_features": points.X.shape[1],
        "n_disjuncts": points.disjunct_sizes.size,
        "n_folds": len(splits),
        "imbalance_ratio": ratio,
        "class_counts": json.dumps(dict(zip(labels, counts, strict=True))),
        "arrays": packed,
    }
    _put_dataset(store, row)


def put_missing(store: Store, name: str, error: str) -> None:
    """Keep why a data set cannot be had."""
    row = {"name": name, "status": DATASET_FAILED, "error": error, "fingerprint": ""}
    row |= {"class_counts": "{}"}
    zeros = ("n_points", "n_features", "n_disjuncts", "n_folds", "imbalance_ratio")
    _put_dataset(store, {**row, **dict.fromkeys(zeros, 0), "arrays": b""})


def _put_dataset(store: Store, row: dict[str, Any]) -> None:
    names, marks = ", ".join(row), ", ".join("?" for _ in row)
    with store.transaction() as connection:
        found = connection.execute("SELECT place FROM datasets WHERE name = ?", (row["name"],))
        place = found.fetchone()
        if place is None:
            place = connection.execute("SELECT count(*) FROM datasets").fetchone()
        connection.execute(
            "DELETE FROM datasets WHERE name = ? AND status = ?", (row["name"], DATASET_FAILED)
        )
        connection.execute(
            f"INSERT OR IGNORE INTO datasets ({names}, place) VALUES ({marks}, ?)",
            (*row.values(), place[0]),
        )


def kept_dataset(store: Store, name: str) -> KeptDataset | None:
    """Return what a store keeps of a data set; None if it is not there or was not to be had."""
    rows = store.rows("SELECT * FROM datasets WHERE name = ? AND status = ?", (name, READY))
    if not rows:
        return None
    with damage_in_words(store):
        arrays = {key: own.astype(np.intp) for key, own in unpack(rows[0]["arrays"]).items()}
        folds = range(whole(rows[0]["n_folds"], MOST_FOLDS))
        return KeptDataset(
            info=_info(rows[0]),
            fingerprint=rows[0]["fingerprint"],
            disjuncts=arrays["disjuncts"],
            disjunct_sizes=arrays["disjunct_sizes"],
            splits=tuple((arrays[f"train_{fold}"], arrays[f"test_{fold}"]) for fold in folds),
        )


def dataset_infos(store: Store) -> list[DatasetInfo]:
    """Return the facts about all data sets, in order."""
    rows = store.rows("SELECT * FROM datasets ORDER BY place")
    with damage_in_words(store):
        return [_info(row) for row in rows]


def fold_counts(store: Store) -> dict[str, int]:
    """Return the number of folds of every data set, in order."""
    rows = store.rows("SELECT name, n_folds FROM datasets ORDER BY place")
    with damage_in_words(store):
        return {text(row["name"]): whole(row["n_folds"], MOST_FOLDS) for row in rows}


def _info(row: Any) -> DatasetInfo:
    return DatasetInfo(
        name=text(row["name"]),
        status=one_of(row["status"], (READY, DATASET_FAILED)),
        n_points=whole(row["n_points"]),
        n_features=whole(row["n_features"]),
        n_disjuncts=whole(row["n_disjuncts"]),
        class_counts={
            text(name): whole(size) for name, size in values_of_json(row["class_counts"]).items()
        },
        imbalance_ratio=positive(row["imbalance_ratio"]),
        error=text(row["error"]),
    )
