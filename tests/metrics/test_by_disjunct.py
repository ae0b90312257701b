"""The GSDI: by hand, next to its formula spelt out, and at any size."""

import pickle
from math import exp, log, sqrt

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from kpboost.metrics import geometric_mean_score, gsdi_score, gsdi_scorer
from kpboost.metrics._by_disjunct import log_size_weights, sizes_of
from kpboost.svm import KernelSVC

MANY = settings(max_examples=80, deadline=None)

# Class "a": disjunct 0 of 3 points, all right; class "b": disjunct 1 of 2 points, one right, and
# disjunct 2 of 1 point, right.
Y_TRUE = ["a", "a", "a", "b", "b", "b"]
Y_PRED = ["a", "a", "a", "b", "a", "b"]
DISJUNCTS = [0, 0, 0, 1, 1, 2]


@st.composite
def cases(draw):
    """Labels, predictions, disjuncts numbered over all classes, and sizes of a whole data set."""
    n_classes = draw(st.integers(1, 4))
    n_disjuncts = [draw(st.integers(1, 4)) for _ in range(n_classes)]
    owner = np.repeat(np.arange(n_classes), n_disjuncts)
    anywhere = st.integers(0, owner.size - 1)
    disjuncts = np.array(draw(st.lists(anywhere, min_size=1, max_size=40)))
    y_true = owner[disjuncts]
    hits = draw(st.lists(st.booleans(), min_size=y_true.size, max_size=y_true.size))
    outside = np.bincount(disjuncts, minlength=owner.size)
    more = draw(st.lists(st.integers(0, 9), min_size=owner.size, max_size=owner.size))
    return y_true, np.where(hits, y_true, -1), disjuncts, outside + np.array(more) + 1


def brute_force(y_true, y_pred, disjuncts, weight_of_size, sizes):
    scores = []
    for label in np.unique(y_true):
        top = bottom = 0.0
        for disjunct in np.unique(disjuncts[y_true == label]):
            here = disjuncts == disjunct
            weight = weight_of_size(sizes[disjunct])
            top += weight * np.sum(y_pred[here] == label) / np.sum(here)
            bottom += weight
        scores.append(top / bottom)
    return np.prod(scores) ** (1 / len(scores))


def released_weight(n):
    """Weights as the released code computes them: min(1, exp(-(a s + b)))."""
    start = min(0.1 * n, 10)
    a = np.log(10) / (n / 2 - start)
    b = -a * start
    return lambda size: min(1.0, exp(-(a * size + b)))


def test_by_hand():
    b = (exp(-2) * 1 / 2 + exp(-1) * 1) / (exp(-2) + exp(-1))
    assert gsdi_score(Y_TRUE, Y_PRED, disjuncts=DISJUNCTS) == pytest.approx(sqrt(1 * b), rel=1e-14)


def test_sizes_are_those_of_the_whole_data_set():
    b = (exp(-4) * 1 / 2 + exp(-7) * 1) / (exp(-4) + exp(-7))
    ours = gsdi_score(Y_TRUE, Y_PRED, disjuncts=DISJUNCTS, disjunct_sizes=[3, 4, 7])
    assert ours == pytest.approx(sqrt(1 * b), rel=1e-14)
    assert ours != pytest.approx(gsdi_score(Y_TRUE, Y_PRED, disjuncts=DISJUNCTS), rel=1e-3)


@MANY
@given(cases())
def test_the_published_formula(case):
    y_true, y_pred, disjuncts, sizes = case
    ours = gsdi_score(y_true, y_pred, disjuncts=disjuncts, disjunct_sizes=sizes)
    expected = brute_force(y_true, y_pred, disjuncts, lambda size: exp(-size), sizes)
    assert ours == pytest.approx(expected, rel=1e-9)


@MANY
@given(cases())
def test_the_released_weights(case):
    y_true, y_pred, disjuncts, sizes = case
    ours = gsdi_score(
        y_true, y_pred, disjuncts=disjuncts, disjunct_sizes=sizes, size_weighting="scaled_exp"
    )
    expected = brute_force(y_true, y_pred, disjuncts, released_weight(sizes.sum()), sizes)
    assert ours == pytest.approx(expected, rel=1e-9)


@MANY
@given(cases(), st.integers(1, 10**9))
def test_a_common_growth_of_all_disjuncts_changes_nothing(case, growth):
    y_true, y_pred, disjuncts, sizes = case
    small, large = (
        gsdi_score(y_true, y_pred, disjuncts=disjuncts, disjunct_sizes=each)
        for each in (sizes, sizes + growth)
    )
    assert large == pytest.approx(small, rel=1e-9)


def test_large_sizes_keep_all_digits():
    """Sums whose logarithms are near -1e12 would differ by less than those have digits."""
    score = gsdi_score(
        Y_TRUE, Y_PRED, disjuncts=DISJUNCTS, disjunct_sizes=np.array([3, 2, 1]) + 10**12
    )
    assert score == pytest.approx(gsdi_score(Y_TRUE, Y_PRED, disjuncts=DISJUNCTS), rel=1e-14)


@MANY
@given(cases())
def test_one_disjunct_per_class_is_the_geometric_mean(case):
    y_true, y_pred, _, _ = case
    ours = gsdi_score(y_true, y_pred, disjuncts=y_true)
    assert ours == pytest.approx(geometric_mean_score(y_true, y_pred), abs=1e-12)


@MANY
@given(cases())
def test_one_more_correct_point_never_hurts(case):
    y_true, y_pred, disjuncts, sizes = case
    better = y_pred.copy()
    better[0] = y_true[0]
    low, high = (
        gsdi_score(y_true, each, disjuncts=disjuncts, disjunct_sizes=sizes)
        for each in (y_pred, better)
    )
    assert low <= high * (1 + 1e-12)
    assert 0.0 <= low <= 1.0


@pytest.mark.parametrize("weighting", ["exp", "scaled_exp"])
@pytest.mark.parametrize("size", [1, 1000, 10**6, 10**12])
def test_perfect_is_exactly_one_at_any_size(weighting, size):
    sizes = np.array([size, 3 * size, 2 * size])
    score = gsdi_score(
        Y_TRUE, Y_TRUE, disjuncts=DISJUNCTS, disjunct_sizes=sizes, size_weighting=weighting
    )
    assert score == 1.0


def test_no_underflow_at_any_size():
    """exp(-size) is 0 for each disjunct here, and one class score is exp(-1000)."""
    y_pred = ["a", "a", "a", "b", "b", "a"]
    score = gsdi_score(Y_TRUE, y_pred, disjuncts=DISJUNCTS, disjunct_sizes=[5000, 3000, 2000])
    assert score == pytest.approx(exp(-500), rel=1e-9)
    assert exp(-2000) == exp(-1000) == 0.0


def test_many_classes_do_not_underflow():
    """Each of 50 classes loses its small disjunct: scores of exp(-40), whose product is 0."""
    classes = np.repeat(np.arange(50), 2)
    small = np.tile([True, False], 50)
    score = gsdi_score(
        classes,
        np.where(small, -1, classes),
        disjuncts=np.arange(100),
        disjunct_sizes=np.where(small, 10, 50),
    )
    assert score == pytest.approx(exp(-40), rel=1e-9)


def test_disjuncts_without_test_points_are_skipped():
    """Sizes of disjuncts that the fold lacks do not enter, however small they are."""
    sizes = {0: 3, 1: 2, 2: 1, "unseen": 1, "also unseen": 1}
    assert gsdi_score(Y_TRUE, Y_PRED, disjuncts=DISJUNCTS, disjunct_sizes=sizes) == gsdi_score(
        Y_TRUE, Y_PRED, disjuncts=DISJUNCTS
    )


def test_unseen_disjuncts_count_in_the_size_of_the_data_set():
    scores = [
        gsdi_score(
            Y_TRUE,
            Y_PRED,
            disjuncts=DISJUNCTS,
            disjunct_sizes=[40, 60, 20, unseen],
            size_weighting="scaled_exp",
        )
        for unseen in (1, 10_000)
    ]
    assert scores[0] != scores[1]


def test_a_class_lost_entirely_is_zero():
    assert gsdi_score(Y_TRUE, ["a"] * 6, disjuncts=DISJUNCTS) == 0.0


def test_a_weight_is_a_repetition():
    weight = np.array([1, 0, 2, 3, 2, 1])
    repeated = (np.repeat(each, weight) for each in (Y_TRUE, Y_PRED, DISJUNCTS))
    y_true, y_pred, disjuncts = repeated
    assert gsdi_score(Y_TRUE, Y_PRED, disjuncts=DISJUNCTS, sample_weight=weight) == pytest.approx(
        gsdi_score(y_true, y_pred, disjuncts=disjuncts)
    )


def test_sizes_by_name_in_any_order():
    names = np.array(["first", "second", "third"])[DISJUNCTS]
    expected = gsdi_score(Y_TRUE, Y_PRED, disjuncts=DISJUNCTS, disjunct_sizes=[3, 4, 7])
    sizes = {"third": 7, "first": 3, "second": 4}
    for each in (sizes, pd.Series(sizes)):
        assert gsdi_score(Y_TRUE, Y_PRED, disjuncts=names, disjunct_sizes=each) == expected
    # The index of a series counts, not its order, as value_counts sorts by size.
    counted = pd.Series([7, 4, 3], index=[2, 1, 0])
    assert gsdi_score(Y_TRUE, Y_PRED, disjuncts=DISJUNCTS, disjunct_sizes=counted) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"disjuncts": [0, 0, 0, 1, 1]}, "disjuncts has 5 entries for 6 points"),
        ({"disjuncts": [0, 0, 0, 1, 0, 2]}, "Disjunct 0 has points of the classes"),
        ({"disjuncts": [0, 0, 0, 1, 1, np.nan]}, "missing values"),
        ({"disjunct_sizes": [3, 2]}, "no size for disjunct 2"),
        ({"disjunct_sizes": {0: 3, 1: 2}}, "no size for disjunct 2"),
        ({"disjuncts": [0, 0, 0, 1, 1, -1], "disjunct_sizes": [3, 2, 1]}, "disjunct -1"),
        ({"disjunct_sizes": [3, 2, 0]}, "at least 1"),
        ({"disjunct_sizes": [3, 2, 1, -1]}, "whole numbers"),
        ({"disjunct_sizes": [3, 2, 1.5]}, "whole numbers"),
        ({"disjunct_sizes": [3, 2, np.nan]}, "whole numbers"),
        ({"disjunct_sizes": [3, 2, np.inf]}, "whole numbers"),
        ({"disjunct_sizes": [[3, 2, 1]]}, r"shape \(1, 3\)"),
        ({"size_weighting": "released"}, "'exp' or 'scaled_exp'"),
    ],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        gsdi_score(Y_TRUE, Y_PRED, **({"disjuncts": DISJUNCTS} | options))


# The two weightings at the points that define them.


@pytest.mark.parametrize("n", [30, 100, 366, 10_000])
def test_scaled_weights_are_one_at_first_and_a_tenth_at_half(n):
    full = min(0.1 * n, 10)
    sizes = np.array([1.0, full, n / 2])
    assert_allclose(log_size_weights(sizes, n, "scaled_exp"), [0, 0, -log(10)], atol=1e-12)


def test_weights_fall_with_size():
    sizes = np.arange(1.0, 400.0)
    for weighting in ("exp", "scaled_exp"):
        assert np.all(np.diff(log_size_weights(sizes, 400, weighting)) <= 0)


def test_exp_is_minus_the_size():
    assert_array_equal(log_size_weights(np.array([1.0, 1e6]), 1e7, "exp"), [-1.0, -1e6])


def test_sizes_of_those_in_question_and_of_all():
    sizes, total, n_known = sizes_of(np.array([3, 1]), [5, 6, 0, 8])
    assert_array_equal(sizes, [8, 6])
    assert (total, n_known) == (19, 3)


# The scorer inside scikit-learn's searches, with disjuncts routed to every fold.


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture
def data():
    """Two classes with a large and a small blob each, and the blob of every row."""
    rng = np.random.default_rng(0)
    sizes = np.array([60, 8, 40, 6])
    disjuncts = np.repeat(np.arange(4), sizes)
    centres = np.array([[0, 0], [3, 3], [3, 0], [0, 3]])
    X = centres[disjuncts] + rng.normal(size=(disjuncts.size, 2))
    return X, disjuncts // 2, disjuncts, sizes


def by_hand(model, X, y, disjuncts, sizes, folds):
    scores = []
    for train, test in folds.split(X, y):
        predicted = model.fit(X[train], y[train]).predict(X[test])
        scores.append(
            gsdi_score(y[test], predicted, disjuncts=disjuncts[test], disjunct_sizes=sizes)
        )
    return scores


@pytest.mark.usefixtures("routing")
def test_cross_validation_gives_each_fold_its_disjuncts(data):
    X, y, disjuncts, sizes = data
    model, folds = DecisionTreeClassifier(random_state=0), StratifiedKFold(4)
    scores = cross_validate(
        model, X, y, scoring=gsdi_scorer(sizes), cv=folds, params={"disjuncts": disjuncts}
    )
    expected = by_hand(model, X, y, disjuncts, sizes, folds)
    assert_allclose(scores["test_score"], expected)
    assert 0 < np.mean(expected) < 1


@pytest.mark.usefixtures("routing")
def test_grid_search_from_end_to_end(data):
    X, y, disjuncts, sizes = data
    model = make_pipeline(StandardScaler(), KernelSVC())
    grid = {"kernelsvc__gamma": [0.01, 0.1, 1.0, 10.0]}
    scoring = {"gsdi": gsdi_scorer(sizes), "gmean": make_scorer(geometric_mean_score)}
    folds = StratifiedKFold(3)
    search = GridSearchCV(model, grid, scoring=scoring, refit="gsdi", cv=folds)
    search.fit(X, y, disjuncts=disjuncts)
    means = [
        np.mean(by_hand(model.set_params(kernelsvc__gamma=g), X, y, disjuncts, sizes, folds))
        for g in grid["kernelsvc__gamma"]
    ]
    assert_allclose(search.cv_results_["mean_test_gsdi"], means)
    assert search.best_index_ == int(np.argmax(means))
    assert np.ptp(means) > 0.01


@pytest.mark.usefixtures("routing")
def test_the_milder_weights_are_passed_on(data):
    X, y, disjuncts, sizes = data
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    score = gsdi_scorer(sizes, size_weighting="scaled_exp")(model, X, y, disjuncts=disjuncts)
    options = {"disjuncts": disjuncts, "disjunct_sizes": sizes}
    predicted = model.predict(X)
    assert score == gsdi_score(y, predicted, size_weighting="scaled_exp", **options)
    assert score != gsdi_score(y, predicted, **options)


@pytest.mark.usefixtures("routing")
def test_the_scorer_travels_to_other_processes(data):
    X, y, disjuncts, sizes = data
    model, scorer = DecisionTreeClassifier(max_depth=2).fit(X, y), gsdi_scorer(sizes)
    there = pickle.loads(pickle.dumps(scorer))
    assert there(model, X, y, disjuncts=disjuncts) == scorer(model, X, y, disjuncts=disjuncts)


def test_without_routing_it_says_what_to_do():
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        gsdi_scorer([1, 2])
