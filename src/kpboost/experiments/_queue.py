"""The queue of jobs: which are to do, which may begin now, and which never will."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from kpboost.experiments.storage._rows import DONE, FAILED
from kpboost.methods import METHODS, NO_WIDTH, PLAIN_SVM, Part, n_candidates

from ._jobs import SEARCH, TEST, JobKey
from ._spec import ExperimentSpec
from ._splits import NESTED


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


def has_choice(spec: ExperimentSpec, method: str) -> bool:
    """Tell whether tests follow a search: in nested folds, of methods with several candidates."""
    return spec.protocol != NESTED or n_candidates(METHODS[method].grids[spec.grid]) > 1


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
                for width in parts_of(spec, method) if has_choice(spec, method) else ():
                    yield JobKey(dataset, method, fold, width, SEARCH)
                if spec.protocol == NESTED:
                    yield JobKey(dataset, method, fold, NO_WIDTH, TEST)


def group_of(spec: ExperimentSpec, key: JobKey) -> Group:
    """Return the searches that a job takes part in, or is the test of."""
    return Group(key.dataset, key.method, key.fold if spec.protocol == NESTED else None)


def needed_group(spec: ExperimentSpec, key: JobKey) -> Group | None:
    """Return the searches that must be over before a job can begin; None if there are none."""
    parts = parts_of(spec, key.method)
    if key.kind == TEST and has_choice(spec, key.method):
        return group_of(spec, key)
    part = next(iter(parts.values())) if key.kind == TEST else parts[key.width]
    if part.width.needs_best:
        return group_of(spec, JobKey(key.dataset, PLAIN_SVM, key.fold, key.width))
    return None


class JobQueue:
    """The jobs of an experiment in order; names only, no data.

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
        self._needed = {key: needed_group(spec, key) for key in keys}
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
