"""Run an experiment: do what is missing, keep every job as soon as it is done."""

from os import PathLike

from joblib import effective_n_jobs

from kpboost import _parameters as parameters

from .agenda import job_keys, methods_in_order
from .board import Board
from .loading import prepare_all
from .loop import Loop, OnProgress
from .methods import METHODS
from .pools.pool import BACKENDS, make_pool
from .records import RunSummary
from .spec import ExperimentSpec
from .storage.job_rows import FAILED, statuses
from .storage.store import Store


def run(
    spec: ExperimentSpec,
    store_path: str | PathLike[str],
    *,
    n_jobs: int | None = None,
    backend: str = "processes",
    scheduler: str | None = None,
    retry_failed: bool = False,
    on_progress: OnProgress | None = None,
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
        data sets and methods may join.
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
    for name in methods_in_order(spec):
        METHODS[name].estimator_class()
    with Store(store_path, create=True) as store:
        store.adopt(spec)
        material, missing = prepare_all(spec, store)
        over = statuses(store)
        if retry_failed:
            over = {key: status for key, status in over.items() if status != FAILED}
        n_folds = {name: len(own.splits) for name, own in material.items()}
        board = Board(spec, job_keys(spec, n_folds), over)
        loop = Loop(spec, store, board, material, on_progress)
        loop.settle_complete()
        if board.n_waiting:
            loop.work(make_pool(backend, effective_n_jobs(n_jobs), scheduler))
        store.check_place()
        return loop.summary(missing)
