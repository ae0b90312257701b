"""From the name of a job to all that it needs."""

from collections.abc import Mapping
from dataclasses import replace

from .agenda import Group, group_of, parts_of
from .board import Board
from .jobs import TEST, JobKey, Task
from .loading import Material
from .method import PLAIN_SVM
from .methods import METHODS
from .partitions import NESTED, inner_splits
from .seeds import seed_of
from .selection import Choice, choose_in_group
from .spec import ExperimentSpec
from .storage.store import Store


class TaskMaker:
    """Turns names of jobs into tasks; remembers what was chosen.

    Parameters
    ----------
    spec : ExperimentSpec
    store : Store
    board : Board
    material : mapping from str to Material
        The data sets.
    """

    def __init__(
        self, spec: ExperimentSpec, store: Store, board: Board, material: Mapping[str, Material]
    ) -> None:
        self._spec = spec
        self._store = store
        self._board = board
        self._material = material
        self._best: dict[Group, float | None] = {}

    def choice(self, key: JobKey) -> Choice:
        """Return the choice among the searches that a job belongs to; they must be over."""
        group = group_of(self._spec, key)
        choice = choose_in_group(self._store, self._board.searches(group))
        if key.method == PLAIN_SVM:  # whose sigma others will ask for
            self._best[group] = choice.length_scale
        return choice

    def task(self, key: JobKey) -> Task:
        """Return all that a job needs but the data."""
        nested = self._spec.protocol == NESTED
        material = self._material[key.dataset]
        split = material.splits[key.fold]
        width, numbers = key.width, slice(None)
        if key.kind == TEST:
            choice = self.choice(key)
            width, numbers = choice.width, slice(choice.number, choice.number + 1)
        splits = [split]
        if nested and key.kind != TEST:
            state = seed_of(self._spec.seed, key.dataset, "inner partition", key.fold)
            splits = inner_splits(material.points.codes, split[0], state)
        method = METHODS[key.method].under(self._spec.protocol)
        part = parts_of(self._spec, key.method)[width]
        best = self._best_length_scale(key) if part.width.needs_best else None
        return Task(
            key=key,
            method=replace(method, grids={}),
            candidates=method.candidates(part, material.points.n_classes)[numbers],
            length_scale=part.width.length_scale(material.points.X.shape[1], best),
            splits=splits,
            leak_free=nested,
            keep_predictions=not nested or key.kind == TEST,
            seed=self._spec.seed,
        )

    def _best_length_scale(self, key: JobKey) -> float | None:
        """Return sigma* of the plain SVM, on the data set or inside the fold."""
        svm = replace(key, method=PLAIN_SVM)
        group = group_of(self._spec, svm)
        if group not in self._best:
            self.choice(svm)
        return self._best[group]
