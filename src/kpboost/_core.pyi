"""What the compiled core offers. It checks no values; the packages above it do."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]
_Rows = npt.NDArray[np.int32]
_Flags = npt.NDArray[np.bool_]

def simd_level() -> str: ...

# kernels
def add_runs(part: _Floats, places: npt.NDArray[np.uintp], out: _Floats) -> None: ...
def all_finite(values: _Floats) -> bool: ...
def decay(squared: _Floats, gamma: float, out: _Floats) -> None: ...
def rbf_block(x: _Floats, y: _Floats, gamma: float | None, out: _Floats) -> None: ...
def rbf_gram(x: _Floats, gamma: float | None, out: _Floats) -> None: ...
def rbf_decision(
    x: _Floats, y: _Floats, gamma: float, coef: _Floats, intercept: _Floats, out: _Floats
) -> None: ...
def laplacian_decision(
    x: _Floats, y: _Floats, gamma: float, coef: _Floats, intercept: _Floats, out: _Floats
) -> None: ...
def single_block(
    x: _Floats, landmarks: _Floats, centre: _Floats, gamma: float, out: npt.NDArray[np.float32]
) -> None: ...
def single_decision(
    x: _Floats,
    landmarks: _Floats,
    centre: _Floats,
    gamma: float,
    coef: _Floats,
    intercept: _Floats,
    out: _Floats,
) -> None: ...

class GramRows:
    def __len__(self) -> int: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def size(self) -> int: ...
    def row(self, i: int) -> _Floats: ...
    def entries(self, i: int, columns: npt.NDArray[np.uintp]) -> _Floats: ...
    def near_entries(
        self,
    ) -> tuple[npt.NDArray[np.uintp], npt.NDArray[np.uint32], _Floats, float] | None: ...

class RBFRows(GramRows):
    def __init__(self, x: _Floats, gamma: float, cache_bytes: int, in_parts: bool) -> None: ...
    @property
    def gamma(self) -> float: ...
    @property
    def n_features(self) -> int: ...
    @property
    def capacity(self) -> int: ...
    @property
    def cached_rows(self) -> int: ...
    @property
    def hits(self) -> int: ...
    @property
    def misses(self) -> int: ...

class RBFMatrix(GramRows):
    def __init__(self, x: _Floats, gamma: float) -> None: ...
    def expect_all(self) -> None: ...
    def products(self, points: npt.NDArray[np.uintp], coef: _Floats, out: _Floats) -> None: ...
    @property
    def gamma(self) -> float: ...
    @property
    def made_rows(self) -> int: ...

# solver
class DenseRows(GramRows):
    def __init__(self, gram: _Floats) -> None: ...
    def weighted_asymmetry(self) -> float: ...

class Team:
    def __init__(self, threads: int, always: bool = False) -> None: ...
    def end(self) -> None: ...
    @property
    def shared_passes(self) -> int: ...

def use_team(team: Team | None) -> None: ...

class StopFlag:
    def __init__(self) -> None: ...
    def set(self) -> None: ...
    def is_set(self) -> bool: ...

def asymmetry(matrix: _Floats) -> float: ...
def solve_dual(
    gram: GramRows,
    target: _Floats,
    bound: _Floats,
    scale: _Floats | None,
    start: _Floats | None,
    tolerance: float,
    max_steps: int,
    stop: StopFlag | None = None,
) -> tuple[_Floats, float, _Floats, float, float, int, str, float]: ...
def low_rank_start(
    gram: GramRows,
    target: _Floats,
    bound: _Floats,
    scale: _Floats | None,
    least_explained: float,
) -> _Floats | None: ...

# boosting
def boost(
    gram: GramRows,
    target: _Floats,
    bound: _Floats,
    step: float,
    rounds: int,
    rule: Callable[[_Flags], _Flags] | None,
    dual_coef: _Floats,
    decision: _Floats,
    intercept: float,
    gap: float,
    rounding: float,
    steps: int,
    tolerance: float,
    max_steps: int,
    stop: StopFlag | None,
    after_round: Callable[[], None] | None,
) -> tuple[
    *tuple[_Floats, _Floats, _Floats, _Floats],
    *tuple[list[float], list[float], list[int], list[str]],
    _Floats,
]: ...
def class_rates(correct: _Flags, target: _Floats, weight: _Floats) -> tuple[_Floats, _Floats]: ...
def weighted_sums(values: _Floats, weights: _Floats, signs: _Floats) -> tuple[_Floats, _Floats]: ...

class BoostingTrials:
    def __init__(
        self, test_kernel: _Floats, as_new: bool, rounds: int, tolerance: float, max_steps: int
    ) -> None: ...
    def add(
        self,
        gram: GramRows,
        target: _Floats,
        bound: _Floats,
        weight: _Floats,
        dual_coef: _Floats,
        decision: _Floats,
        intercept: float,
        gap: float,
        rounding: float,
        steps: int,
        rows: npt.NDArray[np.intp],
        regions: npt.NDArray[np.uint8] | None,
        nearest: npt.NDArray[np.intp] | None,
    ) -> None: ...
    def run(
        self, step: float, stop: StopFlag | None
    ) -> tuple[
        _Floats, _Floats, _Floats, _Floats | None, _Floats, list[tuple[str, int, float]]
    ]: ...

# disjuncts
def nearest_in_block(squared: _Floats, own: int, out: _Rows) -> None: ...
def grow(links: _Rows, connection: str, counts: npt.NDArray[np.int64], lowest: _Rows) -> None: ...

# tree
def grow_tree(
    columns: _Floats,
    n_values: _Rows,
    classes: _Rows,
    weights: _Floats,
    n_classes: int,
    min_leaf: float,
    min_gap: float,
    confidence: float,
    gain_ratio: bool,
    penalise_cuts: bool,
    collapse: bool,
    prune: bool,
    raise_subtrees: bool,
) -> tuple[_Rows, _Floats, _Rows, _Rows, _Rows, _Rows, _Floats]: ...
def tree_scores(
    x: _Floats,
    is_nominal: _Flags,
    attribute: _Rows,
    cut: _Floats,
    first_branch: _Rows,
    n_branches: _Rows,
    weight: _Floats,
    scores: _Floats,
    out: _Floats,
) -> None: ...
def tree_leaves(
    x: _Floats,
    is_nominal: _Flags,
    attribute: _Rows,
    cut: _Floats,
    first_branch: _Rows,
    n_branches: _Rows,
    weight: _Floats,
    out: npt.NDArray[np.int64],
) -> None: ...
def nearest_examples(
    queries: _Floats,
    examples: _Floats,
    is_nominal: _Flags,
    low: _Floats,
    high: _Floats,
    out: npt.NDArray[np.int64],
) -> None: ...
def added_errors(cases: float, errors: float, confidence: float) -> float: ...
