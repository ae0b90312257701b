"""The finder: its answers, what they do not depend on, its manners."""

import pickle
import time
import tracemalloc
import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

from kpboost.datasets import make_disjuncts
from kpboost.disjuncts import CopiedRowsWarning, DisjunctFinder
from kpboost.disjuncts._finder import NeighborSearch, disjunct_counts, disjunct_labels, find_knee

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


# scikit-learn's own checks, as far as they fit an estimator whose predict needs labels.
#
# The checks call ``predict(X)``. So they run twice: over the finder as it is, where those that get
# as far as ``predict`` must fail, all for that one reason; and over one that fills the labels in,
# where none may fail.


NEEDS_LABELS = "predict(X, y) needs the labels of the points; the check calls predict(X)"
CHECKS_THAT_PREDICT = [
    "check_dict_unchanged",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimators_dtypes",
    "check_estimators_nan_inf",
    "check_estimators_pickle",
    "check_estimators_unfitted",
    "check_f_contiguous_array_estimator",
    "check_fit2d_predict1d",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in_after_fitting",
]


class FillsLabelsIn(DisjunctFinder):
    """Takes every new point for one of the first class."""

    def predict(self, X):
        check_is_fitted(self)
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        return super().predict(X, np.repeat(self.classes_[:1], n_rows))


@parametrize_with_checks(
    [DisjunctFinder()],
    expected_failed_checks=lambda finder: dict.fromkeys(CHECKS_THAT_PREDICT, NEEDS_LABELS),
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [
        FillsLabelsIn(neighbors_from="class", connection="strong", n_jobs=2),
        FillsLabelsIn(3, connection="weak"),
    ]
)
def test_scikit_learns_checks_with_labels_filled_in(estimator, check):
    check(estimator)


# All three connections next to others: the paper's searches word by word, scipy's components.


CONNECTIONS = ["directed", "weak", "strong"]


def by_searching(links):
    """Algorithm 2: a queue, and the lowest unvisited row whenever it is empty."""
    labels = np.full(len(links), -1)
    found = 0
    for start in range(len(links)):
        if labels[start] >= 0:
            continue
        labels[start], queue = found, [start]
        while queue:
            for v in links[queue.pop(0)]:
                if v >= 0 and labels[v] < 0:
                    labels[v] = found
                    queue.append(v)
        found += 1
    return labels


def by_scipy(links, connection):
    rows, columns = np.nonzero(links >= 0)
    places = rows.astype(np.int32), links[rows, columns]  # scipy 1.11 takes no other integers
    graph = sparse.csr_array((np.ones(rows.size), places), shape=(len(links), len(links)))
    return connected_components(graph, directed=True, connection=connection)[1]


def reference(links, connection):
    labels = by_searching(links) if connection == "directed" else by_scipy(links, connection)
    first = {label: row for row, label in reversed(list(enumerate(labels)))}
    return np.array([first[label] for label in labels])


def lowest_rows(labels):
    first = {label: row for row, label in reversed(list(enumerate(labels)))}
    return np.array([first[label] for label in labels])


def random_links(rng, n, width, missing):
    links = rng.integers(0, n, size=(n, width), dtype=np.int32)
    links[rng.random(links.shape) < missing] = -1
    return links


@pytest.mark.parametrize("connection", CONNECTIONS)
@settings(max_examples=80, deadline=None)
@given(
    arrays(
        np.float64, st.tuples(st.integers(1, 30), st.integers(1, 5)), elements=st.floats(0, 0.99)
    ),
    st.floats(0, 0.9),
)
def test_every_step_is_the_reference(connection, draws, missing):
    n, width = draws.shape
    links = np.where(draws < missing, -1, np.floor(draws * n)).astype(np.int32)
    counts = disjunct_counts(links, connection, width)
    for k in range(1, width + 1):
        labels, _ = disjunct_labels(links, connection, k, np.zeros(n, dtype=np.intp))
        np.testing.assert_array_equal(lowest_rows(labels), reference(links[:, :k], connection))
        assert counts[k - 1] == labels.max() + 1


@pytest.mark.parametrize("connection", CONNECTIONS)
@pytest.mark.parametrize("missing", [0.0, 0.5, 0.9])
def test_larger_graphs(connection, missing):
    links = random_links(np.random.default_rng(3), 2000, 6, missing)
    labels, _ = disjunct_labels(links, connection, 6, np.zeros(2000, dtype=np.intp))
    np.testing.assert_array_equal(lowest_rows(labels), reference(links, connection))


def test_readings_are_nested():
    links = random_links(np.random.default_rng(4), 500, 3, 0.5)
    strong, directed, weak = (
        disjunct_labels(links, c, 3, np.zeros(500, dtype=np.intp))[0]
        for c in ("strong", "directed", "weak")
    )
    for fine, coarse in ((strong, directed), (directed, weak)):
        assert len(np.unique(np.c_[fine, coarse], axis=0)) == fine.max() + 1


@pytest.mark.parametrize("connection", CONNECTIONS)
def test_a_chain_as_long_as_the_data(connection):
    """Each row links to the one before it: recursion would be this deep."""
    n = 200_000
    links = np.arange(-1, n - 1, dtype=np.int32)[:, None]
    expected = {"directed": n, "strong": n, "weak": 1}
    assert disjunct_counts(links, connection, 1).tolist() == [expected[connection]]


def test_a_chain_downwards_is_one_search():
    links = np.append(np.arange(1, 50, dtype=np.int32), -1).astype(np.int32)[:, None]
    assert disjunct_counts(links, "directed", 1).tolist() == [1]


@pytest.mark.parametrize("connection", CONNECTIONS)
def test_steps_beyond_the_last_link_change_nothing(connection):
    links = np.array([[1], [0], [-1]], dtype=np.int32)
    assert disjunct_counts(links, connection, 3).tolist() == [2, 2, 2]
    assert disjunct_counts(links[:, :0], connection, 2).tolist() == [3, 3]


def test_numbers_go_by_class_and_then_by_first_row():
    codes = np.array([1, 0, 1, 0, 1])
    links = np.array([[4], [-1], [-1], [-1], [0]], dtype=np.int32)
    labels, owners = disjunct_labels(links, "weak", 1, codes)
    assert labels.tolist() == [2, 0, 3, 1, 2]
    assert owners.tolist() == [0, 0, 1, 1]


# The knee next to numpy's fits, and cases done by hand.


def errors_by_polyfit(curve):
    def error(x, y):
        return np.abs(y - np.polyval(np.polyfit(x, y, 1), x)).sum()

    x = np.arange(curve.size)
    return [
        error(x[: b + 1], curve[: b + 1]) + error(x[b:], curve[b:])
        for b in range(1, curve.size - 1)
    ]


def test_two_lines_meet_at_the_knee():
    curve = np.array([*range(30, 9, -3), *range(10, -1, -2)])
    assert find_knee(np.array([30, 27, 24, 21, 18, 15, 12, 10, 8, 6, 4, 2, 0]), "kaplan") == 6
    assert find_knee(curve[:3], "kaplan") == 1


@pytest.mark.parametrize("slope", [0.0, -1.0, -1 / 3, 1e7])
def test_first_break_of_a_straight_line(slope):
    assert find_knee(slope * np.arange(11) + 0.1, "kaplan") == 1


@given(arrays(np.int32, st.integers(4, 25), elements=st.integers(0, 1000)))
def test_no_break_is_better(curve):
    curve = np.sort(curve)[::-1].astype(np.float64)
    errors = errors_by_polyfit(curve)
    knee = find_knee(curve, "kaplan")
    assert errors[knee - 1] <= min(errors) + 1e-8 * max(np.ptp(curve), 1)
    assert all(error > errors[knee - 1] - 1e-8 * np.ptp(curve) for error in errors[: knee - 1])


@pytest.mark.parametrize(
    ("curve", "knee", "shifted"),
    [
        ([100, 40, 20, 18, 16, 14], 1, 2),  # falls by 60, then by 20: a third
        ([100, 40, 21, 20, 19, 18], 1, 1),  # then by 19: less than 0.33
        ([5, 5, 5, 5], 1, 2),  # 0 is not less than 0.33 times 0
    ],
)
def test_extra_step(curve, knee, shifted):
    assert find_knee(np.array(curve), "kaplan") == knee
    assert find_knee(np.array(curve), "kaplan_shift") == shifted


@pytest.mark.parametrize("rule", ["kaplan", "kaplan_shift"])
@pytest.mark.parametrize("length", [1, 2])
def test_without_a_knee_the_last_point(rule, length):
    assert find_knee(np.array([9, 4][:length]), rule) == length - 1


def test_never_an_end():
    for seed in range(50):
        curve = np.random.default_rng(seed).integers(0, 50, size=7)
        assert 0 < find_knee(curve, "kaplan") < 6
        assert find_knee(curve, "kaplan_shift") <= 6


# Links by both readings, next to plain sorting.


# Two classes that take turns along a line.
X = np.arange(8.0)[:, None]
CODES = np.array([0, 0, 1, 0, 1, 1, 0, 0])


def test_among_all_other_classes_take_places():
    links = NeighborSearch(1.0, None).links(X, CODES, 2, "all")
    assert links.tolist() == [
        [1, -1],
        [0, -1],
        [-1, -1],
        [-1, -1],
        [-1, 5],
        [4, -1],
        [-1, 7],
        [6, -1],
    ]


def test_within_the_class_every_place_is_a_link():
    links = NeighborSearch(1.0, None).links(X, CODES, 2, "class")
    assert links.tolist() == [[1, 3], [0, 3], [4, 5], [1, 0], [5, 2], [4, 2], [7, 3], [6, 3]]


def test_among_all_the_smallest_class_is_the_cap():
    assert NeighborSearch(1.0, None).links(X, CODES, 7, "all").shape == (8, 3)


def test_within_the_class_each_class_has_its_own_cap():
    links = NeighborSearch(1.0, None).links(X, CODES, 7, "class")
    assert (links >= 0).sum(axis=1).tolist() == [4, 4, 2, 4, 2, 2, 4, 4]


@pytest.mark.parametrize("neighbors_from", ["all", "class"])
def test_links_stay_within_classes(neighbors_from):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, size=90)
    links = NeighborSearch(1.0, None).links(rng.normal(size=(90, 2)), codes, 9, neighbors_from)
    sources, columns = np.nonzero(links >= 0)
    assert sources.size
    np.testing.assert_array_equal(codes[links[sources, columns]], codes[sources])


def copied(n_different, n_copies):
    X = np.random.default_rng(0).normal(size=(n_different, 3))
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(n_different), n_copies))
    return X[rows], (X[:, 0] > 0.8)[rows]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("reading", READINGS)
def test_many_copies_are_warned_of(reading, form):
    X, y = copied(40, 100)
    with pytest.warns(CopiedRowsWarning, match="4,000 rows, 40 different ones") as caught:
        DisjunctFinder(5, **reading).fit(form(X), y)
    assert caught[0].filename == __file__
    assert "at least 3 exact copies" in str(caught[0].message)


def test_the_different_rows_alone_are_not_warned_of():
    X, y = copied(300, 10)
    with pytest.warns(CopiedRowsWarning):
        assert DisjunctFinder().fit(X, y).n_disjuncts_ > 100
    rows = np.unique(X, axis=0, return_index=True)[1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert DisjunctFinder().fit(X[rows], y[rows]).n_disjuncts_ < 100


def test_few_copies_are_nothing_to_speak_of():
    X, y = copied(300, 1)
    X, y = np.vstack([X, X[:90]]), np.append(y, y[:90])  # 180 of 390 rows have a copy
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        DisjunctFinder(1).fit(X, y)
    with pytest.warns(CopiedRowsWarning, match="at least 1 exact copy of"):
        DisjunctFinder(1).fit(np.vstack([X, X[150:200]]), np.append(y, y[150:200]))


def test_copies_in_another_class_do_not_count():
    places = np.random.default_rng(0).normal(size=(60, 2))
    X, y = np.repeat(places, 6, axis=0), np.tile([0, 1, 0, 0, 1, 0], 60)
    with warnings.catch_warnings():  # no row has 5 copies of its class
        warnings.simplefilter("error")
        DisjunctFinder(9).fit(X, y)
