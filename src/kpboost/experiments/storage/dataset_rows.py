"""Data sets in a store: their facts, disjuncts and partitions."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..partitions import Split
from ..preparation import Points
from ..records import DatasetInfo
from ..spec import MOST_FOLDS
from .packing import pack, smallest_integers, unpack, values_of_json
from .store import Store, damage_in_words, one_of, positive, text, whole

IndexArray = NDArray[np.intp]

READY, FAILED = "ready", "failed"


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
    _put(store, row)


def put_missing(store: Store, name: str, error: str) -> None:
    """Keep why a data set cannot be had."""
    row = {"name": name, "status": FAILED, "error": error, "fingerprint": ""}
    row |= {"class_counts": "{}"}
    zeros = ("n_points", "n_features", "n_disjuncts", "n_folds", "imbalance_ratio")
    _put(store, {**row, **dict.fromkeys(zeros, 0), "arrays": b""})


def _put(store: Store, row: dict[str, Any]) -> None:
    names, marks = ", ".join(row), ", ".join("?" for _ in row)
    with store.transaction() as connection:
        found = connection.execute("SELECT place FROM datasets WHERE name = ?", (row["name"],))
        place = found.fetchone()
        if place is None:
            place = connection.execute("SELECT count(*) FROM datasets").fetchone()
        connection.execute(
            "DELETE FROM datasets WHERE name = ? AND status = ?", (row["name"], FAILED)
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
        status=one_of(row["status"], (READY, FAILED)),
        n_points=whole(row["n_points"]),
        n_features=whole(row["n_features"]),
        n_disjuncts=whole(row["n_disjuncts"]),
        class_counts={
            text(name): whole(size) for name, size in values_of_json(row["class_counts"]).items()
        },
        imbalance_ratio=positive(row["imbalance_ratio"]),
        error=text(row["error"]),
    )
