"""The loop with rules made up for the purpose: what it carries, and where it stops."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel as rbf_kernel_of_base_kernel

from kpboost.kernels import rbf_kernel
from kpboost.solvers import optimality, solve_dual
from kpboost.svm._perturbation import (
    LOG_SMALLEST_FACTOR,
    BaseKernel,
    Bumps,
    PerturbationPlan,
    Problem,
    Stage,
    distances,
    log_sum_exp,
    mean_of_near,
    middle_of,
    perturb,
    positive_widths,
    row_blocks,
    squared_feature_distances,
    support_samples,
    supports,
    training_error,
)

GAMMA, C = 0.05, 5.0


@dataclass
class Given:
    """log D by the point's first feature."""

    slope: float = 0.0
    constant: float = 0.0
    n_anchors: int = 1

    def __call__(self, points, decision, log_scale):
        return self.slope * points[:, 0] + self.constant


@pytest.fixture
def problem(load):
    X, y = load("pima")
    target = np.where(y == np.unique(y)[0], 1.0, -1.0)[:, None]
    return Problem(X, target, np.full(y.size, C), np.ones(y.size))


def stages_of(problem, factor, n_iterations, **options):
    plan = PerturbationPlan(rule=lambda *_: factor, n_iterations=n_iterations, **options)
    return perturb(rbf_kernel(problem.points, gamma=GAMMA), problem, plan, tol=1e-8)


def test_every_stage_solves_its_own_dual(problem):
    """The matrix written out, diag(s) K diag(s), has the stage as its optimum."""
    gram = rbf_kernel(problem.points, gamma=GAMMA)
    stages = stages_of(problem, Given(slope=0.3), 3)
    assert len(stages) == 4
    y = problem.target[:, 0]
    for t, stage in enumerate(stages):
        scale = np.exp(0.3 * t * problem.points[:, 0])
        assert_allclose(stage.log_scale, np.log(scale), atol=1e-12)
        field = (scale[:, None] * gram * scale) @ stage.dual_coef[0]
        assert_allclose(field + stage.intercept[0], stage.decision[:, 0], atol=1e-6)
        assert optimality.violation_gap(field, y, C, stage.dual_coef[0]) < 1e-6
        assert stage.error == np.mean((stage.decision[:, 0] >= 0) != (y > 0))


def test_several_machines_share_one_scale(load):
    X, y = load("wine")
    target = np.where(y[:, None] == np.arange(3), 1.0, -1.0)
    problem = Problem(X, target, np.full(y.size, C), np.ones(y.size))
    stage = stages_of(problem, Given(slope=0.2), 2)[-1]
    scale = np.exp(0.4 * X[:, 0])
    for k in range(3):
        alone = solve_dual(rbf_kernel(X, gamma=GAMMA), target[:, k], C, scale=scale, tol=1e-8)
        assert_allclose(stage.decision[:, k], alone.decision, atol=1e-6)
    assert_array_equal(supports(problem, stage), (stage.dual_coef != 0).any(axis=0))
    assert stage.error == np.mean(stage.decision.argmax(axis=1) != y)


def test_without_training_again_coefficients_stay(problem):
    first, second = stages_of(problem, Given(slope=0.2), 1, retrain=False)
    assert_array_equal(first.dual_coef, second.dual_coef)
    assert_allclose(second.log_scale, 0.2 * problem.points[:, 0])


def test_a_rule_without_an_answer_ends_it(problem):
    assert len(stages_of(problem, None, 5)) == 1


def test_factors_that_all_underflow_end_it(problem):
    assert len(stages_of(problem, Given(constant=-1e4), 5)) == 1
    assert len(stages_of(problem, Given(constant=-np.inf), 5)) == 1


def test_a_single_factor_that_underflows_is_floored(problem):
    lowest = problem.points[:, 0].min()
    stages = stages_of(problem, Given(slope=1e4, constant=-1e4 * lowest - 1e3), 1, normalize=True)
    spread = stages[-1].log_scale.max() - stages[-1].log_scale.min()
    highest = 1e4 * (problem.points[:, 0].max() - lowest) - 1e3
    assert_allclose(spread, highest - LOG_SMALLEST_FACTOR)


def test_a_kernel_that_outgrows_the_solver_is_left_alone(problem):
    with pytest.warns(UserWarning, match="grown beyond"):
        stages = stages_of(problem, Given(constant=8.0), 9)
    assert 1 < len(stages) < 9
    assert len(stages_of(problem, Given(constant=8.0), 9, normalize=True)) == 10


def test_a_machine_that_could_not_be_trained_is_the_last_one(problem):
    gram, plan = (
        rbf_kernel(problem.points, gamma=GAMMA),
        PerturbationPlan(lambda *_: Given(slope=0.3), 5),
    )
    with pytest.warns(ConvergenceWarning):
        stages = perturb(gram, problem, plan, tol=1e-8, max_iter=1)
    assert len(stages) == 1
    assert not stages[0].converged


def test_it_ends_when_the_error_no_longer_falls(problem):
    endless = [stage.error for stage in stages_of(problem, Given(slope=0.4), 6)]
    falls = -np.diff(endless)
    for threshold in (0.0, float(falls.max())):
        stages = stages_of(problem, Given(slope=0.4), 6, min_improvement=threshold)
        steps = np.flatnonzero(falls <= threshold)
        assert len(stages) == (steps[0] + 2 if steps.size else 7)


def test_an_error_that_stays_is_no_improvement(problem):
    unchanged = Given(constant=0.0)
    assert len(stages_of(problem, unchanged, 6, min_improvement=0.0)) == 2
    assert len(stages_of(problem, unchanged, 6)) == 7


def test_the_best_stage_may_be_the_last_one_kept(problem):
    errors = [stage.error for stage in stages_of(problem, Given(slope=0.4), 6)]
    kept = stages_of(problem, Given(slope=0.4), 6, keep_best=True)
    assert len(kept) == np.argmin(errors) + 1
    assert kept[-1].error == min(errors)


def test_errors_are_weighted_and_zero_is_positive():
    target = np.array([[1.0], [1.0], [-1.0], [-1.0]])
    problem = Problem(None, target, np.ones(4), np.array([1.0, 2.0, 3.0, 4.0]))
    assert training_error(problem, np.array([[0.0], [-1.0], [0.0], [-1.0]])) == 0.5


def test_coefficients_of_rounding_size_support_nothing(problem):
    (stage,) = stages_of(problem, None, 1)
    own = np.flatnonzero(stage.dual_coef[0])
    stage.dual_coef[0, own[0]] = 1e-9 * C
    assert supports(problem, stage).sum() == own.size - 1


@pytest.mark.parametrize("n", [0, 1, 7, 1000])
def test_blocks_cover_all_rows_once(n, monkeypatch):
    monkeypatch.setattr("kpboost.svm._perturbation.BLOCK_BYTES", 800)
    rows = np.concatenate([np.arange(n)[part] for part in row_blocks(n, 10)])
    assert_array_equal(rows, np.arange(n))
    assert all(part.stop - part.start <= 10 for part in row_blocks(n, 10))


draw = np.random.default_rng(0)
X, Z = draw.normal(size=(9, 3)), draw.normal(size=(5, 3))
PEERS = {"rbf": rbf_kernel_of_base_kernel, "laplacian": laplacian_kernel}


@pytest.mark.parametrize("name", PEERS)
def test_values_are_scikit_learns(name):
    kernel = BaseKernel(name, 0.3)
    assert_allclose(kernel(X, Z), PEERS[name](X, Z, gamma=0.3), rtol=1e-10)
    coef = draw.normal(size=(2, 5))
    assert_allclose(kernel.sums(X, Z, coef), PEERS[name](X, Z, gamma=0.3) @ coef.T, rtol=1e-10)


@pytest.mark.parametrize("name", PEERS)
def test_gram_matrices_of_some_rows(name):
    rows = np.array([0, 2, 3, 7])
    gram = BaseKernel(name, 0.3).grams(X, 100.0)(rows)
    assert_allclose(gram.array, PEERS[name](X[rows], gamma=0.3), rtol=1e-10)


@pytest.mark.parametrize(("kind", "peer"), [("sqeuclidean", "sqeuclidean"), ("l1", "cityblock")])
@pytest.mark.parametrize("index_type", [np.int32, np.int64])
def test_distances_are_scipys(kind, peer, index_type):
    expected = cdist(X, Z, peer)
    assert_allclose(distances(X, Z, kind), expected, atol=1e-12)
    thin = sparse.csr_array(X)
    thin.indices, thin.indptr = thin.indices.astype(index_type), thin.indptr.astype(index_type)
    assert_allclose(distances(thin, sparse.csr_array(Z), kind), expected, atol=1e-12)


def test_distances_are_those_of_features():
    """A kernel with known features: K_0(x, z) = <u(x), u(z)> of unit vectors, scaled by s."""
    draw = np.random.default_rng(0)
    unit = draw.normal(size=(7, 3))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    scale = draw.uniform(0.1, 2.0, 7)
    features = scale[:, None] * unit
    expected = ((features[:, None] - features) ** 2).sum(axis=2)
    assert_allclose(squared_feature_distances(unit @ unit.T, scale), expected, atol=1e-12)


def test_rounding_never_makes_a_distance_negative():
    kernel = np.array([[1.0, 1.0 + 1e-16], [1.0 + 1e-16, 1.0]])
    assert squared_feature_distances(kernel, np.array([3.0, 3.0])).min() >= 0.0


def test_near_is_below_the_middle_of_the_candidates():
    squared = np.array([[9.0, 1.0, 2.0, 4.0, 11.0]])
    candidates = np.array([[False, True, True, True, True]])
    assert_array_equal(middle_of(squared, candidates), [6.0])
    assert_allclose(mean_of_near(squared, candidates, np.array([6.0])), [7.0 / 3.0])


@pytest.mark.parametrize("row", [[3.0], [3.0, 3.0]])
def test_without_any_below_the_middle_the_nearest_counts(row):
    squared = np.array([row])
    everyone = np.ones(squared.shape, dtype=bool)
    assert_array_equal(mean_of_near(squared, everyone, middle_of(squared, everyone)), [3.0])


def test_widths_of_zero_become_the_smallest_other():
    assert_array_equal(positive_widths(np.array([0.0, 2.0, 5.0])), [2.0, 2.0, 5.0])
    assert positive_widths(np.zeros(3)) is None


exponents = st.lists(st.floats(-1e6, 1e6) | st.just(-np.inf), min_size=3, max_size=3)


@given(st.lists(exponents, min_size=1, max_size=5))
def test_equals_scipys(rows):
    rows = np.array(rows)
    # Next to zero, the logarithm of a sum next to one, a last digit of the sum is what counts.
    assert_allclose(log_sum_exp(rows), logsumexp(rows, axis=1), rtol=1e-12, atol=1e-15)


def test_a_row_without_anything_is_minus_infinity():
    assert_array_equal(log_sum_exp(np.full((2, 3), -np.inf)), -np.inf)


def test_a_sum_written_out():
    draw = np.random.default_rng(0)
    anchors, points = draw.normal(size=(4, 2)), draw.normal(size=(6, 2))
    heights, widths = draw.uniform(1, 2, 4), draw.uniform(1, 2, 4)
    for kind, distance in (
        ("sqeuclidean", lambda x, z: ((x - z) ** 2).sum()),
        ("l1", lambda x, z: np.abs(x - z).sum()),
    ):
        bumps = Bumps(anchors, np.log(heights), widths, kind)
        triples = list(zip(heights, anchors, widths, strict=True))
        expected = [sum(h * np.exp(-distance(x, s) / w) for h, s, w in triples) for x in points]
        assert_allclose(bumps(points, None, None), np.log(expected))
        assert bumps.n_anchors == 4


def test_distances_beyond_all_numbers_leave_nothing():
    bumps = Bumps(np.zeros((1, 1)), np.zeros(1), np.array([1e-300]), "sqeuclidean")
    assert_array_equal(bumps(np.array([[1e10], [0.0]]), None, None), [-np.inf, 0.0])


X_OF_SUPPORT_PLACES = np.array(
    [[0.0, 1.0], [2.0, 3.0], [0.0, 1.0], [0.0, 1.0], [5.0, 0.0], [2.0, 3.0]]
)
TARGET = np.array([1.0, 1.0, -1.0, 1.0, -1.0, 1.0])
COEF = np.array([0.5, 0.0, -1.0, 0.7, -0.5, 0.3])


def stage(coef=COEF):
    n = coef.size
    return Stage(
        coef[None], np.zeros(1), np.arange(n)[:, None] + 0.5, np.arange(n) / 10, 0, 0, True, None
    )


@pytest.mark.parametrize(
    "points",
    [
        X_OF_SUPPORT_PLACES,
        sparse.csr_array(X_OF_SUPPORT_PLACES),
        sparse.csr_matrix(X_OF_SUPPORT_PLACES),
    ],
)
def test_copies_count_once_by_place_and_class(points):
    problem = Problem(points, TARGET[:, None], np.ones(6), np.ones(6))
    places = support_samples(problem, stage())
    dense = places.points.toarray() if sparse.issparse(points) else places.points
    assert_array_equal(dense, X_OF_SUPPORT_PLACES[[0, 2, 4, 5]])
    assert_array_equal(places.positive, [True, False, False, True])
    assert_array_equal(places.decision, [0.5, 2.5, 4.5, 5.5])
    assert_allclose(places.log_scale, [0.0, 0.2, 0.4, 0.5])
    assert places.has_both_sides


@pytest.mark.parametrize("points", [X_OF_SUPPORT_PLACES, sparse.csr_array(X_OF_SUPPORT_PLACES)])
def test_no_support_vectors_and_one_side(points):
    problem = Problem(points, TARGET[:, None], np.ones(6), np.ones(6))
    none = support_samples(problem, stage(np.zeros(6)))
    assert none.positive.size == 0
    assert not none.has_both_sides
    one = support_samples(problem, stage(np.where(TARGET > 0, COEF, 0.0)))
    assert not one.has_both_sides


def test_stored_zeros_do_not_make_another_place():
    stored = sparse.csr_array((np.array([1.0, 0.0, 1.0]), [0, 1, 0], [0, 2, 3]), shape=(2, 2))
    problem = Problem(stored, np.ones((2, 1)), np.ones(2), np.ones(2))
    assert support_samples(problem, stage(np.ones(2))).positive.size == 1
