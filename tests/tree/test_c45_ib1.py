"""C4.5/IB1 next to scikit-learn's neighbours, a slow transcription, and its two limits."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.tree import C45Classifier, C45IB1Classifier
from support.reference import c45_real_cases as real_cases
from support.reference.c45_random_cases import random_cases

EVERYTHING = 10**6
SHARED = real_cases.names()


def ib1_distance(query, example, is_nominal, low, high):
    """Squared, as the specification has it, attribute by attribute."""
    total = 0.0
    for a in range(len(query)):
        x, z = query[a], example[a]
        if is_nominal[a]:
            total += 0.0 if x == z else 1.0  # NaN differs from everything
        elif math.isnan(x) and math.isnan(z):
            total += 1.0
        else:
            known = [low[a], high[a], *([] if math.isnan(x) else [x])]
            start, width = min(known), max(known) - min(known)
            v, u = ((value - start) / width if width else 0.0 for value in (x, z))
            if math.isnan(x) or math.isnan(z):
                scaled = (z if math.isnan(x) else x) - start
                scaled = scaled / width if width else 0.0
                total += max(scaled, 1 - scaled) ** 2
            else:
                total += (v - u) ** 2
    return total


def nearest(query, examples, is_nominal, low, high):
    distances = [ib1_distance(query, example, is_nominal, low, high) for example in examples]
    return int(np.argmin(np.round(distances, 12)))


def transcription(X, y, weight, is_nominal, queries, *, size, search):
    tree = C45Classifier(categorical_features=is_nominal).fit(X, y, weight)
    leaf_of, sizes = tree.apply(X), tree.node_class_weights_.sum(axis=1)
    filled = np.where(np.isnan(X).all(axis=0), 0.0, X)
    low, high = np.nanmin(filled, axis=0), np.nanmax(filled, axis=0)
    answers = []
    for query, leaf in zip(queries, tree.apply(queries), strict=True):
        asked = {
            "all": np.arange(y.size),
            "small": np.flatnonzero(sizes[leaf_of] <= size),
            "leaf": np.flatnonzero(leaf_of == leaf),
        }[search]
        if sizes[leaf] > size or asked.size == 0:
            answers.append(tree.classes_[tree.node_class_[leaf]])
        else:
            answers.append(y[asked[nearest(query, X[asked], is_nominal, low, high)]])
    return np.array(answers)


@pytest.mark.parametrize("search", ["all", "small", "leaf"])
@pytest.mark.parametrize("seed", range(12))
def test_transcription(seed, search):
    X, y, _, is_nominal = random_cases(seed, most=80)
    new = random_cases(seed + 100, most=80).X
    queries = np.resize(new, (25, X.shape[1])) * 1.3  # some are out of range, or new names
    weight = np.ones(y.size)
    hybrid = C45IB1Classifier(6, search=search, categorical_features=is_nominal)
    hybrid.fit(X, y, weight)
    expected = transcription(X, y, weight, is_nominal, queries, size=6, search=search)
    assert_array_equal(hybrid.predict(queries), expected)


@pytest.mark.parametrize("name", ["glass015vs2", "cleveland0vs4", "lymphography"])
def test_transcription_on_real_data(name):
    X, y, is_nominal = real_cases.read(name)
    train, test = np.arange(y.size) % 3 > 0, np.arange(y.size) % 3 == 0
    hybrid = C45IB1Classifier(10, categorical_features=is_nominal).fit(X[train], y[train])
    expected = transcription(X[train], y[train], None, is_nominal, X[test], size=10, search="all")
    assert_array_equal(hybrid.predict(X[test]), expected)


def test_all_leaves_small_is_the_nearest_neighbour(load):
    X, y = load("wine")
    hybrid = C45IB1Classifier(EVERYTHING).fit(X[::2], y[::2])
    scaler = MinMaxScaler().fit(X[::2])
    inside = ((X[::2].min(axis=0) <= X) & (X[::2].max(axis=0) >= X)).all(axis=1)
    assert inside[1::2].sum() > 50
    neighbours = KNeighborsClassifier(1).fit(scaler.transform(X[::2]), y[::2])
    assert_array_equal(hybrid.predict(X[inside]), neighbours.predict(scaler.transform(X[inside])))


def test_no_leaf_small_is_the_tree(load):
    X, y = load("wine")
    hybrid = C45IB1Classifier(1).fit(X, y)
    assert hybrid.small_leaves_.size == 0
    assert_array_equal(hybrid.predict(X), C45Classifier().fit(X, y).predict(X))
    assert_allclose(hybrid.predict_proba(X), C45Classifier().fit(X, y).predict_proba(X))


def test_a_pure_leaf_repeats_itself(load):
    """The remark of the specification on searching the leaf alone."""
    X, y = load("iris")
    tree = C45Classifier(prune=False, min_leaf=1).fit(X, y)
    hybrid = C45IB1Classifier(EVERYTHING, search="leaf", prune=False, min_leaf=1).fit(X, y)
    weights = tree.node_class_weights_[tree.apply(X)]
    pure = weights.max(axis=1) == weights.sum(axis=1)
    assert pure.sum() > 100
    assert_array_equal(hybrid.predict(X)[pure], tree.predict(X)[pure])


@pytest.mark.parametrize(("inclusive", "n_small"), [(True, 1), (False, 0)])
def test_a_leaf_of_exactly_that_size(inclusive, n_small):
    X = np.repeat([[0.0], [1.0]], [10, 5], axis=0)
    y = np.repeat([0, 1], [10, 5])
    hybrid = C45IB1Classifier(5, inclusive=inclusive).fit(X, y)
    assert hybrid.small_leaves_.size == n_small


def test_weights_are_repetitions():
    X, y, weight, is_nominal = random_cases(21, whole_weights=True)
    weight = np.arange(y.size) % 3 + 1.0
    repeated = np.repeat(np.arange(y.size), weight.astype(int))
    hybrid = C45IB1Classifier(8, categorical_features=is_nominal)
    first = hybrid.fit(X, y, weight).predict(X)
    assert_array_equal(first, hybrid.fit(X[repeated], y[repeated]).predict(X))


def test_confidences(load):
    X, y = load("iris")
    hybrid = C45IB1Classifier(10).fit(X, y)
    scores = hybrid.predict_proba(X)
    small = np.isin(hybrid.tree_.apply(X), hybrid.small_leaves_)
    assert 0 < small.sum() < small.size
    assert set(scores[small].ravel()) == {0.0, 1.0}
    assert_allclose(scores.sum(axis=1), 1)
    assert_array_equal(hybrid.classes_[scores.argmax(axis=1)], hybrid.predict(X))


def test_the_first_of_several_neighbours():
    X, y = np.array([[0.0], [2.0], [0.0], [2.0]]), np.array(["a", "b", "c", "d"])
    assert_array_equal(C45IB1Classifier().fit(X, y).predict([[1.0], [0.0], [3.0]]), ["a", "a", "b"])


@pytest.mark.skipif(not SHARED, reason="the shared data sets are not here")
@pytest.mark.parametrize("name", SHARED)
def test_shared_data_sets(name):
    X, y, is_nominal = real_cases.read(name)
    for size, search in [(3, "all"), (5, "small"), (15, "leaf")]:
        hybrid = C45IB1Classifier(size, search=search, categorical_features=is_nominal).fit(X, y)
        assert hybrid.score(X[::4], y[::4]) > 0.5


# scikit-learn's own checks of an estimator, over three places to search; none may fail.


@parametrize_with_checks(
    [
        C45IB1Classifier(),
        C45IB1Classifier(15, search="small", inclusive=False),
        C45IB1Classifier(3, search="leaf", prune=False),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
