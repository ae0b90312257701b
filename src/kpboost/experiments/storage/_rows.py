"""The rows of a store: jobs, the results that follow from them, and data sets."""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import isinf, isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost._typing import IndexArray
from kpboost.experiments._jobs import JobKey, JobResult
from kpboost.experiments._records import UNAVAILABLE, DatasetInfo, FoldOutcome
from kpboost.experiments._scores import (
    LABELS,
    MEASURES,
    PAPER_MEASURES,
    Predictions,
    scores_of,
)
from kpboost.experiments._spec import MOST_FOLDS, MOST_SEEDS
from kpboost.experiments._splits import PreparedDataset
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
    short,
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
# Measures that have columns in the table of results; others stand beside the predictions.
COLUMNS = PAPER_MEASURES
# Folds of all seeds together; more is a damaged number.
MOST_SPLITS = MOST_FOLDS * MOST_SEEDS


def put_job(store: Store, result: JobResult) -> None:
    """Keep a finished job; if it is there already, nothing changes."""
    params = zlib.compress(json.dumps(result.params).encode())
    figures = result.error, result.seconds, len(result.params), now(), versions_text()
    _put(store, result.key, DONE, (*figures, params, pack(result.arrays)))


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


def kept_job(store: Store, key: JobKey) -> JobResult:
    """Return a finished job."""
    rows = store.rows(
        f"SELECT * FROM jobs WHERE {SAME_JOB} AND status = ?", (*values_of(key), DONE)
    )
    if not rows:
        raise StoreError(f"{store.path} has no finished job {key}.")
    with damage_in_words(store):
        params, arrays = values_of_json(unpack_text(rows[0]["params"])), unpack(rows[0]["arrays"])
        return JobResult(key, params, arrays, text(rows[0]["error"]), positive(rows[0]["seconds"]))


def values_of(key: JobKey) -> tuple[Any, ...]:
    """Return the columns that a job is called by."""
    return key.dataset, key.method, key.fold, key.width, key.kind


def put_results(
    store: Store, jobs: Sequence[JobResult], candidate: int, labels: Sequence[str]
) -> None:
    """Keep what one candidate of jobs on test folds did there; results already there stay.

    Parameters
    ----------
    store : Store
    jobs : sequence of JobResult
        One per fold; they tested on the fold itself and kept their predictions.
    candidate : int
        Its place among the candidates of these jobs.
    labels : sequence of str
        Of the classes, in the order of their numbers.
    """
    rows = [_result_row(job, candidate, labels) for job in jobs]
    with store.transaction() as connection:
        for row in rows:
            marks = ", ".join("?" for _ in row)
            connection.execute(f"INSERT OR IGNORE INTO results VALUES ({marks})", row)


def _result_row(job: JobResult, candidate: int, labels: Sequence[str]) -> tuple[Any, ...]:
    recalls = [None if isnan(own) else own for own in job.arrays["recalls"][candidate, 0].tolist()]
    return (
        *(job.key.dataset, job.key.method, job.key.fold),
        *(float(job.arrays[name][candidate, 0]) for name in COLUMNS),
        json.dumps(dict(zip(labels, recalls, strict=True))),
        json.dumps(job.params[candidate]),
        *(float(job.arrays[name][candidate, 0]) for name in ("fit_seconds", "predict_seconds")),
        pack({"codes": job.arrays["predictions"][candidate], **_other_scores(job, candidate)}),
    )


def _other_scores(job: JobResult, candidate: int) -> dict[str, NDArray[Any]]:
    """Return the scores that have no column."""
    names = [name for name in MEASURES if name in job.arrays and name not in COLUMNS]
    return {name: np.asarray(job.arrays[name][candidate, 0]) for name in names}


def fold_outcomes(
    store: Store, measures: Sequence[str]
) -> dict[tuple[str, str], list[FoldOutcome]]:
    """Return all outcomes by data set and method, folds in order, with the scores by measures."""
    found: dict[tuple[str, str], list[FoldOutcome]] = {}
    kept_datasets = cache(lambda name: kept_dataset(store, name))
    for row in store.rows("SELECT * FROM results ORDER BY dataset, method, fold"):
        scores = {name: share(row[name]) for name in COLUMNS}
        if not scores.keys() >= set(measures):
            kept = unpack(row["predictions"])
            scores |= {name: _score(own) for name, own in kept.items() if name in MEASURES}
            if any(MEASURES[name].needs == LABELS for name in set(measures) - scores.keys()):
                scores = {**_computed_scores(kept_datasets(row["dataset"]), row, kept), **scores}
        outcome = _outcome(row, scores, measures)
        found.setdefault((row["dataset"], row["method"]), []).append(outcome)
    return found


def _score(value: NDArray[Any]) -> float:
    score = float(value.item())
    if isinf(score):
        raise ValueError("a score is infinite")
    return score


def _computed_scores(
    dataset: "KeptDataset | None", row: Any, kept: Mapping[str, NDArray[Any]]
) -> dict[str, float]:
    """Return the scores of labels that an earlier version did not keep, from its predictions."""
    if dataset is None:
        raise ValueError(f"results of {short(row['dataset'])}, of which there is no data set")
    test = dataset.splits[whole(row["fold"], MOST_SPLITS)][1]
    found = Predictions(
        truth=dataset.codes[test],
        predicted=kept["codes"].astype(np.intp)[None],
        class_sizes=np.array(list(dataset.info.class_counts.values()), dtype=np.intp),
        disjuncts=dataset.disjuncts[test],
        disjunct_sizes=dataset.disjunct_sizes,
    )
    return {name: float(values[0]) for name, values in scores_of(found).items()}


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


def _outcome(row: Any, scores: Mapping[str, float], measures: Sequence[str]) -> FoldOutcome:
    recalls = values_of_json(row["class_recalls"])
    return FoldOutcome(
        fold=whole(row["fold"]),
        scores={name: scores.get(name, nan) for name in measures},
        class_recalls={name: share(own) for name, own in recalls.items()},
        params=dict(values_of_json(row["params"])),
        fit_seconds=positive(row["fit_seconds"]),
        predict_seconds=positive(row["predict_seconds"]),
        unmeasured=frozenset(measures) - scores.keys(),
    )


# As the file has it; whoever reads of the second is told that the data set is not available.
READY, DATASET_FAILED = "ready", "failed"


@dataclass(frozen=True, slots=True, eq=False)
class KeptDataset:
    """What a store keeps of a data set apart from its points.

    Attributes
    ----------
    info : DatasetInfo
    fingerprint : str
    codes, disjuncts, disjunct_sizes : ndarray
    splits : tuple of (train, test)
    """

    info: DatasetInfo
    fingerprint: str
    codes: IndexArray
    disjuncts: IndexArray
    disjunct_sizes: IndexArray
    splits: tuple[Split, ...]


def put_dataset(store: Store, data: PreparedDataset, ratio: float) -> None:
    """Keep a data set that is ready; one that failed before, or has fewer folds, is replaced."""
    counts = np.bincount(data.codes, minlength=data.n_classes).tolist()
    arrays: dict[str, IndexArray] = {
        "codes": data.codes,
        "disjuncts": data.disjuncts,
        "disjunct_sizes": data.disjunct_sizes,
    }
    for number, (train, test) in enumerate(data.splits):
        arrays |= {f"train_{number}": train, f"test_{number}": test}
    row = {
        "name": data.name,
        "status": READY,
        "error": "",
        "fingerprint": data.fingerprint,
        "n_points": data.codes.size,
        "n_features": len(data.table.names),
        "n_disjuncts": data.disjunct_sizes.size,
        "n_folds": len(data.splits),
        "imbalance_ratio": ratio,
        "class_counts": json.dumps(dict(zip(data.labels, counts, strict=True))),
        "arrays": pack(arrays),
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
            "DELETE FROM datasets WHERE name = ? AND (status = ? OR n_folds < ?)",
            (row["name"], DATASET_FAILED, row["n_folds"]),
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
        folds = range(whole(rows[0]["n_folds"], MOST_SPLITS))
        return KeptDataset(
            info=_info(rows[0]),
            fingerprint=rows[0]["fingerprint"],
            codes=arrays["codes"],
            disjuncts=arrays["disjuncts"],
            disjunct_sizes=arrays["disjunct_sizes"],
            splits=tuple((arrays[f"train_{fold}"], arrays[f"test_{fold}"]) for fold in folds),
        )


def dataset_infos(store: Store) -> list[DatasetInfo]:
    """Return the facts about all data sets, in order."""
    rows = store.rows("SELECT * FROM datasets ORDER BY place")
    n_seeds = store.n_seeds()
    with damage_in_words(store):
        return [replace(own := _info(row), n_seeds=n_seeds.get(own.name, 1)) for row in rows]


def _info(row: Any) -> DatasetInfo:
    status = one_of(row["status"], (READY, DATASET_FAILED))
    return DatasetInfo(
        name=text(row["name"]),
        status=READY if status == READY else UNAVAILABLE,
        n_points=whole(row["n_points"]),
        n_features=whole(row["n_features"]),
        n_disjuncts=whole(row["n_disjuncts"]),
        class_counts={
            text(name): whole(size) for name, size in values_of_json(row["class_counts"]).items()
        },
        imbalance_ratio=positive(row["imbalance_ratio"]),
        error=text(row["error"]),
        n_folds=whole(row["n_folds"], MOST_SPLITS),
    )
