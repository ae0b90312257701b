"""The curve is drawn as the finder found it."""

import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from kpboost.disjuncts import DisjunctCurveDisplay, DisjunctFinder

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture
def finder(load):
    return DisjunctFinder().fit(*load("wine"))


def test_curve_and_knee(finder):
    display = DisjunctCurveDisplay.from_estimator(finder)
    np.testing.assert_array_equal(display.line_.get_xdata(), finder.n_neighbors_path_)
    np.testing.assert_array_equal(display.line_.get_ydata(), finder.n_disjuncts_path_)
    assert display.knee_.get_xydata().tolist() == [[finder.n_neighbors_, finder.n_disjuncts_]]
    matplotlib.pyplot.close(display.figure_)


def test_given_axes_and_style(finder):
    figure, ax = matplotlib.pyplot.subplots()
    display = DisjunctCurveDisplay([1, 2, 3], [9, 4, 3], 2)
    assert display.plot(ax=ax, line_style={"color": "green"}) is display
    assert display.figure_ is figure
    assert display.line_.get_color() == "green"
    assert "4 disjuncts with 2 neighbours" in ax.get_legend().get_texts()[0].get_text()
    matplotlib.pyplot.close(figure)


def test_not_fitted():
    with pytest.raises(NotFittedError):
        DisjunctCurveDisplay.from_estimator(DisjunctFinder())


def test_without_matplotlib_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    display = DisjunctCurveDisplay([1, 2], [5, 3], n_neighbors=2)
    with pytest.raises(ImportError, match="DisjunctCurveDisplay needs matplotlib"):
        display.plot()
