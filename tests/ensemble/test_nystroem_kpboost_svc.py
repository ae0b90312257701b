"""The estimator against the exact one, and what it takes and gives."""

import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost import KPBoostSVC, NystroemKPBoostSVC, OperatingPointClassifier
from kpboost.ensemble import _low_rank_rounds as rounds, _nystroem_kpboost_svc as module

pytestmark = pytest.mark.filterwarnings("ignore::kpboost.ensemble.NoVotingRoundWarning")


def rings(n=600, seed=0, noise=0.05):
    """A rare disc inside a common class, with some wrong labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (np.hypot(X[:, 0], X[:, 1]) < 0.5).astype(int)
    return X, np.where(rng.random(n) < noise, 1 - y, y)


def blobs(n_classes, n=400):
    return make_blobs(n, centers=n_classes, cluster_std=2.5, random_state=0)


def exact(**parameters):
    return KPBoostSVC(class_weight="balanced", **parameters)


def low_rank(**parameters):
    return NystroemKPBoostSVC(**{"random_state": 0, "n_iter_no_change": None, **parameters})


@parametrize_with_checks(
    [
        NystroemKPBoostSVC(),
        NystroemKPBoostSVC(voting="soft", multi_class="one_vs_one", landmarks="uniform"),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_with_all_rows_as_landmarks_it_is_the_exact_machine(voting):
    X, y = rings()
    shared = {"C": 3.0, "perturbation_step": 0.05, "n_estimators": 5, "voting": voting}
    ours = low_rank(n_landmarks=600, loss_width=0.01, tol=1e-8, **shared).fit(X, y)
    theirs = exact(**shared).fit(X, y)
    new = np.random.default_rng(1).normal(size=(1000, 3))
    assert_allclose(ours.gamma_, theirs.gamma_, rtol=1e-12)
    mine, other = ours.round_decision_function(new), theirs.round_decision_function(new)
    assert_allclose(mine, other, atol=0.1)
    assert np.all(((mine > 0) == (other > 0)).mean(axis=0) >= 0.995)
    assert_allclose(ours.estimator_tpr_, theirs.estimator_tpr_, atol=0.02)
    # a round that is as good as the first but for one row may vote here and not there
    assert np.mean(ours.predict(new) == theirs.predict(new)) >= 0.97


@pytest.mark.parametrize("multi_class", ["one_vs_rest", "one_vs_one"])
def test_three_classes_are_those_of_the_exact_machine(multi_class):
    X, y = blobs(3, 300)
    shared = {"multi_class": multi_class, "n_estimators": 3, "perturbation_step": 0.05}
    ours = low_rank(n_landmarks=300, loss_width=0.01, tol=1e-8, **shared).fit(X, y)
    theirs = exact(**shared).fit(X, y)
    assert_allclose(ours.round_decision_function(X), theirs.round_decision_function(X), atol=0.1)
    assert np.mean(ours.predict(X) == theirs.predict(X)) >= 0.98
    assert ours.coef_.shape == (3, 3, ours.landmarks_.shape[0])


def test_few_landmarks_and_a_round_corner_change_few_labels():
    X, y = rings(3000)
    shared = {"C": 10.0, "n_estimators": 5}
    ours, theirs = low_rank(n_landmarks=200, **shared).fit(X, y), exact(**shared).fit(X, y)
    new = np.random.default_rng(1).normal(size=(3000, 3))
    assert np.mean(ours.predict(new) == theirs.predict(new)) >= 0.98


def test_the_order_of_rows_does_not_matter():
    X, y = rings(300)
    order = np.random.default_rng(0).permutation(300)
    one, other = low_rank().fit(X, y), low_rank().fit(X[order], y[order])
    values = one.round_decision_function(X)
    assert_allclose(other.round_decision_function(X), values, atol=5e-3)


def test_weight_two_is_a_row_twice_and_weight_zero_none():
    X, y = rings(400)
    weight = np.random.default_rng(0).integers(0, 3, 400)
    weighted = low_rank(n_landmarks=60, tol=1e-8).fit(X, y, sample_weight=weight)
    repeated = low_rank(n_landmarks=60, tol=1e-8).fit(X.repeat(weight, 0), y.repeat(weight))
    assert_allclose(weighted.landmarks_, repeated.landmarks_, atol=1e-9)
    values = repeated.round_decision_function(X)
    assert_allclose(weighted.round_decision_function(X), values, atol=5e-3)
    assert_allclose(weighted.estimator_tpr_, repeated.estimator_tpr_, atol=1e-12)
    assert weighted.n_samples_seen_ == np.count_nonzero(weight)


def test_rounds_are_judged_by_what_training_rows_get_as_new_ones():
    X, y = rings()
    weight = np.random.default_rng(0).uniform(0.5, 2, y.size)
    model = low_rank(n_landmarks=50).fit(X, y, weight)
    right = (model.round_decision_function(X) > 0) == (y[:, None] == 1)
    rates = [np.average(right[y == k], axis=0, weights=weight[y == k]) for k in (1, 0)]
    assert_allclose([model.estimator_tpr_, model.estimator_tnr_], rates, rtol=1e-12)
    assert_allclose(model.estimator_errors_, np.hypot(1 - rates[0], 1 - rates[1]), rtol=1e-9)


def test_a_sample_has_the_rare_class_whole_and_stands_for_all_rows():
    X, y = rings(20_000, noise=0.02)
    whole = low_rank(C=0.1, n_landmarks=80, n_estimators=3).fit(X, y)
    part = clone(whole).set_params(max_samples=6000).fit(X, y)
    n_rare = np.count_nonzero(y == 1)
    assert n_rare < 3000
    assert part.n_samples_solved_ == pytest.approx(6000, abs=300)
    assert whole.n_samples_solved_ == whole.n_samples_seen_ == part.n_samples_seen_ == 20_000
    assert np.mean(part.predict(X) == whole.predict(X)) > 0.985
    right = (part.round_decision_function(X) > 0) == (y[:, None] == 1)
    assert_allclose(part.estimator_tpr_, right[y == 1].mean(axis=0), rtol=1e-12)
    assert whole.sample_decrement_ < 1e-4 < part.sample_decrement_ < 0.1


def test_all_rows_beyond_the_sample(monkeypatch):
    X, y = rings(3000)
    whole = low_rank(n_landmarks=60).fit(X, y)
    monkeypatch.setattr(module, "SAMPLE_ROWS", 1000)
    streamed = clone(whole).set_params(max_samples=None, batch_size=500).fit(X, y)
    monkeypatch.setattr(module, "FEATURE_BYTES", 0)
    again = clone(streamed).fit(X, y)
    assert streamed.n_samples_solved_ == again.n_samples_solved_ == 3000
    assert_array_equal(streamed.coef_, again.coef_)  # kept or computed in every pass
    assert np.mean(streamed.predict(X) == whole.predict(X)) > 0.97
    assert streamed.sample_decrement_ < 1e-4


def test_balanced_weights_by_default():
    X, y = rings()
    balanced, plain = low_rank().fit(X, y), low_rank(class_weight=None).fit(X, y)
    assert balanced.estimator_tpr_[0] > plain.estimator_tpr_[0]
    given = low_rank(class_weight={0: 600 / (2 * (y == 0).sum()), 1: 600 / (2 * (y == 1).sum())})
    assert_allclose(given.fit(X, y).coef_, balanced.coef_, rtol=1e-6)


def test_stages_are_what_fewer_rounds_would_give():
    X, y = rings()
    for voting in ("hard", "soft"):
        model = low_rank(n_estimators=4, perturbation_step=0.1, voting=voting).fit(X, y)
        stages = list(model.staged_decision_function(X))
        labels = list(model.staged_predict(X))
        for t, (stage, own) in enumerate(zip(stages, labels, strict=True), start=1):
            fewer = clone(model).set_params(n_estimators=t).fit(X, y)
            assert_array_equal(stage, fewer.decision_function(X))
            assert_array_equal(own, fewer.predict(X))
        assert_array_equal(stages[-1], model.decision_function(X))


def test_no_more_rounds_where_boosting_adds_nothing():
    X, y = make_blobs([300, 60], centers=[[0, 0], [2.5, 0]], random_state=0)
    all_rounds = low_rank(C=10.0, perturbation_step=0.5).fit(X, y)
    stopped = clone(all_rounds).set_params(n_iter_no_change=2).fit(X, y)
    made = stopped.estimator_weights_.size
    assert 3 <= made < 10
    assert_array_equal(stopped.estimator_errors_, all_rounds.estimator_errors_[:made])
    assert not stopped.selected_rounds_[-2:].any()
    for model in (stopped, all_rounds):
        assert model.only_first_round_ == (model.selected_rounds_.sum() == 1)


def test_a_rough_start_changes_steps_and_no_solution(monkeypatch):
    X, y = rings(4000)
    model = low_rank(C=100.0, n_landmarks=150, n_estimators=2, tol=1e-8).fit(X, y)
    monkeypatch.setattr(rounds, "ENOUGH_ROWS", 100)
    rough = clone(model).fit(X, y)
    assert rough.n_iter_[0] < model.n_iter_[0]
    values = model.round_decision_function(X)
    assert_allclose(rough.round_decision_function(X), values, atol=5e-3)
    order = np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:3]]
    few = clone(model).fit(X[order], y[order])  # one row in eight knows one class only
    assert few.estimator_tpr_[0] > 0.5


@pytest.mark.parametrize("batch_size", [1, 7, 10**6])
def test_batches_do_not_show_in_predictions(batch_size):
    X, y = rings(300)
    model = low_rank(n_landmarks=30).fit(X, y)
    expected = model.decision_function(X)
    model.set_params(batch_size=batch_size)
    assert_array_equal(model.decision_function(X), expected)


def test_single_precision_and_memory_maps(tmp_path):
    X, y = rings(300)
    X = X.astype(np.float32)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    expected = low_rank().fit(X.astype(np.float64), y)
    for given in (X, mapped):
        model = low_rank().fit(given, y)
        assert_array_equal(model.coef_, expected.coef_)
        assert_array_equal(model.predict(given), expected.predict(X.astype(np.float64)))


@pytest.mark.parametrize("labels", [["a", "b", "c"], [-1, 0, 7], [1.0, 2.0, 7.0]])
def test_labels_of_any_kind(labels):
    X, y = blobs(3, 150)
    plain, named = low_rank().fit(X, y), low_rank().fit(X, np.array(labels)[y])
    assert_array_equal(named.predict(X), np.array(labels)[plain.predict(X)])


def test_the_positive_class():
    X, y = rings()
    assert low_rank().fit(X, y).pos_label_ == 1
    assert low_rank(pos_label=0).fit(X, y).pos_label_ == 0
    with pytest.raises(ValueError, match="pos_label=5 is not a label"):
        low_rank(pos_label=5).fit(X, y)
    with pytest.raises(ValueError, match="pos_label=1 is for two classes"):
        low_rank(pos_label=1).fit(*blobs(3))


def test_probabilities_come_from_an_operating_point():
    X, y = rings()
    model = OperatingPointClassifier(low_rank(n_landmarks=50, voting="soft"), random_state=0)
    shares = model.fit(X, y).predict_proba(X)
    assert_allclose(shares.sum(axis=1), 1.0)


def test_pickle_clone_and_grid_search():
    X, y = rings(300)
    model = low_rank(n_landmarks=30).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert_array_equal(copy.decision_function(X), model.decision_function(X))
    search = GridSearchCV(low_rank(n_landmarks=30), {"C": [0.1, 10.0]}, cv=2).fit(X, y)
    assert search.best_params_["C"] in (0.1, 10.0)


def test_equal_seeds_give_equal_models():
    X, y = rings()
    one, same, other = (low_rank(n_landmarks=40, random_state=s).fit(X, y) for s in (1, 1, 2))
    assert_array_equal(one.coef_, same.coef_)
    assert one.coef_.shape != other.coef_.shape or not np.array_equal(one.coef_, other.coef_)


def test_a_second_fit_forgets_the_first():
    model = low_rank().fit(*blobs(2))
    model.fit(*blobs(3))
    assert not hasattr(model, "pos_label_")
    assert model.predict(blobs(3)[0]).max() == 2


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"C": 0}, "C=0 is not allowed"),
        ({"gamma": "wide"}, "gamma='wide'"),
        ({"n_landmarks": 0}, "n_landmarks=0"),
        ({"landmarks": "best"}, "landmarks='best'"),
        ({"loss_width": -1.0}, "loss_width=-1.0"),
        ({"max_samples": "some"}, "max_samples='some'"),
        ({"max_samples": 0.5}, "max_samples=0.5"),
        ({"max_samples": 150}, "max_samples=150 is not allowed; it must be at least 200"),
        ({"n_iter_no_change": 0}, "n_iter_no_change=0"),
        ({"max_iter": None}, "max_iter=None"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"voting": "loud"}, "voting='loud'"),
        ({"perturbation_step": 0.0}, "perturbation_step=0.0"),
        ({"class_weight": {"x": 2.0}}, "class_weight names"),
    ],
)
def test_bad_parameters_are_named(parameters, words):
    with pytest.raises(ValueError, match=words):
        low_rank(**parameters).fit(*rings(100))


def test_nan_is_found_with_its_row():
    X, y = rings(300)
    X[217, 2] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity in row 217, column 2"):
        low_rank(batch_size=50).fit(X, y)
    model = low_rank(batch_size=50).fit(X[:200], y[:200])
    with pytest.raises(ValueError, match="NaN or infinity in row 217, column 2"):
        model.predict(X)


def test_large_numbers_that_are_finite_pass():
    X, y = rings(100)
    X[:, 0] = np.where(y == 1, 1e308, -1e308)
    model = low_rank(gamma=1.0).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    with pytest.raises(ValueError, match="variance of X overflows"):
        low_rank(gamma="scale").fit(X, y)


def test_not_fitted():
    with pytest.raises(NotFittedError):
        low_rank().predict([[0.0]])
    with pytest.raises(ValueError, match="requires y to be passed"):
        low_rank().fit(np.zeros((3, 2)))


def test_a_machine_that_knows_one_class_only_warns():
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = (np.arange(200) < 8).astype(int)
    with pytest.warns(UserWarning, match="No round met the conditions"):
        low_rank(C=1e-3, class_weight=None).fit(X, y)


def test_ctrl_c_after_round_one_keeps_what_there_is(monkeypatch):
    X, y = blobs(3)
    solves = []
    original = rounds.solve

    def interrupted(*arguments, **options):
        solves.append(1)
        if len(solves) == 8:  # the second of three problems, in the third round
            raise KeyboardInterrupt
        return original(*arguments, **options)

    monkeypatch.setattr(rounds, "solve", interrupted)
    with pytest.warns(UserWarning, match="first rounds only, at least 2"):
        model = low_rank(n_estimators=10).fit(X, y)
    assert model.estimator_errors_.shape == (3, 3)
    assert np.isnan(model.estimator_errors_[1:, 2]).all()
    assert np.isnan(model.sample_decrement_)
    whole = low_rank(n_estimators=2)
    monkeypatch.setattr(rounds, "solve", original)
    whole.fit(X, y)
    assert_array_equal(model.coef_[:, :2], whole.coef_)
    assert np.mean(model.predict(X) == y) > 0.5


def test_ctrl_c_in_round_one_is_ctrl_c(monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(rounds, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        low_rank().fit(*rings(100))


def test_ctrl_c_while_judging_judges_on_the_sample(monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "judged", interrupted)
    X, y = rings()
    with pytest.warns(UserWarning, match="interrupted"):
        model = low_rank(n_landmarks=60).fit(X, y)
    right = (model.round_decision_function(X) > 0) == (y[:, None] == 1)
    assert_allclose(model.estimator_tpr_, right[y == 1].mean(axis=0), atol=0.02)


def test_progress_is_shown(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        low_rank(verbose=1).fit(*rings(100))
    assert "KPBoost: 10 rounds" in capsys.readouterr().err
