import sys
from collections import Counter
from dataclasses import replace
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.metrics import average_precision_score, confusion_matrix, roc_auc_score
from sklearn.neighbors import NearestNeighbors

from kpboost.auditing._data import audit_data_of
from kpboost.auditing._projection import (
    CURVE_POINTS,
    MAP_ROWS,
    MOST_CONFUSED,
    box_map_of,
    check_projection,
    curves_of,
    map_of,
)
from kpboost.auditing._records import DisjunctFinding
from kpboost.datasets import make_disjuncts
from kpboost.model_selection import OutOfFold
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
    assert box_map_of(data, (finding((7, 8), missed=False),), data.codes, 0) is None


def test_columns_with_gaps_are_no_map():
    X, y, _ = planted()
    X[:, 1] = np.nan
    data = audit_data_of(X, y, 1000, 0)
    assert map_of(data, (), data.codes, "pca", 0).method == "PCA"
    X = np.column_stack([np.arange(len(y)), X])
    data = audit_data_of(X, y, 1000, 0)
    box = replace(finding((0, 3)), columns=("x1", "x2"), where="x1 from 0 to 1 and x2 missing")
    assert "x2" not in box_map_of(data, (box,), data.codes, 0).axes
    data = audit_data_of(np.where(np.arange(3) == 1, X, np.nan), y, 1000, 0)
    assert box_map_of(data, (box,), data.codes, 0) is None


def with_noise(n_noise=6, seed=0):
    """A planted part that only the last two columns show."""
    X, y, part = planted(seed)
    noise = np.random.default_rng(seed).normal(size=(len(y), n_noise))
    data = audit_data_of(np.column_stack([noise, X]), y, 1000, 0)
    return data, tuple(np.flatnonzero(part[data.rows] == 2).tolist())


def test_the_two_columns_that_show_a_part_best_are_found():
    data, rows = with_noise()
    shown = box_map_of(data, (finding(rows),), data.codes, 0)
    assert set(shown.axes) == {"x6", "x7"}
    narrow = replace(finding(rows), columns=("x2",), where="x2 from 0 to 1")
    assert "x2" in box_map_of(data, (narrow,), data.codes, 0).axes


def test_a_weak_class_is_shown_where_nothing_is_missed():
    data, rows = with_noise()
    part = np.isin(np.arange(data.codes.size), rows)
    alone = replace(data, codes=part.astype(np.intp))
    shown = box_map_of(alone, (), alone.codes, 0, weak=[1])
    assert set(shown.axes) == {"x6", "x7"}
    assert box_map_of(alone, (), alone.codes, 0) is None


def test_few_far_rows_do_not_choose_the_directions():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(300, 1))
    X = np.column_stack([rng.normal(size=(300, 1)), shared + 0.1 * rng.normal(size=(300, 2))])
    X[:3, 0] = 1e4
    data = audit_data_of(X, np.arange(300) % 2, 1000, 0)
    order = np.argsort(data.rows)
    near = np.array(map_of(data, (), data.codes, "pca", 0).positions)[3:]
    far = np.array(map_of(data, (), data.codes, "pca", 0).positions)[:3]
    assert np.abs(far).max() > 100 * np.abs(near).max()  # far rows stay far
    assert near.std(axis=0).min() > 0.5  # and the others keep their spread in both directions
    plain = PCA(2).fit_transform(data.points)[order][3:]
    assert plain.std(axis=0).min() < 0.1


def scored(seed=0, n_classes=3, n_rows=1500):
    """Probabilities of classes, labels drawn from them, and the data that they belong to."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n_rows, n_classes)) * 2
    scores = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    y = np.array([rng.choice(n_classes, p=np.exp(row)) for row in scores])
    data = audit_data_of(rng.normal(size=(n_rows, 2)), y, 10_000, 0)
    return data, OutOfFold(scores.argmax(axis=1)[data.rows], scores[data.rows], 0.0)


def test_curves_are_those_of_scikit_learn():
    data, answers = scored()
    curves = curves_of(data, 1, answers, [("own", "Mine", answers.predicted)], answers.predicted)
    own, score = data.codes == 1, answers.scores[:, 1]
    assert curves.roc_area == pytest.approx(roc_auc_score(own, score))
    assert curves.average_precision == pytest.approx(average_precision_score(own, score))
    for points, ends in ((curves.roc, ((0, 0), (1, 1))), (curves.precision_recall, None)):
        assert 50 < len(points) <= CURVE_POINTS + 2
        assert ends is None or (points[0], points[-1]) == ends
    area = np.trapezoid(*np.array(curves.roc).T[::-1])
    assert area == pytest.approx(curves.roc_area, abs=2e-3)  # thinned, and still the same curve
    (point,) = curves.points
    assert point.n_hits == (own & (answers.predicted == 1)).sum()
    assert point.n_alarms == (~own & (answers.predicted == 1)).sum()
    expected = confusion_matrix(data.codes, answers.predicted)
    assert np.array_equal(curves.confusion, expected)


def test_true_probabilities_are_calibrated_and_other_scores_are_not_asked():
    data, answers = scored(n_rows=4000)
    bins = curves_of(data, 0, answers, [], answers.predicted).reliability
    assert sum(each.n_rows for each in bins) == data.codes.size
    assert np.mean([each.low <= each.predicted <= each.high for each in bins]) >= 0.8
    for each in bins:
        assert each.low <= each.observed <= each.high
    bold = replace(answers, scores=np.log(np.clip(np.exp(2.5 * answers.scores), 1e-9, 1)))
    bold = replace(bold, scores=bold.scores - np.log(np.exp(bold.scores).sum(axis=1))[:, None])
    wrong = curves_of(data, 0, bold, [], answers.predicted).reliability
    assert np.mean([each.low <= each.predicted <= each.high for each in wrong]) < 0.6
    margins = replace(answers, scores=3 * answers.scores)
    assert curves_of(data, 0, margins, [], answers.predicted).reliability == ()


def test_scores_that_are_no_numbers_still_have_curves():
    data, answers = scored()
    answers.scores[:5] = np.nan
    answers.scores[5:9] = np.inf
    curves = curves_of(data, 1, answers, [], answers.predicted)
    assert np.isfinite(curves.roc).all()
    assert 0.5 < curves.roc_area < 1
    assert curves.reliability == ()


def test_many_classes_are_confused_in_few_lines():
    data, answers = scored(n_classes=MOST_CONFUSED + 4)
    curves = curves_of(data, 0, answers, [], answers.predicted)
    assert len(curves.confusion_labels) == MOST_CONFUSED
    assert curves.confusion_labels[-1] == "all others"
    assert np.sum(curves.confusion) == data.codes.size
    wrong = Counter(data.codes[answers.predicted != data.codes].tolist())
    assert str(wrong.most_common(1)[0][0]) in curves.confusion_labels


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
