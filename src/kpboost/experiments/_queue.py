"""The queue of jobs: which are to do, which may begin now, and which never will."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from kpboost.experiments.storage._rows import DONE, FAILED
from kpboost.methods import METHODS, NO_WIDTH, Part, n_candidates

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
    """How many folds a data set has, over all seeds, and how many classes."""

    n_folds: int
    n_classes: int = 2

    def of_seed(self, spec: ExperimentSpec) -> int:
        """Return the number of folds of one seed."""
        return self.n_folds // spec.n_seeds


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


def methods_on(spec: ExperimentSpec, n_classes: int) -> list[str]:
    """Return those of the methods in order that are tried on data of so many classes."""
    names = methods_in_order(spec)
    return [
        name for name in names if not spec.as_paper or METHODS[name].is_tried_by_paper(n_classes)
    ]


def job_keys(spec: ExperimentSpec, datasets: Mapping[str, Folds]) -> Iterator[JobKey]:
    """Yield all jobs: data set by data set, method by method, fold by fold, width by width.

    Parameters
    ----------
    spec : ExperimentSpec
    datasets : mapping from str to Folds
    """
    for dataset, folds in datasets.items():
        for method in methods_on(spec, folds.n_classes):
            for fold in range(folds.n_folds):
                for width in parts_of(spec, method) if has_choice(spec, method) else ():
                    yield JobKey(dataset, method, fold, width, SEARCH)
                if spec.protocol == NESTED:
                    yield JobKey(dataset, method, fold, NO_WIDTH, TEST)


class JobQueue:
    """The jobs of an experiment in order; names only, no data.

    Parameters
    ----------
    spec : ExperimentSpec
    datasets : mapping from str to Folds
        In the order in which they shall be done.
    statuses : mapping from JobKey to {"done", "failed"}
        Jobs that are over.
    """

    def __init__(
        self,
        spec: ExperimentSpec,
        datasets: Mapping[str, Folds],
        statuses: Mapping[JobKey, str],
    ) -> None:
        self._spec = spec
        self._datasets = datasets
        self._needed = {key: self.needed(key) for key in job_keys(spec, datasets)}
        self._waiting = dict.fromkeys(self._needed)
        self._status: dict[JobKey, str] = {}
        self._searches: dict[Group, list[JobKey]] = {}
        for key in self._needed:
            if key.kind == SEARCH:
                self._searches.setdefault(self.group(key), []).append(key)
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

    def group(self, key: JobKey) -> Group:
        """Return the searches that a job takes part in, or is the test of."""
        nested = self._spec.protocol == NESTED
        return Group(key.dataset, key.method, key.fold if nested else self.seed_of_job(key)[0])

    def seed_of_job(self, key: JobKey) -> tuple[int, int]:
        """Return the number of a job's seed, and that of its fold among those of this seed."""
        return divmod(key.fold, self._datasets[key.dataset].of_seed(self._spec))

    def needed(self, key: JobKey) -> Group | None:
        """Return the searches that must be over before a job can begin; None if there are none."""
        parts = parts_of(self._spec, key.method)
        if key.kind == TEST and has_choice(self._spec, key.method):
            return self.group(key)
        part = next(iter(parts.values())) if key.kind == TEST else parts[key.width]
        if part.width.needs_best:
            return self.group(replace(key, method=METHODS[key.method].leader))
        return None

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
        return self._n_open[self.group(key)] == 0

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
        group = self.group(key)
        if key.kind == SEARCH and status == FAILED:
            self._failed.add(group)
        elif key.kind == SEARCH:
            self._n_open[group] -= 1
        return status == DONE and self._completes_result(key)
