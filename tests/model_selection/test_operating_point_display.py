"""The picture holds the numbers of scikit-learn's curves and of the point."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, precision_recall_curve, roc_curve

from kpboost.metrics import clopper_pearson
from kpboost.model_selection import (
    OperatingPointClassifier,
    OperatingPointDisplay,
    choose_operating_point,
)

matplotlib = pytest.importorskip("matplotlib")


@pytest.fixture(autouse=True)
def no_windows():
    matplotlib.use("Agg")
    yield
    matplotlib.pyplot.close("all")


def made(seed=0, digits=1):
    random = np.random.default_rng(seed)
    y = random.permutation(np.repeat([0, 1], [300, 60]))
    return y, random.normal(1.5 * y).round(digits)


def marked(ax):
    """Centre and ends of the chosen point's intervals."""
    container = ax.containers[-1]
    (x, y) = container.lines[0].get_xydata()[0]
    across, upright = (bars.get_segments()[0] for bars in container.lines[2])
    return (x, y), across[:, 0], upright[:, 1]


@pytest.mark.parametrize("pos", [0, 1])
def test_curves_are_scikit_learns(pos):
    y, scores = made()
    point = choose_operating_point(y, scores, rule="gmean", pos_label=pos)
    display = OperatingPointDisplay.from_predictions(y, scores, point=point)
    own = scores if pos == 1 else -scores
    precision, recall, _ = precision_recall_curve(y == pos, own)
    drawn = display.axes_[0].lines[0].get_xydata()
    assert_allclose(drawn, np.column_stack([recall, precision])[:-1])
    false, true, _ = roc_curve(y == pos, own, drop_intermediate=False)
    drawn = display.axes_[1].lines[0].get_xydata()
    assert_allclose(drawn[::-1], np.column_stack([false, true]))


def test_weighted_curves_pass_through_the_weighted_point():
    y, scores = made()
    weight = np.where(y == 0, 9.0, 0.5)
    point = choose_operating_point(y, scores, costs=[[0, 1], [20, 0]], sample_weight=weight)
    display = OperatingPointDisplay(point, y, scores, sample_weight=weight).plot()
    for ax in (display.axes_[0], display.axes_[1], display.axes_[3]):
        gaps = np.abs(ax.lines[0].get_xydata() - marked(ax)[0]).sum(axis=1)
        assert gaps.min() < 0.01
    precision, recall, _ = precision_recall_curve(y, scores, sample_weight=weight)
    drawn = display.axes_[0].lines[0].get_xydata()
    assert_allclose(drawn, np.column_stack([recall, precision])[:-1])


def test_the_point_on_new_samples_lies_on_the_curves_with_exact_intervals():
    y, scores = made()
    point = choose_operating_point(*made(1), recall=0.9)
    display = OperatingPointDisplay.from_predictions(y, scores, point=point)
    table = confusion_matrix(y, point.predict(scores))
    (x, height), across, upright = marked(display.axes_[1])
    assert (x, height) == (table[0, 1] / 300, table[1, 1] / 60)
    assert_allclose(across, np.ravel(clopper_pearson(table[0, 1], 300)))
    assert_allclose(upright, np.ravel(clopper_pearson(table[1, 1], 60)))
    (x, height), _, upright = marked(display.axes_[0])
    assert (x, height) == (table[1, 1] / 60, table[1, 1] / table[:, 1].sum())
    assert_allclose(upright, np.ravel(clopper_pearson(table[1, 1], table[:, 1].sum())))
    for ax in display.axes_[[0, 1, 3]]:
        curve = ax.lines[0].get_xydata()
        assert np.min(np.abs(curve - marked(ax)[0]).max(axis=1)) < 1e-12
    texts = [text.get_text().split("\n")[0] for text in display.axes_[2].texts]
    assert texts == [str(count) for count in table.ravel()]


def test_the_cost_curve_is_what_thresholds_cost():
    y, scores = made()
    costs = np.array([[0.0, 1.0], [8.0, -1.0]])
    point = choose_operating_point(y, scores, costs=costs)
    display = OperatingPointDisplay.from_predictions(y, scores, point=point)
    thresholds = np.append(np.inf, np.unique(scores)[::-1])
    called = [scores >= each for each in thresholds]
    expected = [[each.mean(), costs[y, each.astype(int)].mean()] for each in called]
    assert_allclose(display.axes_[3].lines[0].get_xydata(), expected)
    assert marked(display.axes_[3])[0][1] == pytest.approx(min(cost for _, cost in expected))
    assert display.axes_[3].get_ylabel() == "cost per sample"


def test_three_classes_out_of_fold_and_on_new_samples():
    X, y = make_blobs([300, 80, 60], cluster_std=4.0, random_state=1)
    model = OperatingPointClassifier(LogisticRegression(), rule="gmean", random_state=0).fit(X, y)
    display = OperatingPointDisplay.from_estimator(model)
    point = model.operating_point_
    assert_allclose(marked(display.axes_[0])[0], [point.recall.value, point.precision.value])
    assert "optimistic" in display.axes_[2].get_title()
    assert display.axes_[3].get_ylabel() == "balanced error"
    display = OperatingPointDisplay.from_estimator(model, X, y)
    assert display.axes_[2].get_title() == "Confusion matrix"
    table = confusion_matrix(y, model.predict(X))
    (_, error), _, _ = marked(display.axes_[3])
    assert error == pytest.approx(1 - np.mean(table.diagonal() / table.sum(axis=1)))
    for ax in display.axes_[[0, 1, 3]]:
        assert np.min(np.abs(ax.lines[0].get_xydata() - marked(ax)[0]).max(axis=1)) < 1e-12
    display.figure_.canvas.draw()


def test_given_axes_odd_labels_and_unknown_scores():
    y, scores = made()
    names = np.array(["$well", "$sick"])[y]
    scores[::5] = np.nan
    point = choose_operating_point(names, scores, alarms=0.1)
    figure, ax = matplotlib.pyplot.subplots()
    display = OperatingPointDisplay(point, names, scores).plot(ax=ax)
    assert display.figure_ is figure
    assert display.scores.size == np.sum(~np.isnan(scores))
    figure.canvas.draw()  # a lone $ would fail here
    four = matplotlib.pyplot.subplots(1, 4)[1]
    assert_array_equal(display.plot(ax=four).axes_, four)
    display.plot().figure_.canvas.draw()


def test_everybody_and_nobody_can_be_drawn():
    y, scores = made()
    few = choose_operating_point(y[:40], scores[:40], recall=1.0)
    assert few.threshold == -np.inf
    OperatingPointDisplay.from_predictions(y, scores, point=few).figure_.canvas.draw()
    none = choose_operating_point(y[:40], scores[:40], alarms=0.001)
    assert none.threshold == np.inf
    OperatingPointDisplay.from_predictions(y, scores, point=none).figure_.canvas.draw()


def test_what_cannot_be_drawn_is_refused():
    y, scores = made()
    point = choose_operating_point(y, scores)
    with pytest.raises(ValueError, match="y_true has the label 2, unknown to the point"):
        OperatingPointDisplay(point, y * 2, scores)
    with pytest.raises(ValueError, match="with and without the label 1"):
        OperatingPointDisplay(point, y * 0, scores)
    with pytest.raises(ValueError, match="scores has shape"):
        OperatingPointDisplay(point, y, np.zeros((360, 3)))
    model = OperatingPointClassifier(LogisticRegression()).fit(scores[:, None], y)
    with pytest.raises(ValueError, match="X and y belong together"):
        OperatingPointDisplay.from_estimator(model, scores[:, None])
