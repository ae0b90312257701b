import numpy as np
import pytest

from kpboost.auditing._data import neighbours_of, parts_of
from kpboost.auditing._significance import LEVEL, NullHypothesis, missed_p_values, scan_statistics


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
