"""The queue of jobs: which are to do, which may begin now, and which never will."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Self

from kpboost.experiments.storage._rows import DONE, FAILED
from kpboost.methods import (
    LOW_RANK_ROWS,
    METHODS,
    NO_WIDTH,
    PLAIN_SVM,
    Method,
    Part,
    n_candidates,
)

from ._jobs import SEARCH, TEST, JobKey
from ._spec import ExperimentSpec
from ._splits import NESTED


@dataclass(frozen=True, slots=True)
class Group:
    """Searches among which one candidate is chosen: of one fold if nested, else of all folds."""

    dataset: str
    method: str
    fold: int | None


@dataclass(frozen=True)
class Layout:
    """Which jobs a spec makes, and in which form a method does them.

    Attributes
    ----------
    spec : ExperimentSpec
    large : frozenset of str
        Data sets with so many training rows that kernel machines are trained with kernels of low
        rank, where they can be; none under the paper's protocols.
    """

    spec: ExperimentSpec
    large: frozenset[str] = frozenset()

    @classmethod
    def of(cls, spec: ExperimentSpec, n_training: Mapping[str, int]) -> Self:
        """Return the layout for data sets of so many training rows."""
        large = [name for name, n_rows in n_training.items() if n_rows > LOW_RANK_ROWS]
        return cls(spec, frozenset(large) if spec.protocol == NESTED else frozenset())

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

    def keys(self, n_folds: Mapping[str, int]) -> Iterator[JobKey]:
        """Yield all jobs: data set by data set, method by method, fold by fold, width by width.

        Parameters
        ----------
        n_folds : mapping from str to int
            The data sets, and how many folds each has.
        """
        for dataset, n in n_folds.items():
            for method in self._methods(dataset):
                for fold in range(n):
                    yield from self._searches(dataset, method, fold)
                    if self.spec.protocol == NESTED:
                        yield JobKey(dataset, method, fold, NO_WIDTH, TEST)

    def needed_group(self, key: JobKey) -> Group | None:
        """Return the searches that must be over before a job can begin; None if there are none."""
        parts = self.parts(key)
        if key.kind == TEST and self.has_choice(key.dataset, key.method):
            return group_of(self.spec, key)
        part = next(iter(parts.values())) if key.kind == TEST else parts[key.width]
        if part.width.needs_best:
            return group_of(self.spec, replace(key, method=PLAIN_SVM))
        return None

    def _searches(self, dataset: str, method: str, fold: int) -> Iterator[JobKey]:
        asked = method == PLAIN_SVM and self._has_followers(dataset)
        if self.has_choice(dataset, method) or asked:
            for part in METHODS[method].grids[self.spec.grid]:
                yield JobKey(dataset, method, fold, part.width.label, SEARCH)

    def _methods(self, dataset: str) -> list[str]:
        """Return the methods of a data set after those that they need."""
        needed = [PLAIN_SVM] if self._has_followers(dataset) else []
        return list(dict.fromkeys([*needed, *self.spec.methods]))

    def _has_followers(self, dataset: str) -> bool:
        """Tell whether some method needs the width of the exact plain SVM."""
        exact = [name for name in self.spec.methods if not self._is_low_rank(dataset, name)]
        return any(METHODS[name].needs(self.spec.grid) for name in exact)

    def _is_test_of_low_rank(self, key: JobKey) -> bool:
        return key.kind == TEST and self._is_low_rank(key.dataset, key.method)

    def _is_low_rank(self, dataset: str, method: str) -> bool:
        return dataset in self.large and METHODS[method].low_rank is not None


def _form(method: str, is_low_rank: bool) -> Method:
    own = METHODS[method]
    return own.for_rows(LOW_RANK_ROWS + 1) if is_low_rank else own


@cache
def _parts(method: str, is_low_rank: bool, grid: str) -> Mapping[str, Part]:
    return {part.width.label: part for part in _form(method, is_low_rank).grids[grid]}


def methods_in_order(spec: ExperimentSpec) -> list[str]:
    """Return the methods of a spec after those that they need."""
    needed = [need for name in spec.methods for need in METHODS[name].needs(spec.grid)]
    return list(dict.fromkeys([*needed, *spec.methods]))


def group_of(spec: ExperimentSpec, key: JobKey) -> Group:
    """Return the searches that a job takes part in, or is the test of."""
    return Group(key.dataset, key.method, key.fold if spec.protocol == NESTED else None)


class JobQueue:
    """The jobs of an experiment in order; names only, no data.

    Parameters
    ----------
    layout : Layout
    keys : iterable of JobKey
        All jobs, in the order in which they shall be done.
    statuses : mapping from JobKey to {"done", "failed"}
        Jobs that are over.
    """

    def __init__(
        self, layout: Layout, keys: Iterable[JobKey], statuses: Mapping[JobKey, str]
    ) -> None:
        self.layout = layout
        self._spec = spec = layout.spec
        self._needed = {key: layout.needed_group(key) for key in keys}
        self._waiting = dict.fromkeys(self._needed)
        self._status: dict[JobKey, str] = {}
        self._searches: dict[Group, list[JobKey]] = {}
        for key in self._needed:
            if key.kind == SEARCH:
                self._searches.setdefault(group_of(spec, key), []).append(key)
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
        if self._spec.protocol == NESTED:
            return key.kind == TEST
        return self._n_open[group_of(self._spec, key)] == 0

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
        group = group_of(self._spec, key)
        if key.kind == SEARCH and status == FAILED:
            self._failed.add(group)
        elif key.kind == SEARCH:
            self._n_open[group] -= 1
        return status == DONE and self._completes_result(key)
