"""Everything that a report needs, from the store alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from kpboost._notebook import Facts, FactsMixin, counted, names
from kpboost._typing import IndexArray
from kpboost.experiments.storage._rows import (
    dataset_infos,
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

from ._queue import is_tried
from ._records import (
    COMPLETE,
    FAILED,
    PARTIAL,
    UNAVAILABLE,
    WAITING,
    DatasetInfo,
    FoldOutcome,
    Outcome,
)
from ._scores import measured_names
from ._spec import ExperimentSpec


@dataclass(frozen=True, repr=False)
class StoreInfo(FactsMixin):
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
    outcomes : tuple of Outcome
        Of every data set and method, in their order.

    See Also
    --------
    describe : Reads one.
    kpboost.reports.write_report : Writes a report of a store.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from kpboost.experiments import ExperimentSpec, describe, run
    >>> with TemporaryDirectory() as folder:
    ...     _ = run(ExperimentSpec(("planted-two",), ("svm",), n_folds=2), f"{folder}/results.db")
    ...     info = describe(f"{folder}/results.db")
    >>> info.counts["done"], info.outcomes[0].status
    (10, 'complete')
    """

    spec: ExperimentSpec
    versions: dict[str, str]
    created: str
    schema_version: int
    counts: dict[str, int]
    datasets: tuple[DatasetInfo, ...]
    outcomes: tuple[Outcome, ...] = ()

    def _facts(self) -> Facts:
        yield "created", self.created
        yield "protocol", self.spec.protocol
        yield "grid", self.spec.grid
        ready = [each.name for each in self.datasets if not each.error]
        yield "data sets", f"{len(ready)}, {names(ready)}"
        yield "methods", f"{len(self.spec.methods)}, {names(self.spec.methods)}"
        yield "jobs", ", ".join(f"{count:,} {status}" for status, count in self.counts.items())


def outcomes(store_path: str | PathLike[str]) -> list[Outcome]:
    """Return the outcome of every data set and method of a store, in their order.

    Parameters
    ----------
    store_path : path

    Returns
    -------
    list of Outcome
    """
    return list(describe(store_path).outcomes)


def describe(store_path: str | PathLike[str]) -> StoreInfo:
    """Read all that a report needs: what a store is about, how far it is, and what came out.

    Parameters
    ----------
    store_path : path

    Returns
    -------
    StoreInfo
    """
    with Store(store_path) as store, damage_in_words(store):
        facts, spec = store.facts(), store.spec()
        counts = {"done": 0, "failed": 0}
        for row in store.rows("SELECT status, count(*) AS n FROM jobs GROUP BY status"):
            counts[one_of(row["status"], tuple(counts))] = row["n"]
        datasets = dataset_infos(store)
        return StoreInfo(
            spec=spec,
            versions=values_of_json(facts["versions"]),
            created=facts["created"],
            schema_version=SCHEMA_VERSION,
            counts=counts,
            datasets=tuple(datasets),
            outcomes=tuple(_outcomes(store, spec, datasets)),
        )


def _outcomes(
    store: Store, spec: ExperimentSpec, datasets: Sequence[DatasetInfo]
) -> Iterator[Outcome]:
    folds = fold_outcomes(store, measured_names(spec.protocol))
    sums, errors = _sums(store), _first_errors(store)
    for info in datasets:
        for method in spec.methods:
            names = (info.name, method)
            tried = is_tried(spec, method, len(info.class_counts))
            if not tried and names not in sums and not info.error:
                continue
            yield _outcome(
                spec,
                info,
                method,
                tuple(folds.get(names, ())),
                sums.get(names, NO_JOBS),
                info.error or errors.get(names, ""),
            )


# Jobs that are done and failed, candidates per fold, seconds.
Sums = tuple[int, int, int, float]
NO_JOBS: Sums = (0, 0, 0, 0.0)


def _sums(store: Store) -> dict[tuple[str, str], Sums]:
    """Sum over the jobs of every data set and method."""
    query = (
        "SELECT dataset, method, sum(status = 'done') AS n_done, sum(status = 'failed') AS "
        "n_failed, sum((kind = 'search' AND fold = 0) * n_candidates) AS n_candidates, "
        "sum(seconds) AS seconds FROM jobs GROUP BY dataset, method"
    )
    return {
        (row["dataset"], row["method"]): (
            *(whole(row["n_done"]), whole(row["n_failed"]), whole(row["n_candidates"])),
            positive(row["seconds"]),
        )
        for row in store.rows(query)
    }


def _first_errors(store: Store) -> dict[tuple[str, str], str]:
    """Return what went wrong first; what failed later may only have built on it."""
    query = "SELECT dataset, method, error FROM jobs WHERE status = 'failed' ORDER BY rowid DESC"
    return {(row["dataset"], row["method"]): text(row["error"]) for row in store.rows(query)}


def _outcome(
    spec: ExperimentSpec,
    info: DatasetInfo,
    method: str,
    folds: tuple[FoldOutcome, ...],
    sums: Sums,
    error: str,
) -> Outcome:
    n_done, n_failed, n_candidates, seconds = sums
    if 0 < info.n_folds == len(folds):
        status, error = COMPLETE, ""
    elif info.error:
        status = UNAVAILABLE
    elif n_failed:
        status = FAILED
    else:
        status = PARTIAL if n_done else WAITING
    return Outcome(
        dataset=info.name,
        method=method,
        protocol=spec.protocol,
        grid=spec.grid,
        status=status,
        n_folds=info.n_folds,
        folds=folds,
        scores={name: _mean(name, folds) for name in measured_names(spec.protocol)},
        seconds=seconds,
        n_candidates=n_candidates,
        error=error,
        n_seeds=info.n_seeds,
    )


def _mean(measure: str, folds: Sequence[FoldOutcome]) -> float:
    """Mean over the folds on which a measure is defined; NaN if one of them was not measured.

    An earlier version may not have kept what a measure needs, and a mean of the other folds is not
    comparable.
    """
    if any(measure in fold.unmeasured for fold in folds):
        return nan
    defined = [fold.scores[measure] for fold in folds if not isnan(fold.scores[measure])]
    return sum(defined) / len(defined) if defined else nan


@dataclass(frozen=True, eq=False, repr=False)
class FoldPredictions(FactsMixin):
    """Predictions of the chosen candidate.

    Attributes
    ----------
    rows : ndarray of shape (n_test,)
        Test points, as rows of the data set.
    labels : ndarray of shape (n_test,)
        What was predicted for them.

    See Also
    --------
    predictions : Reads those of a fold.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.experiments import FoldPredictions
    >>> FoldPredictions(np.array([3, 8]), np.array(["rare", "common"]))
    FoldPredictions(test points: 2; predicted: 'common' 1, 'rare' 1)
    """

    rows: IndexArray
    labels: NDArray[np.str_]

    def _facts(self) -> Facts:
        labels, sizes = np.unique(self.labels, return_counts=True)
        yield "test points", f"{self.rows.size:,}"
        yield "predicted", counted(dict(zip(labels.tolist(), sizes.tolist(), strict=True)))


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
