"""The loop next to Algorithm 1 word by word; each round's problem by its own optimum; Theorem 1."""

from threading import Timer

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from kpboost.ensemble._boosting import boost, first_round_only
from kpboost.kernels import resolve_gamma
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
