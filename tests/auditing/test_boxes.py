from functools import partial
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency
from sklearn.metrics import roc_auc_score

from kpboost.auditing import audit
from kpboost.auditing._boxes import (
    MOST_COLUMNS,
    BoxSearch,
    intervals_of,
    log_prior,
    most_striking_first,
    what_columns_tell,
)
from kpboost.auditing._findings import _order, _separation, describe
from kpboost.auditing._null import NullHypothesis
from kpboost.auditing._parts import Parts, parts_of, places_of
from kpboost.auditing._significance import LEVEL, chance_of, highest_of_parts, scan_statistics
from kpboost.datasets import features_of
from support.planted_data import planted


def noise(seed, n_rows=300, n_columns=4, planted_rows=0):
    """Labels drawn from known probabilities, and rows of class 1 in a corner of two columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    p = np.full(n_rows, 0.2)
    y = (rng.random(n_rows) < p).astype(np.intp)
    corner = np.argsort(np.hypot(X[:, 0] - 1, X[:, 2] + 1))[:planted_rows]
    y[corner] = 1
    answers = NullHypothesis(np.zeros((n_rows, 1), np.intp), np.zeros(n_rows, int), np.c_[1 - p, p])
    return features_of(X), answers, y, np.sort(corner)


def boxes_of(columns, answers, codes, *, seed=0, n_draws=199):
    """Missed boxes where every row is a part by itself, too small to be tested."""
    search = BoxSearch(columns, answers)
    alone = Parts(np.arange(codes.size), codes, np.ones(codes.size, dtype=np.intp))
    searches = [lambda _: 0.0, search.highest]
    chance = chance_of(searches, answers, codes, seed=seed, n_draws=n_draws)
    return most_striking_first(answers, codes, alone, search, chance)[1]


def literal_telling(bins, predicted):
    """Information on the predictions beyond chance, by scipy's G test."""
    if len(set(predicted)) == 1:
        return 0.0
    table = pd.crosstab(bins, predicted)
    g, _, freedom, _ = chi2_contingency(table, correction=False, lambda_="log-likelihood")
    return max(g - freedom - 2 * np.sqrt(2 * freedom), 0.0)


def literal_prior(columns, answers):
    """Half even, half by what columns tell."""
    bins, n_columns = intervals_of(columns).bins, len(columns.names)
    telling = np.array([literal_telling(column, answers.predicted) for column in bins.T])
    if not telling.any():
        return np.full(n_columns, 1 / n_columns)
    return 0.5 / n_columns + 0.5 * telling / telling.sum()


def literal_top(columns, answers, codes):
    """The definition, box by box."""
    cut, best = intervals_of(columns), 0.0
    n_intervals = cut.members.shape[1]
    prior = literal_prior(columns, answers) * len(columns.names)
    for first, second in combinations(range(len(columns.names)), 2):
        more = np.log(prior[first]) + np.log(prior[second])
        for one in range(n_intervals):
            for two in range(n_intervals):
                if one == two == n_intervals - 1:
                    continue
                inside = cut.inside(first, one) & cut.inside(second, two)
                for code in range(answers.probabilities.shape[1]):
                    own = literal_statistic(inside, answers, codes, code)
                    best = max(best, own + more if own else 0.0)
    return best


def literal_statistic(inside, answers, codes, code):
    own = inside & (codes == code)
    n, o, e = inside.sum(), own.sum(), answers.probabilities[inside, code].sum()
    if o < 5 or (answers.predicted[own] == code).mean() > 0.5 or o <= e:
        return 0.0
    return o * np.log(o / e) + ((n - o) * np.log((n - o) / (n - e)) if o < n else 0.0)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("follows", [False, True])
def test_the_most_striking_box_is_that_of_the_definition(seed, follows):
    columns, answers, y, _ = noise(seed, n_rows=60, n_columns=3)
    if follows:  # the predictions follow a column, which has the larger prior
        predicted = (columns.values[:, 1] > 0.3).astype(np.intp)
        answers = NullHypothesis(answers.places, predicted, answers.probabilities)
        assert literal_prior(columns, answers)[1] > 0.5
    top = BoxSearch(columns, answers).top(y)
    assert top.statistic == pytest.approx(literal_top(columns, answers, y), rel=1e-5)
    assert top.statistic > 0


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_corner_is_found_with_its_limits(seed):
    columns, answers, y, corner = noise(seed, planted_rows=12)
    (box, *_) = boxes_of(columns, answers, y, seed=seed)
    assert box.code == 1
    assert np.isin(corner, box.rows).mean() >= 0.5
    assert (y[box.rows] == 1).all()
    assert "x0 from" in box.where
    assert "x2 from" in box.where


def test_false_flags_are_as_rare_as_promised():
    """Under the null hypothesis itself; 60 data sets, of which 5 % may be flagged."""
    flagged = 0
    for seed in range(60):
        columns, answers, y, _ = noise(seed, n_rows=150)
        flagged += bool(boxes_of(columns, answers, y, seed=seed, n_draws=39))
    assert flagged <= 7  # more has a chance of 2 % at a rate of 5 %


def test_a_sharp_box_is_told_before_the_large_part_that_it_makes_striking():
    """One place in four holds the class; rows of a box in it are more than was expected."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, size=(600, 2)), rng.normal(size=600)])
    p = np.where(X[:, 0] + X[:, 1] == 2, 0.3, 0.05)
    inside = (X[:, 0] + X[:, 1] == 2) & (np.abs(X[:, 2]) < 0.35)
    y = ((rng.random(600) < p) | inside).astype(np.intp)
    places = places_of(X[:, :2])
    null = NullHypothesis(places, np.zeros(600, dtype=int), np.c_[1 - p, p])
    parts, search = parts_of(places, y), BoxSearch(features_of(X), null)
    chance = chance_of([partial(highest_of_parts, null), search.highest], null, y, seed=0)
    part = parts.labels[np.flatnonzero(inside)[0]]
    before = chance.p_values(0, scan_statistics(null, y, parts))[part]
    after, boxes = most_striking_first(null, y, parts, search, chance)
    assert before <= LEVEL < after[part]
    assert inside[boxes[0].rows].mean() > 0.5


def test_no_row_is_told_twice_and_not_too_much_is(monkeypatch):
    monkeypatch.setattr("kpboost.auditing._boxes.MOST_BOXES", 2)
    columns, answers, y, _ = noise(0, n_rows=900)
    squares = np.floor(2 * columns.values[:, :2]).sum(axis=1)
    y = (squares % 2).astype(np.intp)  # a chessboard, of which the model sees nothing
    found = boxes_of(columns, answers, y, n_draws=39)
    rows = np.concatenate([box.rows for box in found])
    assert len(found) == 2
    assert np.unique(rows).size == rows.size


def test_a_model_that_misses_nothing_has_no_box():
    columns, answers, y, _ = noise(0)
    right = NullHypothesis(answers.places, y, answers.probabilities)
    assert boxes_of(columns, right, y) == []


def test_one_column_and_categories_are_enough():
    rng = np.random.default_rng(0)
    kind = rng.choice(["red", "green", "blue", None], size=300)
    frame = pd.DataFrame({"kind": kind, "size": rng.normal(size=300), "same": 1.0})
    p = np.full(300, 0.1)
    answers = NullHypothesis(np.zeros((300, 1), np.intp), np.zeros(300, int), np.c_[1 - p, p])
    for where, words in ((kind == "blue", "kind = blue"), (pd.isna(kind), "kind missing")):
        (box, *_) = boxes_of(features_of(frame), answers, where.astype(np.intp))
        assert box.where == words
        assert where[box.rows].all()


def test_of_many_columns_those_that_tell_of_the_predictions_are_paired():
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(300, MOST_COLUMNS + 10))
    predicted = (columns[:, -1] > 0.5).astype(np.intp)
    columns[:, 0] = 3
    p = np.full(300, 0.1)
    answers = NullHypothesis(np.zeros((300, 1), np.intp), predicted, np.c_[1 - p, p])
    pairs = BoxSearch(features_of(columns), answers)._pairs
    assert len(pairs) == MOST_COLUMNS * (MOST_COLUMNS - 1) // 2
    assert any(columns.shape[1] - 1 in pair for pair in pairs)


def test_what_columns_tell_is_the_g_test_of_scipy():
    rng = np.random.default_rng(0)
    predicted = rng.integers(0, 3, 400)
    bins = np.column_stack([4 * predicted + rng.integers(0, 4, 400), rng.integers(0, 16, 400)])
    telling = what_columns_tell(bins, predicted)
    np.testing.assert_allclose(telling, [literal_telling(column, predicted) for column in bins.T])
    assert telling[0] > 100
    assert telling[1] == 0


def test_the_prior_costs_little_and_gives_much():
    telling = np.array([100.0, 100.0, *np.zeros(18)])
    first, second = np.array([[0, 1], [0, 5], [5, 6]]).T
    both, one, none = log_prior(telling, first, second)
    assert none == pytest.approx(-np.log(4))
    assert both == pytest.approx(2 * np.log(5.5))
    assert none < one < both
    assert not log_prior(np.zeros(20), first, second).any()


def surely(seed):
    """p-values of a faint part in 2 of 20 columns, with the prior and with an even one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 20))
    predicted = ((X[:, 0] > 0.8) & (X[:, 1] > 0.5)).astype(np.intp)
    p = np.where(predicted == 1, 0.9, 0.15)
    y = (rng.random(600) < p).astype(np.intp)
    y[np.argsort(np.hypot(X[:, 0] + 1, X[:, 1] + 1))[:5]] = 1
    null = NullHypothesis(np.zeros((600, 1), np.intp), predicted, np.c_[1 - p, p])
    search, even = (BoxSearch(features_of(X), null) for _ in range(2))
    even._log_prior = np.zeros_like(even._log_prior)
    chances = [chance_of([s.highest], null, y, seed=0, n_draws=39) for s in (search, even)]
    return [float(each.p_values(0, each.data[0])) for each in chances]


def test_a_part_in_columns_that_the_predictions_follow_is_found_more_surely():
    found = np.array([surely(seed) for seed in range(6)])
    assert found[:, 0].mean() < found[:, 1].mean() - 0.1


@pytest.mark.parametrize("seed", range(3))
def test_an_audit_finds_what_shows_in_two_of_ten_columns(seed):
    X, y, part = planted(seed)
    X = np.column_stack([X, np.random.default_rng(seed).normal(size=(len(y), 8))])
    found = audit(X, y, "svm", remedies="never")
    boxes = [each for each in found.missed if each.where]
    assert any((part[list(each.rows)] == 2).mean() > 0.5 for each in boxes)
    assert {each.name for each in boxes} == {f"rare/box {i + 1}" for i in range(len(boxes))}
    assert all(each.p_value <= LEVEL for each in boxes)


def described(frame, codes, predicted, rows):
    table = features_of(frame)
    data = SimpleNamespace(table=table, points=table.values, codes=codes, names=["a", "b"])
    return describe(np.array(rows), data, predicted)


def test_columns_that_set_it_apart_are_named_first():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "same": rng.normal(size=40),
            "shifted": np.repeat([0.0, 9.0], [30, 10]) + rng.normal(size=40),
            "kind": ["x"] * 30 + ["y"] * 10,
        }
    )
    codes = np.repeat([1, 0, 0], [20, 10, 10])
    words = described(frame, codes, np.ones(40, dtype=int), range(30, 40))
    assert [trait.column for trait in words.from_own_class][:2] in (
        ["shifted", "kind"],
        ["kind", "shifted"],
    )
    assert {trait.here for trait in words.from_own_class if trait.column == "kind"} == {"y (100%)"}
    assert words.mistaken_for == {"b": 10}
    assert 30 <= words.medoid < 40
    assert len(words.wrong_neighbours) == 3


def test_separation_is_that_of_the_roc_curve():
    rng = np.random.default_rng(1)
    here, there = rng.normal(0.7, size=20), rng.normal(size=30)
    area = roc_auc_score(np.repeat([1, 0], [20, 30]), np.concatenate([here, there]))
    assert _order(here, there) == pytest.approx(2 * area - 1)


def test_the_middle_of_a_range_is_set_apart_too():
    there = np.concatenate([np.linspace(-9, -3, 20), np.linspace(3, 9, 20)])
    assert _separation(np.linspace(-1, 1, 10), there) == 1


def test_the_medoid_is_the_row_nearest_to_the_others():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 9.0, 50.0]})
    words = described(frame, np.array([0, 0, 0, 0, 1]), np.zeros(5, dtype=int), [0, 1, 2, 3])
    assert words.medoid in (1, 2)  # sums of distances 10 and 10


def test_a_whole_class_has_no_rest():
    frame = pd.DataFrame({"x": np.arange(10.0)})
    words = described(frame, np.repeat([0, 1], 5), np.ones(10, dtype=int), range(5))
    assert words.from_own_class == ()
    assert words.from_confusers
