"""Folds for rare classes: StratifiedKFold where it works, the paper's subsamples where not."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from kpboost.metrics import imbalance_ratio
from kpboost.model_selection import RareClassKFold

MANY = settings(max_examples=60, deadline=None)


@st.composite
def rare_cases(draw):
    """Labels whose smallest class has fewer members than there are splits."""
    n_splits = draw(st.integers(3, 10))
    sizes = [draw(st.integers(2, n_splits - 1))]
    sizes += draw(st.lists(st.integers(2, 60), min_size=1, max_size=3))
    y = np.repeat(np.arange(len(sizes)), sizes)
    return n_splits, np.array(draw(st.permutations(y.tolist()))), draw(st.integers(0, 2**31))


@pytest.mark.parametrize("n_splits", [2, 5])
def test_enough_members_give_stratified_k_folds(n_splits):
    y = np.repeat(["a", "b", "c"], [30, 12, 5])
    ours = RareClassKFold(n_splits, random_state=4).split(y, y)
    theirs = StratifiedKFold(n_splits, shuffle=True, random_state=4).split(y, y)
    for our, their in zip(ours, theirs, strict=True):
        assert_array_equal(our[0], their[0])
        assert_array_equal(our[1], their[1])


@MANY
@given(rare_cases())
def test_every_split_has_every_class_on_both_sides(case):
    n_splits, y, seed = case
    splits = list(RareClassKFold(n_splits, random_state=seed).split(y, y))
    assert len(splits) == n_splits
    for train, test in splits:
        assert_array_equal(np.sort(np.r_[train, test]), np.arange(y.size))
        assert set(y[train]) == set(y[test]) == set(y)


@MANY
@given(rare_cases())
def test_the_imbalance_is_kept_up_to_rounding(case):
    n_splits, y, seed = case
    sizes = np.bincount(y)
    for _, test in RareClassKFold(n_splits, random_state=seed).split(y, y):
        tested = np.bincount(y[test])
        assert tested[sizes.argmin()] == 1
        assert np.all(np.abs(tested - sizes / sizes.min()) <= 0.5)


@MANY
@given(rare_cases())
def test_members_of_a_class_are_tested_equally_often(case):
    n_splits, y, seed = case
    times = np.zeros(y.size, dtype=int)
    for _, test in RareClassKFold(n_splits, random_state=seed).split(y, y):
        times[test] += 1
    for label in np.unique(y):
        assert np.ptp(times[y == label]) <= 1


def test_whole_ratios_are_kept_exactly():
    y = np.repeat([0, 1, 2], [90, 45, 9])
    for train, test in RareClassKFold(10, random_state=0).split(y, y):
        assert_array_equal(np.bincount(y[test]), [10, 5, 1])
        assert imbalance_ratio(y[train]) == imbalance_ratio(y[test]) == imbalance_ratio(y)


def test_each_draw_is_uniform():
    y = np.repeat([0, 1], [6, 2])
    times = np.zeros(y.size)
    n_draws = 800
    for seed in range(n_draws):
        _, test = next(RareClassKFold(3, random_state=seed).split(y, y))
        times[test] += 1
    # Each member with probability 1/2; five standard deviations of a binomial.
    assert np.all(np.abs(times - n_draws / 2) < 5 * np.sqrt(n_draws / 4))


def test_a_seed_gives_the_same_splits_again():
    y = np.repeat([0, 1], [40, 4])

    def tested(splitter):
        return [test.tolist() for _, test in splitter.split(y, y)]

    folds = RareClassKFold(6, random_state=1)
    assert tested(folds) == tested(folds) == tested(RareClassKFold(6, random_state=1))
    assert tested(folds) != tested(RareClassKFold(6, random_state=2))


@pytest.mark.filterwarnings("error")
def test_it_serves_scikit_learn():
    rng = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], [50, 4])
    X = rng.normal(size=(54, 3)) + 2.0 * (y == "yes")[:, None]
    folds = RareClassKFold(10, random_state=0)
    assert folds.get_n_splits(X, y) == 10
    assert cross_val_score(DecisionTreeClassifier(), X, y, cv=folds).shape == (10,)
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=folds)
    assert clone(search).fit(X, y).n_splits_ == 10
    assert repr(folds) == "RareClassKFold(n_splits=10, random_state=0)"


def test_a_class_of_one_is_refused():
    y = ["a"] * 20 + ["b"]
    with pytest.raises(ValueError, match="Class 'b' has 1 member"):
        next(RareClassKFold(5).split(y, y))


@pytest.mark.parametrize("n_splits", [1, 2.5, True, "5"])
def test_a_bad_number_of_splits_is_refused(n_splits):
    with pytest.raises(ValueError, match="n_splits="):
        RareClassKFold(n_splits)


def test_continuous_targets_are_refused():
    with pytest.raises(ValueError, match="continuous"):
        next(RareClassKFold(3).split(None, [0.1, 0.2, 0.7]))
