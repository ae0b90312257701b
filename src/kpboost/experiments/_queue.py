"""The queue of jobs: which are to do, which may begin now, and which never will."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from kpboost.experiments.storage._rows import DONE, FAILED
from kpboost.methods import LOW_RANK_ROWS, METHODS, NO_WIDTH, Method, Part, n_candidates

from ._jobs import SEARCH, TEST, JobKey
from ._spec import ExperimentSpec
from ._splits import NESTED


@dataclass(frozen=True, slots=True)
class Group:
    """Searches among which one candidate is chosen.

    Those of one fold if nested, and else of all folds of one seed; the number is the fold's or the
    seed's, from 0.
    """

    dataset: str
    method: str
    number: int


@dataclass(frozen=True, slots=True)
class Folds:
    """How many folds a data set has, over all seeds; its classes, and training rows of a fold."""

    n_folds: int
    n_classes: int = 2
    n_training: int = 0


@dataclass(frozen=True)
class Layout:
    """Which jobs a spec makes, and in which form a method does them.

    With many training rows, kernel machines have kernels of low rank, where they can; never under
    the paper's protocols.

    Attributes
    ----------
    spec : ExperimentSpec
    datasets : mapping from str to Folds
        In the order in which they shall be done.
    """

    spec: ExperimentSpec
    datasets: Mapping[str, Folds]

    def form(self, key: JobKey) -> Method:
        """Return the method of a job as it is done there; a search is among exact machines."""
        return _form(key.method, self._is_test_of_low_rank(key))

    def parts(self, key: JobKey) -> Mapping[str, Part]:
        """Return the parts of the grid of a job's method, by the labels of their widths."""
        return _parts(key.method, self._is_test_of_low_rank(key), self.spec.grid)

    def has_choice(self, dataset: str, method: str) -> bool:
        """Tell whether tests follow a search: in nested folds, of methods with several candidates.

        A machine of low rank searches by itself.
        """
        if self._is_low_rank(dataset, method):
            return False
        several = n_candidates(METHODS[method].grids[self.spec.grid]) > 1
        return self.spec.protocol != NESTED or several

    def jobs(self) -> Iterator[JobKey]:
        """Yield all jobs: data set by data set, method by method, fold by fold, width by width."""
        for dataset, folds in self.datasets.items():
            for method in self._methods(dataset):
                for fold in range(folds.n_folds):
                    yield from self._searches(dataset, method, fold)
                    if self.spec.protocol == NESTED:
                        yield JobKey(dataset, method, fold, NO_WIDTH, TEST)

    def group(self, key: JobKey) -> Group:
        """Return the searches that a job takes part in, or is the test of."""
        nested = self.spec.protocol == NESTED
        return Group(key.dataset, key.method, key.fold if nested else self.seed_of_job(key)[0])

    def seed_of_job(self, key: JobKey) -> tuple[int, int]:
        """Return the number of a job's seed, and that of its fold among those of this seed."""
        return divmod(key.fold, self.datasets[key.dataset].n_folds // self.spec.n_seeds)

    def needed(self, key: JobKey) -> Group | None:
        """Return the searches that must be over before a job can begin; None if there are none."""
        parts = self.parts(key)
        if key.kind == TEST and self.has_choice(key.dataset, key.method):
            return self.group(key)
        part = next(iter(parts.values())) if key.kind == TEST else parts[key.width]
        return self.group(self.leader(key)) if part.width.needs_best else None

    def leader(self, key: JobKey) -> JobKey:
        """Return a search of the plain SVM whose width a job follows."""
        return replace(key, method=METHODS[key.method].leader, kind=SEARCH)

    def _searches(self, dataset: str, method: str, fold: int) -> Iterator[JobKey]:
        if self.has_choice(dataset, method) or method in self._needed_by_others(dataset):
            for part in METHODS[method].grids[self.spec.grid]:
                yield JobKey(dataset, method, fold, part.width.label, SEARCH)

    def _methods(self, dataset: str) -> list[str]:
        """Return the methods of a data set after those that they need."""
        names = dict.fromkeys([*self._needed_by_others(dataset), *self.spec.methods])
        n_classes = self.datasets[dataset].n_classes
        return [name for name in names if is_tried(self.spec, name, n_classes)]

    def _needed_by_others(self, dataset: str) -> list[str]:
        """Return the exact plain SVMs whose width some method follows."""
        exact = [name for name in self.spec.methods if not self._is_low_rank(dataset, name)]
        return [need for name in exact for need in METHODS[name].needs(self.spec.grid)]

    def _is_test_of_low_rank(self, key: JobKey) -> bool:
        return key.kind == TEST and self._is_low_rank(key.dataset, key.method)

    def _is_low_rank(self, dataset: str, method: str) -> bool:
        large = self.datasets[dataset].n_training > LOW_RANK_ROWS
        return large and self.spec.protocol == NESTED and METHODS[method].low_rank is not None


def _form(method: str, is_low_rank: bool) -> Method:
    own = METHODS[method]
    return own.for_rows(LOW_RANK_ROWS + 1) if is_low_rank else own


@cache
def _parts(method: str, is_low_rank: bool, grid: str) -> Mapping[str, Part]:
    return {part.width.label: part for part in _form(method, is_low_rank).grids[grid]}


def is_tried(spec: ExperimentSpec, method: str, n_classes: int) -> bool:
    """Tell whether a method is tried on data of so many classes; the paper did not try all."""
    own = METHODS[method]
    if spec.no_twins and n_classes == 2 and own.needs_several_classes:
        return False
    return not spec.as_paper or own.is_tried_by_paper(n_classes)


def methods_in_order(spec: ExperimentSpec) -> list[str]:
    """Return the methods of a spec after those that they need."""
    needed = [need for name in spec.methods for need in METHODS[name].needs(spec.grid)]
    return list(dict.fromkeys([*needed, *spec.methods]))


class JobQueue:
    """The jobs of an experiment in order; names only, no data.

    Parameters
    ----------
    layout : Layout
    statuses : mapping from JobKey to {"done", "failed"}
        Jobs that are over.
    """

    def __init__(self, layout: Layout, statuses: Mapping[JobKey, str]) -> None:
        self.layout = layout
        self._nested = layout.spec.protocol == NESTED
        self._needed = {key: layout.needed(key) for key in layout.jobs()}
        self._waiting = dict.fromkeys(self._needed)
        self._status: dict[JobKey, str] = {}
        self._searches: dict[Group, list[JobKey]] = {}
        for key in self._needed:
            if key.kind == SEARCH:
                self._searches.setdefault(layout.group(key), []).append(key)
        self._n_open = {group: len(keys) for group, keys in self._searches.items()}
        self._failed: set[Group] = set()
        for key in self.keys:
            if key in statuses:
                self.finish(key, statuses[key])

    @property
    def keys(self) -> list[JobKey]:
        """All jobs in order."""
        return list(self._needed)

    @property
    def n_waiting(self) -> int:
        """Jobs that have not begun."""
        return len(self._waiting)

    def count(self, status: str) -> int:
        """Return how many jobs are done, or failed."""
        return list(self._status.values()).count(status)

    def searches(self, group: Group) -> list[JobKey]:
        """Return the searches of a group."""
        return self._searches[group]

    def jobs_with_result(self) -> list[JobKey]:
        """Return the jobs that are done and complete a result."""
        done = [key for key, status in self._status.items() if status == DONE]
        return [key for key in done if self._completes_result(key)]

    def _completes_result(self, key: JobKey) -> bool:
        """Tell whether a result follows: of a test, or of the searches that are tests as well."""
        if self._nested:
            return key.kind == TEST
        return self._n_open[self.layout.group(key)] == 0

    def take(self, claim: Callable[[JobKey], bool]) -> JobKey | None:
        """Remove the first job that may begin, and return it; None if there is none.

        Parameters
        ----------
        claim : callable
            Asked last, whether a job is ours to do.
        """
        for key in self._waiting:
            needed = self._needed[key]
            if (needed is None or self._n_open[needed] == 0) and claim(key):
                del self._waiting[key]
                return key
        return None

    def take_blocked(self) -> list[tuple[JobKey, str]]:
        """Remove the jobs that need a search that failed; return them with its method."""
        blocked = [
            (key, needed.method)
            for key in self._waiting
            if (needed := self._needed[key]) is not None and needed in self._failed
        ]
        for key, _ in blocked:
            del self._waiting[key]
        return blocked

    def finish(self, key: JobKey, status: str) -> bool:
        """Note that a job is over; tell whether it completes a result."""
        self._waiting.pop(key, None)
        self._status[key] = status
        group = self.layout.group(key)
        if key.kind == SEARCH and status == FAILED:
            self._failed.add(group)
        elif key.kind == SEARCH:
            self._n_open[group] -= 1
        return status == DONE and self._completes_result(key)
