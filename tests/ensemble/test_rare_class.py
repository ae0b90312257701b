"""RareClassClassifier: scikit-learn's contract, what must not change it, and the hard cases."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost import OperatingPointClassifier
from kpboost._calibration import shrunken_logit
from kpboost.ensemble import RareClassClassifier, _landmark_machines, _rare_class
from kpboost.ensemble._kernel_bank import RankMetric, bag_sizes, deal, halves_of
from kpboost.solvers import StopFlag


def small(**settings):
    return RareClassClassifier(**{"n_trees": 20, "n_bags": 6, "random_state": 0} | settings)


# predict weighs the classes alike, predict_proba speaks of the shares in the training data
EXPECTED = {"check_classifiers_train": "the balanced decision is not the largest probability"}


@parametrize_with_checks(
    [RareClassClassifier(10, n_bags=3, random_state=0)],
    expected_failed_checks=lambda _: EXPECTED,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def two_classes():
    return make_classification(
        400, n_features=6, n_informative=4, weights=[0.9], class_sep=0.8, random_state=1
    )


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_the_logit_is_that_of_a_general_optimiser(scale):
    rng = np.random.default_rng(0)
    score = scale * rng.normal(size=60)
    is_positive = rng.random(60) < 1 / (1 + np.exp(-score / scale))
    weight, sign = rng.random(60), np.where(is_positive, 1.0, -1.0)

    def loss(v):
        away = v - np.array([3.0, 0.0])
        return weight @ np.logaddexp(0, -sign * (v[0] * score + v[1])) + away @ away / 2

    theirs = minimize(loss, [3.0, 0.0], bounds=[(0, None), (None, None)], tol=1e-14).x
    ours = shrunken_logit(score, is_positive, weight, centre=(3.0, 0.0), shrinkage=1.0)
    assert_allclose(ours, theirs, atol=1e-5)
    assert loss(np.array(ours)) <= loss(theirs) + 1e-10


def test_a_score_that_points_the_wrong_way_gets_no_slope():
    score = np.linspace(-5, 5, 50)
    slope, _ = shrunken_logit(score, score < 0, np.ones(50), centre=(0.1, 0.0), shrinkage=0.1)
    assert slope == 0


def test_bags_use_all_rows_about_as_often():
    rows = np.arange(7)
    bags = list(deal(rows, 5, 14, np.random.RandomState(0)))
    assert all(np.unique(bag).size == 5 for bag in bags)
    assert set(np.bincount(np.concatenate(bags))) == {10}


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((1000, 2), (30, 2)),
        ((1000, 10), (30, 8)),
        ((1000, 100), (80, 80)),
        ((5000, 400), (150, 150)),
        ((20, 20), (16, 16)),
        ((50, 40, 1), (30, 30, 1)),
    ],
)
def test_sizes_of_bags(sizes, expected):
    found = bag_sizes(np.array(sizes), max_per_class=150, min_majority=30)
    assert tuple(found.tolist()) == expected


def test_the_metric_takes_mid_ranks():
    X = np.array([[1.0, 5.0], [2.0, 5.0], [2.0, 5.0], [np.nan, 5.0]])
    metric = RankMetric(X, np.array([1.0, 1.0]))
    ranks = np.array([1 / 6, 2 / 3, 2 / 3])
    expected = (ranks - ranks.mean()) / ranks.std()
    found = metric.transform(X)
    assert_allclose(found[:3, 0], expected)
    assert found[3, 0] == 0
    assert_array_equal(found[:, 1], 0)


def test_same_seed_same_model_whatever_the_threads(two_classes):
    X, y = two_classes
    first = small().fit(X, y)
    again = small(n_jobs=2).fit(X, y)
    assert_array_equal(first.decision_function(X), again.decision_function(X))
    assert_array_equal(first.oob_decision_function_, again.oob_decision_function_)


def test_units_of_columns_do_not_matter(two_classes):
    X, y = two_classes
    scaled = X * 2.0 ** np.arange(6) + 0.0
    assert_allclose(
        small().fit(X, y).decision_function(X),
        small().fit(scaled, y).decision_function(scaled),
        rtol=1e-9,
    )


def test_permuted_labels_are_not_learnt():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 5)), rng.permutation(np.repeat([0, 1], [500, 100]))
    model = RareClassClassifier(100, random_state=0).fit(X, y)
    known = ~np.isnan(model.oob_decision_function_)
    assert abs(roc_auc_score(y[known], model.oob_decision_function_[known]) - 0.5) < 0.06


def test_probabilities_are_calibrated_and_the_decision_is_balanced(two_classes):
    X, y = two_classes
    model = RareClassClassifier(100, random_state=0).fit(X[::2], y[::2])
    p = model.predict_proba(X[1::2])
    assert_allclose(p.sum(axis=1), 1)
    assert log_loss(y[1::2], p) < log_loss(y[1::2], np.full(200, y[::2].mean()))
    odds = model.decision_function(X[1::2])
    assert_array_equal(model.predict(X[1::2]), (odds >= 0).astype(int))
    assert np.any((odds >= 0) & (p[:, 1] < 0.5))


def test_probabilities_mean_the_share_of_a_large_class_too():
    X, y = make_classification(6000, n_informative=4, weights=[0.94], flip_y=0.05, random_state=0)
    model = RareClassClassifier(50, n_bags=6, random_state=0).fit(X[::2], y[::2])
    assert abs(model.predict_proba(X[1::2])[:, 1].mean() - y.mean()) < 0.015
    assert np.isfinite(model.oob_decision_function_).mean() > 0.99


def test_the_rarer_class_may_be_the_first(two_classes):
    X, y = two_classes
    one, other = small(n_trees=100).fit(X, y), small(n_trees=100).fit(X, 1 - y)
    # trees and bags are drawn anew, so that the two models are alike, not equal
    assert spearmanr(one.decision_function(X), -other.decision_function(X)).statistic > 0.97
    assert np.mean(one.predict(X) == 1 - other.predict(X)) > 0.95
    assert abs(one.predict_proba(X) - other.predict_proba(X)[:, ::-1]).mean() < 0.02


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    keep = np.r_[:50, 50:80, 100:108]
    model = RareClassClassifier(50, random_state=0).fit(X[keep], y[keep])
    rest = np.delete(np.arange(150), keep)
    assert model.decision_function(X).shape == model.predict_proba(X).shape == (150, 3)
    assert model.score(X[rest], y[rest]) > 0.85
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("n_rare", [2, 3, 4, 5])
def test_very_few_of_a_class(n_rare):
    rng = np.random.default_rng(n_rare)
    y = np.repeat([0, 1], [60, n_rare])
    X = rng.normal(size=(y.size, 3)) + 5 * y[:, None]
    model = small().fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.predict(X)[-1] == 1


def test_a_class_of_one_is_left_to_the_forest_with_a_sentence():
    X, y = np.arange(40.0).reshape(-1, 1), np.repeat([0, 1], [39, 1])
    with pytest.warns(UserWarning, match="Classes with a single training sample: 1"):
        model = small().fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((30, 3)),
        np.tile([[0.0], [1.0]], (15, 1)),
        np.random.default_rng(0).normal(size=(30, 80)),
    ],
    ids=["constant", "contradictory copies", "more columns than rows"],
)
def test_hard_tables(X):
    y = np.arange(30) % 3 // 2
    model = small().fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert np.isfinite(model.predict_proba(X)).all()


def test_missing_values_and_categories():
    rng = np.random.default_rng(0)
    n = 300
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
            "kind": pd.Categorical(rng.choice(["a", "b", "c"], n)),
        }
    )
    y = ((frame["kind"] == "c") & (frame["size"].fillna(0) > -0.3)).astype(int)
    model = RareClassClassifier(60, random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.95
    assert model.feature_importances_.shape == (2,)
    assert_allclose(model.feature_importances_.sum(), 1)
    new = frame.assign(kind=pd.Categorical(["z"] * n))
    assert np.isfinite(model.decision_function(new)).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_bags": 0}, "n_bags=0 is not allowed"),
        ({"widths": ()}, r"widths=\(\) is not allowed"),
        ({"C": -1}, "C=-1 is not allowed"),
        ({"categorical_features": [9]}, "column"),
    ],
)
def test_bad_settings_get_a_sentence(settings, words, two_classes):
    with pytest.raises(ValueError, match=words):
        small(**settings).fit(*two_classes)


def test_text_that_nobody_called_categorical_is_refused_by_name(two_classes):
    X, y = two_classes
    frame = pd.DataFrame(X).assign(colour="red")
    with pytest.raises(ValueError, match="The column 'colour' holds text"):
        small().fit(frame, y)
    late = pd.DataFrame(X).astype(object)
    late.iloc[-1, 3] = "seven"
    with pytest.raises(ValueError, match="The column '3' holds text"):
        small().fit(late, y)


@pytest.fixture
def many(monkeypatch):
    """A ring of a rare class around its like: bags are too small for its little part."""
    monkeypatch.setattr(_rare_class, "MOST_BAGGED", 500)
    rng = np.random.default_rng(0)
    common = rng.normal(size=(3000, 4))
    part = rng.random(150) < 0.3
    rare = np.where(part[:, None], [0.0, 0.0, 2.5, 0.0], [2.5, 0.0, 0.0, 0.0])
    rare = rare + 0.3 * rng.normal(size=(150, 4))
    return np.vstack([common, rare]), np.repeat([0, 1], [3000, 150])


def test_of_many_samples_a_draw_is_learnt_from_with_rare_classes_whole(many):
    X, y = many
    model = small(max_samples=600).fit(X, y)
    assert model.n_samples_drawn_ == 600
    drawn = ~np.isnan(model.oob_decision_function_)
    assert drawn[y == 1].mean() > 0.99  # with twenty trees one may be in all bootstraps
    assert 440 <= drawn[y == 0].sum() <= 450
    assert small(max_samples=None).fit(X, y).n_samples_drawn_ == y.size


def test_probabilities_of_a_draw_speak_of_the_shares_of_all_samples(many):
    X, y = many
    model = small(n_trees=100, max_samples=600).fit(X[::2], y[::2])
    assert model.predict_proba(X[1::2])[:, 1].mean() == pytest.approx(y.mean(), abs=0.02)
    point = OperatingPointClassifier(model, alarms=0.1, cv="oob").fit(X, y).operating_point_
    assert point.alarms.value == pytest.approx(0.1, abs=0.03)


def test_the_bank_with_the_lower_loss_out_of_bag_is_kept(many, monkeypatch):
    X, y = many
    chosen = small().fit(X, y)
    assert chosen._bank.kernel == "gaussian"

    def loss(model):
        known = ~np.isnan(model.oob_decision_function_)
        margins = np.where(y == 1, 1.0, -1.0) * model.oob_decision_function_
        terms = np.logaddexp(0.0, -margins)
        return terms[known & (y == 1)].mean() + terms[known & (y == 0)].mean()

    monkeypatch.setattr(_rare_class, "MOST_BAGGED", y.size)
    bags = small().fit(X, y)
    assert bags._bank.kernel == "laplacian"
    assert loss(chosen) < loss(bags)


def test_permuted_labels_are_not_learnt_on_landmarks(monkeypatch):
    monkeypatch.setattr(_rare_class, "MOST_BAGGED", 100)
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(1500, 5)), rng.random(1500) < 0.2
    halves = halves_of(y.astype(int), np.random.RandomState(0))
    assert_array_equal(np.sort(np.concatenate(halves)), np.arange(1500))
    model = small(n_trees=60).fit(X, y)
    known = ~np.isnan(model.oob_decision_function_)
    assert abs(roc_auc_score(y[known], model.oob_decision_function_[known]) - 0.5) < 0.06


def test_a_machine_whose_landmarks_are_all_samples_is_nearly_an_svm():
    """But for the smoothed corner of the hinge."""
    X, y = make_classification(250, 4, n_redundant=0, weights=[0.8], class_sep=0.7, random_state=0)
    (machine,) = _landmark_machines.landmark_machines(X, y, [1], [0.1], 1.0, 0, StopFlag())
    vectors, coef, scale, offset = machine
    assert len(vectors) == len(X)
    theirs = SVC(C=1.0, gamma=scale, class_weight="balanced").fit(X, y)
    kernel = np.exp(-scale * ((X[:, None] - vectors) ** 2).sum(axis=2))
    ours = (kernel @ coef + offset)[:, 0]
    assert np.mean((ours >= 0) == (theirs.decision_function(X) >= 0)) > 0.97
    assert np.corrcoef(ours, theirs.decision_function(X))[0, 1] > 0.98


def test_several_classes_of_many_samples(monkeypatch):
    monkeypatch.setattr(_rare_class, "MOST_BAGGED", 50)
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0:50, 50:100, 100:110]
    model = small(max_samples=90).fit(X[rows], y[rows])
    assert model.score(X, y) > 0.9
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.oob_decision_function_.shape == (110, 3)


def test_a_draw_has_every_class():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"max_samples=2 is not allowed.*one for each class"):
        small(max_samples=2).fit(X, y)


def test_a_bank_does_not_win_by_having_no_answer(monkeypatch):
    """A class of two is in every bag, so that the bags know nothing of it out of bag."""
    monkeypatch.setattr(_rare_class, "MOST_BAGGED", 100)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(402, 3))
    y = np.repeat([0, 1, 2], [200, 200, 2])
    X[y == 1, 0] += 3.0
    X[y == 2, 1] += 5.0
    model = small(n_trees=60).fit(X, y)
    assert model.predict_proba(X).shape == (402, 3)
    odds = np.full((402, 3), np.nan)
    odds[:, :2] = 0.0
    known = ~np.isnan(odds)
    loss = _rare_class._balanced_loss(odds, known, y, [0, 1, 2], np.ones(402))
    assert loss == pytest.approx(4 * np.log(2))  # of two problems, both sides of each


def test_categories_of_many_samples_are_encoded_after_the_draw(many):
    X, y = many
    frame = pd.DataFrame(X, columns=list("abcd")).assign(
        kind=pd.Categorical(np.where(y == 1, "odd", "even"))
    )
    model = small(max_samples=400).fit(frame, y)
    assert model.n_samples_drawn_ == 400
    assert (model.predict(frame) == y).mean() > 0.99
    with pytest.raises(ValueError, match="inconsistent"):
        small().fit(frame, y[:-1])


def test_a_draw_with_told_sizes_is_that_of_all_samples():
    X, y = make_classification(3000, weights=[0.95], random_state=0)
    whole = RareClassClassifier(20, n_bags=3, max_samples=400, random_state=0).fit(X, y)
    random = np.random.RandomState(0)
    rows = RareClassClassifier(max_samples=400)._drawn(y, random)  # `random` goes on from there
    sizes = dict(enumerate(np.bincount(y).tolist()))
    drawn = RareClassClassifier(20, n_bags=3, class_sizes=sizes, random_state=random)
    drawn.fit(X[rows], y[rows])
    assert drawn.predict_proba(X).tolist() == whole.predict_proba(X).tolist()
    untold = clone(drawn).set_params(class_sizes=None, random_state=0).fit(X[rows], y[rows])
    assert untold.predict_proba(X)[:, 1].mean() > 1.5 * whole.predict_proba(X)[:, 1].mean()
    for sizes in ({0: 1.0}, {0: 1.0, 1: 0.0}, [5, 5]):
        with pytest.raises(ValueError, match=r"class_sizes=.* a positive number for each class"):
            RareClassClassifier(class_sizes=sizes).fit(X, y)
