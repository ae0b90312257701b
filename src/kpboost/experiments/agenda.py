"""All jobs of an experiment in the order in which they are done, and how they hang together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from .grids import Part
from .jobs import SEARCH, TEST, JobKey
from .method import PLAIN_SVM
from .methods import METHODS
from .partitions import NESTED
from .spec import ExperimentSpec
from .widths import NO_WIDTH


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
