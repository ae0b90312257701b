"""Votes by hand: weights, zeros and ties on the positive side, and confidence that only assists."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics import pairwise_distances_argmin
from sklearn.metrics.pairwise import rbf_kernel

from kpboost.ensemble import _voting as module, _voting as regions
from kpboost.ensemble._boosting import boost
from kpboost.ensemble._voting import (
    CONFIDENCE_SIZE,
    TIE,
    Inheritance,
    RoundPredictor,
    confidence,
    nearest_in_training,
    nearest_training_rows,
    perturbed_values,
    weighted_vote,
)
from kpboost.kernels import squared_distances
from kpboost.problems._multiclass import slot_table, spread

ONE = np.array([1.0])
values_of_rounds = arrays(np.float64, (5, 2, 4), elements=st.floats(-1e6, 1e6))
weights_of_rounds = arrays(np.float64, (2, 4), elements=st.floats(0.01, 18.0))
either_side = arrays(np.float64, 2, elements=st.sampled_from([-1.0, 1.0]))


def one_problem(values, weights, sign=1.0):
    return np.array([[values]]), np.array([weights]), np.array([sign])


def test_votes_by_hand():
    vote = weighted_vote(*one_problem([0.1, -9.0, 2.0], [1.0, 0.5, 2.0]))
    assert_allclose(vote, [[2.5]])


def test_the_size_of_a_value_does_not_matter():
    small = weighted_vote(*one_problem([1e-300, -1e-3], [1.0, 2.0]))
    large = weighted_vote(*one_problem([1e300, -1e3], [1.0, 2.0]))
    assert_array_equal(small, large)


def test_zero_counts_for_the_positive_class():
    for sign in (1.0, -1.0):
        vote = weighted_vote(*one_problem([0.0, -0.0], [1.0, 0.25], sign))
        assert_array_equal(vote, [[1.25 * sign]])


def test_a_tie_goes_to_the_positive_class():
    for sign in (1.0, -1.0):
        for values in ([1.0, -1.0], [-1.0, 1.0]):
            assert_array_equal(
                weighted_vote(*one_problem(values, [0.7, 0.7], sign)), [[sign * TIE]]
            )


def test_a_tie_does_not_depend_on_the_order_of_the_rounds():
    """-a -b +b +a is not always 0 in floating point."""
    weights = np.array([0.8201223133225226, 0.9366193166251232])
    sums = set()
    for sign in (1.0, -1.0):
        for order in permutations([(-1.0, 0), (-1.0, 1), (1.0, 0), (1.0, 1)]):
            values, own = [value for value, _ in order], weights[[which for _, which in order]]
            sums.add(float(np.add.accumulate(values * own)[-1]))
            assert_array_equal(weighted_vote(*one_problem(values, own, sign)), [[sign * TIE]])
    assert len(sums) > 1


def test_a_round_without_weight_is_silent():
    with_it = weighted_vote(*one_problem([1.0, -5.0, -5.0], [0.3, 0.0, 0.0]))
    assert_array_equal(with_it, weighted_vote(*one_problem([1.0], [0.3])))


def test_each_problem_votes_for_itself():
    values = np.array([[[1.0, 1.0], [-1.0, 1.0]]])
    weights = np.array([[1.0, 2.0], [5.0, 1.0]])
    assert_array_equal(weighted_vote(values, weights, np.ones(2)), [[3.0, -4.0]])


@given(values_of_rounds, weights_of_rounds, either_side)
def test_mirror_image(values, weights, signs):
    vote = weighted_vote(values, weights, signs)
    assert_array_equal(weighted_vote(-values, weights, -signs), -vote)
    assert np.all(vote != 0)


@given(values_of_rounds, weights_of_rounds, either_side)
def test_confidence_never_overrules_the_vote(values, weights, signs):
    vote, share = weighted_vote(values, weights, signs), confidence(values, weights, signs)
    assert_array_equal(np.sign(share), np.sign(vote))
    assert_allclose(share, vote / weights.sum(axis=1), atol=CONFIDENCE_SIZE)


def test_confidence_does_not_overrule_a_narrow_vote():
    # The two rounds for the class have a hair more weight, and far smaller values.
    problem = one_problem([1.0, 1.0, -100.0], [0.5, 0.5, 1.0 - 1e-9])
    assert weighted_vote(*problem) > 0
    assert confidence(*problem) > 0


def test_confidence_leaves_a_tie_to_the_positive_class():
    for sign in (1.0, -1.0):
        problem = one_problem([5.0, -1.0], [1.0, 1.0], sign)
        assert np.sign(confidence(*problem)) == np.sign(weighted_vote(*problem)) == sign


def test_values_tell_equal_shares_apart():
    values = np.array([[[1.0, 1.0]], [[2.0, 3.0]], [[-2.0, -3.0]]])
    share = confidence(values, np.array([[1.0, 2.0]]), ONE)[:, 0]
    assert share[1] > share[0] > 1.0
    assert share[2] < -1.0


# Values summed class by class are those of every problem's own machine.


RNG = np.random.default_rng(0)
N_SUPPORT = np.array([5, 0, 40, 3])  # a class without support vectors among them
VECTORS = RNG.normal(size=(48, 3))
SUPPORT_CODES = np.repeat(np.arange(4), N_SUPPORT)
SUPPORT = RNG.permutation(60)[:48]
POINTS = RNG.normal(size=(17, 3))
GAMMA, N_ROUNDS = 0.4, 3


@pytest.fixture(params=["one_vs_one", "one_vs_rest"])
def table(request):
    return slot_table(4, request.param)


def rounds_of(table, kernel="rbf", vectors=VECTORS, inheritance=None):
    rng = np.random.default_rng(1)
    dual_coef, log_scale = rng.normal(size=(2, table.max() + 1, N_ROUNDS, 48))
    coef = dual_coef * np.exp(log_scale)
    return coef, RoundPredictor(
        kernel=kernel,
        gamma=GAMMA if kernel == "rbf" else None,
        support=SUPPORT,
        vectors=None if kernel == "precomputed" else vectors,
        n_support=N_SUPPORT,
        coef=coef,
        intercept=rng.normal(size=(len(table), N_ROUNDS)),
        weights=np.tile([0.5, 0.0, 2.0], (len(table), 1)),
        signs=np.where(np.arange(len(table)) % 2, 1.0, -1.0),
        table=table,
        multi_class="one_vs_one" if len(table) > 4 else "one_vs_rest",
        inheritance=inheritance,
    )


def by_problem(kernel, coef, intercept, table):
    """Follow the definition: all support vectors times the coefficients of every problem."""
    full = spread(coef, table, SUPPORT_CODES)
    return np.einsum("ns,pts->npt", kernel, full) + intercept


def test_rbf_values(table):
    coef, rounds = rounds_of(table)
    expected = by_problem(rbf_kernel(POINTS, VECTORS, GAMMA), coef, rounds.intercept, table)
    assert_allclose(rounds.values(POINTS), expected, atol=1e-12)
    assert_allclose(rounds.values(sparse.csr_array(POINTS)), expected, atol=1e-12)
    _, thin = rounds_of(table, vectors=sparse.csr_array(VECTORS))
    assert_allclose(thin.values(POINTS), expected, atol=1e-12)


def test_values_of_a_function_kernel(table):
    coef, rounds = rounds_of(table, kernel=lambda a, b: a @ b.T)
    expected = by_problem(POINTS @ VECTORS.T, coef, rounds.intercept, table)
    assert_allclose(rounds.values(POINTS), expected, atol=1e-12)


def test_values_of_a_given_kernel(table):
    coef, rounds = rounds_of(table, kernel="precomputed")
    rows = np.random.default_rng(2).normal(size=(9, 60))
    expected = by_problem(rows[:, SUPPORT], coef, rounds.intercept, table)
    assert_allclose(rounds.values(rows), expected, atol=1e-12)


def test_blocks_cover_the_rows(table, monkeypatch):
    monkeypatch.setattr(module, "LEAST_ROWS", 4)
    monkeypatch.setattr(module, "BLOCK_BYTES", 1)
    _, rounds = rounds_of(table)
    blocks = list(rounds.blocks(POINTS))
    assert [rows.stop - rows.start for rows, _ in blocks] == [4, 4, 4, 4, 1]
    together = np.concatenate([values for _, values in blocks])
    assert np.array_equal(together, rounds.values(POINTS))


def test_points_inherit_from_the_nearest_of_the_problem(table):
    rng = np.random.default_rng(3)
    codes = rng.permutation(np.arange(30) % 4)
    training = rng.normal(size=(30, 3))
    perturbation = rng.random((table.max() + 1, N_ROUNDS + 2, 30))  # rounds that are not asked for
    slots = table[:, codes]
    nearest = nearest_in_training("rbf", training, np.arange(30), slots)
    inheritance = Inheritance(perturbation, slots, nearest)
    coef, rounds = rounds_of(table, inheritance=inheritance)
    sums = by_problem(rbf_kernel(POINTS, VECTORS, GAMMA), coef, 0 * rounds.intercept, table)
    k = spread(perturbation, table, codes)
    found = rounds.values(POINTS)
    for p in range(len(table)):
        own = np.flatnonzero(table[p, codes] >= 0)
        for i, point in enumerate(POINTS):
            nearest = own[np.argmin(((training[own] - point) ** 2).sum(axis=1))]
            log_scale, value = 0.0, 0.0
            for t in range(N_ROUNDS):
                log_scale -= k[p, t, nearest] * value**2
                value = np.exp(log_scale) * sums[i, p, t] + rounds.intercept[p, t]
                assert_allclose(found[i, p, t], value, atol=1e-10)


def test_the_vote_needs_no_more_rounds_than_have_weight(table):
    _, rounds = rounds_of(table)
    voting = rounds.voters()
    assert_allclose(voting.values(POINTS), rounds.values(POINTS)[:, :, [0, 2]], atol=1e-12)
    (all_rounds,) = rounds.staged_scores(POINTS, [rounds.weights])
    assert_allclose(rounds.scores(POINTS), all_rounds, atol=1e-12)


def test_stages_are_votes_of_the_first_rounds(table):
    _, rounds = rounds_of(table)
    stages = [np.ones((len(table), t)) for t in (1, 2, 3)]
    for stage, weights in zip(rounds.staged_scores(POINTS, stages), stages, strict=True):
        padded = np.pad(weights, ((0, 0), (0, N_ROUNDS - weights.shape[1])))
        assert_allclose(stage, replace(rounds, weights=padded).scores(POINTS), atol=1e-12)


def test_coefficients_by_problem_are_those_of_the_values(table):
    coef, rounds = rounds_of(table)
    assert_allclose(rounds.coef_by_problem(), spread(coef, table, SUPPORT_CODES))


# New points under the regions of influence: Algorithm S1's testing loop with explicit matrices.


def trained(seed=0, n=30, n_rounds=5):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n // 3, 1.0, -1.0)
    X = rng.normal(size=(n, 2)) + y[:, None]
    gram = rbf_kernel(X, gamma=0.8)
    return X, gram, boost(gram, y, np.full(n, 3.0), step=0.2, n_rounds=n_rounds)


def kernel_sums(kernel, trace):
    """g_t of the points whose kernel values are the columns, (n, 1, n_rounds)."""
    return (kernel.T @ (trace.dual_coef * np.exp(trace.log_scale)).T)[:, None, :]


def test_values_follow_the_testing_loop():
    X, _, trace = trained()
    new = np.random.default_rng(1).normal(size=(12, 2))
    nearest = pairwise_distances_argmin(new, X)
    kernel = rbf_kernel(X, new, gamma=0.8)
    found = perturbed_values(
        kernel_sums(kernel, trace),
        trace.intercept[None],
        trace.perturbation[:, nearest].T[:, None, :],
    )
    K, f_new, f = kernel, np.zeros(12), np.zeros(30)
    for t in range(5):
        D = np.diag(np.exp(-trace.perturbation[t] * f**2))
        D_new = np.diag(np.exp(-trace.perturbation[t, nearest] * f_new**2))
        K = D @ K @ D_new
        f_new = trace.dual_coef[t] @ K + trace.intercept[t]
        f = trace.decision[t]
        assert_allclose(found[:, 0, t], f_new, atol=1e-10)


def test_training_points_get_their_own_values():
    _, gram, trace = trained()
    found = perturbed_values(
        kernel_sums(gram, trace), trace.intercept[None], trace.perturbation.T[:, None, :]
    )
    assert_allclose(found[:, 0].T, trace.decision, atol=1e-9)


def test_without_perturbation_only_the_intercept_is_added():
    sums = np.random.default_rng(0).normal(size=(4, 3, 5))
    intercept = np.arange(15.0).reshape(3, 5)
    assert_allclose(perturbed_values(sums, intercept, np.zeros_like(sums)), sums + intercept)


def test_huge_perturbations_leave_the_intercept():
    values = perturbed_values(np.full((1, 1, 3), 5.0), np.ones((1, 3)), np.full((1, 1, 3), 1e300))
    assert_array_equal(values[0, 0], [6.0, 1.0, 1.0])


@pytest.mark.parametrize("block_rows", [1, 7, 10**6])
def test_nearest_rows_of_each_problem(monkeypatch, block_rows):
    rng = np.random.default_rng(0)
    training, new = rng.normal(size=(40, 3)), rng.normal(size=(25, 3))
    rows = [np.arange(40), np.arange(0, 40, 3), np.array([5])]
    monkeypatch.setattr(regions, "BLOCK_BYTES", 8 * 40 * block_rows)
    found = nearest_training_rows(
        lambda part: squared_distances(new[part], training), new.shape[0], rows
    )
    for problem, own in enumerate(rows):
        expected = own[pairwise_distances_argmin(new, training[own])]
        assert_array_equal(found[:, problem], expected)


def test_the_first_of_equally_near_rows_is_taken():
    training = np.array([[1.0], [-1.0], [1.0]])
    found = nearest_training_rows(
        lambda part: squared_distances(np.zeros((2, 1))[part], training),
        2,
        [np.arange(3), np.array([1, 2])],
    )
    assert_array_equal(found, [[0, 1], [0, 1]])
