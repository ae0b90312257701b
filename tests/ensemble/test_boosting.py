"""The loop next to Algorithm 1 word by word; each round's problem by its own optimum; Theorem 1."""

from threading import Timer

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import euclidean_distances
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import NearestNeighbors

from kpboost.ensemble import _boosting as resolution
from kpboost.ensemble._boosting import (
    HALF_OF_LARGEST,
    SMALLEST_ERROR,
    ClassRates,
    boost,
    class_rates,
    correctly_classified,
    first_round_only,
    outside_regions,
    resolution_rule,
    round_weights,
    select_rounds,
    training_distances,
)
from kpboost.kernels import resolve_gamma, squared_distances
from kpboost.solvers import StopFlag, libsvm, optimality, solve_dual
from support.reference.algorithm_1 import kpboost_svm

TWO_CLASSES = ["breast_cancer", "digits", "wine", "pima", "vehicle0", "glass0", "ecoli3"]
HARD = ["breast_cancer", "pima", "glass0", "yeast1458vs7"]
# Early enough for the error of libsvm's single precision, which grows from round to round.
EARLY = 5
TOL = 1e-6
# libsvm's matrix is in single precision: about 1e-7 of the coefficients' total.
LIBSVM_PRECISION = 1e-5


def problem(load, name, gamma="scale"):
    """Gram matrix and targets of one class against the others; +1 is the rarer side."""
    X, labels = load(name)
    classes, sizes = np.unique(labels, return_counts=True)
    y = np.where(labels == classes[sizes.argmin()], 1.0, -1.0)
    return rbf_kernel(X, gamma=resolve_gamma(gamma, X)), y


def run(gram, y, C=1.0, **options):
    settings = {"step": 0.05, "n_rounds": 6, **options}
    return boost(gram, y, np.full(y.size, float(C)), **settings)


def random_problem(seed, n=24):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n // 3, 1.0, -1.0)
    X = rng.normal(size=(n, 2)) + 0.8 * y[:, None]
    return rbf_kernel(X, gamma=0.7), y


@pytest.mark.parametrize(("C", "step"), [(1.0, 0.1), (100.0, 0.02)])
@pytest.mark.parametrize("name", TWO_CLASSES)
def test_early_rounds_equal_the_transcription(load, name, C, step):
    gram, y = problem(load, name)
    ours = run(gram, y, C, step=step, n_rounds=EARLY, as_new=False)
    theirs = kpboost_svm(gram, gram, y, C=C, step=step, n_rounds=EARLY)
    assert_array_equal(ours.decision >= 0, theirs.f >= 0)
    assert_allclose(ours.decision, theirs.f, atol=1e-3)
    assert_allclose(ours.errors, theirs.eps, atol=1e-12)
    assert_allclose(ours.weights, theirs.alpha, atol=1e-12)


def test_the_comparison_can_fail(load):
    gram, y = problem(load, "breast_cancer")
    ours = run(gram, y, step=0.1, n_rounds=3)
    theirs = kpboost_svm(gram, gram, y, C=1.0, step=0.11, n_rounds=3)
    assert np.abs(ours.decision - theirs.f).max() > 1e-2


@pytest.mark.parametrize(("C", "step"), [(1.0, 0.3), (1000.0, 0.1)])
@pytest.mark.parametrize("name", HARD)
def test_late_rounds_solve_their_own_problems(load, name, C, step):
    """Rounds of two solvers drift apart; each problem K^t still has one optimum."""
    gram, y = problem(load, name)
    trace = run(gram, y, C, step=step, n_rounds=10, tol=TOL)
    for t in (4, 9):
        scale = np.exp(trace.log_scale[t])
        matrix, coef = scale[:, None] * gram * scale, trace.dual_coef[t]
        field = optimality.field(matrix, coef)
        assert optimality.violation_gap(field, y, C, coef) <= 2 * TOL
        assert abs(coef.sum()) <= 1e-9 * C
        assert np.all((y * coef >= 0) & (y * coef <= C))
        assert_allclose(trace.decision[t], field + trace.intercept[t], atol=1e-6)
        # A gap of TOL bounds what is left to gain in the objective.
        worth = optimality.dual_objective(field, y, coef)
        left = optimality.duality_gap(field, y, C, coef, trace.intercept[t])
        assert left <= 2 * TOL * np.abs(coef).sum() + 1e-9 * abs(worth)
        theirs = libsvm.solve_dual(matrix, y, C, tol=1e-3, max_iter=10**5)
        assert worth <= theirs.objective + LIBSVM_PRECISION * (1 + abs(theirs.objective))


def test_scales_are_the_products_of_the_factors(load):
    gram, y = problem(load, "breast_cancer")
    step = 0.2
    trace = run(gram, y, step=step, n_rounds=8)
    K, k = gram.copy(), np.zeros(y.size)
    for t in range(8):
        scale = np.exp(trace.log_scale[t])
        assert_allclose(scale[:, None] * gram * scale, K, atol=1e-12)
        assert_allclose(trace.perturbation[t], k, atol=1e-14)
        k = k + step * (np.sign(trace.decision[t]) == y)
        D = np.diag(np.exp(-k * trace.decision[t] ** 2))
        K = D @ K @ D


@given(st.integers(0, 10**6), st.floats(0.001, 2.0), st.sampled_from([0.1, 1.0, 30.0]))
@settings(max_examples=40, deadline=None)
def test_theorem_1(seed, step, C):
    """For one f, a misclassified point keeps more resolution than a correctly classified one.

    m = D^d up to the same power for both, so that the factors D themselves may be compared.
    """
    gram, y = random_problem(seed)
    trace = run(gram, y, C, step=step, n_rounds=4)
    for t in range(3):
        k, f = trace.perturbation[t], trace.decision[t]
        assume(np.all(f != 0))
        if_wrong, if_correct = -k * f**2, -(k + step) * f**2  # log m', log m
        assert np.all(if_wrong > if_correct)
        correct = (f >= 0) == (y > 0)
        ratio = trace.log_scale[t + 1] - trace.log_scale[t]
        expected = np.where(correct, if_correct, if_wrong)
        assert_allclose(ratio, expected, rtol=1e-9, atol=1e-9 * np.abs(trace.log_scale[t]).max())


def test_tiny_scales_survive(load):
    """A large step drives scales below the smallest double; their logarithms go on."""
    gram, y = problem(load, "breast_cancer")
    trace = run(gram, y, 100.0, step=50.0, n_rounds=6)
    assert trace.log_scale.min() < -1000
    assert np.all(np.isfinite(trace.log_scale))
    assert np.all(np.isfinite(trace.decision))
    assert np.all(trace.gap <= TOL)


def test_a_value_of_zero_counts_as_positive():
    # Two points in one place with both labels: f = 0 everywhere.
    trace = boost(np.ones((2, 2)), np.array([1.0, -1.0]), np.ones(2), step=0.1, n_rounds=3)
    assert_array_equal(trace.decision, 0.0)
    assert_array_equal(trace.tpr, 1.0)
    assert_array_equal(trace.tnr, 0.0)
    assert_allclose(trace.perturbation, 0.1 * np.array([[0, 0], [1, 0], [2, 0]]))


def test_rounds_do_not_depend_on_later_ones(load):
    gram, y = problem(load, "breast_cancer")
    long, short = run(gram, y, n_rounds=7), run(gram, y, n_rounds=3)
    for name in ("dual_coef", "intercept", "log_scale", "perturbation", "errors", "tpr", "tnr"):
        assert_array_equal(getattr(long, name)[:3], getattr(short, name))


def test_the_first_solution_may_be_given(load):
    gram, y = problem(load, "breast_cancer")
    first = solve_dual(gram, y, 1.0)
    own, given_first = run(gram, y), run(gram, y, first=first)
    for name in ("dual_coef", "log_scale", "errors", "weights", "n_iter"):
        assert_array_equal(getattr(own, name), getattr(given_first, name))


def test_a_warm_start_saves_iterations_and_changes_nothing(load):
    gram, y = problem(load, "pima")
    trace = run(gram, y, 10.0, step=0.02, n_rounds=4, tol=1e-10)
    for t in range(1, 4):
        cold = solve_dual(gram, y, 10.0, scale=np.exp(trace.log_scale[t]), tol=1e-10)
        assert_allclose(trace.decision[t], cold.decision, atol=1e-7)
    assert trace.n_iter[1:].sum() < 3 * trace.n_iter[0]


def test_weights_are_repetitions():
    gram, y = random_problem(3)
    weight = np.random.default_rng(0).integers(1, 4, size=y.size)
    again = np.repeat(np.arange(y.size), weight)
    weighted = boost(gram, y, 2.0 * weight, step=0.1, n_rounds=4, weight=weight * 1.0, tol=1e-10)
    repeated = run(gram[np.ix_(again, again)], y[again], 2.0, step=0.1, n_rounds=4, tol=1e-10)
    assert_allclose(weighted.decision[:, again], repeated.decision, atol=1e-7)
    assert_allclose(weighted.errors, repeated.errors, atol=1e-12)


def test_the_rule_says_who_loses_resolution():
    gram, y = random_problem(5)
    trace = run(gram, y, rule=lambda correct: np.arange(correct.size) == 7, step=0.5, n_rounds=3)
    expected = np.zeros((3, y.size))
    expected[:, 7] = [0.0, 0.5, 1.0]
    assert_array_equal(trace.perturbation, expected)
    assert np.all(np.delete(trace.log_scale, 7, axis=1) == 0)


def test_the_rule_is_not_asked_after_the_last_round():
    asked = []
    gram, y = random_problem(6)
    run(gram, y, rule=lambda correct: asked.append(1) or correct, n_rounds=4)
    assert len(asked) == 3


def interrupt_after(n_rounds):
    """An ``on_round`` that acts like Ctrl-C after some rounds."""
    left = iter(range(n_rounds - 1))

    def on_round():
        if next(left, None) is None:
            raise KeyboardInterrupt

    return on_round


def test_an_interruption_keeps_the_rounds_done():
    gram, y = random_problem(1)
    whole, flag = run(gram, y), StopFlag()
    part = run(gram, y, on_round=interrupt_after(3), stop=flag)
    assert part.interrupted
    assert not whole.interrupted
    assert_array_equal(part.dual_coef, whole.dual_coef[:3])
    assert flag.is_set()  # for the problems that other threads work on
    assert not run(gram, y, on_round=interrupt_after(6)).interrupted


def test_a_set_flag_ends_the_loop():
    gram, y = random_problem(1)
    flag = StopFlag()
    part = run(gram, y, n_rounds=10**6, on_round=flag.set, stop=flag)
    assert part.interrupted
    assert part.errors.size == 1
    with pytest.raises(KeyboardInterrupt):
        run(gram, y, stop=flag)


def test_a_set_flag_ends_a_solve_that_is_under_way():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 2)), np.where(rng.random(3000) < 0.5, 1.0, -1.0)
    gram, flag = rbf_kernel(X, gamma=0.1), StopFlag()
    Timer(0.2, flag.set).start()
    with pytest.raises(KeyboardInterrupt):  # labels without pattern, a huge C: seconds of work
        solve_dual(gram, y, 1e9, stop=flag)


def test_every_round_is_reported():
    reports = []
    run(*random_problem(2), n_rounds=5, on_round=lambda: reports.append(1))
    assert len(reports) == 5


@pytest.mark.parametrize("C", [0.3, 1e6])
def test_free_support_vectors_are_on_the_margin(load, C):
    gram, y = problem(load, "breast_cancer")
    trace = run(gram, y, C, n_rounds=3, tol=1e-4)
    size = np.abs(trace.dual_coef)
    free = (size > 0) & (size < C)
    assert free.any(axis=1).all()
    assert_array_equal(trace.decision[free], np.broadcast_to(y, free.shape)[free])
    assert np.any(np.abs(trace.decision[~free]) != 1)


def test_a_machine_far_from_solved_has_no_margin(load):
    gram, y = problem(load, "breast_cancer")
    with pytest.warns(ConvergenceWarning):
        trace = run(gram, y, 1e6, n_rounds=2, max_iter=3)
    assert not np.any(np.abs(trace.decision) == 1)


def test_rounds_at_the_limits_of_rounding_stall_soon_and_say_so():
    """On copies of few points the matrix is singular; each such round has its own warning."""
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.normal(size=(9, 1)), 10, axis=0), rng.choice([-1.0, 1.0], size=90)
    with pytest.warns(ConvergenceWarning) as caught:
        trace = run(rbf_kernel(X, gamma=0.5), y, C=2.72, tol=1e-18)
    words = [str(each.message) for each in caught]
    assert all("stalled" in each and "nothing improves" in each for each in words)
    assert len(words) == np.count_nonzero(trace.gap >= 1e-18) > 0
    assert trace.gap.max() < 1e-12
    assert trace.n_iter.max() < 20_000


def test_rounds_in_which_no_bound_binds_take_no_iterations(load):
    gram, y = problem(load, "breast_cancer")
    trace = run(gram, y, 1e6, step=0.01, n_rounds=4)
    assert trace.n_iter[0] > 100
    assert_array_equal(trace.n_iter[1:], 0)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("C", [1.0, 1e5])
def test_many_rounds_lose_no_precision(load, C, unit):
    """What a round takes over from the last one, next to the matrix itself."""
    gram, y = problem(load, "breast_cancer")
    gram, bound = unit * gram, C / unit
    trace = run(gram, y, bound, step=0.02, n_rounds=40)
    for t, coef in enumerate(trace.dual_coef):
        scale = np.exp(trace.log_scale[t])
        field = optimality.field(scale[:, None] * gram * scale, coef)
        assert optimality.violation_gap(field, y, np.full(y.size, bound), coef) < 1.2 * TOL
        assert_allclose(field + trace.intercept[t], trace.decision[t], atol=1.2 * TOL)
        assert abs(coef.sum()) <= 1e-9 * np.abs(coef).sum()


def test_resolution_that_is_lost_at_once_starts_afresh():
    gram, y = random_problem(3)
    trace = run(gram, y, 30.0, step=1e3, n_rounds=5)
    assert np.all(trace.gap < TOL)
    assert np.all(np.isfinite(trace.decision))


def test_a_rule_must_answer_for_every_point():
    gram, y = random_problem(1)
    with pytest.raises(ValueError, match="every point"):
        run(gram, y, rule=lambda correct: correct[1:])


def test_errors_of_a_rule_and_of_a_report_are_raised():
    gram, y = random_problem(1)
    reports = []

    def fails(*_):
        reports.append(1)
        if len(reports) > 1:
            raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        run(gram, y, rule=lambda correct: fails() or correct)
    reports.clear()
    with pytest.raises(RuntimeError, match="no more"):
        run(gram, y, on_round=fails)


@pytest.mark.parametrize("name", ["rule", "on_round"])
def test_ctrl_c_in_a_callback_keeps_the_complete_rounds(name):
    gram, y = random_problem(1)
    calls = []

    def third_time_ctrl_c(correct=None):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return correct

    trace = run(gram, y, n_rounds=6, **{name: third_time_ctrl_c})
    assert trace.interrupted
    assert trace.errors.size == 3
    assert_array_equal(trace.dual_coef, run(gram, y, n_rounds=6).dual_coef[:3])


@pytest.mark.parametrize("n_rounds", [1, 2])
def test_ctrl_c_after_the_last_round_stops_the_others(n_rounds):
    gram, y = random_problem(1)
    flag, left = StopFlag(), [n_rounds]

    def last_time_ctrl_c():
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    trace = run(gram, y, n_rounds=n_rounds, stop=flag, on_round=last_time_ctrl_c)
    assert flag.is_set()
    assert not trace.interrupted
    assert trace.errors.size == n_rounds


def test_a_known_first_round_survives_a_set_flag():
    gram, y = random_problem(1)
    flag, reports = StopFlag(), []
    whole = run(gram, y)
    first = solve_dual(gram, y, 1.0)
    flag.set()
    part = run(gram, y, first=first, stop=flag, on_round=lambda: reports.append(1))
    only = first_round_only(first, y, np.ones(y.size))
    for trace in (part, only):
        assert trace.interrupted
        assert trace.errors.size == 1
        for name in ("dual_coef", "log_scale", "perturbation", "errors", "tpr"):
            assert_array_equal(getattr(trace, name), getattr(whole, name)[:1])
        assert_allclose(trace.decision, whole.decision[:1], atol=1e-6)
    assert not reports


# Which points lose resolution: next to scikit-learn's neighbours and to the paper's words.


def between(X):
    return lambda i, j: squared_distances(X[i], X[j])


def by_the_words(X, y, correct, roi_scale):
    """Omega without the points near a misclassified one, in the order of the paper's sentences."""
    distance = euclidean_distances(X)
    losing = set(np.flatnonzero(correct))
    for side in (1, -1):
        members = np.flatnonzero(y == side)
        within = distance[np.ix_(members, members)] + np.diag(np.full(members.size, np.inf))
        radius = roi_scale * within.min(axis=1).mean() if members.size > 1 else 0.0
        for i in members[~correct[members]]:
            losing -= set(np.flatnonzero(distance[i] <= radius))
    return np.isin(np.arange(y.size), list(losing))


def by_bits(regions, correct):
    """Apply the rule to the regions of all points."""
    inside = np.unpackbits(regions[~correct], axis=1, count=correct.size).any(axis=0)
    return correct & ~inside


def test_without_regions_the_correct_points_lose_resolution():
    correct = np.array([True, False, True])
    assert_array_equal(correctly_classified(correct), correct)


@pytest.mark.parametrize("name", ["breast_cancer", "glass0", "ecoli3"])
def test_radii_are_mean_distances_to_the_nearest_of_the_class(load, name):
    X, labels = load(name)
    y = np.where(labels == np.unique(labels)[1], 1.0, -1.0)
    rule = outside_regions(y, 0.7, between(X))
    for side in (1, -1):
        members = X[y == side]
        nearest = NearestNeighbors(n_neighbors=1).fit(members).kneighbors()[0]
        assert_allclose(rule.radius[y == side], 0.7 * nearest.mean(), rtol=1e-7)


@given(
    st.integers(2, 25),
    st.integers(2, 25),
    st.sampled_from([0.2, 0.6, 0.9]),  # at 1.0 two points are on their rim, where rounding decides
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=60, deadline=None)
def test_the_rule_follows_the_words(n_positive, n_negative, roi_scale, seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([1.0, -1.0], [n_positive, n_negative])
    X = rng.normal(size=(y.size, 2))
    correct = rng.random(y.size) < 0.7
    rule = outside_regions(y, roi_scale, between(X))
    assert_array_equal(rule(correct), by_the_words(X, y, correct, roi_scale))
    assert_array_equal(by_bits(rule.regions(), correct), rule(correct))


def test_regions_by_hand():
    # Positives 2 apart, negatives 1 apart: radii 2 and 1.
    X = np.array([[0.0], [2.0], [-1.5], [-2.5], [3.5], [4.5]])
    y = np.array([1.0, 1, -1, -1, -1, -1])
    rule = outside_regions(y, 1.0, between(X))
    positive_wrong = np.array([False, True, True, True, True, True])
    assert_array_equal(rule(positive_wrong), [False, False, False, True, True, True])
    negative_wrong = np.array([True, True, False, True, True, True])
    assert_array_equal(rule(negative_wrong), [True, True, False, False, True, True])


def test_all_correct_and_all_wrong():
    X, y = np.arange(6.0)[:, None], np.array([1.0, -1, 1, -1, 1, -1])
    rule = outside_regions(y, 0.5, between(X))
    assert rule(np.ones(6, dtype=bool)).all()
    assert not rule(np.zeros(6, dtype=bool)).any()


def test_the_mask_that_was_given_is_left_alone():
    X, y = np.arange(4.0)[:, None], np.array([1.0, 1, -1, -1])
    correct = np.array([True, False, True, True])
    outside_regions(y, 1.0, between(X))(correct)
    assert_array_equal(correct, [True, False, True, True])


def test_a_class_of_one_point_protects_only_what_lies_on_it():
    X = np.array([[0.0], [0.0], [1e-9], [3.0]])
    y = np.array([1.0, -1, -1, -1])
    rule = outside_regions(y, 1.0, between(X))
    assert rule.radius[0] == 0.0
    assert_array_equal(rule(np.array([False, True, True, True])), [False, False, True, True])


@pytest.mark.parametrize("seed", range(20))
def test_each_of_two_points_is_within_their_mean_distance(seed):
    # The mean is the distance itself; its square may round below the squared distance.
    y = np.array([1.0, 1, -1, -1])
    X = np.random.default_rng(seed).normal(size=(4, 3)) + 50 * y[:, None]
    rule = outside_regions(y, 1.0, between(X))
    assert_array_equal(rule(np.array([True, False, True, True])), [False, False, True, True])


def test_blocks_do_not_change_the_rule(load, monkeypatch):
    X, labels = load("breast_cancer")
    y = np.where(labels == 1, 1.0, -1.0)
    correct = np.random.default_rng(0).random(y.size) < 0.8
    whole = outside_regions(y, 0.9, between(X))
    monkeypatch.setattr(resolution, "BLOCK_BYTES", 8 * y.size * 7)
    blocks = outside_regions(y, 0.9, between(X))
    assert_allclose(blocks.radius, whole.radius, rtol=1e-12)
    assert_array_equal(blocks(correct), whole(correct))
    assert_array_equal(by_bits(blocks.regions(), correct), whole(correct))


def test_distances_are_asked_for_in_small_blocks(monkeypatch):
    monkeypatch.setattr(resolution, "BLOCK_BYTES", 8 * 100 * 3)
    X, asked = np.random.default_rng(0).normal(size=(100, 2)), []

    def spy(i, j):
        asked.append(i.size * j.size)
        return squared_distances(X[i], X[j])

    rule = outside_regions(np.repeat([1.0, -1.0], 50), 1.0, spy)
    rule(np.arange(100) % 2 == 0)
    assert max(asked) <= 300


def test_a_source_makes_the_rules_of_problems():
    rng = np.random.default_rng(3)
    X, rows = rng.normal(size=(40, 3)), rng.permutation(40)[:25]
    y = np.where(np.arange(25) % 3 == 0, 1.0, -1.0)
    correct = rng.random(25) < 0.7
    distances = training_distances(X, precomputed=False)
    in_gram = training_distances(X @ X.T, precomputed=True)
    assert resolution_rule(None, y, rows, distances) is correctly_classified
    expected = outside_regions(y, 0.8, between(X[rows]))
    by_points = resolution_rule(0.8, y, rows, distances)
    by_products = resolution_rule(0.8, y, rows, in_gram)
    for rule in (by_points, by_products):
        assert_allclose(rule.radius, expected.radius, rtol=1e-9)
        assert_array_equal(rule(correct), expected(correct))


# eps, alpha and the set T by hand, then what must hold for all rounds there can be.


rates = st.integers(0, 20).map(lambda hits: hits / 20)
rounds = st.lists(st.tuples(rates, rates), min_size=1, max_size=12)


def errors_of(pairs):
    return np.array([ClassRates(*pair).error for pair in pairs])


@pytest.mark.parametrize(
    ("tpr", "tnr", "error"),
    [(1, 1, 0), (0, 1, 1), (1, 0, 1), (0, 0, np.sqrt(2)), (0.4, 0.2, 1.0), (0.5, 0.5, 0.5**0.5)],
)
def test_the_error_is_the_distance_from_the_ideal(tpr, tnr, error):
    assert_allclose(ClassRates(tpr, tnr).error, error, rtol=1e-15)


def test_rates_count_each_class_for_itself():
    y = np.array([1.0, 1, 1, 1, -1, -1])
    correct = np.array([True, False, False, False, True, False])
    plain = class_rates(correct[None], y, np.ones(6))
    assert (plain.tpr, plain.tnr) == (0.25, 0.5)
    weighted = class_rates(correct[None], y, np.array([5.0, 1, 1, 1, 3, 1]))
    assert (weighted.tpr, weighted.tnr) == (0.625, 0.75)


def test_no_error_is_a_rate_of_one_whatever_the_weights():
    rng = np.random.default_rng(1)
    y = np.where(rng.random(200) < 0.3, 1.0, -1.0)
    rates = class_rates(np.ones((3, 200), dtype=bool), y, rng.uniform(0.1, 3.0, 200))
    assert (rates.tpr == 1).all()
    assert (rates.tnr == 1).all()


@pytest.mark.parametrize("sizes", [(5, 6, 5), (5, 5, 6)])
def test_rates_of_other_points_are_refused(sizes):
    n_answers, n_labels, n_weights = sizes
    with pytest.raises(ValueError, match="an answer, a label and a weight"):
        class_rates(np.ones((1, n_answers), dtype=bool), np.ones(n_labels), np.ones(n_weights))


def test_weights_by_hand():
    half = np.sqrt(2) / 2
    found = round_weights(np.array([half / 2, half, np.sqrt(2) / 5]))
    assert_allclose(found, [np.log(3) / 2, 0.0, np.log(4) / 2], atol=1e-15)


def test_no_error_is_floored_at_machine_epsilon():
    weight = round_weights(np.array([0.0, SMALLEST_ERROR]))
    assert weight[0] == weight[1]
    assert_allclose(weight[0], 18.195, atol=1e-3)


def test_the_largest_error_has_a_finite_weight():
    assert np.isfinite(round_weights(np.array([np.sqrt(2)]))).all()


@given(st.lists(st.floats(0, np.sqrt(2)), min_size=2, max_size=8))
def test_weights_fall_with_the_error(errors):
    weights = round_weights(np.sort(errors))
    assert np.all(np.diff(weights) <= 0)


def test_rounds_no_worse_than_the_first_are_kept():
    tpr = np.array([0.6, 0.6, 0.5, 0.9, 0.6])
    errors = np.array([0.5, 0.4, 0.1, 0.6, 0.5])  # 3 loses on tpr, 4 on eps; a draw stays
    selection = select_rounds(errors, tpr)
    assert selection.rule == "strict"
    assert_array_equal(selection.kept, [True, True, False, False, True])
    assert_allclose(selection.weights, np.where(selection.kept, round_weights(errors), 0.0))


def test_a_poor_first_round_can_be_left_out():
    selection = select_rounds(np.array([1.0, 0.7, 0.72]), np.array([0.0, 0.4, 0.9]))
    assert_array_equal(selection.kept, [False, True, False])
    assert selection.rule == "strict"


def test_where_no_round_qualifies_the_best_one_is_kept_alone():
    selection = select_rounds(np.array([1.0, 0.9, 0.8, 0.8]), np.zeros(4))
    assert selection.rule == "best_only"
    assert_array_equal(selection.kept, [False, False, True, False])
    assert_array_equal(selection.weights, [0.0, 0.0, 1.0, 0.0])


@pytest.mark.parametrize(
    ("pairs", "kept"),
    [
        ([(0.08, 0.996), (0.17, 0.71)], 0),  # nearer to the ideal, but worse than guessing
        ([(0.0, 1.0), (0.17, 0.71), (0.2, 0.9)], 2),
        ([(0.1, 0.8), (0.2, 0.75)], 0),
    ],
)
def test_a_round_worse_than_guessing_is_not_the_best(pairs, kept):
    selection = select_rounds(errors_of(pairs), np.array([pair[0] for pair in pairs]))
    assert selection.rule == "best_only"
    assert_array_equal(np.flatnonzero(selection.kept), [kept])


def test_rounds_that_weigh_nothing_cannot_vote():
    # (0.5, 0.5) is at 1/sqrt 2 exactly: not worse than half of the largest error, weight log 1.
    errors = errors_of([(0.5, 0.5), (0.5, 0.5)])
    assert errors[0] == HALF_OF_LARGEST
    selection = select_rounds(errors, np.array([0.5, 0.5]))
    assert selection.rule == "best_only"
    assert_array_equal(selection.weights, [1.0, 0.0])


@given(rounds)
def test_the_choice_obeys_its_conditions(pairs):
    errors, tpr = errors_of(pairs), np.array([pair[0] for pair in pairs])
    selection = select_rounds(errors, tpr)
    assert selection.weights.sum() > 0
    assert np.all(selection.weights >= 0)
    assert not np.any(selection.weights[~selection.kept])
    if selection.rule == "best_only":
        assert errors[0] >= HALF_OF_LARGEST
        (chosen,) = np.flatnonzero(selection.kept)
        fair = [place for place, pair in enumerate(pairs) if sum(pair) >= 1 - 1e-6]
        assert chosen == 0 or sum(pairs[chosen]) >= 1 - 1e-6
        assert not fair or errors[chosen] <= errors[fair].min() + 1e-6
        return
    allowed = (errors <= min(errors[0], HALF_OF_LARGEST)) & (tpr >= tpr[0])
    assert_array_equal(selection.kept, allowed)


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 6), min_size=1, max_size=5))
def test_rounds_of_several_problems_are_chosen_as_those_of_each(problems):
    tpr, tnr = np.array(problems)[:, :3], np.array(problems)[:, 3:]
    errors = ClassRates(tpr, tnr).error
    together = select_rounds(errors, tpr)
    for p, own in enumerate(map(select_rounds, errors, tpr)):
        assert_array_equal(together.kept[p], own.kept)
        assert_array_equal(together.weights[p], own.weights)
        assert together.rule[p] == own.rule


@given(rounds)
def test_the_relaxed_set_of_the_paper_is_never_needed(pairs):
    # eps_1 <= 1/sqrt 2 puts round 1 into the strict set; above it both sets are the same.
    errors, tpr = errors_of(pairs), np.array([pair[0] for pair in pairs])
    assert select_rounds(errors, tpr).rule in ("strict", "best_only")
