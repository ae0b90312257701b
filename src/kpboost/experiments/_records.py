"""What an experiment leaves behind, as plain records: no estimator is needed to read them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from kpboost._notebook import Facts, FactsMixin
from kpboost.datasets import Dataset

# A data set and method: all folds have a result; some have; a job failed; nothing is there yet.
COMPLETE, PARTIAL, FAILED, WAITING = "complete", "partial", "failed", "waiting"
# Of a data set that cannot be had here, and of all methods on it.
UNAVAILABLE = "not available"


@dataclass(frozen=True)
class FoldOutcome:
    """The chosen candidate of one method on the test points of one fold.

    Attributes
    ----------
    fold : int
    scores : dict from str to float
        By the names of the measures of its protocol; NaN where one is not defined, or the method
        gives no scores or probabilities, which it needs.
    class_recalls : dict from label to float
        NaN for a class without test points.
    params : dict
        What was chosen; gamma stands beside its length_scale.
    fit_seconds, predict_seconds : float
        Processor time of the chosen candidate.
    unmeasured : frozenset of str
        Measures that are NaN because nothing was kept to compute them from.

    See Also
    --------
    Outcome : All folds of a data set and method.

    Examples
    --------
    >>> from kpboost.experiments import FoldOutcome
    >>> FoldOutcome(0, {"gmean": 0.8}, {"rare": 0.7}, {"C": 1.0}, 0.2, 0.1).scores["gmean"]
    0.8
    """

    fold: int
    scores: dict[str, float]
    class_recalls: dict[str, float]
    params: dict[str, object]
    fit_seconds: float
    predict_seconds: float
    unmeasured: frozenset[str] = frozenset()


@dataclass(frozen=True, repr=False)
class Outcome(FactsMixin):
    """One data set and one method, under the protocol and the grid of the store.

    Attributes
    ----------
    dataset, method, protocol, grid : str
    status : {"complete", "partial", "failed", "waiting", "not available"}
    n_folds : int
        Number of folds that there will be.
    folds : tuple of FoldOutcome
        The finished ones.
    scores : dict from str to float
        Means by measure over those of these folds on which it is defined; NaN if there is none.
    seconds : float
        Processor time of all that was tried.
    n_candidates : int
        Candidates tried on each fold.
    error : str
        What failed; empty if nothing did.
    n_seeds : int
        Seeds, each with its share of the folds, one after the other.

    See Also
    --------
    outcomes : Reads all of a store.

    Examples
    --------
    >>> from kpboost.experiments import FoldOutcome, Outcome
    >>> fold = FoldOutcome(0, {"gmean": 0.75}, {}, {}, fit_seconds=0.2, predict_seconds=0.1)
    >>> means = {"gmean": 0.75}
    >>> done = Outcome("wine", "svm", "nested", "quick", "complete", 1, (fold,), means, 0.3, 5, "")
    >>> done.by_seed("gmean")
    (0.75,)
    """

    dataset: str
    method: str
    protocol: str
    grid: str
    status: str
    n_folds: int
    folds: tuple[FoldOutcome, ...]
    scores: dict[str, float]
    seconds: float
    n_candidates: int
    error: str
    n_seeds: int = 1

    def _facts(self) -> Facts:
        for name in ("dataset", "method", "protocol", "grid", "status"):
            yield name, getattr(self, name)
        yield "folds", f"{len(self.folds)} of {self.n_folds}"
        yield from ((name, f"{value:.4g}") for name, value in self.scores.items())
        if self.error:
            yield "error", self.error

    def by_seed(self, measure: str) -> tuple[float, ...]:
        """Means over the folds of every seed that is finished; NaN where one is not defined."""
        size = max(1, self.n_folds // self.n_seeds)
        finished = {fold.fold: fold.scores[measure] for fold in self.folds}
        parts = [
            [finished.get(fold) for fold in range(start, start + size)]
            for start in range(0, self.n_folds, size)
        ]
        return tuple(
            sum(known) / size
            for part in parts
            if len(known := [each for each in part if each is not None]) == size
        )


@dataclass(frozen=True)
class DatasetInfo:
    """Facts about one data set of a store.

    Attributes
    ----------
    name : str
    status : {"ready", "not available"}
    n_points, n_features, n_disjuncts : int
    class_counts : dict from label to int
    imbalance_ratio : float
    error : str
        Why it is not there; empty if it is.
    n_folds : int
        Of all seeds together.
    n_seeds : int

    See Also
    --------
    describe : Reads those of a store.

    Examples
    --------
    >>> from kpboost.experiments import DatasetInfo
    >>> info = DatasetInfo("wine", "ready", 178, 13, 23, {"1": 59, "2": 71, "3": 48}, 1.48, "")
    >>> info.n_disjuncts
    23
    """

    name: str
    status: str
    n_points: int
    n_features: int
    n_disjuncts: int
    class_counts: dict[str, int]
    imbalance_ratio: float
    error: str
    n_folds: int = 0
    n_seeds: int = 1


class SpecDatasets(NamedTuple):
    """The data sets of a spec, read once for planning and running.

    Attributes
    ----------
    found : dict from name to Dataset
    missing : dict from name to reason
        Known data sets that cannot be had here.
    in_file : dict from name to dict from class to int
        Of files that only some rows are compared of, the rows of each class.
    """

    found: dict[str, Dataset]
    missing: dict[str, str]
    in_file: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Plan:
    """How many jobs there are, and how many of them are done.

    Attributes
    ----------
    total, done, failed, to_do : int
        ``to_do`` leaves out the failed ones.
    by_method, by_dataset : mapping from str to (done, total)
    datasets : tuple of str
        Those that can be had, in order.
    missing : mapping from str to str
        Data sets that cannot be had, and why.
    n_candidates : int
        Candidates to be tried, over all data sets, folds and methods.
    notes : tuple of str
        What there is to know about the columns of files, a sentence each.
    data : SpecDatasets
        The data sets as they were read, for ``run``.

    See Also
    --------
    plan : Makes one.
    run : Runs one.

    Examples
    --------
    >>> from kpboost.experiments import ExperimentSpec, plan
    >>> plan(ExperimentSpec(("planted-two",), ("svm",))).to_do
    25
    """

    total: int
    done: int
    failed: int
    to_do: int
    by_method: Mapping[str, tuple[int, int]]
    by_dataset: Mapping[str, tuple[int, int]]
    datasets: tuple[str, ...]
    missing: Mapping[str, str]
    n_candidates: int
    notes: tuple[str, ...]
    data: SpecDatasets = field(repr=False)


@dataclass(frozen=True)
class Progress:
    """Where a run stands.

    Attributes
    ----------
    done, failed, total : int
        Jobs of the whole experiment, earlier runs included.
    running : tuple of str
        Jobs at work, in words.
    seconds : float
        Since this run began.
    notes : tuple of str
        What came up in this run and concerns no single job, a sentence each.

    See Also
    --------
    run : Calls ``on_progress`` with one.

    Examples
    --------
    >>> from kpboost.experiments import Progress
    >>> state = Progress(done=3, failed=0, total=25, running=("svm on wine, fold 1",), seconds=2.5)
    >>> state.done / state.total
    0.12
    """

    done: int
    failed: int
    total: int
    running: tuple[str, ...]
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunSummary:
    """What one run did.

    Attributes
    ----------
    total, done, failed : int
        Jobs of the whole experiment when the run ended.
    done_now, failed_now : int
        Jobs of this run.
    seconds : float
    missing : mapping from str to str
        Data sets that could not be had, and why.

    See Also
    --------
    run : Returns one.

    Examples
    --------
    >>> from kpboost.experiments import RunSummary
    >>> RunSummary(25, 25, 0, 5, 0, 1.5, {}).done_now
    5
    """

    total: int
    done: int
    failed: int
    done_now: int
    failed_now: int
    seconds: float
    missing: Mapping[str, str]
