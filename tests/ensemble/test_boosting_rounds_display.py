"""The picture of the rounds shows the estimator's numbers, and nothing else."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from kpboost.ensemble import BoostingRoundsDisplay, KPBoostSVC

mpl.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture
def model(load):
    # The last rounds of this one do not vote.
    fitted = KPBoostSVC(perturbation_step=0.05).fit(*load("breast_cancer"))
    assert 0 < fitted.selected_rounds_.sum() < 10
    return fitted


@pytest.fixture
def three_classes(load):
    X, y = load("iris")
    return KPBoostSVC(n_estimators=4).fit(X, np.array(["se", "ve", "vi"])[y])


def curves(axes):
    """Lines over all rounds, and the markers of those that vote."""
    drawn = [line for line in axes.lines if len(line.get_xdata()) > 2]
    return drawn[::2], drawn[1::2]


def test_lines_are_the_attributes(model):
    rates, errors, _ = BoostingRoundsDisplay.from_estimator(model).ax_
    (tpr, tnr), _ = curves(rates)
    (error,), _ = curves(errors)
    for line, values in (
        (tpr, model.estimator_tpr_),
        (tnr, model.estimator_tnr_),
        (error, model.estimator_errors_),
    ):
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, 11))
        np.testing.assert_array_equal(line.get_ydata(), values)


def test_full_markers_are_the_rounds_that_vote(model):
    _, errors, _ = BoostingRoundsDisplay.from_estimator(model).ax_
    (hollow,), (full,) = curves(errors)
    assert hollow.get_markerfacecolor() == "white"
    np.testing.assert_array_equal(full.get_xdata(), np.flatnonzero(model.selected_rounds_) + 1)


def test_bars_are_the_weights(model):
    _, _, weights = BoostingRoundsDisplay.from_estimator(model).ax_
    heights = [bar.get_height() for bar in weights.patches]
    np.testing.assert_array_equal(heights, model.estimator_weights_)


def test_dotted_lines_are_the_conditions_for_voting(model):
    rates, errors, _ = BoostingRoundsDisplay.from_estimator(model).ax_
    assert rates.lines[0].get_ydata()[0] == model.estimator_tpr_[0]
    assert errors.lines[0].get_ydata()[0] == model.estimator_errors_[0]


def test_legend_names_the_classes(model):
    rates, _, _ = BoostingRoundsDisplay.from_estimator(model).ax_
    words = [text.get_text() for text in rates.get_legend().get_texts()]
    assert words == ["tpr: 0", "tnr: 1", "does not vote"]


def test_a_problem_of_several_is_chosen(three_classes):
    display = BoostingRoundsDisplay.from_estimator(three_classes, problem=2)
    np.testing.assert_array_equal(display.errors, three_classes.estimator_errors_[2])
    assert set(display.names) == {"ve", "vi"}


def test_one_class_against_the_rest_is_named(load):
    X, y = load("iris")
    model = KPBoostSVC(n_estimators=2, multi_class="one_vs_rest").fit(X, y)
    assert BoostingRoundsDisplay.from_estimator(model, problem=1).names == ("1", "rest")


def test_names_put_the_positive_class_first(three_classes, load):
    X, y = load("iris")
    rare = np.r_[np.flatnonzero(y != 1), np.flatnonzero(y == 1)[:10]]
    model = KPBoostSVC(n_estimators=2).fit(X[rare], y[rare])
    names = [BoostingRoundsDisplay.from_estimator(model, problem=p).names for p in (0, 2)]
    assert names == [("1", "0"), ("1", "2")]


def test_many_rounds_have_few_ticks():
    ones = np.ones(100)
    display = BoostingRoundsDisplay(ones, ones, 1 - ones, ones, ones > 0).plot()
    ticks = display.ax_[2].get_xticks()
    assert ticks[0] == 1
    assert len(ticks) <= 16


def test_rounds_that_an_interruption_left_out_are_not_drawn():
    errors = np.array([0.2, 0.1, np.nan])
    rates = 1 - errors
    display = BoostingRoundsDisplay(rates, rates, errors, np.ones(3), errors < 1).plot()
    assert np.isfinite(display.ax_[1].get_ylim()).all()


def test_draws_again_where_it_is_told(model):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    display = BoostingRoundsDisplay.from_estimator(model).plot(ax=ax)
    assert display.figure_ is figure
    assert len(display.ax_) == 3


@pytest.mark.parametrize("problem", [-1, 3])
def test_a_problem_that_does_not_exist_is_refused(three_classes, problem):
    with pytest.raises(ValueError, match=rf"problem={problem} does not exist; .* 3 two-class"):
        BoostingRoundsDisplay.from_estimator(three_classes, problem=problem)


def test_another_estimator_is_refused():
    with pytest.raises(ValueError, match=r"estimator is a Pipeline; .* pipeline\[-1\]"):
        BoostingRoundsDisplay.from_estimator(make_pipeline(KPBoostSVC()))


def test_an_unfitted_estimator_is_refused():
    with pytest.raises(NotFittedError):
        BoostingRoundsDisplay.from_estimator(KPBoostSVC())


def test_importing_the_package_does_not_import_matplotlib():
    code = "import sys, kpboost; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
