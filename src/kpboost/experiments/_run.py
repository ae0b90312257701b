"""Run an experiment: do what is missing, keep every job as soon as it is done."""

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path

from joblib import effective_n_jobs

from kpboost import _validation as parameters
from kpboost.datasets import (
    CopiedRows,
    Dataset,
    copy_sentences,
    leak_sentences,
    possible_leaks,
    role_sentences,
)
from kpboost.experiments.storage._rows import DONE, FAILED, statuses
from kpboost.experiments.storage._store import Store
from kpboost.methods import METHODS, sample_sentence

from ._data import copies_in, draw_sentence, find_datasets, prepare_all, split_dataset
from ._jobs import SEARCH, JobKey
from ._pools import BACKENDS, make_pool
from ._queue import Folds, JobQueue, Layout, methods_in_order
from ._records import Plan, RunSummary, SpecDatasets
from ._scheduler import OnProgress, Scheduler
from ._spec import ExperimentSpec
from ._splits import NESTED, PreparedDataset


def run(
    spec: ExperimentSpec,
    store_path: str | PathLike[str],
    *,
    n_jobs: int | None = None,
    backend: str = "processes",
    scheduler: str | None = None,
    retry_failed: bool = False,
    on_progress: OnProgress | None = None,
    data: SpecDatasets | None = None,
) -> RunSummary:
    """Run an experiment, or what is missing of it.

    Every job is kept in one transaction as soon as it is done: a run that is killed at any moment
    loses the jobs at work and nothing else, and the next one goes on from there. Results depend
    neither on the backend nor on the number of jobs.

    Parameters
    ----------
    spec : ExperimentSpec
    store_path : path
        An SQLite file, made if it is not there. It belongs to one protocol, grid and seed; more
        data sets and methods may join, and seeds that follow the first.
    n_jobs : int or None, default=None
        Jobs at a time; None is 1, -1 all processors.
    backend : {"processes", "threads", "dask", "ray"}, default="processes"
        Where jobs run. One process is this one.
    scheduler : str or None, default=None
        Address of a dask or ray cluster; None starts one on this machine.
    retry_failed : bool, default=False
        Whether jobs that failed are tried again.
    on_progress : callable, optional
        Gets a Progress at the start and after every job.
    data : SpecDatasets or None, default=None
        The data sets that a plan of the same spec has read; None reads them.

    Returns
    -------
    RunSummary

    Raises
    ------
    ValueError
        If something of the spec is unknown or not installed.
    StoreError
        If the store is damaged or of another experiment.
    """
    parameters.check_choice("backend", backend, BACKENDS)
    parameters.check_n_jobs(n_jobs)
    check_installed(spec)
    with Store(store_path, create=True) as store:
        store.adopt(spec)
        datasets, missing = prepare_all(spec, store, data or find_datasets(spec))
        over = statuses(store)
        if retry_failed:
            over = {key: status for key, status in over.items() if status != FAILED}
        queue = JobQueue(Layout(spec, {name: _folds(own) for name, own in datasets.items()}), over)
        jobs = Scheduler(spec, store, queue, datasets, on_progress)
        jobs.complete_results()
        if queue.n_waiting:
            jobs.run(make_pool(backend, effective_n_jobs(n_jobs), scheduler))
        store.check_place()
        return jobs.summary(missing)


def _folds(data: PreparedDataset) -> Folds:
    return Folds(len(data.splits), data.n_classes, data.n_training)


def check_installed(spec: ExperimentSpec) -> None:
    """Refuse methods that need a package which is not installed."""
    for name in methods_in_order(spec):
        METHODS[name].estimator_class()


def plan(spec: ExperimentSpec, store: str | PathLike[str] | None = None) -> Plan:
    """Read the data sets of an experiment and count its jobs.

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
    over = _statuses(store, spec)  # before the data sets: a store that does not fit ends it all
    data = find_datasets(spec)
    found, missing = data.found, dict(data.missing)
    copies = {name: copies_in(dataset, spec) for name, dataset in found.items()}
    folds: dict[str, Folds] = {}
    for name, dataset in found.items():
        try:
            splits = split_dataset(name, dataset, spec, copies[name])
        except ValueError as error:
            missing[name] = str(error)
            continue
        n_training = max(train.size for train, _ in splits)
        folds[name] = Folds(len(splits), len(dataset.classes), n_training)
    layout = Layout(spec, folds)
    keys = list(layout.jobs())
    done = [key for key in keys if over.get(key) == DONE]
    failed = sum(over.get(key) == FAILED for key in keys)
    return Plan(
        total=len(keys),
        done=len(done),
        failed=failed,
        to_do=len(keys) - len(done) - failed,
        by_method=_shares([key.method for key in keys], [key.method for key in done]),
        by_dataset=_shares([key.dataset for key in keys], [key.dataset for key in done]),
        datasets=tuple(folds),
        missing=missing,
        notes=(*_draws(data), *_notes(found, copies, spec), *_samples(folds, spec)),
        n_candidates=sum(_n_candidates(layout, key) for key in keys),
        data=data,
    )


def _notes(
    found: Mapping[str, Dataset], copies: Mapping[str, CopiedRows], spec: ExperimentSpec
) -> Iterator[str]:
    """Say of every file what makes scores too good, and which columns are no features."""
    for name, data in found.items():
        if data.source not in spec.datasets:  # one that we know
            continue
        leaks = possible_leaks(data.X, data.nominal, data.feature_names, data.y)
        own = copies[name]
        repeated = copy_sentences(own.n_copies, data.n_samples, own.are_together)
        for note in (*leak_sentences(leaks), *repeated, *role_sentences(data.roles)):
            yield f"{name}: {note}" if len(found) > 1 else note


def _draws(data: SpecDatasets) -> Iterator[str]:
    """Say of which files only some rows are compared."""
    for name, in_file in data.in_file.items():
        note = draw_sentence(data.found[name], in_file)
        yield f"{name}: {note}" if len(data.found) > 1 else note


def _samples(folds: Mapping[str, Folds], spec: ExperimentSpec) -> Iterator[str]:
    """Say which methods learn from a sample of a data set; the paper's protocols take all rows."""
    if spec.protocol != NESTED:
        return
    for name, own in folds.items():
        if note := sample_sentence(methods_in_order(spec), own.n_training):
            yield f"{name}: {note}" if len(folds) > 1 else note


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


def _n_candidates(layout: Layout, key: JobKey) -> int:
    if key.kind != SEARCH:
        return 1
    part = layout.parts(key)[key.width]
    return len(METHODS[key.method].candidates(part, layout.datasets[key.dataset].n_classes))
