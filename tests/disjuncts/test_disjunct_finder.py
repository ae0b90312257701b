"""The finder: its answers, what they do not depend on, its manners."""

import pickle
import time
import tracemalloc
from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from kpboost.datasets import make_disjuncts
from kpboost.disjuncts import DisjunctFinder

READINGS = [
    {"neighbors_from": source, "connection": connection}
    for source, connection in product(("all", "class"), ("directed", "weak", "strong"))
]
# One pair of the class "b" lies between two pairs of "a".
LINE = np.array([[0.0], [1.0], [10.0], [11.5], [20.0], [21.0]])
NAMES = np.array(["a", "a", "b", "b", "a", "a"])


def test_by_hand():
    finder = DisjunctFinder(1).fit(LINE, NAMES)
    assert finder.labels_.tolist() == [0, 0, 2, 2, 1, 1]
    assert finder.n_disjuncts_ == 3
    assert finder.n_disjuncts_per_class_.tolist() == [2, 1]
    assert finder.disjunct_sizes_.tolist() == [2, 2, 2]
    assert finder.disjunct_classes_.tolist() == ["a", "a", "b"]
    assert finder.classes_.tolist() == ["a", "b"]
    assert finder.n_neighbors_ == 1


def test_the_two_readings_differ_where_a_class_is_cut():
    """Two neighbours within "a" lead past "b"; two neighbours among all do not."""
    assert DisjunctFinder(2).fit(LINE, NAMES).n_disjuncts_ == 3
    assert DisjunctFinder(2, neighbors_from="class").fit(LINE, NAMES).n_disjuncts_ == 2


def test_directed_disjuncts_depend_on_the_order_of_rows():
    """Nearest neighbours: 2 of the last, 1 of 2, 0 of 1. From 0 up nothing leads to the last."""
    X, y = np.array([[0.0], [1.0], [2.1], [3.4]]), np.zeros(4)
    assert DisjunctFinder(1).fit(X, y).n_disjuncts_ == 3
    assert DisjunctFinder(1).fit(X[::-1], y).n_disjuncts_ == 1


@pytest.mark.parametrize("reading", READINGS)
def test_what_the_answer_holds_together(load, reading):
    X, y = load("digits", 4)
    finder = DisjunctFinder(**reading).fit(X, y)
    assert finder.n_neighbors_path_.tolist() == list(range(1, int(np.sqrt(len(y))) + 1))
    assert (np.diff(finder.n_disjuncts_path_) <= 0).all()
    assert finder.n_disjuncts_path_[finder.n_neighbors_ - 1] == finder.n_disjuncts_
    assert finder.n_disjuncts_per_class_.sum() == finder.n_disjuncts_
    np.testing.assert_array_equal(finder.disjunct_sizes_, np.bincount(finder.labels_))
    np.testing.assert_array_equal(finder.disjunct_classes_[finder.labels_], y)
    fixed = DisjunctFinder(finder.n_neighbors_, **reading).fit(X, y)
    np.testing.assert_array_equal(fixed.labels_, finder.labels_)


@pytest.mark.parametrize("reading", READINGS)
def test_scale_shift_columns_and_labels_do_not_matter(load, reading):
    X, y = load("iris")
    finder = DisjunctFinder(**reading).fit(X, y)
    moved = DisjunctFinder(**reading).fit(3.7 * X[:, ::-1] + 11, np.array(["u", "v", "w"])[y])
    np.testing.assert_array_equal(moved.labels_, finder.labels_)


@pytest.mark.parametrize("reading", [each for each in READINGS if each["connection"] != "directed"])
def test_the_other_connections_do_not_depend_on_the_order_of_rows(reading):
    X, y, _ = make_disjuncts(overlap=0.5, random_state=0)
    labels = DisjunctFinder(**reading).fit_predict(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    shuffled = DisjunctFinder(**reading).fit_predict(X[order], y[order])
    assert len({*zip(labels[order], shuffled, strict=True)}) == labels.max() + 1


def test_threads_sparse_and_pickle_change_nothing(load):
    X, y = load("digits")
    finder = DisjunctFinder().fit(X, y)
    for other in (
        DisjunctFinder(n_jobs=2).fit(X, y),
        DisjunctFinder().fit(sparse.csr_matrix(X), y),
        pickle.loads(pickle.dumps(finder)),
        clone(finder).fit(X, y),
    ):
        np.testing.assert_array_equal(other.labels_, finder.labels_)
        for points in (X[:50], sparse.csr_matrix(X[:50])):
            np.testing.assert_array_equal(other.predict(points, y[:50]), finder.labels_[:50])


def test_predict_takes_the_nearest_of_the_class():
    finder = DisjunctFinder(1).fit(LINE, NAMES)
    assert finder.predict([[9.0], [12.0], [12.0], [-5.0]], ["a", "a", "b", "b"]).tolist() == [
        0,
        1,
        2,
        2,
    ]


def test_predict_takes_the_first_of_duplicates():
    X = np.array([[5.0], [0.0], [0.0], [0.0]])
    finder = DisjunctFinder(1).fit(X, np.zeros(4))
    assert finder.labels_.tolist() == [0, 0, 0, 1]
    assert finder.predict(X, np.zeros(4)).tolist() == [0, 0, 0, 0]


def test_many_neighbours_are_cut_to_those_there_are():
    finder = DisjunctFinder(100).fit(LINE, NAMES)
    assert finder.n_disjuncts_path_.size == finder.n_neighbors_ == 100
    assert finder.n_disjuncts_ == DisjunctFinder(2).fit(LINE, NAMES).n_disjuncts_


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("n_samples", [2, 3, 4, 8])
def test_few_points(reading, n_samples):
    """Every point a class of its own, and all points one class."""
    X = np.arange(n_samples, dtype=np.float64)[:, None] ** 2
    assert DisjunctFinder(**reading).fit(X, np.arange(n_samples)).n_disjuncts_ == n_samples
    finder = DisjunctFinder(**reading).fit(X, np.ones(n_samples))
    assert finder.n_neighbors_ == finder.n_neighbors_path_[-1]
    assert 1 <= finder.n_disjuncts_ < n_samples


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, r"n_neighbors=0 .* 'auto' or a whole number of at least 1"),
        ({"n_neighbors": "knee"}, r"n_neighbors='knee'"),
        ({"n_neighbors": 2.0}, r"n_neighbors=2.0"),
        ({"n_neighbors": True}, r"n_neighbors=True"),
        ({"neighbors_from": "each"}, r"neighbors_from='each' .* 'all' or 'class'"),
        ({"connection": None}, r"connection=None .* 'directed' or 'weak' or 'strong'"),
        ({"knee_rule": "kneedle"}, r"knee_rule='kneedle' .* 'kaplan_shift' or 'kaplan'"),
        ({"n_jobs": 0}, r"n_jobs=0 .* other than 0"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        DisjunctFinder(**parameters).fit(LINE, NAMES)


def test_bad_data():
    finder = DisjunctFinder(1).fit(LINE, NAMES)
    with pytest.raises(ValueError, match=r"y holds the label 'c', .* of fit: \['a', 'b'\]"):
        finder.predict(LINE[:2], ["a", "c"])
    with pytest.raises(ValueError, match="2 features"):
        finder.predict(np.zeros((1, 2)), ["a"])
    with pytest.raises(ValueError, match="Unknown label type"):
        DisjunctFinder().fit(LINE, LINE[:, 0] + 0.5)
    with pytest.raises(NotFittedError):
        DisjunctFinder().predict(LINE, NAMES)


def two_clouds(n_samples):
    rng = np.random.default_rng(0)
    y = rng.random(n_samples) < 0.3
    return rng.normal(size=(n_samples, 10)) + 1.5 * y[:, None], y


@pytest.mark.parametrize("reading", READINGS)
def test_the_whole_curve_of_5000_points_within_3_seconds(reading):
    """On one core; a tenth of it on a quiet machine."""
    X, y = two_clouds(5000)
    start = time.process_time()
    finder = DisjunctFinder(**reading).fit(X, y)
    assert time.process_time() - start < 3
    assert finder.n_disjuncts_path_.size == 70


def test_no_matrix_of_all_distances():
    """Here it would take 800 MB."""
    X, y = two_clouds(10_000)
    tracemalloc.start()
    try:
        DisjunctFinder().fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 80e6
