"""The map shows the estimator's resolution, boundaries and training errors."""

import warnings

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from kpboost.ensemble import KPBoostSVC, ResolutionMapDisplay

mpl.use("Agg")

N_NODES = 23


@pytest.fixture(autouse=True)
def close_figures():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")


@pytest.fixture
def plane():
    """A rare class with a large and a small part inside a common one."""
    rng = np.random.default_rng(0)
    common = rng.uniform(-3, 3, size=(150, 2))
    rare = np.vstack([rng.normal(1.5, 0.4, size=(25, 2)), rng.normal(-1.5, 0.2, size=(5, 2))])
    return np.vstack([common, rare]), np.repeat(["common", "rare"], [150, 30])


VARIANTS = {"plain": {}, "regions": {"roi_scale": 0.5}, "paper": {"judge_rounds": "paper"}}


@pytest.fixture(params=VARIANTS)
def model(request, plane):
    options = VARIANTS[request.param]
    return KPBoostSVC(gamma=0.5, perturbation_step=0.1, **options).fit(*plane)


def draw(model, plane, **options):
    return ResolutionMapDisplay.from_estimator(model, *plane, grid_resolution=N_NODES, **options)


def test_first_middle_and_last_round_are_the_default(model, plane):
    display = draw(model, plane)
    assert display.rounds.tolist() == [1, 5, 10]
    assert [axes.get_title(loc="left") for axes in display.ax_] == [
        "round 1",
        "round 5",
        "round 10",
    ]


def test_one_round_is_drawn_once(plane):
    model = KPBoostSVC(n_estimators=1, gamma=0.5).fit(*plane)
    assert draw(model, plane).rounds.tolist() == [1]


def test_resolution_is_that_of_the_nearest_training_point(model, plane):
    display = draw(model, plane, rounds=[4, 9])
    nodes = np.stack(np.meshgrid(display.x, display.y), axis=-1)
    distances = np.linalg.norm(nodes[:, :, None] - plane[0], axis=-1)
    expected = np.exp(model.log_scale_[[3, 8]])[:, distances.argmin(axis=-1)]
    np.testing.assert_array_equal(display.resolution, expected)
    shade = display.ax_[1].collections[0].get_array()
    np.testing.assert_array_equal(np.reshape(shade, (N_NODES, N_NODES)), expected[1])


def test_round_one_has_all_resolution(model, plane):
    assert (draw(model, plane, rounds=[1]).resolution == 1).all()


def test_boundaries_are_those_of_new_points(model, plane):
    display = draw(model, plane, rounds=[7])
    point = [display.x[5], display.y[17]]
    assert display.decision[0, 17, 5] == pytest.approx(model.round_decision_function([point])[0, 6])


def test_the_line_is_where_the_decision_is_zero(plane):
    # Regions of influence make the decision jump where the nearest training point changes.
    model = KPBoostSVC(gamma=0.5, perturbation_step=0.1).fit(*plane)
    display = ResolutionMapDisplay.from_estimator(model, *plane, rounds=[10])
    (line,) = [
        each
        for each in display.ax_[0].collections
        if getattr(each, "levels", None) is not None and each.get_linewidth()[0] > 1.5
    ]
    corners = np.vstack([path.vertices for path in line.get_paths()])
    values = model.round_decision_function(corners)[:, 9]
    assert np.abs(values).max() < 0.05 * np.abs(display.decision).max()


def test_rings_are_the_errors_that_the_rates_count(model, plane):
    display = draw(model, plane, rounds=range(1, 11))
    rare = plane[1] == "rare"
    tpr = 1 - display.misclassified[:, rare].mean(axis=1)
    tnr = 1 - display.misclassified[:, ~rare].mean(axis=1)
    np.testing.assert_allclose(tpr, model.estimator_tpr_)
    np.testing.assert_allclose(tnr, model.estimator_tnr_)
    rings = display.ax_[2].collections[-1].get_offsets()
    np.testing.assert_array_equal(rings, plane[0][display.misclassified[2]])


def test_positive_class_may_be_the_first(plane):
    X, y = plane
    swapped = np.where(y == "rare", "a", "b")
    model = KPBoostSVC(gamma=0.5, perturbation_step=0.1).fit(X, swapped)
    display = draw(model, (X, swapped), rounds=[3])
    assert display.names == ("a", "b")
    np.testing.assert_array_equal(display.positive, y == "rare")
    assert 1 - display.misclassified[0][y == "rare"].mean() == pytest.approx(
        model.estimator_tpr_[2]
    )


def test_frames_name_the_axes_and_do_not_warn(plane):
    X, y = pd.DataFrame(plane[0], columns=["width", "height"]), plane[1]
    model = KPBoostSVC(gamma=0.5).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display = draw(model, (X, y))
    assert display.ax_[0].get_xlabel() == "width"
    assert display.ax_[0].get_ylabel() == "height"


def test_a_map_without_boundary_is_drawn(plane):
    X, y = plane
    with pytest.warns(UserWarning, match="No round met"):
        model = KPBoostSVC(C=1e-3).fit(X, y)
    assert draw(model, plane, rounds=[1]).decision.max() < 0


def test_one_axes_is_divided_and_keeps_its_legend(model, plane):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    display = draw(model, plane, ax=ax)
    assert display.figure_ is figure
    words = [text.get_text() for text in display.ax_[0].get_legend().get_texts()]
    assert words == ["common", "rare", "misclassified"]


@pytest.mark.parametrize(
    ("rounds", "message"),
    [
        ([0], r"rounds=\[0\]; the estimator has rounds 1 to 10"),
        ([11], "has rounds 1 to 10"),
        ([], "must be a list of round numbers"),
        ([1.5], "must be a list of round numbers"),
        (3, "must be a list of round numbers"),
    ],
)
def test_bad_rounds_are_refused(model, plane, rounds, message):
    with pytest.raises(ValueError, match=message):
        draw(model, plane, rounds=rounds)


def test_other_points_than_the_training_points_are_refused(model, plane):
    X, y = plane
    with pytest.raises(ValueError, match=r"X has 179 rows .* must be the 180 training points"):
        draw(model, (X[1:], y[1:]))


def test_unknown_label_is_refused(model, plane):
    X, y = plane
    with pytest.raises(ValueError, match="'odd', which the estimator does not know"):
        draw(model, (X, np.r_[["odd"], y[1:]]))


@pytest.mark.parametrize("n", [1, 2.5, True])
def test_bad_grid_is_refused(model, plane, n):
    with pytest.raises(ValueError, match=f"grid_resolution={n}; it must be a whole number"):
        ResolutionMapDisplay.from_estimator(model, *plane, grid_resolution=n)


def test_what_has_no_plane_is_refused(load, plane):
    X, y = load("iris")
    with pytest.raises(ValueError, match="has 3 classes; a map needs two"):
        draw(KPBoostSVC().fit(X[:, :2], y), (X, y))
    two = y < 2
    with pytest.raises(ValueError, match="has 4 features; a map needs two"):
        draw(KPBoostSVC().fit(X[two], y[two]), (X, y))
    with pytest.raises(ValueError, match="kernel is precomputed"):
        draw(KPBoostSVC(kernel="precomputed").fit(X[two] @ X[two].T, y[two]), (X, y))
    with pytest.raises(ValueError, match=r"estimator is a Pipeline; .* pipeline\[-1\]"):
        draw(make_pipeline(KPBoostSVC()), plane)
