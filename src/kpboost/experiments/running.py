"""Run an experiment: do what is missing, keep every job as soon as it is done."""

from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from os import PathLike
from time import perf_counter
from typing import Any

from joblib import effective_n_jobs

from kpboost import _parameters as parameters

from .agenda import job_keys, methods_in_order
from .board import Board
from .job_rows import DONE, FAILED, is_done, put_failure, put_job, statuses
from .jobs import TEST, JobKey, JobResult
from .loading import Material, prepare_all
from .methods import METHODS
from .partitions import NESTED
from .pools import BACKENDS, Pool, make_pool
from .records import Progress, RunSummary
from .result_rows import put_results
from .selection import tested_by_job, tested_by_searches
from .spec import ExperimentSpec
from .store import Store
from .tasks import TaskMaker

# Seconds between two looks at signals: not every wait ends with one.
SIGNAL_PERIOD = 0.2
# Jobs handed to a pool per slot: one at work and one that waits, so that no slot is idle.
JOBS_PER_SLOT = 2

OnProgress = Callable[[Progress], None]


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
        loop = _Loop(spec, store, board, material, on_progress)
        loop.settle_complete()
        if board.n_waiting:
            loop.work(make_pool(backend, effective_n_jobs(n_jobs), scheduler))
        return loop.summary(missing)


class _Loop:
    """One run: hands out jobs, keeps their results, tells about it."""

    def __init__(
        self,
        spec: ExperimentSpec,
        store: Store,
        board: Board,
        material: Mapping[str, Material],
        on_progress: OnProgress | None,
    ) -> None:
        self._spec = spec
        self._store = store
        self._board = board
        self._material = material
        self._tasks = TaskMaker(spec, store, board, material)
        self._on_progress = on_progress
        self._begun = perf_counter()
        self._before = {status: board.count(status) for status in (DONE, FAILED)}
        self._at_work: dict[Future[JobResult], JobKey] = {}
        self._shared: dict[str, Any] = {}

    def work(self, pool: Pool) -> None:
        """Do all jobs that can be done."""
        try:
            self._tell()
            self._fail_doomed()
            self._refill(pool)
            while self._at_work:
                done, _ = wait(self._at_work, SIGNAL_PERIOD, FIRST_COMPLETED)
                for future in done:
                    self._receive(future)
                if done:
                    self._refill(pool)
        except KeyboardInterrupt:
            self._save_finished()
            raise
        finally:
            pool.close()

    def settle_complete(self) -> None:
        """Choose in groups that were complete before; a killed run may have left it to us."""
        if self._spec.protocol != NESTED:
            for group in self._board.complete_groups():
                self._settle(self._board.searches(group)[0])

    def summary(self, missing: Mapping[str, str]) -> RunSummary:
        """Return what this run did."""
        done, failed = self._board.count(DONE), self._board.count(FAILED)
        return RunSummary(
            total=len(self._board.all_keys),
            done=done,
            failed=failed,
            done_now=done - self._before[DONE],
            failed_now=failed - self._before[FAILED],
            seconds=perf_counter() - self._begun,
            missing=dict(missing),
        )

    def _refill(self, pool: Pool) -> None:
        room = JOBS_PER_SLOT * pool.n_slots() - len(self._at_work)
        while room > 0 and (key := self._board.take()) is not None:
            if is_done(self._store, key):  # by another process
                self._note(key, DONE)
                continue
            name = key.dataset
            if name not in self._shared:
                self._shared = {name: pool.share(self._material[name].points)}
            future = pool.submit(self._tasks.task(key), self._shared[name])
            self._at_work[future] = key
            room -= 1

    def _receive(self, future: Future[JobResult]) -> None:
        """Keep what came back."""
        key = self._at_work.pop(future)
        try:
            result = future.result()
        except (Exception, MemoryError) as error:
            put_failure(self._store, key, _words(error))
            self._note(key, FAILED)
            return
        put_job(self._store, result)
        if key.kind == TEST:
            labels = self._material[key.dataset].labels
            put_results(self._store, key.dataset, key.method, [tested_by_job(result, labels)])
        self._note(key, DONE)

    def _note(self, key: JobKey, status: str) -> None:
        """Note that a job is over, and do what follows from it."""
        if self._board.finish(key, status) and self._spec.protocol != NESTED:
            self._settle(key)
        if status == FAILED:
            self._fail_doomed()
        self._tell()

    def _settle(self, key: JobKey) -> None:
        """Choose among the searches of all folds, and keep what the choice did on them."""
        labels = self._material[key.dataset].labels
        folds = tested_by_searches(self._tasks.choice(key), labels)
        put_results(self._store, key.dataset, key.method, folds)

    def _fail_doomed(self) -> None:
        for key in self._board.take_doomed():
            put_failure(self._store, key, "What this job builds on has failed.")
            self._board.finish(key, FAILED)

    def _save_finished(self) -> None:
        for future in [own for own in self._at_work if own.done() and not own.cancelled()]:
            self._receive(future)

    def _tell(self) -> None:
        if self._on_progress is not None:
            self._on_progress(
                Progress(
                    done=self._board.count(DONE),
                    failed=self._board.count(FAILED),
                    total=len(self._board.all_keys),
                    running=tuple(map(str, self._at_work.values())),
                    seconds=perf_counter() - self._begun,
                )
            )


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
