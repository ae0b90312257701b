"""How much work an experiment is, and how much of it is done; nothing is run or written."""

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path

from kpboost.datasets import Dataset, leak_sentences, possible_leaks, role_sentences

from .agenda import job_keys, parts_of
from .jobs import SEARCH, JobKey
from .loading import find_datasets, split_dataset
from .methods import METHODS
from .records import Plan
from .spec import ExperimentSpec
from .storage.job_rows import DONE, FAILED, statuses
from .storage.store import Store


def plan(spec: ExperimentSpec, store: str | PathLike[str] | None = None) -> Plan:
    """Count the jobs of an experiment.

    Parameters
    ----------
    spec : ExperimentSpec
    store : path or None, default=None
        Where finished jobs are; a file that is not there has none.

    Returns
    -------
    Plan

    Raises
    ------
    StoreError
        If the store is damaged or of another experiment.
    """
    found, missing = find_datasets(spec)
    n_folds: dict[str, int] = {}
    for name, dataset in found.items():
        try:
            n_folds[name] = len(split_dataset(name, dataset, spec))
        except ValueError as error:
            missing[name] = str(error)
    n_classes = {name: len(dataset.classes) for name, dataset in found.items()}
    over = _statuses(store, spec)
    keys = list(job_keys(spec, n_folds))
    done = [key for key in keys if over.get(key) == DONE]
    failed = sum(over.get(key) == FAILED for key in keys)
    return Plan(
        total=len(keys),
        done=len(done),
        failed=failed,
        to_do=len(keys) - len(done) - failed,
        by_method=_shares([key.method for key in keys], [key.method for key in done]),
        by_dataset=_shares([key.dataset for key in keys], [key.dataset for key in done]),
        datasets=tuple(n_folds),
        missing=missing,
        notes=tuple(_notes(found, spec)),
        n_candidates=sum(_n_candidates(spec, key, n_classes[key.dataset]) for key in keys),
    )


def _notes(found: Mapping[str, Dataset], spec: ExperimentSpec) -> Iterator[str]:
    """Say of every file which columns are no features, and which may give the class away."""
    for name, data in found.items():
        if data.source not in spec.datasets:  # one that we know
            continue
        leaks = possible_leaks(data.X, data.nominal, data.feature_names, data.y)
        for note in (*leak_sentences(leaks), *role_sentences(data.roles)):
            yield f"{name}: {note}" if len(found) > 1 else note


def _statuses(path: str | PathLike[str] | None, spec: ExperimentSpec) -> dict[JobKey, str]:
    if path is None or not Path(path).exists():
        return {}
    with Store(path) as store:
        store.check(spec)
        return statuses(store)


def _shares(names: Iterable[str], done: Iterable[str]) -> dict[str, tuple[int, int]]:
    total: dict[str, int] = {}
    for name in names:
        total[name] = total.get(name, 0) + 1
    ready = dict.fromkeys(total, 0)
    for name in done:
        ready[name] += 1
    return {name: (ready[name], total[name]) for name in total}


def _n_candidates(spec: ExperimentSpec, key: JobKey, n_classes: int) -> int:
    if key.kind != SEARCH:
        return 1
    part = parts_of(spec, key.method)[key.width]
    return len(METHODS[key.method].candidates(part, n_classes))
