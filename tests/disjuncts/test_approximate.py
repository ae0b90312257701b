import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from kpboost import DisjunctFinder
from kpboost.disjuncts import _approximate, _finder
from kpboost.disjuncts._finder import nearest

N = 3000


@pytest.fixture
def many(monkeypatch):
    """So few points are many."""
    pytest.importorskip("faiss")
    monkeypatch.setattr(_finder, "MOST_EXACT", 500)
    return make_blobs(N, 6, centers=40, cluster_std=0.6, random_state=0)


def true_recall(found, points, width):
    """Share of the neighbours of an exact search, whatever their order."""
    exact = nearest(points, width, None)
    pairs = zip(found.tolist(), exact.tolist(), strict=True)
    return np.mean([len({*a} & {*b}) / width for a, b in pairs])


@pytest.mark.parametrize("recall", [0.8, 0.999])
def test_the_measured_recall_is_the_true_one_and_the_one_asked_for(many, recall):
    points, width = np.ascontiguousarray(many[0]), 20
    found = _approximate.approximate_nearest(points, width, recall, None)
    assert found.recall >= recall
    assert true_recall(found.rows, points, width) == pytest.approx(found.recall, abs=0.01)
    assert found.rows.shape == (N, width)
    assert not np.any(found.rows == np.arange(N)[:, None])


def test_a_low_recall_is_seen_to_be_low(many, monkeypatch):
    """One cell of some two hundred holds few neighbours, and the measure says so."""
    points = np.random.default_rng(0).normal(size=(N, 6))
    monkeypatch.setattr(_approximate, "FEWEST_CELLS", 1)
    found = _approximate.approximate_nearest(points, 20, 0.01, None)
    assert found.recall < 0.6
    assert true_recall(found.rows, points, 20) == pytest.approx(found.recall, abs=0.03)


def test_neighbours_come_nearest_first_and_a_twin_is_one(many):
    points = np.repeat(np.random.default_rng(0).normal(size=(N // 2, 3)), 2, axis=0)
    rows = _approximate.approximate_nearest(points, 9, 0.999, None).rows
    np.testing.assert_array_equal(rows[:, 0], np.arange(N) ^ 1)
    distances = np.linalg.norm(points[rows] - points[:, None], axis=2)
    assert np.all(np.diff(distances, axis=1) >= -1e-5)


@pytest.mark.parametrize("neighbors_from", ["all", "class"])
@pytest.mark.parametrize("connection", ["directed", "weak"])
def test_disjuncts_are_those_of_an_exact_search(many, neighbors_from, connection):
    X, y = many[0], many[1] % 2
    how = {"neighbors_from": neighbors_from, "connection": connection}
    exact = DisjunctFinder(neighbor_recall=1.0, max_neighbors=30, **how).fit(X, y)
    found = DisjunctFinder(neighbor_recall=0.9999, max_neighbors=30, **how).fit(X, y)
    assert exact.neighbor_recall_ == 1.0
    assert found.neighbor_recall_ >= 0.9999
    assert found.n_neighbors_ == exact.n_neighbors_
    np.testing.assert_array_equal(found.labels_, exact.labels_)


def test_threads_have_no_influence(many):
    points = np.ascontiguousarray(many[0])
    one, two = (_approximate.approximate_nearest(points, 5, 0.99, jobs).rows for jobs in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_without_faiss_the_search_is_exact_and_says_what_it_costs(many, monkeypatch):
    monkeypatch.setattr(_finder, "is_installed", lambda: False)
    X, y = many[0], many[1] % 2
    with pytest.warns(UserWarning, match=r"3,000 points are searched exactly.*kpboost\[large\]"):
        found = DisjunctFinder(n_neighbors=5).fit(X, y)
    assert found.neighbor_recall_ == 1.0


def test_few_points_and_sparse_points_are_searched_exactly(many):
    X, y = sparse.csr_array(np.round(many[0][:800])), many[1][:800] % 2
    assert DisjunctFinder(n_neighbors=5).fit(X, y).neighbor_recall_ == 1.0
    assert DisjunctFinder().fit(many[0][:400], many[1][:400] % 2).neighbor_recall_ == 1.0


@pytest.mark.parametrize(
    ("max_neighbors", "n_steps"), [("auto", 40), ("sqrt", 54), (7, 7), (900, 54)]
)
def test_the_curve_of_many_points_ends_early(many, monkeypatch, max_neighbors, n_steps):
    monkeypatch.setattr(_finder, "LONGEST_LARGE_PATH", 40)
    finder = DisjunctFinder(max_neighbors=max_neighbors).fit(many[0], many[1] % 2)
    assert finder.n_neighbors_path_.size == n_steps


@pytest.mark.parametrize(
    "wrong", [{"max_neighbors": 0}, {"max_neighbors": "all"}, {"neighbor_recall": 0.0}]
)
def test_parameters_are_refused_in_words(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        DisjunctFinder(**wrong).fit(np.eye(4), [0, 0, 1, 1])


@pytest.mark.parametrize("least", [1, 5, 16, 17, 100, 1000])
def test_hardly_more_cells_are_looked_into_than_needed(least):
    asked = []

    def is_enough(n_cells):
        asked.append(n_cells)
        return n_cells >= least

    found = _approximate._fewest(is_enough, 1000)
    assert least <= found <= least * 1.07 + 1
    assert len(asked) < 16
