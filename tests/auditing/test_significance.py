import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from kpboost.auditing._data import neighbours_of, parts_of
from kpboost.auditing._significance import (
    LEVEL,
    MISSING_BIN,
    N_BINS,
    NullHypothesis,
    as_if_best,
    interval_words,
    intervals_of,
    joint_probabilities,
    missed_p_values,
    scan_statistics,
    smooth_model,
)
from kpboost.datasets import features_of


def two_clouds(seed, planted=0):
    """Two overlapping clouds with known probabilities; `planted` rows of class 1 far out in 0."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [250, 60])
    X = rng.normal(size=(310, 2)) + np.where(y[:, None] == 1, [1.5, 0.0], 0.0)
    odds = 60 / 250 * np.exp(1.5 * X[:, 0] - 1.5**2 / 2)
    p = np.column_stack([1 / (1 + odds), odds / (1 + odds)])
    X = np.vstack([X, rng.normal([-1.8, 0.0], 0.1, size=(planted, 2))])
    p = np.vstack([p, np.tile([0.97, 0.03], (planted, 1))])
    return X, np.append(y, np.ones(planted, dtype=int)), p


def p_values(seed, planted=0, **options):
    X, y, p = two_clouds(seed, planted)
    neighbours = neighbours_of(X)
    parts = parts_of(neighbours, y)
    answers = NullHypothesis(neighbours, p.argmax(axis=1), p)
    return missed_p_values(answers, y, parts, seed=seed, **options), parts


def literal_statistic(answers, codes, parts, number):
    """The definition, word by word."""
    rows = np.flatnonzero(parts.labels == number)
    around = set(rows.tolist())
    for row in rows:
        around |= set(answers.neighbours[row, :5].tolist())
    around = sorted(around)
    code = parts.owners[number]
    n, o = len(around), int((codes[around] == code).sum())
    e = answers.probabilities[around, code].sum()
    if rows.size < 5 or (answers.predicted[rows] == code).mean() > 0.5 or o <= e:
        return 0.0
    rest = (n - o) * np.log((n - o) / (n - e)) if o < n else 0.0
    return o * np.log(o / e) + rest


@pytest.mark.parametrize("seed", range(4))
def test_statistic_is_its_definition(seed):
    X, y, p = two_clouds(seed, planted=8)
    neighbours = neighbours_of(X)
    parts = parts_of(neighbours, y)
    answers = NullHypothesis(neighbours, p.argmax(axis=1), p)
    ours = scan_statistics(answers, y, parts)
    assert ours.any()
    expected = [literal_statistic(answers, y, parts, i) for i in range(parts.sizes.size)]
    np.testing.assert_allclose(ours, expected)


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_group_is_flagged(seed):
    values, parts = p_values(seed, planted=9)
    planted = parts.labels[-1]
    assert values[planted] <= LEVEL


def test_false_flags_are_as_rare_as_promised():
    """Under the null hypothesis itself; 60 data sets, of which 5 % may be flagged."""
    flagged = sum((p_values(seed, n_draws=59)[0] <= LEVEL).any() for seed in range(60))
    assert flagged <= 7  # more has a chance of 2 % at a rate of 5 %


def test_a_model_that_misses_nothing_is_not_flagged():
    X, y, p = two_clouds(0)
    neighbours = neighbours_of(X)
    parts = parts_of(neighbours, y)
    assert (missed_p_values(NullHypothesis(neighbours, y, p), y, parts, seed=0) == 1).all()


def test_small_fragments_are_never_flagged():
    values, parts = p_values(0, planted=4)
    assert values[parts.labels[-1]] == 1


def test_one_seed_one_answer():
    first, _ = p_values(3, planted=7)
    again, _ = p_values(3, planted=7)
    np.testing.assert_array_equal(first, again)


def drawn(seed, n=3000, slope=2.0, noise=0.0):
    """Scores whose true probabilities are known."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    p = (1 - noise) * expit(slope * x - 1) + noise * 0.3
    y = (rng.random(n) < p).astype(int)
    return np.column_stack([-x / 2, x / 2]), y, p


def test_agrees_with_logistic_regression_where_that_is_right():
    scores, y, _ = drawn(0)
    ours = joint_probabilities([scores], y)[:, 1]
    x = scores[:, 1:] * 2
    theirs = LogisticRegression(C=1e6).fit(x, y).predict_proba(x)[:, 1]
    assert np.abs(ours - theirs).max() < 0.02


def test_noise_keeps_certainty_in_bounds():
    scores, y, p = drawn(1, slope=30.0, noise=0.2)
    ours = joint_probabilities([scores], y)[:, 1]
    assert np.abs(ours - p).mean() < 0.03
    assert ours.min() > 0.02


def test_a_useless_model_beside_a_good_one_does_no_harm():
    scores, y, p = drawn(2)
    useless = np.random.default_rng(0).normal(size=scores.shape)
    ours = joint_probabilities([useless, scores], y)[:, 1]
    assert np.abs(ours - p).mean() < 0.03


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_rows_sum_to_one(n_classes):
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, size=200)
    p = joint_probabilities([rng.normal(size=(200, n_classes))] * 2, y)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p > 0).all()


def test_as_if_best_makes_every_answer_the_likeliest():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), size=500)
    predicted = rng.integers(0, 4, size=500)
    best = as_if_best(p, predicted)
    np.testing.assert_allclose(best.sum(axis=1), 1)
    own = best[np.arange(500), predicted]
    assert (own >= best.max(axis=1) - 1e-12).all()


def test_as_if_best_is_the_nearest_such_point():
    """Against a quadratic program's solution on a grid of three classes."""
    p, predicted = np.array([[0.5, 0.1, 0.4]]), np.array([1])
    np.testing.assert_allclose(as_if_best(p, predicted), [[1 / 3, 1 / 3, 1 / 3]])
    grid = np.array(
        [(a, b, 1 - a - b) for a in np.linspace(0, 1, 101) for b in np.linspace(0, 1 - a, 101)]
    )
    allowed = grid[(grid[:, 1] >= grid[:, 0]) & (grid[:, 1] >= grid[:, 2])]
    nearest = allowed[((allowed - p) ** 2).sum(axis=1).argmin()]
    np.testing.assert_allclose(nearest, [1 / 3, 1 / 3, 1 / 3], atol=0.02)


def test_as_if_best_leaves_right_answers_alone():
    p = np.random.default_rng(0).dirichlet(np.ones(3), size=50)
    np.testing.assert_array_equal(as_if_best(p, p.argmax(axis=1)), p)


@pytest.mark.parametrize("shape", [(20, 1), (6, 40), (500, 30)])
def test_the_smooth_model_takes_tables_of_any_shape(shape):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape), np.arange(shape[0]) % 2
    assert smooth_model(*shape).fit(X, y).predict_proba(X).shape == (shape[0], 2)


def test_bins_hold_equally_many_rows():
    values = np.random.default_rng(0).permutation(np.arange(N_BINS * 7.0))
    cut = intervals_of(features_of(values[:, None]))
    assert np.bincount(cut.bins[:, 0])[:N_BINS].tolist() == [7] * N_BINS
    order = np.argsort(values)
    assert (np.diff(cut.bins[order, 0]) >= 0).all()


def test_equal_values_share_a_bin_and_missing_ones_have_their_own():
    values = np.array([0.0] * 50 + [1.0] * 3 + [np.nan] * 7)
    bins = intervals_of(features_of(values[:, None])).bins[:, 0]
    assert len(set(bins[:50])) == 1
    assert len(set(bins[50:53])) == 1
    assert bins[0] != bins[50]
    assert (bins[53:] == MISSING_BIN).all()


def test_a_column_without_any_value():
    cut = intervals_of(features_of(np.column_stack([np.full(5, np.nan), np.arange(5)])))
    assert (cut.bins[:, 0] == MISSING_BIN).all()


def test_categories_stand_alone_and_rare_ones_together():
    kinds = [f"k{i}" for i in range(20) for _ in range(40 - i)]
    cut = intervals_of(features_of(pd.DataFrame({"kind": kinds})))
    whole = cut.members.shape[1] - 1
    for number in range(whole):
        inside = cut.inside(0, number)
        rare = {f"k{i}" for i in range(N_BINS - 1, 20)}
        assert len({kinds[i] for i in np.flatnonzero(inside)} - rare) <= 1
    assert cut.inside(0, whole).all()


def test_intervals_of_numbers_are_runs():
    cut = intervals_of(features_of(np.arange(64.0)[:, None]))
    for number in range(cut.members.shape[1] - 1):
        rows = np.flatnonzero(cut.inside(0, number))
        assert rows.size <= 64 // 4
        assert not rows.size or rows[-1] - rows[0] + 1 == rows.size


@pytest.mark.parametrize(
    ("rows", "column", "words"),
    [
        ([0, 1], 0, "size from 1 to 2.5"),
        ([2], 0, "size = 3"),
        ([3], 0, "size missing"),
        ([0, 2], 1, "kind = red"),
    ],
)
def test_words(rows, column, words):
    frame = pd.DataFrame({"size": [1, 2.5, 3, np.nan], "kind": ["red", "blue", "red", "blue"]})
    inside = np.isin(np.arange(4), rows)
    assert interval_words(features_of(frame), inside, column) == words
