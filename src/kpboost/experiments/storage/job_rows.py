"""Jobs in a store: what they found, or what they failed with."""

import json
import zlib
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ..jobs import JobKey, JobResult
from .packing import pack, smallest_integers, unpack, unpack_text, values_of_json
from .schema import StoreError
from .store import Store, damage_in_words, now, one_of
from .versions import versions_text

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
