from functools import partial

import numpy as np
import pandas as pd
import pytest

from kpboost.auditing._boxes import MISSING_BIN, N_BINS, interval_words, intervals_of
from kpboost.auditing._null import NullHypothesis
from kpboost.auditing._parts import parts_of, places_of
from kpboost.auditing._significance import (
    LEVEL,
    Chance,
    chance_of,
    highest_of_parts,
    scan_statistics,
    shares,
)
from kpboost.datasets import features_of
from kpboost.disjuncts import NOBODY


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
    places = places_of(X)
    parts = parts_of(places, y)
    answers = NullHypothesis(places, p.argmax(axis=1), p)
    return corrected(answers, y, parts, seed=seed, **options), parts


def corrected(answers, y, parts, **options):
    chance = chance_of([partial(highest_of_parts, answers)], answers, y, **options)
    return chance.p_values(0, scan_statistics(answers, y, parts))


def literal_statistic(answers, codes, parts, number):
    """The definition, word by word."""
    rows = np.flatnonzero(parts.labels == number)
    here = set(answers.places.numbers[rows].tolist())
    near = {place for own in here for place in answers.places.around[own].tolist()} - {NOBODY}
    around = np.flatnonzero(np.isin(answers.places.numbers, sorted(here | near)))
    code = parts.owners[number]
    n, o = len(around), int((codes[around] == code).sum())
    e = answers.probabilities[around, code].sum()
    if rows.size < 5 or (answers.predicted[rows] == code).mean() > 0.5 or o <= e:
        return 0.0
    rest = (n - o) * np.log((n - o) / (n - e)) if o < n else 0.0
    return o * np.log(o / e) + rest


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("step", [0, 0.5])
def test_statistic_is_its_definition(seed, step):
    X, y, p = two_clouds(seed, planted=8)
    X = np.round(X / step) * step if step else X
    places = places_of(X)
    parts = parts_of(places, y)
    answers = NullHypothesis(places, p.argmax(axis=1), p)
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
    places = places_of(X)
    parts = parts_of(places, y)
    assert (corrected(NullHypothesis(places, y, p), y, parts, seed=0) == 1).all()


def test_small_fragments_are_never_flagged():
    values, parts = p_values(0, planted=4)
    assert values[parts.labels[-1]] == 1


def test_one_seed_one_answer():
    first, _ = p_values(3, planted=7)
    again, _ = p_values(3, planted=7)
    np.testing.assert_array_equal(first, again)


def searched_by_chance(rng, n_draws=39):
    """Two searches that agree in part; the data are as good as any draw."""
    common = rng.exponential(size=(n_draws + 1, 1))
    highest = np.maximum(common + rng.exponential(size=(n_draws + 1, 2)) - 0.8, 0)
    return Chance(highest[0], highest[1:])


def test_two_searches_share_the_level_exactly():
    """The smaller of two p-values is too small; against its own distribution it is not."""
    rng = np.random.default_rng(0)
    chances = [searched_by_chance(rng) for _ in range(2000)]
    joint = [min(float(c.p_values(s, c.data[s])) for s in (0, 1)) for c in chances]
    alone = [min(float(shares(c.data[s], c.draws[:, s])) for s in (0, 1)) for c in chances]
    # Three standard deviations of a share of 0.05 in 2000 are 0.015.
    assert np.mean(np.array(alone) <= LEVEL) > 0.065
    assert np.mean(np.array(joint) <= LEVEL) < 0.065
    assert np.mean(np.array(joint) <= 0.5) < 0.535
    assert np.mean(np.array(joint) <= LEVEL) > 0.02


def test_joint_p_values_are_those_of_their_definition():
    rng = np.random.default_rng(1)
    chance = searched_by_chance(rng, n_draws=99)
    pool = np.vstack([chance.data, chance.draws])
    each = [[(pool[:, s] >= value).mean() for s, value in enumerate(row)] for row in pool]
    smallest = np.min(each, axis=1)
    for search in (0, 1):
        own = (smallest[1:] <= each[0][search]).sum()
        expected = (1 + own) / 100
        assert float(chance.p_values(search, chance.data[search])) == pytest.approx(expected)


def test_a_search_in_which_chance_finds_nothing_costs_nothing():
    rng = np.random.default_rng(2)
    draws = np.column_stack([rng.random(199), np.zeros(199)])
    two, one = Chance(np.array([0.9, 0.0]), draws), Chance(np.array([0.9]), draws[:, :1])
    statistics = np.array([0.97, 0.9, 0.4, 0.0])
    np.testing.assert_allclose(two.p_values(0, statistics), one.p_values(0, statistics), atol=0.005)
    np.testing.assert_allclose(
        one.p_values(0, statistics)[:3], shares(statistics, draws[:, 0])[:3], atol=0.0051
    )
    assert two.p_values(0, statistics)[-1] == 1


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
