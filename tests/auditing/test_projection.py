import sys
from dataclasses import replace
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from kpboost.auditing._data import audit_data_of
from kpboost.auditing._projection import MAP_ROWS, box_map_of, check_projection, map_of
from kpboost.auditing._records import DisjunctFinding
from kpboost.datasets import make_disjuncts
from support.planted_data import planted


def finding(rows, missed=True):
    return DisjunctFinding("rare/1", "rare", len(rows), 0, 0.0, 0.0, 0.5, 0.01, missed, rows)


def test_positions_are_principal_components():
    X, y, _ = planted()
    data = audit_data_of(np.column_stack([X, X[:, :1] ** 2]), y, 1000, 0)
    shown = map_of(data, (finding((0, 3)),), data.codes, "pca", 0)
    expected = PCA(2, random_state=0).fit_transform(data.points)[np.argsort(data.rows)]
    np.testing.assert_allclose(shown.positions, expected, atol=1e-3)
    assert shown.classes == tuple(y)
    assert [i for i, name in enumerate(shown.disjuncts) if name] == sorted(data.rows[[0, 3]])
    assert all(shown.correct)


def test_missed_rows_are_always_shown():
    rng = np.random.default_rng(0)
    y = np.arange(MAP_ROWS + 500) % 2
    data = audit_data_of(rng.normal(size=(y.size, 2)), y, 10_000, 0)
    missed = tuple(range(0, 600, 3))
    shown = map_of(data, (finding(missed),), data.codes, "pca", 0)
    assert len(shown.rows) == MAP_ROWS
    assert set(data.rows[list(missed)]) <= set(shown.rows)
    assert sorted(shown.rows) == list(shown.rows)


def test_umap_is_used_where_it_is_installed(monkeypatch):
    class Reducer:
        def __init__(self, n_neighbors, n_jobs, random_state):
            assert (n_neighbors, n_jobs, random_state) == (15, 1, 0)

        def fit_transform(self, points):
            return points[:, ::-1]

    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace(UMAP=Reducer))
    X, y, _ = planted()
    data = audit_data_of(X, y, 1000, 0)
    shown = map_of(data, (), data.codes, "umap", 0)
    assert shown.method == "UMAP"
    expected = data.points[np.argsort(data.rows), ::-1]
    np.testing.assert_allclose(shown.positions, expected, atol=1e-3)


def test_two_columns_of_numbers_are_the_map():
    X, y, _ = planted()
    data = audit_data_of(X, y, 1000, 0)
    shown = map_of(data, (), data.codes, "pca", 0)
    assert (shown.method, shown.axes) == ("columns", ("x0", "x1"))
    np.testing.assert_allclose(shown.positions, X, rtol=1e-4)


def test_a_box_is_shown_in_its_columns_without_rows_that_lack_a_value():
    X, y, _ = planted()
    X = np.column_stack([np.arange(len(y)), X])
    X[5, 2] = np.nan
    data = audit_data_of(X, y, 1000, 0)
    box = replace(finding((0, 3)), columns=("x1", "x2"), where="x1 from 0 to 1")
    shown = box_map_of(data, (finding((7, 8)), box), data.codes, 0)
    assert shown.axes == ("x1", "x2")
    assert 5 not in shown.rows
    assert len(shown.rows) == len(y) - 1
    assert box_map_of(data, (finding((7, 8)),), data.codes, 0) is None
    narrow = replace(box, columns=("x1",))
    assert box_map_of(data, (narrow,), data.codes, 0) is None


def test_columns_with_gaps_are_no_map():
    X, y, _ = planted()
    X[:, 1] = np.nan
    data = audit_data_of(X, y, 1000, 0)
    assert map_of(data, (), data.codes, "pca", 0).method == "PCA"
    X = np.column_stack([np.arange(len(y)), X])
    data = audit_data_of(X, y, 1000, 0)
    box = replace(finding((0, 3)), columns=("x1", "x2"), where="x1 from 0 to 1 and x2 missing")
    assert box_map_of(data, (box,), data.codes, 0) is None


@pytest.mark.skipif(find_spec("umap") is None, reason="umap-learn is not installed")
@pytest.mark.filterwarnings("error")
def test_the_real_umap_keeps_far_clouds_apart():
    X, y, part = make_disjuncts([[60, 20], [30]], n_features=5, random_state=0)
    data = audit_data_of(X, y, 1000, 0)
    one, two = (map_of(data, (), data.codes, "umap", 0) for _ in range(2))
    assert one == two
    assert one.method == "UMAP"
    positions = np.array(one.positions)
    _, nearest = NearestNeighbors(n_neighbors=2).fit(positions).kneighbors(positions)
    assert (part[nearest[:, 1]] == part).mean() > 0.95


@pytest.mark.skipif(find_spec("umap") is None, reason="umap-learn is not installed")
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_rows", [4, 12])
def test_the_real_umap_takes_a_handful_of_rows(n_rows):
    X = np.random.default_rng(0).normal(size=(n_rows, 3))
    data = audit_data_of(X, np.arange(n_rows) % 2, 1000, 0)
    shown = map_of(data, (), data.codes, "umap", 0)
    assert np.isfinite(shown.positions).all()


def test_umap_is_refused_where_it_is_not(monkeypatch):
    monkeypatch.setattr("kpboost.auditing._projection.find_spec", lambda name: None)
    with pytest.raises(ValueError, match="umap-learn"):
        check_projection("umap")
