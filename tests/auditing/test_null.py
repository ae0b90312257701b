import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from kpboost.auditing._data import audit_data_of
from kpboost.auditing._null import (
    JointFit,
    as_if_best,
    joint_probabilities,
    null_hypothesis,
    smooth_models,
    with_shares,
)
from kpboost.auditing._parts import places_of
from kpboost.model_selection import make_folds, out_of_fold


def drawn(seed, n=3000, slope=2.0, noise=0.0):
    """Scores whose true probabilities are known."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    p = (1 - noise) * expit(slope * x - 1) + noise * 0.3
    y = (rng.random(n) < p).astype(int)
    return np.column_stack([-x / 2, x / 2]), y, p


def test_agrees_with_logistic_regression_where_that_is_right():
    scores, y, _ = drawn(0)
    ours = joint_probabilities([scores], y)[:, 1]
    x = scores[:, 1:] * 2
    theirs = LogisticRegression(C=1e6).fit(x, y).predict_proba(x)[:, 1]
    assert np.abs(ours - theirs).max() < 0.02


def test_noise_keeps_certainty_in_bounds():
    scores, y, p = drawn(1, slope=30.0, noise=0.2)
    ours = joint_probabilities([scores], y)[:, 1]
    assert np.abs(ours - p).mean() < 0.03
    assert ours.min() > 0.02


def test_a_useless_model_beside_a_good_one_does_no_harm():
    scores, y, p = drawn(2)
    useless = np.random.default_rng(0).normal(size=scores.shape)
    ours = joint_probabilities([useless, scores], y)[:, 1]
    assert np.abs(ours - p).mean() < 0.03


@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_rows_sum_to_one(n_classes):
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, size=200)
    p = joint_probabilities([rng.normal(size=(200, n_classes))] * 2, y)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (p > 0).all()


def test_as_if_best_makes_every_answer_the_likeliest():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), size=500)
    predicted = rng.integers(0, 4, size=500)
    best = as_if_best(p, predicted)
    np.testing.assert_allclose(best.sum(axis=1), 1)
    own = best[np.arange(500), predicted]
    assert (own >= best.max(axis=1) - 1e-12).all()


def test_as_if_best_is_the_nearest_such_point():
    """Against a quadratic program's solution on a grid of three classes."""
    p, predicted = np.array([[0.5, 0.1, 0.4]]), np.array([1])
    np.testing.assert_allclose(as_if_best(p, predicted), [[1 / 3, 1 / 3, 1 / 3]])
    grid = np.array(
        [(a, b, 1 - a - b) for a in np.linspace(0, 1, 101) for b in np.linspace(0, 1 - a, 101)]
    )
    allowed = grid[(grid[:, 1] >= grid[:, 0]) & (grid[:, 1] >= grid[:, 2])]
    nearest = allowed[((allowed - p) ** 2).sum(axis=1).argmin()]
    np.testing.assert_allclose(nearest, [1 / 3, 1 / 3, 1 / 3], atol=0.02)


def test_as_if_best_leaves_right_answers_alone():
    p = np.random.default_rng(0).dirichlet(np.ones(3), size=50)
    np.testing.assert_array_equal(as_if_best(p, p.argmax(axis=1)), p)


@pytest.mark.parametrize("shape", [(20, 1), (6, 40), (500, 30)])
def test_the_smooth_models_take_tables_of_any_shape(shape):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape), np.arange(shape[0]) % 2
    for model in smooth_models(*shape):
        assert model.fit(X, y).predict_proba(X).shape == (shape[0], 2)


def test_a_small_training_fold_of_many_columns_is_enough():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 40)), np.arange(100) % 2
    few, many = np.arange(24), np.arange(24, 100)
    folds = [(few, many), (many, few)]
    data = audit_data_of(X, y, 100, 0)
    model = LogisticRegression()
    predictions = out_of_fold(model, data.points, data.codes, [0, 1], folds)
    null = null_hypothesis(data, places_of(data.points), predictions, folds)
    assert np.isfinite(null.probabilities).all()


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_gradient_is_that_of_the_loss(n_classes):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_classes, size=60)
    fit = JointFit(rng.normal(size=(2, 60, n_classes)), codes)
    start = fit.start()
    for _ in range(3):
        point = start + rng.normal(size=start.size)
        wrong = check_grad(lambda x: fit.loss(x, start)[0], lambda x: fit.loss(x, start)[1], point)
        assert wrong < 1e-5


def test_every_class_has_a_rate_of_its_own():
    """Of the common class 6 in 100 get the other label, of the rare one hardly any."""
    rng = np.random.default_rng(0)
    clean = (rng.random(6000) < 0.15).astype(int)
    scores = np.column_stack([-4.0 * clean + 2, 4.0 * clean - 2]) + rng.normal(size=(6000, 2)) / 4
    y = np.where(rng.random(6000) < np.where(clean == 0, 0.06, 0.005), 1 - clean, clean)
    p = joint_probabilities([scores], y)[:, 1]
    assert p[clean == 0].mean() == pytest.approx(0.06, abs=0.01)
    assert np.quantile(p[clean == 0], 0.1) > 0.05  # deep in the common class, too
    assert np.quantile(p[clean == 1], 0.9) > 0.98


def test_single_rows_keep_their_probabilities():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), size=40)
    np.testing.assert_array_equal(
        with_shares(p, places_of(np.arange(40.0)[:, None]), rng.integers(0, 3, 40)), p
    )


def test_many_rows_of_a_place_say_more_than_a_model_that_does_not_know_it():
    rng = np.random.default_rng(0)
    place = np.repeat(np.arange(10), 200)
    truth = rng.uniform(0, 1, 10)[place]
    y = (rng.random(2000) < truth).astype(int)
    flat = np.full((2000, 2), 0.5)
    joined = with_shares(flat, places_of(place[:, None].astype(float)), y)
    np.testing.assert_allclose(joined.sum(axis=1), 1)
    assert np.abs(joined[:, 1] - truth).max() < 0.1


def test_a_model_that_knows_the_places_is_left_alone():
    changes = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        place = np.repeat(np.arange(300), 3)
        truth = rng.uniform(0, 1, 300)[place]
        y = (rng.random(900) < truth).astype(int)
        p = np.column_stack([1 - truth, truth])
        joined = with_shares(p, places_of(place[:, None].astype(float)), y)
        changes.append(np.abs(joined - p).mean())
    assert np.mean(changes) < 0.01


def rare_rows_along_the_column(seed):
    """Expected and true, where a model calls rows common: classes differ in one column of ten."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(600, 10)), np.repeat([0, 1], [500, 100])
    X[y == 1, 0] += 1.5
    data = audit_data_of(X, y, 600, 0)
    folds = make_folds(data.codes, 5, 0)
    predictions = out_of_fold(SVC(), data.points, data.codes, [0, 1], folds)
    null = null_hypothesis(data, places_of(data.points), predictions, folds)
    x = data.table.values[:, 0]
    near = (x > 1) & (x < 1.8) & (predictions.predicted == 0)
    true = expit(1.5 * x - 1.5**2 / 2 + np.log(0.2))
    return null.probabilities[near, 1].sum(), true[near].sum()


def test_probabilities_follow_a_single_column_of_many():
    """Squares and products alone expect a fifth too few; boxes of the column are then striking."""
    expected, true = np.sum([rare_rows_along_the_column(seed) for seed in range(4)], axis=0)
    assert 0.88 * true < expected < 1.1 * true
