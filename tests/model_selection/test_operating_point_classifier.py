"""The classifier around an estimator: scores of unseen samples, probabilities, checks."""

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    FixedThresholdClassifier,
    KFold,
    StratifiedKFold,
    cross_val_predict,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost import KernelSVC, OperatingPointClassifier, RareClassClassifier
from kpboost.model_selection import choose_operating_point


class CountingClassifier(GaussianNB):
    """Counts how often a classifier of its kind was trained."""

    n_fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).n_fits += 1
        return super().fit(X, y, sample_weight)


WEIGHTS = "a repeated sample can be in two folds at once, which a weight cannot imitate"
NOT_ONE_HALF = "the operating point is not where the probability passes one half"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
    "check_classifiers_train": NOT_ONE_HALF,
}


@pytest.mark.filterwarnings("ignore:Class .* there are:UserWarning")
@parametrize_with_checks(
    [
        OperatingPointClassifier(LogisticRegression(), random_state=0),
        OperatingPointClassifier(LinearSVC(), rule="gmean", calibrate=True, random_state=0, cv=3),
    ],
    expected_failed_checks=lambda estimator: EXPECTED,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(
        900, weights=[0.9], n_informative=4, flip_y=0.02, class_sep=0.8, random_state=3
    )
    return X, np.array(["well", "sick"])[y]


def forest(kind=ExtraTreesClassifier, n=100, **options):
    return kind(n, bootstrap=True, oob_score=True, random_state=0, **options)


def test_scores_are_those_of_cross_validation(data):
    X, y = data
    folds = StratifiedKFold(4)
    model = OperatingPointClassifier(LogisticRegression(), rule="gmean", cv=folds).fit(X, y)
    shares = cross_val_predict(LogisticRegression(), X, y, cv=folds, method="predict_proba")
    assert_allclose(model.oof_scores_, shares[:, 1])
    assert model.operating_point_ == choose_operating_point(y, shares, rule="gmean")
    own = LogisticRegression().fit(X, y).predict_proba(X)
    assert_array_equal(model.predict(X), model.operating_point_.predict(own))
    assert_array_equal(model.predict_proba(X), own)


def test_there_are_as_many_fits_as_it_says(data):
    X, y = data
    CountingClassifier.n_fits = 0
    model = OperatingPointClassifier(CountingClassifier(), cv=4, random_state=0).fit(X, y)
    assert CountingClassifier.n_fits == 5
    model.change_operating_point(recall=0.9).predict(X)
    assert CountingClassifier.n_fits == 5


@pytest.mark.parametrize("kind", [ExtraTreesClassifier, RandomForestClassifier])
@pytest.mark.parametrize("rule", ["gmean", "prior"])
def test_a_forest_needs_one_fit(data, kind, rule):
    X, y = data
    model = OperatingPointClassifier(forest(kind), rule=rule, cv="oob").fit(X, y)
    own = forest(kind).fit(X, y)
    assert_array_equal(model.oof_scores_, own.oob_decision_function_[:, 1])
    expected = choose_operating_point(y, own.oob_decision_function_, rule=rule)
    assert model.operating_point_ == expected
    assert_array_equal(model.predict_proba(X), own.predict_proba(X))
    assert_array_equal(model.predict(X), expected.predict(own.predict_proba(X)))


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores:UserWarning")
def test_samples_that_every_tree_has_seen_have_no_score(data):
    X, y = data
    model = OperatingPointClassifier(forest(n=3), cv="oob").fit(X, y)
    n_unknown = int(np.isnan(model.oof_scores_).sum())
    assert 0 < n_unknown < y.size
    assert model.operating_point_.n_samples == y.size - n_unknown


def test_out_of_bag_scores_may_be_log_odds_or_a_bag_of_machines(data):
    X, y = data
    rare = RareClassClassifier(n_trees=30, n_bags=5, random_state=0)
    model = OperatingPointClassifier(rare, alarms=0.1, cv="oob").fit(X, y)
    assert model.response_method_ == "decision_function"
    assert_array_equal(model.oof_scores_, model.estimator_.oob_decision_function_)
    assert np.mean(model.predict(X) == "sick") < 0.15
    bag = BaggingClassifier(SVC(), 20, oob_score=True, random_state=0)
    model = OperatingPointClassifier(bag, cv="oob").fit(X, y)
    assert model.response_method_ == "predict_proba"


def test_a_fitted_estimator_is_left_as_it_is(data):
    X, y = data
    fitted = LogisticRegression().fit(X[:400], y[:400])
    for estimator in (fitted, FrozenEstimator(fitted)):
        model = OperatingPointClassifier(estimator, recall=0.9, cv="prefit").fit(X[400:], y[400:])
        assert model.estimator_ is estimator
        shares = fitted.predict_proba(X[400:])
        assert model.operating_point_ == choose_operating_point(y[400:], shares, recall=0.9)
    with pytest.raises(NotFittedError):
        OperatingPointClassifier(LogisticRegression(), cv="prefit").fit(X, y)


def test_the_threshold_fits_scikit_learns_classifier(data):
    X, y = data
    model = OperatingPointClassifier(forest(), recall=0.95, cv="oob").fit(X, y)
    plain = FixedThresholdClassifier(
        FrozenEstimator(model.estimator_), threshold=model.operating_point_.threshold
    ).fit(X, y)
    assert_array_equal(plain.predict(X), model.predict(X))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "wish", [{}, {"rule": "gmean"}, {"recall": 0.95}, {"alarms": 0.2}], ids=str
)
def test_the_sign_or_the_highest_column_is_the_label(n_classes, wish):
    X, y = make_blobs([200, 60, 50][:n_classes], cluster_std=4.0, random_state=1)
    names = np.array(["c", "a", "b"])[y]
    model = OperatingPointClassifier(LogisticRegression(), **wish, random_state=0).fit(X, names)
    margins = model.decision_function(X)
    codes = (margins >= 0).astype(int) if n_classes == 2 else margins.argmax(axis=1)
    assert_array_equal(model.classes_[codes], model.predict(X))
    assert np.isfinite(margins).all()


def test_a_target_is_kept_on_new_data():
    X, y = make_classification(
        20_000, weights=[0.9], n_informative=4, class_sep=0.8, random_state=0
    )
    X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    model = OperatingPointClassifier(LogisticRegression(), recall=0.9, random_state=0).fit(X, y)
    predicted = model.predict(X_new)
    point = model.operating_point_
    assert np.mean(predicted[y_new == 1]) == pytest.approx(0.9, abs=0.03)
    assert point.precision.value == pytest.approx(y_new[predicted == 1].mean(), abs=0.03)
    model.change_operating_point(alarms=0.05)
    assert model.predict(X_new).mean() == pytest.approx(0.05, abs=0.01)
    assert model.recall == 0.9  # parameters stay


def test_costs_move_the_threshold(data):
    X, y = data
    models = [
        OperatingPointClassifier(
            LogisticRegression(), costs=[[0, miss], [1, 0]], cv=3, random_state=0
        )
        for miss in (1, 30)
    ]
    cheap, dear = (model.fit(X, y) for model in models)
    assert dear.operating_point_.recall.value > cheap.operating_point_.recall.value + 0.2
    assert dear.operating_point_.cost.value > 0


@pytest.mark.parametrize(
    "estimator", [SVC(), KernelSVC(), LinearSVC()], ids=lambda e: type(e).__name__
)
def test_machines_get_honest_probabilities_from_the_same_folds(estimator):
    X, y = make_classification(1500, weights=[0.85], n_informative=4, class_sep=0.7, random_state=0)
    X, X_new, y, y_new = train_test_split(X, y, random_state=0, stratify=y)
    model = OperatingPointClassifier(estimator, random_state=0).fit(X, y)
    shares = model.predict_proba(X_new)
    assert_allclose(shares.sum(axis=1), 1.0)
    base = log_loss(y_new, np.full(y_new.size, y.mean()))
    assert log_loss(y_new, shares) < base - 0.01
    assert shares[:, 1].mean() == pytest.approx(y_new.mean(), abs=0.03)


def test_who_calibrates(data):
    X, y = data
    assert not hasattr(OperatingPointClassifier(SVC(), calibrate=False), "predict_proba")
    tree = DecisionTreeClassifier(random_state=0)  # says 0 or 1
    own = OperatingPointClassifier(tree, random_state=0).fit(X, y)
    assert own.calibration_ is None
    better = OperatingPointClassifier(tree, calibrate=True, random_state=0).fit(X, y)
    X_new, y_new = make_classification(
        900, weights=[0.9], n_informative=4, flip_y=0.02, class_sep=0.8, random_state=3
    )
    X_new = X_new + np.random.default_rng(0).normal(scale=0.3, size=X_new.shape)
    losses = [log_loss(1 - y_new, each.predict_proba(X_new)) for each in (own, better)]
    assert losses[1] < losses[0]


def test_several_classes_of_a_machine():
    X, y = make_blobs([300, 60, 45], cluster_std=4.0, random_state=1)
    model = OperatingPointClassifier(SVC(), rule="gmean", random_state=0).fit(X, y)
    assert model.oof_scores_.shape == (405, 3)
    assert len(model.operating_point_.offsets) == 3
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    with pytest.raises(ValueError, match="has 6 columns; one for each of 4 classes is needed"):
        OperatingPointClassifier(SVC(decision_function_shape="ovo"), cv=2).fit(
            *make_blobs(40, centers=4, random_state=0)
        )


def test_weights_reach_the_estimator_and_no_others(data):
    X, y = data
    weight = np.where(y == "sick", 9.0, 1.0)
    folds = StratifiedKFold(3)
    model = OperatingPointClassifier(LogisticRegression(), cv=folds)
    model.fit(X, y, sample_weight=weight)
    assert_allclose(
        model.estimator_.coef_, LogisticRegression().fit(X, y, sample_weight=weight).coef_
    )
    train, test = next(folds.split(X, y))
    own = LogisticRegression().fit(X[train], y[train], sample_weight=weight[train])
    assert_allclose(model.oof_scores_[test], own.predict_proba(X[test])[:, 1])
    expected = choose_operating_point(y, model.oof_scores_, rule="balanced", sample_weight=weight)
    assert model.operating_point_ == expected
    assert model.operating_point_ != choose_operating_point(y, model.oof_scores_)
    with pytest.raises(ValueError, match="Pipeline takes no sample_weight"):
        OperatingPointClassifier(make_pipeline(StandardScaler(), SVC())).fit(X, y, weight)


def test_weights_that_restore_the_shares_restore_probabilities_and_rates():
    X, y = make_classification(9000, 6, n_informative=4, weights=[0.97], random_state=0)
    X, y, X_new, y_new = X[:6000], y[:6000], X[6000:], y[6000:]
    rows = np.concatenate([np.flatnonzero(y == k)[:200] for k in (0, 1)])
    weight = (np.bincount(y) / np.bincount(y[rows]))[y[rows]]
    machine = KernelSVC(class_weight="balanced", gamma=0.1)
    model = OperatingPointClassifier(machine, rule="gmean", random_state=0)
    model.fit(X[rows], y[rows], sample_weight=weight)
    assert model.predict_proba(X_new)[:, 1].mean() == pytest.approx(y_new.mean(), abs=0.015)
    called = model.predict(X_new) == 1
    point = model.change_operating_point(rule="gmean").operating_point_
    assert point.alarms.low <= called.mean() <= point.alarms.high
    assert point.precision.low <= y_new[called].mean() <= point.precision.high


def test_a_tiny_class_gets_fewer_folds(data):
    X, y = data
    rows = np.append(np.flatnonzero(y == "well")[:60], np.flatnonzero(y == "sick")[:3])
    with pytest.warns(UserWarning, match="Class 'sick' has 3 samples: there are 3 folds, not 5"):
        model = OperatingPointClassifier(GaussianNB(), random_state=0).fit(X[rows], y[rows])
    assert "Only 3 samples of 'sick'" in model.operating_point_.note
    with pytest.raises(ValueError, match="Class 'sick' has 1 sample; 2 of each class are needed"):
        OperatingPointClassifier(GaussianNB()).fit(X[rows[:-2]], y[rows[:-2]])


def test_frames_keep_their_names_and_lists_are_taken(data):
    pandas = pytest.importorskip("pandas")
    X, y = data
    frame = pandas.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    model = OperatingPointClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()), random_state=0
    ).fit(frame, pandas.Series(y))
    assert_array_equal(model.feature_names_in_, frame.columns)
    assert model.n_features_in_ == X.shape[1]
    listed = clone(model).fit(X.tolist(), y.tolist())
    assert_array_equal(listed.predict(X.tolist()), model.predict(frame))


def test_seeds_and_jobs(data):
    X, y = data
    model = OperatingPointClassifier(LogisticRegression(), random_state=1)
    first = clone(model).fit(X, y)
    with parallel_config("threading"):  # processes would take seconds to start
        second = clone(model).set_params(n_jobs=2).fit(X, y)
    assert first.operating_point_ == second.operating_point_
    other = clone(model).set_params(random_state=2).fit(X, y)
    assert not np.array_equal(first.oof_scores_, other.oof_scores_)


def test_it_shows_what_it_holds(data):
    model = OperatingPointClassifier(SVC(), recall=0.9)
    assert "estimator=SVC()" in repr(model)
    assert "SVC" in model._repr_html_()
    with pytest.raises(NotFittedError):
        model.predict(data[0])
    with pytest.raises(NotFittedError):
        model.change_operating_point(recall=0.5)


class Untouchable:
    """Data that complain when somebody looks at them."""

    def __array__(self, *args, **options):
        raise AssertionError("the data were looked at")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "best"}, "rule='best' is not allowed"),
        ({"recall": 2.0}, "recall=2.0 is not allowed"),
        ({"alarms": 0}, "alarms=0 is not allowed"),
        ({"costs": [1, 2]}, "as many rows as columns"),
        ({"recall": 0.9, "alarms": 0.1}, "recall and alarms are given"),
        ({"cv": "bag"}, "cv='bag' is not allowed"),
        ({"cv": 1}, "cv=1 is not allowed"),
        ({"calibrate": "yes"}, "calibrate='yes' is not allowed"),
        ({"n_jobs": 0}, "n_jobs=0 is not allowed"),
        ({"estimator": StandardScaler()}, "neither predict_proba nor decision_function"),
        ({"estimator": Perceptron(), "rule": "prior"}, "Perceptron has no predict_proba"),
    ],
)
def test_bad_parameters_are_named_before_any_work(options, message):
    options = {"estimator": LogisticRegression(), **options}
    with pytest.raises(ValueError, match=message):
        OperatingPointClassifier(**options).fit(Untouchable(), Untouchable())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pos_label": "ill"}, "pos_label='ill' is not allowed; it must be None or one of"),
        ({"costs": 1 - np.eye(3)}, "2 rows and columns"),
        ({"cv": KFold(3, shuffle=True), "n": 902}, "inconsistent numbers of samples"),
        ({"cv": [(np.arange(900), np.arange(10))]}, "test every row exactly once"),
    ],
)
def test_bad_data_are_named_before_any_fit(data, options, message):
    X, y = data
    CountingClassifier.n_fits = 0
    y = np.resize(y, options.pop("n", y.size))
    with pytest.raises(ValueError, match=message):
        OperatingPointClassifier(CountingClassifier(), **options).fit(X, y)
    assert CountingClassifier.n_fits == 0


def test_what_cannot_be_scored_is_said(data):
    X, y = data
    with pytest.raises(ValueError, match="DummyClassifier has no oob_decision_function_"):
        OperatingPointClassifier(DummyClassifier(), cv="oob").fit(X, y)
    fitted = DummyClassifier().fit(X, y)
    with pytest.raises(ValueError, match="trained without the class 'rare', which y has"):
        OperatingPointClassifier(fitted, cv="prefit").fit(X, np.append(y[2:], ["rare"] * 2))
    with pytest.raises(ValueError, match="trained without the class 'rare', which y has"):
        OperatingPointClassifier(DummyClassifier(), cv=KFold(9)).fit(
            X, np.append(y[50:], ["rare"] * 50)
        )
    fitted = DummyClassifier().fit(X, np.append(y[2:], ["rare"] * 2))
    with pytest.raises(ValueError, match="knows 3 classes; y has 2 of them"):
        OperatingPointClassifier(fitted, cv="prefit").fit(X, y)


def test_scores_that_say_nothing(data):
    X, y = data
    model = OperatingPointClassifier(DummyClassifier(), random_state=0).fit(X, y)
    assert set(model.predict(X)) == {"sick"}  # the rarest: none is missed
