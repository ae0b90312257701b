"""Everything that a report needs, from the store alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from kpboost._typing import IndexArray
from kpboost.experiments.storage._rows import (
    dataset_infos,
    fold_counts,
    fold_outcomes,
    kept_dataset,
    kept_predictions,
)
from kpboost.experiments.storage._store import (
    SCHEMA_VERSION,
    Store,
    StoreError,
    damage_in_words,
    one_of,
    positive,
    text,
    values_of_json,
    whole,
)

from ._records import COMPLETE, FAILED, PARTIAL, WAITING, DatasetInfo, FoldOutcome, Outcome
from ._spec import ExperimentSpec


@dataclass(frozen=True)
class StoreInfo:
    """What a store is about.

    Attributes
    ----------
    spec : ExperimentSpec
        With all data sets and methods that joined it.
    versions : dict from str to str
        Packages that it was begun with.
    created : str
    schema_version : int
    counts : dict from str to int
        Jobs by status, "done" and "failed".
    datasets : tuple of DatasetInfo
    """

    spec: ExperimentSpec
    versions: dict[str, str]
    created: str
    schema_version: int
    counts: dict[str, int]
    datasets: tuple[DatasetInfo, ...]


@dataclass(frozen=True, slots=True)
class _Effort:
    """Sums over the jobs of one data set and method."""

    n_done: int
    n_failed: int
    n_candidates: int
    seconds: float
    error: str


def outcomes(store_path: str | PathLike[str]) -> list[Outcome]:
    """Return the outcome of every data set and method of a store, in their order.

    Parameters
    ----------
    store_path : path

    Returns
    -------
    list of Outcome
    """
    with Store(store_path) as store, damage_in_words(store):
        spec = store.spec()
        found, efforts = fold_outcomes(store), _efforts(store)
        errors = {info.name: info.error for info in dataset_infos(store)}
        nothing = _Effort(0, 0, 0, 0.0, "")
        return [
            _outcome(
                spec,
                (dataset, method),
                n_folds,
                found.get((dataset, method), []),
                efforts.get((dataset, method), nothing),
                errors[dataset],
            )
            for dataset, n_folds in fold_counts(store).items()
            for method in spec.methods
        ]


def describe(store_path: str | PathLike[str]) -> StoreInfo:
    """Return what a store is about, and how far it is.

    Parameters
    ----------
    store_path : path

    Returns
    -------
    StoreInfo
    """
    with Store(store_path) as store, damage_in_words(store):
        facts = store.facts()
        counts = {"done": 0, "failed": 0}
        for row in store.rows("SELECT status, count(*) AS n FROM jobs GROUP BY status"):
            counts[one_of(row["status"], tuple(counts))] = row["n"]
        return StoreInfo(
            spec=store.spec(),
            versions=values_of_json(facts["versions"]),
            created=facts["created"],
            schema_version=SCHEMA_VERSION,
            counts=counts,
            datasets=tuple(dataset_infos(store)),
        )


def _efforts(store: Store) -> dict[tuple[str, str], _Effort]:
    query = (
        "SELECT dataset, method, sum(status = 'done') AS n_done, sum(status = 'failed') AS "
        "n_failed, sum((kind = 'search' AND fold = 0) * n_candidates) AS n_candidates, "
        "sum(seconds) AS seconds FROM jobs GROUP BY dataset, method"
    )
    errors = _first_errors(store)
    efforts = {}
    for row in store.rows(query):
        names = row["dataset"], row["method"]
        counts = whole(row["n_done"]), whole(row["n_failed"]), whole(row["n_candidates"])
        efforts[names] = _Effort(*counts, positive(row["seconds"]), errors.get(names, ""))
    return efforts


def _first_errors(store: Store) -> dict[tuple[str, str], str]:
    """Return what went wrong first; what failed later may only have built on it."""
    query = "SELECT dataset, method, error FROM jobs WHERE status = 'failed' ORDER BY rowid DESC"
    return {(row["dataset"], row["method"]): text(row["error"]) for row in store.rows(query)}


def _outcome(
    spec: ExperimentSpec,
    names: tuple[str, str],
    n_folds: int,
    folds: Sequence[FoldOutcome],
    effort: _Effort,
    dataset_error: str,
) -> Outcome:
    complete = n_folds > 0 and len(folds) == n_folds
    if complete:
        status = COMPLETE
    elif dataset_error or effort.n_failed:
        status = FAILED
    else:
        status = PARTIAL if effort.n_done else WAITING
    return Outcome(
        dataset=names[0],
        method=names[1],
        protocol=spec.protocol,
        grid=spec.grid,
        status=status,
        n_folds=n_folds,
        folds=tuple(folds),
        gmean=_mean([fold.gmean for fold in folds]),
        auc=_mean([fold.auc for fold in folds]),
        gsdi=_mean([fold.gsdi for fold in folds]),
        seconds=effort.seconds,
        n_candidates=effort.n_candidates,
        error="" if complete else dataset_error or effort.error,
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else nan


@dataclass(frozen=True, eq=False)
class FoldPredictions:
    """Answers of the chosen candidate.

    Attributes
    ----------
    rows : ndarray of shape (n_test,)
        Test points, as rows of the data set.
    labels : ndarray of shape (n_test,)
        What was predicted for them.
    """

    rows: IndexArray
    labels: NDArray[np.str_]


def predictions(
    store_path: str | PathLike[str], dataset: str, method: str, fold: int
) -> FoldPredictions:
    """Return what the chosen candidate of a method predicted on a fold.

    Parameters
    ----------
    store_path : path
    dataset, method : str
        Names, as in an Outcome.
    fold : int

    Returns
    -------
    FoldPredictions

    Raises
    ------
    StoreError
        If there is no such result.
    """
    with Store(store_path) as store, damage_in_words(store):
        codes = kept_predictions(store, dataset, method, fold)
        kept = kept_dataset(store, dataset)
        if kept is None:
            raise StoreError(f"{store.path} has no data set {dataset!r}.")
        labels = np.array(list(kept.info.class_counts))  # in the order of the class numbers
        return FoldPredictions(kept.splits[fold][1], labels[codes])
