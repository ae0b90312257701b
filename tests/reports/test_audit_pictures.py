import re
from dataclasses import replace

import numpy as np
import pytest

from kpboost.auditing import audit
from kpboost.reports._audit_page import (
    MOST_LEGEND,
    MOST_LINES,
    box_picture,
    curve_picture,
    map_picture,
    recall_picture,
    remedy_picture,
)
from support.planted_data import one_cloud_each, plain_svm, planted


@pytest.fixture(scope="module")
def found():
    X, y, _ = planted(n_common=150)
    return audit(X, y, plain_svm(), cv=3, remedies=["svm", "svm_balanced"])


@pytest.fixture(scope="module")
def calm():
    X, y = one_cloud_each()
    return audit(X, y, "svm", cv=3, remedies="never")


def texts(figure):
    return re.findall(r"<text[^>]*>([^<]*)</text>", str(figure.svg))


def test_the_map_names_and_rings_what_is_missed(found):
    figure = map_picture(found)
    assert found.missed[0].name in texts(figure)
    assert "missed" in texts(figure)
    assert "Rings mark what is missed" in figure.caption


def test_a_map_without_anything_missed_has_no_rings(calm):
    figure = map_picture(calm)
    assert "missed" not in texts(figure)
    assert "Rings" not in figure.caption


def test_a_map_of_two_columns_squeezes_nothing(found):
    assert "squeezes" not in map_picture(found).caption
    many = replace(
        found, data=replace(found.data, n_columns=7), map=replace(found.map, method="PCA")
    )
    assert "PCA squeezes 7 columns into two directions" in map_picture(many).caption


def test_two_columns_are_the_axes(found):
    assert {"x0", "x1"} <= set(texts(map_picture(found)))
    assert not any("PCA" in text for text in texts(map_picture(found)))


def test_a_missed_box_is_shown_in_its_columns(found):
    assert box_picture(found) is None
    X, y, _ = planted()
    X = np.column_stack([np.random.default_rng(0).normal(size=(len(y), 8)), X])
    many = audit(X, y, "svm", remedies="never")
    figure = box_picture(many)
    assert {"x8", "x9"} <= set(texts(figure))
    assert "rare/box 1" in texts(figure)
    assert "in these two columns of 10" in figure.caption
    assert "PCA 1" in texts(map_picture(many))


def test_a_legend_of_many_says_how_many_more():
    rng = np.random.default_rng(0)
    y = np.arange(240) % 12
    many = audit(rng.normal(0, 0.1, size=(240, 2)) + y[:, None], y, "svm", cv=3, remedies="never")
    assert f"and {12 - MOST_LEGEND} more" in texts(map_picture(many))


def test_recalls_are_listed_with_their_sizes(found):
    figure = recall_picture(found)
    for each in found.disjuncts[:MOST_LINES]:
        assert f"{each.name} ({each.size})" in texts(figure)
    assert "other" not in figure.caption


def test_a_long_list_is_cut_and_says_so(found):
    many = replace(found, disjuncts=found.disjuncts[:1] * (MOST_LINES + 3))
    assert "The other 3 are in the table." in recall_picture(many).caption
    one = replace(found, disjuncts=found.disjuncts[:1] * (MOST_LINES + 1))
    assert "One more is in the table." in recall_picture(one).caption


def test_diamonds_are_explained_where_there_are_any(found, calm):
    assert "Diamonds" in recall_picture(found).caption
    assert "Diamonds" not in recall_picture(calm).caption


def test_remedies_have_a_line_each(found):
    figure = remedy_picture(found)
    words = " ".join(texts(figure))
    for each in found.remedies.tried:
        assert each.scores.title[:20] in words
    assert f"of the {found.remedies.n_rows} rows in question" in figure.caption


def test_no_remedies_no_picture(found, calm):
    assert remedy_picture(calm) is None
    empty = replace(found, remedies=replace(found.remedies, tried=()))
    assert remedy_picture(empty) is None


def test_the_curve_tells_its_knee(found):
    assert f"{found.curve.knee} neighbour" in curve_picture(found).caption


@pytest.mark.parametrize("picture", [map_picture, recall_picture, remedy_picture, curve_picture])
def test_pictures_are_the_same_every_time_and_hold_no_fixed_ink(found, picture):
    assert picture(found) == picture(found)
    assert "#1b1f24" not in str(picture(found).svg)  # ink follows the page


def test_names_from_outside_are_escaped():
    X, y, _ = planted(n_common=90)
    labels = np.where(y == "rare", "<script>", "$a_{b}$")
    shown = audit(X, labels, "svm", cv=3, remedies="never")
    for figure in (map_picture(shown), recall_picture(shown)):
        assert "<script" not in str(figure.svg)
        assert any("&lt;script&gt;" in text for text in texts(figure))
