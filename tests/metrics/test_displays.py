"""The picture holds the frame's numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.dummy import DummyClassifier

from kpboost import DisjunctFrame, DisjunctRecallDisplay

matplotlib = pytest.importorskip("matplotlib")

Y_TRUE = np.repeat(["a", "$b"], [6, 5])
DISJUNCTS = np.repeat([0, 1, 2, 3], [4, 2, 3, 2])
SIZES = [40, 20, 300, 5]


@pytest.fixture(autouse=True)
def no_windows():
    matplotlib.use("Agg")
    yield
    matplotlib.pyplot.close("all")


def test_points_and_intervals_are_those_of_the_frame():
    y_pred = np.array(["a", "a", "a", "$b", "a", "$b", "$b", "$b", "a", "a", "a"])
    frame = DisjunctFrame(Y_TRUE, y_pred, disjuncts=DISJUNCTS, disjunct_sizes=SIZES)
    display = DisjunctRecallDisplay.from_predictions(
        Y_TRUE, y_pred, disjuncts=DISJUNCTS, disjunct_sizes=SIZES
    )
    for bars, group in zip(display.errorbars_, frame.by_class, strict=True):
        own = [each for each in frame.by_disjunct if each.class_label == group.class_label]
        assert_allclose(
            bars.lines[0].get_xydata(), [[each.size, each.recall] for each in own], atol=1e-12
        )
        ends = [segment[:, 1] for segment in bars.lines[2][0].get_segments()]
        assert_allclose(ends, [[each.recall_low, each.recall_high] for each in own], atol=1e-12)


def test_it_draws_on_given_axes_and_labels_them():
    _, ax = matplotlib.pyplot.subplots()
    display = DisjunctRecallDisplay(DisjunctFrame(Y_TRUE, Y_TRUE, disjuncts=DISJUNCTS)).plot(ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert ax.get_xscale() == "log"
    assert "95 %" in ax.get_ylabel()
    texts = {text.get_text() for text in ax.get_legend().get_texts()}
    assert texts == {r"class \$b", "class a", "overall, 1.000"}
    display.figure_.canvas.draw()  # a lone $ would fail here


def test_it_asks_an_estimator():
    model = DummyClassifier(strategy="constant", constant="a").fit(Y_TRUE[:, None], Y_TRUE)
    display = DisjunctRecallDisplay.from_estimator(
        model, Y_TRUE[:, None], Y_TRUE, disjuncts=DISJUNCTS
    )
    assert [group.recall for group in display.frame.by_class] == [0.0, 1.0]
