"""Which jobs are to do, which may begin now, and which never will."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from kpboost.experiments.storage._rows import DONE, FAILED
from kpboost.methods import METHODS, NO_WIDTH, PLAIN_SVM, Part

from ._jobs import SEARCH, TEST, JobKey
from ._partitions import NESTED
from ._spec import ExperimentSpec


@dataclass(frozen=True, slots=True)
class Group:
    """Searches among which one candidate is chosen: of one fold if nested, else of all folds."""

    dataset: str
    method: str
    fold: int | None


def methods_in_order(spec: ExperimentSpec) -> list[str]:
    """Return the methods of a spec after those that they need."""
    needed = [need for name in spec.methods for need in METHODS[name].needs(spec.grid)]
    return list(dict.fromkeys([*needed, *spec.methods]))


def parts_of(spec: ExperimentSpec, method: str) -> Mapping[str, Part]:
    """Return the parts of a method's grid by the labels of their widths."""
    return _parts(method, spec.grid)


@cache
def _parts(method: str, grid: str) -> Mapping[str, Part]:
    return {part.width.label: part for part in METHODS[method].grids[grid]}


def job_keys(spec: ExperimentSpec, n_folds: Mapping[str, int]) -> Iterator[JobKey]:
    """Yield all jobs: data set by data set, method by method, fold by fold, width by width.

    Parameters
    ----------
    spec : ExperimentSpec
    n_folds : mapping from str to int
        The data sets, and how many folds each has.
    """
    for dataset, n in n_folds.items():
        for method in methods_in_order(spec):
            for fold in range(n):
                for width in parts_of(spec, method):
                    yield JobKey(dataset, method, fold, width, SEARCH)
                if spec.protocol == NESTED:
                    yield JobKey(dataset, method, fold, NO_WIDTH, TEST)


def group_of(spec: ExperimentSpec, key: JobKey) -> Group:
    """Return the searches that a job takes part in, or is the test of."""
    return Group(key.dataset, key.method, key.fold if spec.protocol == NESTED else None)


def needed_group(spec: ExperimentSpec, key: JobKey) -> Group | None:
    """Return the searches that must be over before a job can begin; None if there are none."""
    if key.kind == TEST:
        return group_of(spec, key)
    if parts_of(spec, key.method)[key.width].width.needs_best:
        return group_of(spec, JobKey(key.dataset, PLAIN_SVM, key.fold, key.width))
    return None


class Board:
    """The jobs of an experiment; names only, no data.

    Parameters
    ----------
    spec : ExperimentSpec
    keys : iterable of JobKey
        All jobs, in the order in which they shall be done.
    statuses : mapping from JobKey to {"done", "failed"}
        Jobs that are over.
    """

    def __init__(
        self, spec: ExperimentSpec, keys: Iterable[JobKey], statuses: Mapping[JobKey, str]
    ) -> None:
        self._spec = spec
        self.all_keys = list(keys)
        self._status = {key: statuses[key] for key in self.all_keys if key in statuses}
        self._count = Counter(self._status.values())
        self._waiting = {key: None for key in self.all_keys if key not in self._status}
        self._needed = {key: needed_group(spec, key) for key in self._waiting}
        self._searches: dict[Group, list[JobKey]] = {}
        for key in self.all_keys:
            if key.kind == SEARCH:
                self._searches.setdefault(group_of(spec, key), []).append(key)
        self._open = {
            group: sum(self._status.get(key) != DONE for key in keys)
            for group, keys in self._searches.items()
        }
        self._broken = {group_of(spec, key) for key in self._status if self._is_broken(key)}

    def _is_broken(self, key: JobKey) -> bool:
        return key.kind == SEARCH and self._status[key] == FAILED

    @property
    def n_waiting(self) -> int:
        """Jobs that have not begun."""
        return len(self._waiting)

    def count(self, status: str) -> int:
        """Return how many jobs are done, or failed."""
        return self._count[status]

    def searches(self, group: Group) -> list[JobKey]:
        """Return the searches of a group."""
        return self._searches[group]

    def closing_jobs(self) -> list[JobKey]:
        """Return the jobs that are done and had a result to follow."""
        done = [key for key, status in self._status.items() if status == DONE]
        return [key for key in done if self._closes(key)]

    def _closes(self, key: JobKey) -> bool:
        """Tell whether a result follows: of a test, or of the searches that are tests as well."""
        if self._spec.protocol == NESTED:
            return key.kind == TEST
        return self.is_complete(group_of(self._spec, key))

    def is_complete(self, group: Group) -> bool:
        """Tell whether all searches of a group are done."""
        return self._open[group] == 0

    def take(self, claim: Callable[[JobKey], bool]) -> JobKey | None:
        """Return the first job that may begin, and hold it for taken; None if there is none.

        Parameters
        ----------
        claim : callable
            Asked last, whether a job is ours to do.
        """
        for key in self._waiting:
            needed = self._needed[key]
            if (needed is None or self.is_complete(needed)) and claim(key):
                del self._waiting[key]
                return key
        return None

    def take_doomed(self) -> list[tuple[JobKey, str]]:
        """Return the jobs that wait for a method that failed, with its name; they are taken."""
        doomed = [
            (key, needed.method)
            for key in self._waiting
            if (needed := self._needed[key]) is not None and needed in self._broken
        ]
        for key, _ in doomed:
            del self._waiting[key]
        return doomed

    def finish(self, key: JobKey, status: str) -> bool:
        """Note that a job is over; tell whether a result follows from it."""
        self._status[key] = status
        self._count[status] += 1
        group = group_of(self._spec, key)
        if status == FAILED:
            if key.kind == SEARCH:
                self._broken.add(group)
            return False
        if key.kind == SEARCH:
            self._open[group] -= 1
        return self._closes(key)
