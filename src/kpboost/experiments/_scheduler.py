"""The scheduler of a run: hands jobs to workers, keeps their results, until nothing can be done."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass, replace
from time import perf_counter, sleep
from typing import Any

import numpy as np

from kpboost.experiments.storage._claims import Claims
from kpboost.experiments.storage._rows import (
    DONE,
    FAILED,
    is_done,
    kept_job,
    put_failure,
    put_job,
    put_results,
    result_keys,
)
from kpboost.experiments.storage._store import Store
from kpboost.methods import (
    NO_WIDTH,
    NoChoiceError,
    choose,
    in_words,
    sample_rows,
)
from kpboost.model_selection import inner_splits

from ._jobs import TEST, AllFailedError, JobKey, JobResult, Task
from ._pools import Pool
from ._queue import Group, JobQueue
from ._records import Progress, RunSummary
from ._spec import ExperimentSpec
from ._splits import NESTED, PreparedDataset, seed_of


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The chosen candidate of a group.

    Attributes
    ----------
    width : str
        Label of its kernel width.
    number : int
        Its place among the candidates of that width.
    jobs : list of JobResult
        The searches that tried it, fold by fold; none of a method's only candidate.
    """

    width: str
    number: int
    jobs: list[JobResult]

    @property
    def length_scale(self) -> float | None:
        """Return sigma of the chosen kernel, None for a method without."""
        value = self.jobs[0].params[self.number].get("length_scale")
        return None if value is None else float(value)


def choose_in_group(store: Store, keys: Sequence[JobKey]) -> Choice:
    """Choose among all candidates of finished searches, on one or more folds."""
    by_width: dict[str, list[JobResult]] = {}
    for key in keys:
        by_width.setdefault(key.width, []).append(kept_job(store, key))
    # Folds of a search, inner or outer, are one axis: (candidates, folds, classes).
    recalls = [
        np.concatenate([job.arrays["recalls"] for job in jobs], axis=1)
        for jobs in by_width.values()
    ]
    chosen = choose(np.concatenate(recalls))
    ends = np.cumsum([len(own) for own in recalls])
    place = int(np.searchsorted(ends, chosen, side="right"))
    width, jobs = list(by_width.items())[place]
    return Choice(width, chosen - int(ends[place] - len(recalls[place])), jobs)


class TaskMaker:
    """Turns names of jobs into tasks; remembers what was chosen.

    Parameters
    ----------
    spec : ExperimentSpec
    store : Store
    queue : JobQueue
    datasets : mapping from str to PreparedDataset
    """

    def __init__(
        self,
        spec: ExperimentSpec,
        store: Store,
        queue: JobQueue,
        datasets: Mapping[str, PreparedDataset],
    ) -> None:
        self._spec = spec
        self._store = store
        self._queue, self._layout = queue, queue.layout
        self._datasets = datasets
        self._best: dict[Group, float | None] = {}

    def choice(self, key: JobKey) -> Choice:
        """Return the choice among the searches that a job belongs to; they must be over."""
        if key.kind == TEST and not self._layout.has_choice(key.dataset, key.method):
            return Choice(next(iter(self._layout.parts(key))), 0, [])
        group = self._layout.group(key)
        choice = choose_in_group(self._store, self._queue.searches(group))
        self._best[group] = choice.length_scale  # others may follow it
        return choice

    def task(self, key: JobKey) -> Task:
        """Return all that a job needs but the data."""
        nested = self._spec.protocol == NESTED
        dataset = self._datasets[key.dataset]
        codes, (train, test) = dataset.codes, dataset.splits[key.fold]
        number, own_fold = self._layout.seed_of_job(key)
        seed = self._spec.seed + number
        method, factors = self._layout.form(key), None
        if nested:
            state = seed_of(seed, key.dataset, "inner partition", own_fold)
            rows, factors = sample_rows(codes[train], method.max_rows, state)
            train = train[rows]
        else:
            method = method.as_in_paper()
        width, numbers = key.width, slice(None)
        if key.kind == TEST:
            choice = self.choice(key)
            width, numbers = choice.width, slice(choice.number, choice.number + 1)
        splits = [(train, test)]
        if nested and key.kind != TEST:
            method, splits = method.as_searched(), inner_splits(codes, train, state)
        part = self._layout.parts(key)[width]
        best = self._best_length_scale(key) if part.width.needs_best else None
        return Task(
            key=key,
            method=replace(method, grids={}),
            candidates=method.candidates(part, dataset.n_classes)[numbers],
            length_scale=part.width.length_scale(len(dataset.table.names), best),
            splits=splits,
            leak_free=nested,
            keep_predictions=not nested or key.kind == TEST,
            seed=seed,
            own_fold=own_fold,
            factors=factors,
        )

    def _best_length_scale(self, key: JobKey) -> float | None:
        """Return sigma* of the plain SVM, on the folds of the seed or inside the fold."""
        svm = self._layout.leader(key)
        group = self._layout.group(svm)
        if group not in self._best:
            self.choice(svm)
        return self._best[group]


# Seconds between two looks at signals: not every wait ends with one.
SIGNAL_PERIOD = 0.2
# Seconds between two looks at what other runs do, where they have all that is left.
OTHERS_PERIOD = 1.0
# Jobs handed to a pool per slot: one at work and one that waits, so that no slot is idle.
JOBS_PER_SLOT = 2
# Data sets that stay where jobs run: jobs of two or three overlap.
SHARED_DATASETS = 4

OnProgress = Callable[[Progress], None]


class Scheduler:
    """Hands out jobs, keeps their results, and reports progress.

    Parameters
    ----------
    spec : ExperimentSpec
    store : Store
    queue : JobQueue
    datasets : mapping from str to PreparedDataset
    on_progress : callable or None
    """

    def __init__(
        self,
        spec: ExperimentSpec,
        store: Store,
        queue: JobQueue,
        datasets: Mapping[str, PreparedDataset],
        on_progress: OnProgress | None,
    ) -> None:
        self._store = store
        self._queue = queue
        self._datasets = datasets
        self._tasks = TaskMaker(spec, store, queue, datasets)
        self._on_progress = on_progress
        self._begun = perf_counter()
        self._before = {status: queue.count(status) for status in (DONE, FAILED)}
        self._running: dict[Future[JobResult], JobKey] = {}
        self._claims = Claims(store)
        # Whether another run has a job that could begin, and how many others did meanwhile.
        self._others_at_work = False
        self._done_elsewhere = 0
        self._shared: dict[str, Any] = {}
        # Jobs that were at work when a process died, and those that had one for themselves.
        self._suspects: deque[JobKey] = deque()
        self._alone: set[JobKey] = set()

    def run(self, pool: Pool) -> None:
        """Do all jobs that can be done."""
        try:
            self._report_progress()
            self._fail_blocked()
            self._refill(pool)
            while self._running or self._others_at_work:
                self._claims.renew()
                if self._receive_some():
                    self._refill(pool)
        except KeyboardInterrupt:
            self._save_finished()
            raise
        finally:
            for future in self._running:
                future.cancel()
            pool.close()
            self._claims.release_all()

    def complete_results(self) -> None:
        """Keep results of jobs that are done; a killed run may have left it to us."""
        there = result_keys(self._store)
        for key in self._queue.jobs_with_result():
            if (key.dataset, key.method, key.fold) not in there:
                self._put_result(key)
                there = result_keys(self._store)  # one choice may be that of many jobs

    def summary(self, missing: Mapping[str, str]) -> RunSummary:
        """Return what this run did."""
        done, failed = self._queue.count(DONE), self._queue.count(FAILED)
        return RunSummary(
            total=len(self._queue.keys),
            done=done,
            failed=failed,
            done_now=done - self._before[DONE] - self._done_elsewhere,
            failed_now=failed - self._before[FAILED],
            seconds=perf_counter() - self._begun,
            missing=dict(missing),
        )

    def _refill(self, pool: Pool) -> None:
        """Hand out jobs until all slots have something to do."""
        while self._suspects and not self._running:
            self._alone.add(self._suspects[0])
            self._start(pool, self._suspects.popleft())
        if self._alone.intersection(self._running.values()) or self._suspects:
            return
        limit = JOBS_PER_SLOT * pool.n_slots()
        self._others_at_work = False
        n_notes = len(self._claims.notes)
        while len(self._running) < limit and (key := self._queue.take(self._claim)) is not None:
            if is_done(self._store, key):  # by another run
                self._done_elsewhere += 1
                self._finish(key, DONE)
            else:
                self._start(pool, key)
        if len(self._claims.notes) > n_notes:
            self._report_progress()

    def _claim(self, key: JobKey) -> bool:
        is_ours = self._claims.take(key)
        self._others_at_work |= not is_ours
        return is_ours

    def _receive_some(self) -> bool:
        """Wait a little; tell whether anything may have changed."""
        if not self._running:
            sleep(OTHERS_PERIOD)
            return True
        done, _ = wait(self._running, SIGNAL_PERIOD, FIRST_COMPLETED)
        for future in [own for own in self._running if own in done]:  # in the order of the jobs
            self._receive(future)
        return bool(done)

    def _start(self, pool: Pool, key: JobKey) -> None:
        try:
            task = self._tasks.task(key)
        except NoChoiceError as error:
            self._fail(key, str(error))
            return
        name = key.dataset
        if name not in self._shared:
            while len(self._shared) >= SHARED_DATASETS:
                self._shared.pop(next(iter(self._shared)))
            self._shared[name] = pool.share(self._datasets[name])
        self._running[pool.submit(task, self._shared[name])] = key

    def _receive(self, future: Future[JobResult]) -> None:
        """Keep what came back, be it a result or an error."""
        key = self._running.pop(future)
        try:
            result = future.result()
        except BrokenExecutor as error:
            if key in self._alone:
                self._fail(key, f"The process of this job died: {error}")
            else:  # any of the jobs at work may have killed it
                self._suspects.append(key)
            return
        except CancelledError as error:
            raise RuntimeError("The cluster gave up; run again to go on from here.") from error
        except AllFailedError as error:
            self._fail(key, str(error))
            return
        except Exception as error:
            self._fail(key, in_words(error))
            return
        put_job(self._store, result)
        self._finish(key, DONE)

    def _fail(self, key: JobKey, words: str) -> None:
        put_failure(self._store, key, words)
        self._finish(key, FAILED)

    def _finish(self, key: JobKey, status: str) -> None:
        """Note that a job is over, and do what follows from it."""
        self._claims.release(key)
        if self._queue.finish(key, status):
            self._put_result(key)
        if status == FAILED:
            self._fail_blocked()
        self._report_progress()

    def _put_result(self, key: JobKey) -> None:
        """Keep what the chosen candidate did on the test points of its fold, or of all folds."""
        if key.kind == TEST:
            number, jobs = 0, [kept_job(self._store, key)]
        else:
            try:
                choice = self._tasks.choice(key)
            except NoChoiceError as error:
                # It is the fault of no single search, so that a test stands for all of them.
                test = replace(key, fold=0, width=NO_WIDTH, kind=TEST)
                put_failure(self._store, test, str(error))
                return
            number, jobs = choice.number, choice.jobs
        put_results(self._store, jobs, number, self._datasets[key.dataset].labels)

    def _fail_blocked(self) -> None:
        for key, needed in self._queue.take_blocked():
            put_failure(self._store, key, f"It builds on a search of {needed} that failed.")
            self._queue.finish(key, FAILED)

    def _save_finished(self) -> None:
        for future in [own for own in self._running if own.done() and not own.cancelled()]:
            self._receive(future)

    def _report_progress(self) -> None:
        if self._on_progress is not None:
            self._on_progress(
                Progress(
                    done=self._queue.count(DONE),
                    failed=self._queue.count(FAILED),
                    total=len(self._queue.keys),
                    running=tuple(map(str, self._running.values())),
                    seconds=perf_counter() - self._begun,
                    notes=tuple(self._claims.notes),
                )
            )
