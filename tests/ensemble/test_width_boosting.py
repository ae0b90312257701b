"""The loop next to its transcription on scikit-learn's SVC, and at its edges."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.ensemble import _width_boosting as width_boosting
from kpboost.ensemble._adaboost_svc import (
    mean_nearest_distance,
    scatter_radius,
    shared_distances,
    width_grams,
)
from kpboost.ensemble._width_boosting import (
    MOST_HALVINGS,
    DiversityGate,
    WidthPlan,
    WidthSchedule,
    boost_widths,
)
from kpboost.kernels import length_scale_to_gamma, rbf_kernel
from kpboost.solvers import StopFlag, optimality
from support.reference.adaboost_svm import adaboost_svm

NAMES = ["breast_cancer", "glass0", "glass015vs2", "ecoli3", "yeast2vs4"]
# libsvm stops at single precision, and AdaBoost amplifies what it leaves: the first rounds agree.
EARLY = 6


def problem(load, name):
    X, labels = load(name)
    classes, sizes = np.unique(labels, return_counts=True)
    return X, np.where(labels == classes[sizes.argmin()], 1.0, -1.0)


def plan_of(X, step=1.0, diversity=None):
    ones = np.ones(len(X))
    first, last = scatter_radius(X, ones, "max"), mean_nearest_distance(X, ones)
    return WidthPlan(first, last, step, diversity)


def run(X, y, plan, C=50.0, weight=None, **options):
    weight = np.ones(y.size) if weight is None else weight
    gram = width_grams(X, shared_distances(X, 1000.0), 1000.0)
    return boost_widths(gram, y, C * weight, weight, plan, **{"n_rounds": 10, **options})


@pytest.mark.parametrize("eta", [None, 0.7])
@pytest.mark.parametrize("name", NAMES)
def test_equals_the_transcription(load, name, eta):
    X, y = problem(load, name)
    ours = run(X, y, plan_of(X, 2.0, eta), n_rounds=EARLY, tol=1e-9)
    theirs = adaboost_svm(X, y, X, C=50.0, step=2.0, T=EARLY, eta=eta)
    assert_allclose(ours.length_scales, theirs.sigmas)
    assert_allclose(ours.errors, theirs.errors, atol=1e-9)
    assert_allclose(ours.weights, theirs.alphas, rtol=1e-7)


def test_the_diverse_variant_differs_somewhere(load):
    X, y = problem(load, "glass015vs2")
    plain = run(X, y, plan_of(X), n_rounds=20)
    diverse = run(X, y, plan_of(X, diversity=0.7), n_rounds=20)
    assert diverse.n_failures > plain.n_failures


@pytest.mark.parametrize("name", ["glass0", "pima"])
def test_late_rounds_solve_their_own_problems(load, name):
    """Weights of each round follow from the ones before; its machine must be optimal for them."""
    X, y = problem(load, name)
    trace = run(X, y, plan_of(X), n_rounds=40)
    share = np.full(y.size, 1 / y.size)
    for t, sigma in enumerate(trace.length_scales):
        gram = rbf_kernel(X, gamma=length_scale_to_gamma(float(sigma)))
        field = optimality.field(gram, trace.dual_coef[t])
        bound = 50.0 * y.size * share
        at_bound = np.isclose(y * trace.dual_coef[t], bound, rtol=1e-9)  # but for rounding
        coef = np.where(at_bound, y * bound, trace.dual_coef[t])
        assert optimality.violation_gap(field, y, bound, coef) <= 2e-6
        answers = np.where(field + trace.intercept[t] >= 0, 1.0, -1.0)
        error = share[answers != y].sum()
        assert trace.errors[t] == pytest.approx(error, abs=1e-9)
        share = share * np.exp(-trace.weights[t] * y * answers)
        share /= share.sum()


def test_widths_fall_only_through_failure(load):
    X, y = problem(load, "glass0")
    trace = run(X, y, plan_of(X), n_rounds=40)
    drops = -np.diff(trace.length_scales)
    assert np.all(drops >= 0)
    assert_allclose(drops, np.round(drops), atol=1e-9)
    assert drops.sum() <= trace.n_failures + 1e-9
    assert trace.n_failures > 0


def test_training_error_obeys_adaboosts_bound(load):
    """At most prod_t 2 sqrt(e_t (1 - e_t)) of the points are misclassified by the vote."""
    X, y = problem(load, "glass015vs2")
    trace = run(X, y, plan_of(X), n_rounds=40)
    vote = np.zeros(y.size)
    for t, sigma in enumerate(trace.length_scales):
        gram = rbf_kernel(X, gamma=length_scale_to_gamma(float(sigma)))
        field = gram @ trace.dual_coef[t] + trace.intercept[t]
        vote += trace.weights[t] * np.where(field >= 0, 1.0, -1.0)
    bound = np.prod(2 * np.sqrt(trace.errors * (1 - trace.errors)))
    assert bound < 0.5
    assert np.mean(np.sign(vote) != y) <= bound


def test_a_machine_without_error_ends_the_loop(load):
    X, y = problem(load, "wine")
    trace = run(X, y, plan_of(X))
    assert trace.ending == "separated"
    assert trace.errors[-1] == 0.0
    assert trace.weights[-1] == pytest.approx(0.5 * np.log(1e10))


def coin_flips(n=60):
    """Every point twice, with both labels: no machine is better than chance."""
    X = np.repeat(np.random.default_rng(0).normal(size=(n, 2)), 2, axis=0)
    return X, np.tile([1.0, -1.0], n)


def test_without_any_machine_to_keep_the_last_width_decides():
    X, y = coin_flips()
    plan = WidthPlan(3.0, 0.5, 1.0)
    trace = run(X, y, plan)
    assert trace.ending == "none_kept"
    assert_array_equal(trace.length_scales, [0.5])
    assert_array_equal(trace.weights, [1.0])
    assert trace.n_failures > 3  # the step was halved


def test_a_first_width_below_the_last(load):
    X, y = problem(load, "glass0")
    trace = run(X, y, WidthPlan(1.0, 2.0, 1.0))
    assert trace.ending == "none_kept"
    assert trace.n_failures == 0
    assert_array_equal(trace.length_scales, [2.0])


def test_patience_ends(monkeypatch):
    monkeypatch.setattr(width_boosting, "MOST_FAILURES", 5)
    X, y = coin_flips()
    trace = run(X, y, WidthPlan(1e6, 0.5, 1.0))
    assert trace.n_failures == 5
    X = np.vstack([X, [[9.0, 9.0]]])  # one majority point: round 1 beats chance, later ones do not
    trace = run(X, np.append(y, -1.0), WidthPlan(1e6, 0.5, 1.0))
    assert trace.ending == "patience"
    assert trace.errors.size >= 1


def test_another_thread_can_stop_it(load):
    X, y = problem(load, "glass0")
    stop = StopFlag()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        run(X, y, plan_of(X), stop=stop)


def test_weights_equal_repetition(load):
    X, y = problem(load, "glass0")
    weight = np.random.default_rng(0).integers(1, 4, size=y.size)
    rows = np.repeat(np.arange(y.size), weight)
    plan = plan_of(X)
    weighted = run(X, y, plan, weight=weight.astype(float), n_rounds=6, tol=1e-9)
    repeated = run(X[rows], y[rows], plan, n_rounds=6, tol=1e-9)
    assert_allclose(weighted.errors, repeated.errors, atol=1e-9)
    assert_allclose(weighted.length_scales, repeated.length_scales)


# Widths fall step by step, never to the last one, and steps are halved only in need.


def widths(schedule, *, urgent):
    seen = []
    while schedule.now is not None:
        seen.append(schedule.now)
        schedule.narrow(urgent=urgent)
    return seen


def test_steps_down_to_the_last_width():
    assert widths(WidthSchedule(5.0, 0.5, 1.0), urgent=False) == [5.0, 4.0, 3.0, 2.0, 1.0]
    assert widths(WidthSchedule(5.0, 1.0, 1.0), urgent=False) == [5.0, 4.0, 3.0, 2.0]


def test_in_need_the_step_is_halved():
    seen = widths(WidthSchedule(3.0, 0.5, 2.0), urgent=True)
    assert seen[:4] == [3.0, 1.0, 0.75, 0.625]
    assert min(seen) > 0.5
    assert seen == sorted(seen, reverse=True)
    assert len(seen) <= MOST_HALVINGS + 2


def test_once_a_machine_is_kept_there_is_no_need():
    schedule = WidthSchedule(3.0, 0.5, 2.0)
    schedule.narrow(urgent=True)
    schedule.narrow(urgent=False)
    assert schedule.now is None


@pytest.mark.parametrize("first", [1.0, 0.5])
def test_nothing_to_try(first):
    schedule = WidthSchedule(first, 1.0, 1.0)
    assert schedule.now is None
    schedule.narrow(urgent=True)
    assert schedule.now is None


# The gate, worked by hand.


UP = np.ones(4)
SHARE = np.full(4, 0.25)


def flipped(*points):
    answers = UP.copy()
    answers[list(points)] = -1.0
    return answers


def test_by_hand():
    gate = DiversityGate(0.5, SHARE)
    assert gate.admits(UP)
    gate.add(UP, 1.0)
    assert gate.largest == 0.0
    assert gate.admits(UP)  # nothing to compare with yet
    gate.add(flipped(0, 1, 2), 0.5)  # 3/4 differ: mean (0 + 3/4) / 2
    assert gate.largest == pytest.approx(0.375)
    assert gate.admits(UP)  # (3/4) / 3 = 1/4, above half of 0.375
    gate.add(UP, 1.0)
    assert gate.largest == pytest.approx(0.375)
    # (3/4) / 4 = 0.1875 is exactly half
    assert gate.admits(UP)
    gate.add(UP, 1.0)
    assert not gate.admits(UP)  # (3/4) / 5 = 0.15
    assert gate.admits(flipped(3))  # (3/4 + 1/4) / 5 = 0.2


def test_the_ensemble_is_the_weighted_vote():
    gate = DiversityGate(1.0, SHARE)
    gate.add(UP, 1.0)
    gate.add(-UP, 3.0)
    gate.add(-UP, 1.0)  # agrees with the vote
    assert gate.total == pytest.approx(1.0)


def test_weights_are_shares_of_points():
    gate = DiversityGate(0.5, np.array([0.7, 0.1, 0.1, 0.1]))
    gate.add(UP, 1.0)
    gate.add(flipped(0), 1.0)
    assert gate.total == pytest.approx(0.7)


def test_without_a_fraction_all_are_admitted():
    gate = DiversityGate(None, SHARE)
    gate.add(UP, 1.0)
    gate.add(-UP, 1.0)
    assert gate.admits(UP)
