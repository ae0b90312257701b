"""Axes for the displays: new ones, given ones, one divided; and life without matplotlib."""

import sys

import matplotlib as mpl
import numpy as np
import pytest

from kpboost import _plotting as drawing

mpl.use("Agg")

HEIGHTS = (2.0, 1.0)


@pytest.fixture
def plt():
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


def panels(ax, n=3):
    return drawing.panels("Picture", ax, n, size=(4, 3), heights=HEIGHTS, n_columns=2)


def test_new_figure_has_as_many_axes_as_pictures(plt):
    figure, axes = panels(None)
    assert axes.shape == (3,)
    assert figure.axes == list(axes)


def test_given_axes_are_used(plt):
    figure, given = plt.subplots(1, 3)
    drawn_in, axes = panels(given)
    assert drawn_in is figure
    assert list(axes) == list(given)


def test_one_axes_is_divided_by_the_heights(plt):
    figure, ax = plt.subplots()
    drawn_in, axes = panels(ax)
    figure.canvas.draw()
    boxes = [each.get_position() for each in axes]
    assert drawn_in is figure
    assert not ax.axison
    assert boxes[0].height / boxes[2].height == pytest.approx(2.0)
    assert boxes[0].x1 < boxes[1].x0
    assert boxes[2].y1 < boxes[0].y0


def test_one_axes_for_one_picture_stays_whole(plt):
    _, ax = plt.subplots()
    assert panels(ax, n=1)[1].tolist() == [ax]


def test_wrong_number_of_axes_is_refused(plt):
    _, given = plt.subplots(1, 2)
    with pytest.raises(ValueError, match="ax holds 2 axes; Picture needs one or 3 of them"):
        panels(given)


def test_missing_matplotlib_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'Picture needs .* pip install "kpboost\[cli\]"'):
        panels(None)


def test_colours_differ_in_lightness_for_grey_prints():
    def lightness(colour):
        return float(np.dot(mpl.colors.to_rgb(colour), (0.2126, 0.7152, 0.0722)))

    light = sorted(map(lightness, (drawing.INK, drawing.NEGATIVE, drawing.POSITIVE, drawing.FAINT)))
    assert min(np.diff(light)) > 0.02
