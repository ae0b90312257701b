"""Kernel machines for the bank of a large data set: Gaussian, on landmarks.

Bags of a few hundred samples cannot know a part of a class that is one row in ten thousand. Here a
machine learns from half of all samples, on the kernel exp(-s |x - x'|^2) of low rank: a linear
machine on features of landmarks, which are centres of the classes. A class and the rest have the
same total cost. Written over the landmarks it is a kernel machine like any other.
"""

from collections.abc import Sequence

import numpy as np

from kpboost._typing import FloatArray, IndexArray
from kpboost.kernels import squared_distances
from kpboost.lowrank import (
    CLASS_KMEANS,
    Blocks,
    LocalBlocks,
    Posed,
    Sample,
    choose_landmarks,
    feature_map,
    featured,
    posed,
    solve,
)
from kpboost.solvers import StopFlag

# A machine in a bank: vectors, coefficients, scale and offsets.
BankMachine = tuple[FloatArray, FloatArray, float, FloatArray]

# Landmarks of a machine, shared between the classes.
N_LANDMARKS = 300
# Samples whose distances from each other give the median.
N_MEDIAN = 1000
# A Gaussian of width 4 w sees about as far as a Laplacian of width w in the metric of ranks.
REACH = 4.0
# Rows whose features are computed at a time.
BATCH = 8192
# Width of the smoothed corner of the hinge, and Newton's end: labels do not change beyond.
CORNER, TOLERANCE, MOST_STEPS = 0.5, 1e-3, 40


def landmark_machines(
    points: FloatArray,
    codes: IndexArray,
    problems: Sequence[int],
    widths: Sequence[float],
    price: float,
    seed: int,
    stop: StopFlag,
) -> list[BankMachine]:
    """Train one machine per width, all on the same landmarks.

    Parameters
    ----------
    points : ndarray of shape (n, d)
        Samples as coordinates of the metric.
    codes : ndarray of shape (n,)
        Numbers of their classes; each has a sample.
    problems : sequence of int
        Classes that are told from the rest.
    widths : sequence of float
        s = 4 width / median of the squared distances.
    price : float
        Mean cost of a margin violation.
    seed : int
        Of the landmarks.
    stop : StopFlag
        Raised by Ctrl-C; heard before every machine.

    Returns
    -------
    list of (vectors, coef, scale, intercept)
    """
    random = np.random.default_rng(seed)
    sample = Sample(points, codes, np.ones(codes.size))
    landmarks = choose_landmarks(sample, int(codes.max()) + 1, N_LANDMARKS, CLASS_KMEANS, random)
    some = points[random.choice(codes.size, min(N_MEDIAN, codes.size), replace=False)]
    median = float(np.median(squared_distances(some, some)))
    unit = REACH / median if median > 0 else 1.0  # all samples alike: any scale will do
    parts = LocalBlocks(sample.slices(BATCH))
    machines = []
    for width in widths:
        if stop.is_set():
            raise KeyboardInterrupt
        machines.append(_machine(parts, landmarks, width * unit, codes, problems, price))
    return machines


def _machine(
    parts: LocalBlocks,
    landmarks: FloatArray,
    scale: float,
    codes: IndexArray,
    problems: Sequence[int],
    price: float,
) -> BankMachine:
    own_map = feature_map(landmarks, scale)
    features = parts.each(featured, own_map)
    sizes = np.bincount(codes)
    solved = [_solved(features, own_map.n_components, sizes, code, price) for code in problems]
    coef = np.stack([own_map.transform @ v for v, _ in solved], axis=1)
    return landmarks, coef, scale, np.array([b for _, b in solved])


def _solved(
    features: Blocks, n_components: int, sizes: IndexArray, code: int, price: float
) -> tuple[FloatArray, float]:
    """Solve one class against the rest; both sides have the same total cost."""
    is_own = np.arange(sizes.size) == code
    n_own = np.where(is_own, sizes[code], sizes.sum() - sizes[code])
    factors = price * sizes.sum() / (2.0 * n_own)
    problem = features.each(posed, np.where(is_own, 1.0, -1.0), factors)
    machine, _ = solve(
        features,
        problem,
        problem.each(_unscaled),
        start=(np.zeros(n_components), 0.0),
        delta=CORNER,
        tol=TOLERANCE,
        max_iter=MOST_STEPS,
    )
    return machine.v, machine.b


def _unscaled(problem: Posed) -> FloatArray:
    """Logarithms of the scales of rows whose kernel is not perturbed."""
    return np.zeros(problem.y.size)
