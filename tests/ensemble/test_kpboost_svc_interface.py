"""What the ensemble takes and gives: kinds of input, kernels, state, parameters, memory."""

import inspect
import pickle
import sys
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kpboost import KPBoostSVC
from kpboost.ensemble import _voting as round_values
from kpboost.problems import _gram as kernel_use

# Two solves of one problem at TIGHT agree this well in their decision values.
TIGHT, SAME = 1e-10, 1e-6
FEATURES = ["width", "height"]
OWN_TYPE = "kpboost.ensemble.KPBoostSVC"


@pytest.fixture(params=[2, 3], ids=["two_classes", "three_classes"])
def blobs(request):
    return make_blobs(90, centers=request.param, cluster_std=2.5, random_state=0)


@pytest.fixture(params=[None, 0.6], ids=["plain", "regions"])
def model(request):
    return KPBoostSVC(roi_scale=request.param, perturbation_step=0.1, n_estimators=5, tol=TIGHT)


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse_equals_dense(blobs, model, container):
    X, y = np.where(blobs[0] > 0, blobs[0], 0.0), blobs[1]
    dense, thin = clone(model).fit(X, y), clone(model).fit(container(X), y)
    assert sparse.issparse(thin.support_vectors_)
    assert_allclose(thin.gamma_, dense.gamma_, rtol=1e-12)
    expected = dense.round_decision_function(X)
    for fitted, points in [(thin, container(X)), (thin, X), (dense, container(X))]:
        assert_allclose(fitted.round_decision_function(points), expected, atol=SAME)
        assert_array_equal(fitted.predict(points), dense.predict(X))


def test_precomputed_equals_rbf(blobs):
    X, y = blobs
    train, test = np.arange(0, 90, 2), np.arange(1, 90, 2)
    kernel = rbf_kernel(X, gamma=0.1)
    rbf = KPBoostSVC(gamma=0.1, perturbation_step=0.1, tol=TIGHT).fit(X[train], y[train])
    given = clone(rbf).set_params(kernel="precomputed")
    given.fit(kernel[np.ix_(train, train)], y[train])
    assert_allclose(
        given.round_decision_function(kernel[np.ix_(test, train)]),
        rbf.round_decision_function(X[test]),
        atol=SAME,
    )
    assert not hasattr(given, "support_vectors_")
    assert not hasattr(given, "gamma_")


def test_a_function_as_kernel(blobs, model, monkeypatch):
    X, y = blobs
    named = clone(model).set_params(gamma=0.1).fit(X, y)
    called = clone(model).set_params(kernel=narrow).fit(X, y)
    expected = named.round_decision_function(X)
    assert_allclose(called.round_decision_function(X), expected, atol=SAME)
    monkeypatch.setattr(kernel_use, "BLOCK_BYTES", 8 * 7 * called.support_.size)
    assert_allclose(called.round_decision_function(X), expected, atol=SAME)


def narrow(X, Y):
    return rbf_kernel(X, Y, gamma=0.1)


def test_a_linear_kernel(blobs):
    X, y = blobs
    called = KPBoostSVC(kernel=linear_kernel, perturbation_step=0.1, tol=1e-8).fit(X, y)
    given = clone(called).set_params(kernel="precomputed").fit(X @ X.T, y)
    found = given.round_decision_function(X @ X.T)
    assert_allclose(called.round_decision_function(X), found, atol=1e-5)


def test_pandas_frames(blobs, model):
    X, y = blobs
    frame = pd.DataFrame(X, columns=FEATURES)
    framed = clone(model).fit(frame, pd.Series(y, name="kind"))
    assert framed.feature_names_in_.tolist() == FEATURES
    assert_array_equal(framed.decision_function(frame), clone(model).fit(X, y).decision_function(X))
    with pytest.raises(ValueError, match="feature names"):
        framed.predict(frame.rename(columns={"width": "depth"}))


def test_polars_frames(blobs, model):
    polars = pytest.importorskip("polars")
    X, y = blobs
    frame = polars.DataFrame(dict(zip(FEATURES, X.T, strict=True)))
    framed = clone(model).fit(frame, polars.Series("kind", y))
    assert framed.feature_names_in_.tolist() == FEATURES
    assert_array_equal(framed.decision_function(frame), clone(model).fit(X, y).decision_function(X))
    with pytest.raises(ValueError, match="feature names"):
        framed.predict(frame.rename({"width": "depth"}))


@pytest.mark.parametrize("labels", [["a", "b", "c"], [-1, 0, 7], [1.0, 2.0, 7.0]])
def test_labels_of_any_kind(blobs, model, labels):
    X, y = blobs
    plain, named = clone(model).fit(X, y), clone(model).fit(X, np.array(labels)[y])
    assert_array_equal(named.decision_function(X), plain.decision_function(X))
    assert_array_equal(named.predict(X), np.array(labels)[plain.predict(X)])


@pytest.mark.filterwarnings("ignore:No round met the conditions:UserWarning")
def test_sample_weight_is_routed(blobs):
    X, y = blobs
    weight = (np.arange(90) % 2).astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        machine = KPBoostSVC().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(scaler, machine).fit(X, y, sample_weight=weight)
        assert np.all(pipeline[-1].support_ % 2 == 1)


def test_clone_and_pickle(blobs, model):
    X, y = blobs
    fitted = clone(model).fit(X, y)
    copy = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(copy.decision_function(X), fitted.decision_function(X))
    assert clone(fitted).get_params() == model.get_params()


def test_a_pickle_of_an_earlier_version_predicts_the_same(blobs, model):
    X, y = blobs
    fitted = clone(model).fit(X, y)
    earlier = pickle.loads(pickle.dumps(fitted))
    del earlier._coef
    assert_array_equal(earlier.decision_function(X), fitted.decision_function(X))
    assert_array_equal(earlier.round_decision_function(X), fitted.round_decision_function(X))
    assert "_coef" not in vars(earlier)


def test_one_row_gets_the_answer_that_it_gets_among_others(blobs, model):
    X, y = blobs
    fitted = clone(model).fit(X, y)
    together, listed = fitted.decision_function(X), fitted.decision_function(X.tolist())
    assert_array_equal(together, listed)
    alone = np.concatenate([fitted.decision_function(X[i : i + 1]) for i in range(len(X))])
    assert_array_equal(alone, together)
    assert_array_equal(fitted.predict(X[:1]), fitted.predict(X)[:1])


def test_it_shows_itself(blobs, model):
    page = model._repr_html_()
    assert "KPBoostSVC" in page
    assert "perturbation_step" in page
    assert repr(KPBoostSVC(2.0, roi_scale=0.5)) == "KPBoostSVC(C=2.0, roi_scale=0.5)"


def test_skops_needs_trust_in_our_own_type_only(blobs, model):
    skops = pytest.importorskip("skops.io")
    X, y = blobs
    fitted = clone(model).fit(pd.DataFrame(X, columns=FEATURES), np.array(["a", "b", "c"])[y])
    data = skops.dumps(fitted)
    assert skops.get_untrusted_types(data=data) == [OWN_TYPE]
    again = skops.loads(data, trusted=[OWN_TYPE])
    frame = pd.DataFrame(X, columns=FEATURES)
    assert_array_equal(again.decision_function(frame), fitted.decision_function(frame))
    assert_array_equal(again.predict(frame), fitted.predict(frame))


def test_refitting_leaves_nothing_behind(blobs):
    X, y = blobs
    refitted = KPBoostSVC(roi_scale=0.5).fit(X, y)
    for change in ({"roi_scale": None}, {"kernel": narrow}, {"kernel": "precomputed"}):
        points = narrow(X, X) if change.get("kernel") == "precomputed" else X
        refitted.set_params(**change).fit(points, y)
        fresh = clone(refitted).fit(points, y)
        assert vars(refitted).keys() == vars(fresh).keys()
    refitted.set_params(kernel="rbf").fit(X, y == 0)
    assert refitted.pos_label_ == (np.sum(y == 0) < np.sum(y != 0))
    refitted.fit(*make_blobs(30, random_state=0))
    assert not hasattr(refitted, "pos_label_")


def test_an_unlucky_fit_leaves_the_last_ensemble_usable(blobs, model):
    X, y = blobs
    fitted = clone(model).fit(X, y)
    before = fitted.decision_function(X)
    with pytest.raises(ValueError, match="at least 2 classes"):
        fitted.fit(X, np.zeros(90, dtype=int))
    assert_array_equal(fitted.decision_function(X), before)


def test_fitted_attributes_describe_the_rounds(model):
    X, y = make_blobs(90, centers=2, cluster_std=2.5, random_state=0)
    fitted = clone(model).set_params(C=5.0).fit(X, y)
    n_support = fitted.support_.size
    rounds = [fitted.estimator_weights_, fitted.estimator_errors_, fitted.selected_rounds_]
    rounds += [fitted.estimator_tpr_, fitted.estimator_tnr_, fitted.intercept_, fitted.n_iter_]
    assert {each.shape for each in rounds} == {(5,)}
    assert fitted.dual_coef_.shape == (5, n_support)
    assert fitted.log_scale_.shape == (5, 90)
    assert_array_equal(fitted.support_vectors_, X[fitted.support_])
    assert_array_equal(fitted.n_support_, np.bincount(y[fitted.support_]))
    assert_allclose(fitted.dual_coef_.sum(axis=1), 0.0, atol=1e-9)
    assert np.all(np.abs(fitted.dual_coef_) <= 5.0)
    assert_array_equal(fitted.log_scale_[0], 0.0)
    assert np.all(np.diff(fitted.log_scale_, axis=0) <= 0)
    error = np.hypot(1 - fitted.estimator_tpr_, 1 - fitted.estimator_tnr_)
    assert_allclose(fitted.estimator_errors_, error)
    assert_array_equal(fitted.estimator_weights_ > 0, fitted.selected_rounds_)


@pytest.mark.filterwarnings("ignore:No round met the conditions:UserWarning")
def test_fitted_attributes_of_many_problems(model):
    X, y = make_blobs(90, centers=4, cluster_std=2.5, random_state=0)
    for multi_class, n_problems in (("one_vs_one", 6), ("one_vs_rest", 4)):
        fitted = clone(model).set_params(multi_class=multi_class).fit(X, y)
        assert fitted.estimator_errors_.shape == (n_problems, 5)
        assert fitted.dual_coef_.shape == (n_problems, 5, fitted.support_.size)
        assert fitted.log_scale_.shape == (n_problems, 5, 90)
        assert_array_equal(fitted.support_vectors_, X[fitted.support_])
        assert_array_equal(np.sort(y[fitted.support_]), y[fitted.support_])
        assert fitted.decision_function(X).shape == (90, 4)
        assert fitted.round_decision_function(X).shape == (90, n_problems, 5)


def test_parameters_are_never_rewritten(blobs):
    X, y = blobs
    given = {"C": 2, "n_estimators": np.int64(3), "class_weight": {0: 2, 1: 1, 2: 1}, "n_jobs": 2}
    fitted = KPBoostSVC(**given).fit(X, y)
    assert {name: fitted.get_params()[name] for name in given} == given
    assert isinstance(fitted.C, int)


def test_grid_search_slices_a_precomputed_kernel(blobs):
    X, y = blobs
    grid = {"perturbation_step": [0.01, 0.1]}
    rbf = GridSearchCV(KPBoostSVC(gamma=0.2), grid, cv=3).fit(X, y)
    given = GridSearchCV(KPBoostSVC(kernel="precomputed"), grid, cv=3)
    given.fit(rbf_kernel(X, gamma=0.2), y)
    assert_array_equal(given.cv_results_["mean_test_score"], rbf.cv_results_["mean_test_score"])


def test_scorers_of_scikit_learn_read_the_decisions(load, model):
    X, y = load("breast_cancer")
    assert cross_val_score(model, X, y, scoring="roc_auc", cv=3).mean() > 0.95


@pytest.mark.parametrize(
    "method",
    ["predict", "decision_function", "staged_predict", "staged_decision_function", "score"],
)
def test_an_unfitted_ensemble_says_so(method):
    arguments = ([[0.0]], [0])[: 2 if method == "score" else 1]
    with pytest.raises(NotFittedError):
        list(getattr(KPBoostSVC(), method)(*arguments))  # the stages are generators


def test_points_of_another_space_are_refused(blobs, model):
    X, y = blobs
    fitted = clone(model).fit(X, y)
    with pytest.raises(ValueError, match="3 features"):
        fitted.predict(np.ones((4, 3)))
    with pytest.raises(ValueError, match="NaN"):
        fitted.predict([[np.nan, 1.0]])


def test_a_kernel_matrix_must_be_square_and_symmetric():
    with pytest.raises(ValueError, match="square"):
        KPBoostSVC(kernel="precomputed").fit(np.ones((4, 3)), [0, 1, 0, 1])
    with pytest.raises(ValueError, match="symmetric"):
        KPBoostSVC(kernel="precomputed").fit(np.triu(np.ones((4, 4))), [0, 1, 0, 1])


BAD_PARAMETERS = {
    "C": [0, -1.0, np.inf, np.nan, "1", None, True],
    "gamma": [0.0, -1, "wide", np.inf, None],
    "n_estimators": [0, -3, 2.5, "10", None, True],
    "perturbation_step": [0, -0.1, np.inf, "small", None],
    "roi_scale": [-0.5, 1.5, np.nan, "wide", True],
    "judge_rounds": ["new", "Paper", None, True],
    "voting": ["Soft", "graded", None, True],
    "kernel": ["linear", None, 3],
    "multi_class": ["ovo", "one-vs-one", None, 1],
    "class_weight": ["even", 3, [1, 2], {0: "a"}, {0: 0.0}, {0: 1.0, 1: True}, {0: np.inf}],
    "tol": [0, -1e-3, np.inf, None],
    "cache_size": [0, -200, np.nan, "1 GB"],
    "n_jobs": [0, 1.5, "all", True],
    "verbose": [-1, 0.5, "yes", None],
}


class Untouchable:
    """Data that complain when somebody looks at them."""

    def __array__(self, *args, **options):
        raise AssertionError("the data were looked at")


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, bad in BAD_PARAMETERS.items() for value in bad]
)
def test_a_bad_parameter_is_named_before_any_work(name, value):
    with pytest.raises(ValueError, match=r"is not allowed; it must be \w+|it must be '") as caught:
        KPBoostSVC(**{name: value}).fit(Untouchable(), Untouchable())
    assert str(caught.value).startswith(f"{name}={value!r} ")


def test_every_parameter_is_checked():
    checked_with_the_labels = {"pos_label"}  # see test_kpboost_svc.py
    parameters = set(inspect.signature(KPBoostSVC).parameters)
    assert parameters - checked_with_the_labels == set(BAD_PARAMETERS)


@pytest.mark.parametrize("pos_label", ["b", 7])
def test_a_bad_pos_label_is_named_before_the_kernel(pos_label):
    def kernel(X, Y):
        raise AssertionError("the kernel was called")

    with pytest.raises(ValueError, match=f"pos_label={pos_label!r} .* one of"):
        KPBoostSVC(pos_label=pos_label, kernel=kernel).fit([[0.0], [1.0]], [0, 1])


def test_bad_class_weights_are_named_before_the_kernel():
    def kernel(X, Y):
        raise AssertionError("the kernel was called")

    with pytest.raises(ValueError, match="class_weight"):
        KPBoostSVC(class_weight={"x": 2.0}, kernel=kernel).fit([[0.0], [1.0]], [0, 1])


def test_a_kernel_must_return_a_table_of_the_right_shape(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="kernel returned a sparse matrix"):
        KPBoostSVC(kernel=lambda a, b: sparse.csr_array(a @ b.T)).fit(X, y)
    with pytest.raises(ValueError, match=r"kernel returned an array of shape \(2, 90\)"):
        KPBoostSVC(kernel=lambda a, b: (a @ b.T)[:2]).fit(X, y)


@pytest.mark.parametrize("roi_scale", [None, 0.6])
def test_an_absurd_step_flattens_the_kernel_quietly(blobs, roi_scale):
    X, y = blobs
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        fitted = KPBoostSVC(perturbation_step=1e308, roi_scale=roi_scale).fit(X, y)
        assert np.all(np.isfinite(fitted.decision_function(X)))
    assert np.all(np.isfinite(fitted.log_scale_))


def test_progress_is_shown_on_request(blobs, monkeypatch, capfd):
    X, y = blobs
    KPBoostSVC(n_estimators=3).fit(X, y)
    assert capfd.readouterr() == ("", "")
    for name in ("rich", "rich.console", "rich.progress"):
        monkeypatch.setitem(sys.modules, name, None)
    KPBoostSVC(n_estimators=3, verbose=1, n_jobs=2).fit(X, y)
    total = 3 if np.unique(y).size == 2 else 9
    assert f"{total} of {total} done" in capfd.readouterr().err


def peak_of(call, n_rows):
    rows = np.random.default_rng(0).normal(size=(n_rows, 2))
    tracemalloc.start()
    call(rows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("method", ["predict", "decision_function", "staged_decision_function"])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_memory_of_a_prediction_is_bounded(model, n_classes, method, monkeypatch):
    """Beside the answers, all stages and two more, memory does not grow with the rows."""
    monkeypatch.setattr(round_values, "BLOCK_BYTES", 2**18)
    X, y = make_blobs(120, centers=n_classes, cluster_std=3, random_state=0)
    fitted = clone(model).fit(X, y)
    n_stages = 5 if method.startswith("staged") else 1

    def call(rows):
        answers = getattr(fitted, method)(rows)
        if n_stages > 1:
            for _ in answers:
                pass

    few, many = peak_of(call, 15_000), peak_of(call, 30_000)
    answers = 15_000 * 8 * (2 + n_stages) * (n_classes if n_classes > 2 else 1)
    assert many - few < answers + 2**18


def test_blocks_of_rows_do_not_change_the_answers(blobs, model, monkeypatch):
    X, y = blobs
    fitted = clone(model).fit(X, y)
    whole, stages = fitted.decision_function(X), list(fitted.staged_decision_function(X))
    rounds = fitted.round_decision_function(X)
    monkeypatch.setattr(round_values, "LEAST_ROWS", 7)
    monkeypatch.setattr(round_values, "BLOCK_BYTES", 1)
    assert_allclose(fitted.decision_function(X), whole, atol=1e-12)
    assert_allclose(list(fitted.staged_decision_function(X)), stages, atol=1e-12)
    assert_allclose(fitted.round_decision_function(X), rounds, atol=1e-12)
    assert_allclose(fitted.decision_function(sparse.csr_array(X)), whole, atol=1e-9)


@pytest.mark.filterwarnings("ignore:No round met the conditions")
def test_what_is_kept_grows_with_the_classes_and_not_with_their_pairs():
    """Every training row has a scale, every support vector two coefficients, per opponent."""
    X, y = make_blobs(600, centers=20, cluster_std=3, random_state=0)
    fitted = KPBoostSVC(n_estimators=10).fit(X, y)
    by_pairs = fitted.dual_coef_.nbytes + fitted.log_scale_.nbytes
    assert len(pickle.dumps(fitted)) < by_pairs / 6
    assert fitted.dual_coef_.shape == (190, 10, fitted.support_.size)
