"""Methods on tables of users: what they take, choose and say."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs

from kpboost.methods import METHODS, MethodClassifier
from kpboost.methods._preparation import sample_sentence
from kpboost.methods._registry import KERNEL_ROWS, LOW_RANK_ROWS, method_of

QUICK = ["svm", "svm_balanced", "kpboost", "kpboost_balanced"]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [60, 25, 15])
    X = rng.normal(size=(100, 3)) + 3 * np.eye(3)[np.searchsorted(["a", "b", "c"], y)]
    X[:, 2] = rng.integers(0, 3, size=100)
    X[::9, 0] = np.nan
    X[::13, 2] = np.nan
    return X, y


@pytest.mark.parametrize("name", [*QUICK, "c45_ib1", "rusboost"])
def test_methods_take_missing_values_and_codes(name, table):
    X, y = table
    model = clone(MethodClassifier(name, categorical_features=[False, False, True])).fit(X, y)
    strange = np.array([[np.nan, np.nan, np.nan], [0.0, 0.0, 99.0]])
    assert set(model.predict(strange)) <= set("abc")
    assert (model.predict(X) == y).mean() > 0.6


def test_columns_of_codes_may_be_named_by_number_or_name(table):
    X, y = table
    ways = ([False, False, True], [2], ["x2"])
    models = [MethodClassifier("svm", categorical_features=way).fit(X, y) for way in ways]
    width = models[0].model_[-1].n_features_in_
    assert width == 2 + 4  # three codes, and one for a missing value
    for model in models[1:]:
        np.testing.assert_array_equal(model.decision_function(X), models[0].decision_function(X))


def test_the_paper_s_grid_is_searched(table):
    X, y = table
    quick, paper = (MethodClassifier("svm", tune=tune).fit(X, y) for tune in (False, True))
    assert quick.best_params_["C"] in (1.0, 10.0, 100.0)
    sigma = np.sqrt(0.5 / paper.best_params_["gamma"])
    widths = [part.width.factor for part in METHODS["svm"].grids["paper"]]
    assert np.isclose(sigma, widths).any()


def test_balanced_weights_raise_the_recall_of_a_rare_class():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [180, 20])
    X = rng.normal(size=(200, 2)) + np.where(y[:, None] == 1, 1.2, 0.0)
    plain, balanced = (
        (MethodClassifier(name).fit(X[::2], y[::2]).predict(X[1::2])[y[1::2] == 1] == 1).mean()
        for name in ("svm", "svm_balanced")
    )
    assert balanced > plain


def test_an_unknown_method_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="no method 'forest'; the command kpboost methods"):
        method_of("forest")
    with pytest.raises(ValueError, match=r"no method 'KPBost'; did you mean 'kpboost'\?"):
        method_of("KPBost")


@pytest.mark.parametrize(
    ("former", "name"), [("brf", "balanced_forest"), ("hgb", "gradient_boosting")]
)
def test_a_former_name_is_refused_with_the_new_one(former, name):
    with pytest.raises(ValueError, match=f"The method '{former}' is called '{name}' now"):
        MethodClassifier(former).fit(np.zeros((4, 1)), [0, 1, 0, 1])


def test_a_missing_package_is_named(monkeypatch):
    def missing(name):
        raise ImportError

    monkeypatch.setattr("kpboost.methods._registry.import_module", missing)
    with pytest.raises(ValueError, match=r"needs imblearn.*pip install 'kpboost\[baselines\]'"):
        method_of("balanced_forest")


@pytest.mark.parametrize("name", [*QUICK, "gradient_boosting", "c45_ib1"])
def test_a_class_with_one_row_left_is_learnt(name):
    """Out of fold, a class of two rows has one to learn from."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [30, 12, 1])
    X = rng.normal(size=(43, 2)) + np.repeat([0, 4, 9], [30, 12, 1])[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # nothing is to be said of such a class
        model = MethodClassifier(name).fit(X, y)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert (model.predict(X) == y).mean() > 0.6  # trees need more rows for more


def test_kernel_machines_say_that_they_learn_from_a_sample():
    of_ours = ("kpboost.svm.", "kpboost.ensemble.KP", "kpboost.ensemble.AdaBoostSVC")
    for method in METHODS.values():
        assert (method.max_rows is not None) == method.estimator.startswith(of_ours)
    assert KERNEL_ROWS >= 3342  # the largest training part of the paper's data sets
    assert sample_sentence(METHODS, KERNEL_ROWS) == ""
    sentence = sample_sentence(["gradient_boosting", "aks", "a stranger"], 9999)
    assert sentence.startswith(f"Trained on samples of at most {KERNEL_ROWS:,} rows")
    assert sentence.endswith("too long on all: AKS.")


def test_kernel_machines_say_that_their_kernels_are_of_low_rank():
    sentence = sample_sentence(["svm", "kpboost", "aks", "nystroem_kpboost"], LOW_RANK_ROWS + 1)
    assert sentence.startswith("With kernels of low rank")
    assert f"more than {LOW_RANK_ROWS:,} rows: SVM, KPBoost-SVM." in sentence
    assert sentence.endswith("too long on all: AKS.")
    assert sample_sentence(["nystroem_kpboost"], 10**6) == ""


def test_forms_of_low_rank_are_what_they_are_called():
    for name, method in METHODS.items():
        form = method.for_rows(LOW_RANK_ROWS + 1)
        assert (form.name, form.title, form.threshold) == (name, method.title, method.threshold)
        assert method.for_rows(LOW_RANK_ROWS) is method
        if method.low_rank is None:
            assert form is method
            continue
        model = form.as_searched().build({}, None, 0, np.zeros(2, dtype=bool))
        assert (model.n_estimators == 1) == name.startswith("svm")
        assert (model.class_weight is None) == (name in ("svm", "svm_ovr"))
        assert (model.multi_class == "one_vs_rest") == name.endswith("_ovr")
        assert form.max_rows is None
    with_form = [name for name, method in METHODS.items() if method.low_rank]
    assert [name for name in with_form if "roi" in name] == []
    assert {"svm", "kpboost", "svm_balanced", "kpboost_balanced"} <= {*with_form}


@pytest.mark.parametrize("name", ["kpboost", "svm_balanced_tuned"])
def test_many_rows_are_learnt_with_a_kernel_of_low_rank(name, monkeypatch):
    monkeypatch.setattr("kpboost.methods._registry.LOW_RANK_ROWS", 200)
    X, y = make_blobs(300, centers=3, random_state=0)
    y = np.array(["a", "b", "c"])[y]
    model = MethodClassifier(name).fit(X, y)
    assert model.n_rows_ == 300
    inner = model.model_[-1]
    inner = getattr(inner, "estimator_", inner)
    assert type(inner).__name__ == "NystroemKPBoostSVCCV"
    assert (model.predict(X) == y).mean() > 0.9
    few = MethodClassifier(name).fit(X[:200], y[:200]).model_[-1]
    assert "Nystroem" not in type(getattr(few, "estimator_", few)).__name__


@pytest.mark.parametrize("name", ["svm", "svm_balanced", "kpboost"])
def test_scores_of_low_rank_are_graded_and_its_choice_is_told(name):
    """Hard votes of one round would be two values, and every threshold between them the same."""
    X, y = make_blobs([LOW_RANK_ROWS, 300], 3, cluster_std=3.0, random_state=0)
    model = MethodClassifier(name).fit(X, y)
    assert np.unique(model.decision_function(X[:1000])).size > 900
    assert {"C", "gamma"} <= model.best_params_.keys()


def test_a_dask_collection_is_not_fetched(table):
    da = pytest.importorskip("dask.array")
    X, y = table
    with pytest.raises(ValueError, match="would be loaded into memory"):
        MethodClassifier("svm").fit(da.from_array(X), y)
