import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.decomposition import PCA

from kpboost.auditing.material import material_of
from kpboost.auditing.picture import MAP_ROWS, check_projection, map_of
from kpboost.auditing.records import DisjunctFinding
from planted_data import planted


def finding(rows, missed=True):
    return DisjunctFinding("rare/1", "rare", len(rows), 0, 0.0, 0.0, 0.5, 0.01, missed, rows)


def test_positions_are_principal_components():
    X, y, _ = planted()
    material = material_of(np.column_stack([X, X[:, :1] ** 2]), y, 1000, 0)
    shown = map_of(material, (finding((0, 3)),), material.codes, "pca", 0)
    expected = PCA(2, random_state=0).fit_transform(material.points)
    np.testing.assert_allclose(shown.positions, expected, atol=1e-3)
    assert shown.classes == tuple(y)
    assert [i for i, name in enumerate(shown.disjuncts) if name] == [0, 3]
    assert all(shown.correct)


def test_missed_rows_are_always_shown():
    rng = np.random.default_rng(0)
    y = np.arange(MAP_ROWS + 500) % 2
    material = material_of(rng.normal(size=(y.size, 2)), y, 10_000, 0)
    missed = tuple(range(0, 600, 3))
    shown = map_of(material, (finding(missed),), material.codes, "pca", 0)
    assert len(shown.rows) == MAP_ROWS
    assert set(missed) <= set(shown.rows)


def test_umap_is_used_where_it_is_installed(monkeypatch):
    class Reducer:
        def __init__(self, random_state):
            self.random_state = random_state

        def fit_transform(self, points):
            return points[:, ::-1]

    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace(UMAP=Reducer))
    X, y, _ = planted()
    material = material_of(X, y, 1000, 0)
    shown = map_of(material, (), material.codes, "umap", 0)
    assert shown.method == "UMAP"
    np.testing.assert_allclose(shown.positions, material.points[:, ::-1], atol=1e-3)


def test_umap_is_refused_where_it_is_not(monkeypatch):
    monkeypatch.setattr("kpboost.auditing.picture.find_spec", lambda name: None)
    with pytest.raises(ValueError, match="umap-learn"):
        check_projection("umap")
