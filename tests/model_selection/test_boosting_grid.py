"""Candidates on one fold next to KPBoostSVC with the same parameters, and what they share."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from kpboost import KPBoostSVC
from kpboost.ensemble import Threads
from kpboost.kernels import squared_distances
from kpboost.model_selection._boosting_grid import (
    Candidate,
    folds_of_width,
    influence,
    influence_source,
    plan_folds,
    try_candidates,
)
from kpboost.problems._training_set import training_set
from kpboost.solvers import DualProblem

GAMMA, N_ROUNDS, TIGHT = 0.1, 4, 1e-10
CANDIDATES = [
    Candidate(C, step, roi_scale)
    for C in (0.5, 20.0)
    for step in (0.01, 0.2)
    for roi_scale in (None, 0.7)
]

pytestmark = pytest.mark.filterwarnings("ignore:No round met the conditions:UserWarning")


def blobs(n_classes):
    return make_blobs(90, centers=n_classes, cluster_std=2.5, random_state=0)


def fold_of(X, y, multi_class="one_vs_one", class_weight=None, weight=None):
    """Two thirds for training, the rest for testing."""
    data = training_set(KPBoostSVC(), X, y, weight, by_class=False)
    test = np.arange(0, y.size, 3)
    split = (np.setdiff1d(np.arange(y.size), test), test)
    options = {"multi_class": multi_class, "class_weight": class_weight, "pos_label": None}
    plans = plan_folds([split], data, **options)
    squared = squared_distances(data.points)
    (fold,) = folds_of_width(GAMMA, plans, squared, data)
    return fold, influence(fold.plan, (None, 0.7), squared), *split


def run(fold, regions, candidates=CANDIDATES, **options):
    return try_candidates(fold, candidates, regions, n_rounds=N_ROUNDS, tol=TIGHT, **options)


@pytest.mark.parametrize("judge_rounds", ["as_new", "paper"])
@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_every_candidate_is_its_kpboost_svc(n_classes, multi_class, judge_rounds):
    X, y = blobs(n_classes)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, size=y.size)
    fold, regions, train, test = fold_of(X, y, multi_class, "balanced", weight)
    results = run(fold, regions, judge_rounds=judge_rounds, graded=True)
    soft_alone = run(fold, regions, judge_rounds=judge_rounds, voting="soft")
    for candidate, result, soft in zip(CANDIDATES, results, soft_alone, strict=True):
        model = KPBoostSVC(
            candidate.C,
            gamma=GAMMA,
            perturbation_step=candidate.perturbation_step,
            roi_scale=candidate.roi_scale,
            n_estimators=N_ROUNDS,
            judge_rounds=judge_rounds,
            multi_class=multi_class,
            class_weight="balanced",
            tol=TIGHT,
        ).fit(X[train], y[train], sample_weight=weight[train])
        assert_allclose(result.scores, model.decision_function(X[test]), atol=1e-7)
        graded = model.set_params(voting="soft").decision_function(X[test])
        assert_allclose(result.graded, graded, atol=1e-5)
        assert_array_equal(soft.scores, result.graded)
        assert soft.graded is None
        assert_array_equal(result.classes, np.arange(n_classes))


def test_a_class_that_training_lacks():
    X, y = blobs(3)
    data = training_set(KPBoostSVC(), X, y, None, by_class=False)
    train, test = np.flatnonzero(y != 1), np.arange(20)
    options = {"multi_class": "one_vs_one", "class_weight": None, "pos_label": None}
    (plan,) = plan_folds([(train, test)], data, **options)
    squared = squared_distances(data.points)
    (fold,) = folds_of_width(GAMMA, [plan], squared, data)
    (result,) = run(fold, influence(plan, [None], squared), [Candidate(1.0, 0.1, None)])
    assert_array_equal(result.classes, [0, 2])
    model = KPBoostSVC(gamma=GAMMA, perturbation_step=0.1, n_estimators=N_ROUNDS, tol=TIGHT)
    expected = model.fit(X[train], y[train]).decision_function(X[test])
    assert_allclose(result.scores, expected, atol=1e-12)


@pytest.mark.parametrize("n_threads", [2, 5])
def test_threads_change_not_a_bit(n_threads):
    fold, regions, *_ = fold_of(*blobs(3))
    with Threads(n_threads) as threads:
        together = run(fold, regions, threads=threads)
    for one, other in zip(run(fold, regions), together, strict=True):
        assert_array_equal(one.scores, other.scores)


def test_the_plain_machine_is_solved_once_per_c_and_problem(monkeypatch):
    solved, solve = [], DualProblem.solve

    def counted(problem, **options):
        solved.append((problem.bound[0], problem.target.size))
        return solve(problem, **options)

    monkeypatch.setattr(DualProblem, "solve", counted)
    fold, regions, *_ = fold_of(*blobs(3))
    run(fold, regions)
    assert len(solved) == 2 * 3
    assert {C for C, _ in solved} == {0.5, 20.0}


def test_regions_of_influence_are_found_by_split_and_scale():
    X, y = blobs(3)
    fold, regions, _, test = fold_of(X, y)
    assert regions.keys() == {None, 0.7}
    assert regions[None] == [None] * 3
    for problem, own in zip(fold.plan.problems, regions[0.7], strict=True):
        points = X[fold.plan.train[problem.rows]]
        distances = np.linalg.norm(X[test][:, None] - points, axis=2)
        assert_array_equal(own.nearest, distances.argmin(axis=1))
        assert own.regions.shape == (len(points), -(-len(points) // 8))


@pytest.mark.parametrize(("n_scales", "kept"), [(3, True), (200, False)])
def test_regions_that_take_more_than_the_distances_are_not_kept(n_scales, kept):
    X, y = blobs(3)
    fold, *_ = fold_of(X, y)
    squared = squared_distances(X)
    scales = [None, *np.linspace(0.1, 1.0, n_scales)]
    source = influence_source([fold.plan], scales, squared)
    assert (source(fold.plan) is source(fold.plan)) == kept
    again, expected = source(fold.plan), influence(fold.plan, scales, squared)
    assert again.keys() == expected.keys()
    for mine, theirs in zip(again[1.0], expected[1.0], strict=True):
        assert_array_equal(mine.regions, theirs.regions)
        assert_array_equal(mine.nearest, theirs.nearest)


def test_every_candidate_is_announced():
    fold, regions, *_ = fold_of(*blobs(2))
    done = []
    with Threads(2) as threads:
        results = run(fold, regions, on_candidate=lambda: done.append(1), threads=threads)
    assert len(done) == len(results) == len(CANDIDATES)
    assert all(result.fit_seconds > 0 and result.score_seconds > 0 for result in results)


def test_nothing_is_changed():
    fold, regions, *_ = fold_of(*blobs(3))
    before = fold.gram.copy(), fold.test_kernel.copy()
    run(fold, regions)
    for array, copy in zip((fold.gram, fold.test_kernel), before, strict=True):
        assert_array_equal(array, copy)
