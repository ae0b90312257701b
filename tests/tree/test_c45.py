"""C4.5 next to Quinlan's own examples, a literal transcription, and its theorems."""

import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost._validation import categorical_mask
from kpboost.tree import C45Classifier
from kpboost.tree._c45 import encode, find_categories, training_cases
from support.reference import c45_real_cases as real_cases
from support.reference.c45 import C45
from support.reference.c45_random_cases import coded_nominals, random_cases

SHARED = real_cases.names()
WIDE = sorted(
    {"CNAE9_2", "CNAE9_35vs6789", "CNAE9_3vs4567", "mnist_2vs17", "mnist_6vs09"}.intersection(
        real_cases.names(1000)
    )
)
SUNNY, OVERCAST, RAIN = 0, 1, 2
# Quinlan's 14 days: outlook, temperature, humidity, windy, and whether to play.
WEATHER = np.array(
    [
        [SUNNY, 85, 85, 0, 0],
        [SUNNY, 80, 90, 1, 0],
        [OVERCAST, 83, 78, 0, 1],
        [RAIN, 70, 96, 0, 1],
        [RAIN, 68, 80, 0, 1],
        [RAIN, 65, 70, 1, 0],
        [OVERCAST, 64, 65, 1, 1],
        [SUNNY, 72, 95, 0, 0],
        [SUNNY, 69, 70, 0, 1],
        [RAIN, 75, 80, 0, 1],
        [SUNNY, 75, 70, 1, 1],
        [OVERCAST, 72, 90, 1, 1],
        [OVERCAST, 81, 75, 0, 1],
        [RAIN, 71, 80, 1, 0],
    ],
    dtype=float,
)
NAMES = ["outlook", "temperature", "humidity", "windy"]


def weather():
    return WEATHER[:, :-1].copy(), np.where(WEATHER[:, -1] == 1, "play", "stay")


def nested(tree, node=0):
    """(label, weights) of a leaf, (column, cut, branches) of a test."""
    first, count = tree.node_first_child_[node], tree.node_n_children_[node]
    if count == 0:
        return tree.node_class_[node], tree.node_class_weights_[node]
    branches = [nested(tree, first + branch) for branch in range(count)]
    return tree.node_feature_[node], tree.node_threshold_[node], branches


def assert_same_tree(ours, theirs):
    assert len(ours) == len(theirs)
    assert ours[0] == theirs[0]
    if len(ours) == 2:
        assert_allclose(ours[1], theirs[1], atol=2e-6)
        return
    assert ours[1] == theirs[1]
    assert len(ours[2]) == len(theirs[2])
    for our_branch, their_branch in zip(ours[2], theirs[2], strict=True):
        assert_same_tree(our_branch, their_branch)


def assert_follows_specification(X, y, weight, is_nominal, *, m=2, CF=0.25, **switches):
    names = {"raising": "subtree_raising"}
    ours = C45Classifier(
        min_leaf=m,
        confidence=CF,
        categorical_features=is_nominal,
        **{names.get(name, name): value for name, value in switches.items()},
    ).fit(X, y, weight)
    coded, n_values = coded_nominals(X, is_nominal)
    classes, codes = np.unique(y, return_inverse=True)
    theirs = C45(n_values, classes.size, m=m, CF=CF, **switches)
    theirs.fit(coded.tolist(), codes.tolist(), list(weight))
    assert_same_tree(nested(ours), theirs.root.as_tuple())
    shares = np.array([theirs.shares(x) for x in coded.tolist()])
    best = np.argmax(shares >= shares.max(axis=1, keepdims=True) - 1e-9, axis=1)
    assert_array_equal(ours.predict(X), classes[best])
    return ours


# ------------------------------------------------------------------------- Quinlan's own examples
def test_weather_with_numbers():
    X, y = weather()
    tree = C45Classifier(categorical_features=[0, 3]).fit(X, y)
    assert tree.export_text(NAMES) == (
        "outlook = 0:\n"
        "|   humidity <= 75: play (2.0)\n"
        "|   humidity > 75: stay (3.0)\n"
        "outlook = 1: play (4.0)\n"
        "outlook = 2:\n"
        "|   windy = 0: play (3.0)\n"
        "|   windy = 1: stay (2.0)\n"
    )
    assert (tree.n_leaves_, tree.max_depth_) == (5, 2)


def test_weather_with_names():
    """Temperature as hot, mild, cool, and humidity as high or normal: ID3's example."""
    X, y = weather()
    X[:, 1] = np.digitize(X[:, 1], [70.5, 80])
    X[:, 2] = X[:, 2] > 80
    X[[4, 9, 13], 2] = [0, 0, 1]  # 80 was normal on two days and high on one
    X[2, 2] = 1  # and so was 78
    tree = C45Classifier(categorical_features=[0, 1, 2, 3]).fit(X, y)
    outlook, _, (sunny, overcast, rain) = nested(tree)
    assert (outlook, sunny[0], rain[0]) == (0, 2, 3)
    assert_array_equal(overcast[1], [4, 0])
    assert_array_equal([leaf[1] for leaf in sunny[2]], [[2, 0], [0, 3]])
    assert_array_equal([leaf[1] for leaf in rain[2]], [[3, 0], [0, 2]])


def test_weather_with_a_missing_value():
    """The book's example: one outlook is unknown, and the case goes down all three branches."""
    X, y = weather()
    X[11, 0] = np.nan
    tree = C45Classifier(categorical_features=[0, 3], prune=False).fit(X, y)
    assert tree.export_text(NAMES) == (
        "outlook = 0:\n"
        "|   humidity <= 75: play (2.0)\n"
        "|   humidity > 75: stay (3.4/0.4)\n"
        "outlook = 1: play (3.2)\n"
        "outlook = 2:\n"
        "|   windy = 0: play (3.0)\n"
        "|   windy = 1: stay (2.4/0.4)\n"
    )
    # Sunny, and the humidity unknown: 2.0 / 5.4 * 100 % + 3.4 / 5.4 * 12 % = 44 % for play.
    case = [[SUNNY, 70, np.nan, 0]]
    shares = tree._leaf_sums(case, smoothing=0)
    assert_allclose(shares, [[0.44, 0.56]], atol=0.005)
    assert tree.predict(case) == "stay"


def test_contact_lenses():
    """24 fittings after Cendrowska, with the tree that WEKA's manual prints for J48."""
    none, soft, hard = 0, 1, 2
    grid = np.array(np.meshgrid([0, 1, 2], [0, 1], [0, 1], [0, 1], indexing="ij")).reshape(4, -1).T
    age, hypermetrope, astigmatic, tears = grid.T
    y = np.where(tears == 0, none, np.where(astigmatic == 0, soft, hard))
    y[(age == 2) & (hypermetrope == 0) & (astigmatic == 0)] = none
    y[(age >= 1) & (hypermetrope == 1) & (astigmatic == 1)] = none
    assert_array_equal(np.bincount(y), [15, 5, 4])
    tree = C45Classifier(categorical_features=[True] * 4).fit(grid, y)
    assert tree.export_text(["age", "prescription", "astigmatism", "tears"]) == (
        "tears = 0: 0 (12.0)\n"
        "tears = 1:\n"
        "|   astigmatism = 0: 1 (6.0/1.0)\n"
        "|   astigmatism = 1:\n"
        "|   |   prescription = 0: 2 (3.0)\n"
        "|   |   prescription = 1: 0 (3.0/1.0)\n"
    )


def test_iris_is_the_tree_that_everybody_knows():
    X, y = load_iris(return_X_y=True)
    assert C45Classifier().fit(X, y).export_text(["sl", "sw", "pl", "pw"]) == (
        "pw <= 0.6: 0 (50.0)\n"
        "pw > 0.6:\n"
        "|   pw <= 1.7:\n"
        "|   |   pl <= 4.9: 1 (48.0/1.0)\n"
        "|   |   pl > 4.9:\n"
        "|   |   |   pw <= 1.5: 2 (3.0)\n"
        "|   |   |   pw > 1.5: 1 (3.0/1.0)\n"
        "|   pw > 1.7: 2 (46.0/1.0)\n"
    )


# ---------------------------------------------------------------------------- the specification
@pytest.mark.parametrize("seed", range(60))
def test_transcription(seed):
    rng = np.random.default_rng([seed, 1])
    assert_follows_specification(
        *random_cases(seed),
        m=int(rng.choice([1, 2, 5])),
        CF=float(rng.choice([0.01, 0.1, 0.25, 0.5])),
        collapse=bool(rng.random() < 0.8),
        prune=bool(rng.random() < 0.8),
        raising=bool(rng.random() < 0.8),
    )


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_transcription_anywhere(seed):
    assert_follows_specification(*random_cases(seed, most=60))


@pytest.mark.parametrize(
    "name", ["soybean12", "lymphography", "cleveland0vs4", "glass015vs2", "ecoli", "zoo3"]
)
def test_transcription_on_real_data(name):
    X, y, is_nominal = real_cases.read(name)
    assert_follows_specification(X, y, np.ones(y.size), is_nominal)


def test_the_comparison_can_fail():
    X, y, weight, _ = random_cases(4)
    with pytest.raises(AssertionError):
        assert_same_tree(
            nested(C45Classifier(prune=False).fit(X, y, weight)),
            nested(C45Classifier(prune=False, min_leaf=9).fit(X, y, weight)),
        )


@pytest.mark.parametrize("seed", [9, 37, 50, 51, 125])
def test_raised_subtrees(seed):
    """On these cases raising changes the tree; with missing values and without."""
    X, y, weight, is_nominal = random_cases(seed, most=400)
    ours = assert_follows_specification(X, y, weight, is_nominal)
    ours.set_params(subtree_raising=False)
    n_leaves = ours.n_leaves_
    assert n_leaves != ours.fit(X, y, weight).n_leaves_


@pytest.mark.parametrize("seed", [62, 717, 858])
def test_the_last_of_equally_heavy_branches_is_raised(seed):
    """On these cases the first one would make another tree."""
    assert_follows_specification(*random_cases(seed))


@pytest.mark.parametrize("seed", range(5))
def test_first_cut_is_that_of_an_entropy_stump(seed):
    """With the choice made free of charge and by gain, one cut is what CART does too."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 1)), rng.integers(0, 2, 40)
    stump = DecisionTreeClassifier(criterion="entropy", max_depth=1, min_samples_leaf=2).fit(X, y)
    ours = C45Classifier(criterion="gain", cut_penalty=False, prune=False, collapse=False)
    ours.fit(X, y)
    first = ours.node_first_child_[0]
    assert_allclose(
        ours.node_class_weights_[first : first + 2].sum(axis=1),
        stump.tree_.weighted_n_node_samples[1:],
    )


# -------------------------------------------------------------------------------------- theorems
@pytest.mark.parametrize("seed", range(20))
def test_pruned_is_never_larger(seed):
    X, y, weight, is_nominal = random_cases(seed, most=400)
    sizes = [
        C45Classifier(prune=prune, collapse=collapse, categorical_features=is_nominal)
        .fit(X, y, weight)
        .n_leaves_
        for prune, collapse in [(True, True), (False, True), (False, False)]
    ]
    assert sizes == sorted(sizes)


def test_less_confidence_prunes_more():
    X, y, weight, is_nominal = random_cases(17, most=400)
    leaves = [
        C45Classifier(confidence=confidence, categorical_features=is_nominal)
        .fit(X, y, weight)
        .n_leaves_
        for confidence in (0.01, 0.1, 0.25, 0.9)
    ]
    assert leaves == sorted(set(leaves))


@pytest.mark.parametrize("seed", range(20))
def test_weights_are_repetitions(seed):
    X, y, weight, is_nominal = random_cases(seed, whole_weights=True)
    repeated = np.repeat(np.arange(y.size), weight.astype(int))
    tree = C45Classifier(categorical_features=is_nominal)
    weighted = nested(tree.fit(X, y, weight))
    assert_same_tree(weighted, nested(tree.fit(X[repeated], y[repeated])))


def test_weight_zero_is_absence():
    X, y, weight, _ = random_cases(3)
    weight[::3] = 0
    kept = weight > 0
    assert_same_tree(
        nested(C45Classifier().fit(X, y, weight)),
        nested(C45Classifier().fit(X[kept], y[kept], weight[kept])),
    )


@pytest.mark.parametrize("seed", range(20))
def test_order_of_rows_does_not_matter(seed):
    X, y, weight, is_nominal = random_cases(seed)
    order = np.random.default_rng(seed).permutation(y.size)
    tree = C45Classifier(categorical_features=is_nominal)
    first = nested(tree.fit(X, y, weight))
    assert_same_tree(first, nested(tree.fit(X[order], y[order], weight[order])))


@pytest.mark.parametrize("seed", range(10))
def test_empty_and_constant_columns_do_not_matter(seed):
    X, y, weight, _ = random_cases(seed)
    wider = np.column_stack([X, np.full(y.size, np.nan), np.full(y.size, 7.0)])
    assert_same_tree(
        nested(C45Classifier().fit(X, y, weight)), nested(C45Classifier().fit(wider, y, weight))
    )


@pytest.mark.parametrize("seed", range(10))
def test_growing_scales_do_not_matter_to_known_cases(seed):
    """Only the order of values counts, as long as none come closer than the gap."""
    X, y, weight, _ = random_cases(seed, missing=0.0)
    assert_array_equal(
        C45Classifier().fit(X, y, weight).predict(X),
        C45Classifier().fit(np.exp(X) * 1000, y, weight).predict(np.exp(X) * 1000),
    )


def test_names_of_nominal_values_do_not_matter():
    X, y = weather()
    renamed = X.copy()
    renamed[:, 0] = np.array([-7.5, 1e6, 3.0])[X[:, 0].astype(int)]
    tree = C45Classifier(categorical_features=[0, 3])
    assert_array_equal(tree.fit(renamed, y).predict(renamed), tree.fit(X, y).predict(X))


# ----------------------------------------------------------------------------------------- speed
def test_ten_thousand_cases_take_less_than_a_second():
    X, y = make_classification(10_000, 20, n_informative=10, flip_y=0.1, random_state=0)
    seconds = []
    for _ in range(2):
        began = time.process_time()
        tree = C45Classifier().fit(X, y)
        seconds.append(time.process_time() - began)
    assert tree.n_leaves_ > 100
    assert min(seconds) < 1.0


# --------------------------------------------------------------------------------------- answers
@pytest.mark.parametrize("seed", range(10))
def test_confidences(seed):
    """Laplace's, of the one leaf that a case without missing values reaches."""
    X, y, weight, is_nominal = random_cases(seed, missing=0.0)
    tree = C45Classifier(categorical_features=is_nominal).fit(X, y, weight)
    weights = tree.node_class_weights_[tree.apply(X)] + 1
    assert_allclose(tree.predict_proba(X), weights / weights.sum(axis=1, keepdims=True))
    assert_array_equal(tree.predict(X), tree.classes_[tree.node_class_[tree.apply(X)]])


@pytest.mark.parametrize("seed", range(10))
def test_confidences_sum_to_one(seed):
    X, y, weight, is_nominal = random_cases(seed, missing=0.4)
    tree = C45Classifier(categorical_features=is_nominal).fit(X, y, weight)
    assert_allclose(tree.predict_proba(X).sum(axis=1), 1)


def test_everything_missing_reaches_all_leaves():
    """So the shares are those of the whole training set."""
    X, y, weight, is_nominal = random_cases(12, missing=0.1)
    tree = C45Classifier(categorical_features=is_nominal).fit(X, y, weight)
    assert tree.n_leaves_ > 1
    shares = tree._leaf_sums(np.full((1, X.shape[1]), np.nan), smoothing=0)
    assert_allclose(shares[0], np.bincount(y, weight) / weight.sum())


def test_leaves_hold_all_weight():
    X, y, weight, is_nominal = random_cases(12, missing=0.3)
    tree = C45Classifier(categorical_features=is_nominal).fit(X, y, weight)
    in_leaves = tree.node_class_weights_[tree.node_n_children_ == 0]
    assert_allclose(in_leaves.sum(axis=0), np.bincount(y, weight))


def test_an_unseen_name_is_missing():
    X, y = weather()
    tree = C45Classifier(categorical_features=[0, 3]).fit(X, y)
    strange, missing = [[9, 70, 70, 0]], [[np.nan, 70, 70, 0]]
    assert_array_equal(tree.predict_proba(strange), tree.predict_proba(missing))


def test_an_empty_branch_speaks_for_its_parent():
    # The third value never occurs where the first column is 1; there, class 1 is heavier.
    X = np.array([[0, 0], [0, 1], [0, 2], [0, 2]] * 3 + [[1, 0], [1, 0], [1, 1]] * 3, dtype=float)
    y = np.array([0, 0, 0, 0] * 3 + [1, 1, 0] * 3)
    tree = C45Classifier(categorical_features=[0, 1], prune=False).fit(X, y)
    leaf = tree.apply([[1, 2]])[0]
    assert tree.node_class_weights_[leaf].sum() == 0
    assert tree.predict([[1, 2]]) == 1
    assert_allclose(tree.predict_proba([[1, 2]]), [[1 / 3, 2 / 3]])


def test_the_heaviest_leaf_of_several():
    X, y = weather()
    tree = C45Classifier(categorical_features=[0, 3]).fit(X, y)
    # Outlook unknown, the rest known: 5/14 for a leaf of sunny days, 4/14 and 5/14 for the others.
    unknown = [[np.nan, 70, 70, 0]]
    assert tree.apply(unknown) == tree.apply([[SUNNY, 70, 70, 0]])
    weight = np.where(X[:, 0] == RAIN, 1.1, 1.0)
    assert tree.fit(X, y, weight).apply(unknown) == tree.apply([[RAIN, 70, 70, 0]])


@pytest.mark.skipif(not SHARED, reason="the shared data sets are not here")
@pytest.mark.parametrize("name", [*SHARED, *WIDE])
def test_shared_data_sets(name):
    X, y, is_nominal = real_cases.read(name)
    tree = C45Classifier(categorical_features=is_nominal).fit(X, y)
    share = np.unique(y, return_counts=True)[1].max() / y.size
    assert tree.score(X, y) >= share - 1e-12
    assert_allclose(tree.predict_proba(X).sum(axis=1), 1)
    grown = C45Classifier(categorical_features=is_nominal, prune=False).fit(X, y)
    assert tree.n_leaves_ <= grown.n_leaves_


# scikit-learn's own checks of an estimator, as it is and with everything else; none may fail.


@parametrize_with_checks(
    [
        C45Classifier(),
        C45Classifier(
            prune=False,
            collapse=False,
            criterion="gain",
            min_leaf=1,
            categorical_features=[0],
            cut_penalty=False,
            min_gap=0.0,
        ),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


# Which columns are nominal, and their values as branches.


NAMES_OF_CATEGORIES = np.array(["age", "sex", "town"], dtype=object)


@pytest.mark.parametrize(
    "given", [[1, 2], (2, 1), np.array([1, 2, 2]), [False, True, True], ["town", "sex"]]
)
def test_ways_to_say_the_same(given):
    assert_array_equal(categorical_mask(given, 3, NAMES_OF_CATEGORIES), [False, True, True])


@pytest.mark.parametrize("given", [None, [], np.array([]), [False] * 3])
def test_none(given):
    assert not categorical_mask(given, 3, None).any()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([3], "names column 3, but the columns of X are 0 to 2"),
        ([-1], "names column -1"),
        ([True, False], "2 Booleans, but X has 3 columns"),
        (["aeg"], "'aeg', but the columns of X are"),
        ([0.5], "it must be None"),
        ([[0, 1]], "it must be None"),
        ("town", "it must be None"),
        (1, "it must be None"),
    ],
)
def test_refused(given, words):
    with pytest.raises(ValueError, match=words):
        categorical_mask(given, 3, NAMES_OF_CATEGORIES)


def test_names_need_named_columns():
    with pytest.raises(ValueError, match="have no names"):
        categorical_mask(["town"], 3, None)


def test_values_become_branches():
    X = np.array([[2.5, 7.0], [np.nan, -3.0], [2.5, np.nan], [1.0, 7.0]])
    categories = find_categories(X, np.array([False, True]))
    assert categories[0] is None
    assert_array_equal(categories[1], [-3, 7])
    assert_array_equal(encode(X, categories), [[2.5, 1], [np.nan, 0], [2.5, np.nan], [1, 1]])


def test_unseen_values_are_missing():
    categories = [np.array([1.0, 3.0])]
    assert_array_equal(
        encode(np.array([[0.0], [2.0], [3.0], [9.0]]), categories),
        [[np.nan], [np.nan], [1], [np.nan]],
    )


def test_a_column_without_any_value():
    X = np.full((2, 1), np.nan)
    categories = find_categories(X, np.array([True]))
    assert categories[0].size == 0
    assert np.isnan(encode(np.array([[1.0]]), categories)).all()


def test_the_data_stay_as_they_are():
    X = np.array([[5.0], [3.0]])
    encode(X, find_categories(X, np.array([True])))
    assert_array_equal(X, [[5], [3]])


# What fit is given, checked, without the cases that do not count.


X = np.array([[1.0], [np.nan], [3.0], [4.0]])
Y = np.array(["b", "a", "c", "b"])


def test_cases_without_weight_are_absent():
    cases = training_cases(C45Classifier(), X, Y, [1, 0, 2, 0.5])
    assert_array_equal(cases.X, [[1], [3], [4]])
    assert_array_equal(cases.classes, ["b", "c"])
    assert_array_equal(cases.codes, [0, 1, 0])
    assert_array_equal(cases.weight, [1, 2, 0.5])


@pytest.mark.parametrize("given", [None, 1.0])
def test_the_same_for_all(given):
    assert_array_equal(training_cases(C45Classifier(), X, Y, given).weight, np.ones(4))


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ([1, 2], r"has shape \(2,\)"),
        ([1, 1, 1, -1], "negative or non-finite"),
        ([1, 1, 1, np.nan], "negative or non-finite"),
        (np.zeros(4), "zero for every sample"),
        (["a", "b", "c", "d"], "^sample_weight=.* one number per sample"),
    ],
)
def test_weights_refused(weight, words):
    with pytest.raises(ValueError, match=words):
        training_cases(C45Classifier(), X, Y, weight)


def test_infinite_values_are_refused():
    with pytest.raises(ValueError, match="infinity"):
        training_cases(C45Classifier(), [[np.inf], [1.0]], [0, 1], None)


def test_targets_of_regression_are_refused():
    with pytest.raises(ValueError, match="continuous"):
        training_cases(C45Classifier(), X, [0.1, 0.2, 0.3, 0.4], None)


# Trees as text.


X_OF_TREE_TEXT = np.array([[0.0, 2.0], [1.0, 2.0], [2.0, 5.0], [3.0, 5.0]] * 2)
Y_OF_TREE_TEXT = np.array(["no", "no", "yes", "yes"] * 2)


def test_numbers_and_names():
    plain = C45Classifier().fit(
        X_OF_TREE_TEXT, Y_OF_TREE_TEXT
    )  # on x1, which leaves no choice of cuts to pay for
    assert plain.export_text() == "x1 <= 2: no (4.0)\nx1 > 2: yes (4.0)\n"
    named = C45Classifier(categorical_features=["town"]).fit(
        pd.DataFrame(X_OF_TREE_TEXT[:, 1:], columns=["town"]), Y_OF_TREE_TEXT
    )
    assert named.export_text() == "town = 2: no (4.0)\ntown = 5: yes (4.0)\n"
    assert named.export_text(["place"]).startswith("place = 2")


def test_a_single_leaf():
    assert (
        C45Classifier().fit(X_OF_TREE_TEXT[:4] * 0, Y_OF_TREE_TEXT[:4]).export_text()
        == "no (4.0/2.0)\n"
    )


def test_one_line_per_branch():
    rng = np.random.default_rng(0)
    points, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    tree = C45Classifier(prune=False, cut_penalty=False).fit(points, y)
    lines = tree.export_text().splitlines()
    assert len(lines) == tree.node_feature_.size - 1
    assert sum(not line.endswith(":") for line in lines) == tree.n_leaves_
    assert max(line.count("|") for line in lines) == tree.max_depth_ - 1


def test_names_must_be_as_many_as_columns():
    with pytest.raises(ValueError, match="feature_names has 1 entries, but there are 2 columns"):
        C45Classifier().fit(X_OF_TREE_TEXT, Y_OF_TREE_TEXT).export_text(["a"])


def test_nothing_to_show():
    with pytest.raises(NotFittedError):
        C45Classifier().export_text()
