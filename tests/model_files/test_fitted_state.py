import warnings
from copy import copy

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from kpboost import NystroemKPBoostSVC, NystroemKPBoostSVCCV
from kpboost.datasets import read_dataset
from kpboost.methods import CodedLabelsClassifier
from kpboost.model_files._archive import DamageError
from kpboost.model_files._fitted_state import check_fitted_state
from support import forged_models

pytestmark = pytest.mark.skipif(
    "balanced_forest" not in forged_models.KINDS, reason="imbalanced-learn is not installed"
)


@pytest.fixture
def fitted(tmp_path):
    """From the name of a method to its fitted steps."""

    def fit(kind):
        forged_models.table(tmp_path / "rows.csv")
        model, _ = forged_models.small_model(
            kind, read_dataset(tmp_path / "rows.csv", target="kind")
        )
        check_fitted_state({"model": [model]})
        return model

    return fit


def last(model):
    return model.steps[-1][1]


def encoder(model):
    return model.steps[0][1].named_transformers_["categories"].steps[1][1]


def with_values(owner, name, change):
    """Replace a fitted array by a changed copy."""
    values = np.array(getattr(owner, name))
    setattr(owner, name, change(values))


def put(values, place, value):
    values[place] = value
    return values


KERNEL = [
    ("dual_coef_", lambda v: v[:, :-1]),
    ("dual_coef_", lambda v: v * np.nan),
    ("dual_coef_", lambda v: v.astype(">f8")),
    ("intercept_", lambda v: v[:1]),
    ("support_vectors_", lambda v: v[:, :1]),
    ("support_vectors_", lambda v: v.astype(complex)),
    ("support_", lambda v: v - 100),
    ("n_support_", lambda v: v + 1),
    ("n_support_", lambda v: put(v, slice(2), [-1, v[0] + v[1] + 1])),
    ("classes_", lambda v: v[:1]),
    ("classes_", lambda v: v[[0, 0, 1]]),
    ("gamma_", lambda v: -1.0),
    ("kernel", lambda v: "precomputed"),
]
KPBOOST = [
    ("_dual_coef", lambda v: v[:1]),
    ("_coef", lambda v: v[:1]),
    ("_coef", lambda v: v * np.nan),
    ("_log_scale", lambda v: v + 800.0),
    ("_table", lambda v: v + 1),
    ("_table", lambda v: v[::-1, ::-1] * 0),
    ("_table", lambda v: v * 0 - 1),
    ("_codes", lambda v: v + 5),
    ("_rows", lambda v: v + 1),
    ("_signs", lambda v: v * 2),
    ("support_", lambda v: v + 10**6),
    ("selected_rounds_", lambda v: v & False),
    ("estimator_weights_", lambda v: v * np.nan),
    ("estimator_weights_", lambda v: v * 0.0),
    ("intercept_", lambda v: v * np.inf),
    ("_perturbation", lambda v: v[..., :-1]),
    ("_training_points", lambda v: v[:-1]),
    ("voting", lambda v: "loud"),
]


@pytest.mark.parametrize(("name", "change"), KERNEL)
@pytest.mark.parametrize("kind", ["svm", "svm_balanced"])
def test_kernel_machines_of_wrong_arrays_are_refused(fitted, kind, name, change):
    model = fitted(kind)
    with_values(last(model), name, change)
    with pytest.raises((DamageError, ValueError), match="is not what a training leaves"):
        check_fitted_state(model)


@pytest.mark.parametrize(("name", "change"), KPBOOST)
def test_boosted_machines_of_wrong_arrays_are_refused(fitted, name, change):
    model = fitted("kpboost_roi")
    with_values(last(model), name, change)
    with pytest.raises(DamageError, match="of its KPBoostSVC is not what"):
        check_fitted_state(model)


@pytest.mark.parametrize(
    ("field", "value"),
    [("left", 10**6), ("right", 0), ("feature_idx", 5), ("is_categorical", 1), ("left", 2**32 - 1)],
)
def test_boosted_trees_must_lead_somewhere(fitted, field, value):
    model = fitted("gradient_boosting")
    nodes = last(model)._predictors[1][0].nodes
    nodes[field][0] = value
    with pytest.raises(DamageError, match="nodes of its TreePredictor"):
        check_fitted_state(model)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_trees_per_iteration_", 10**9),
        ("n_features_in_", 0),
        ("n_features_in_", None),
        ("_preprocessor", "x"),
        ("_predictors", [[]]),
    ],
)
def test_gradient_boosting_of_a_wrong_state_is_refused(fitted, name, value):
    model = fitted("gradient_boosting")
    setattr(last(model), name, value)
    with pytest.raises(DamageError, match="is not what a training leaves"):
        check_fitted_state(model)


@pytest.mark.parametrize("kind", ["balanced_forest", "rusboost_imblearn", "easy_ensemble"])
@pytest.mark.parametrize(
    ("name", "value"), [("children_left", 10**9), ("children_right", 0), ("feature", 10**6)]
)
def test_trees_must_lead_somewhere(fitted, kind, name, value):
    model = fitted(kind)
    getattr(a_tree(last(model)).tree_, name)[0] = value
    with pytest.raises(DamageError, match="nodes of its DecisionTreeClassifier"):
        check_fitted_state(model)


def a_tree(ensemble):
    first = ensemble.estimators_[0]
    return first.steps[-1][1].estimators_[0] if hasattr(first, "steps") else first


def test_trees_of_a_forest_see_the_columns_that_the_forest_sees(fitted):
    model = fitted("balanced_forest")
    last(model).n_features_in_ -= 1
    with pytest.raises(DamageError, match="estimators_ of its BalancedRandomForestClassifier"):
        check_fitted_state(model)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("categories_", lambda v: [v[0][::-1]]),
        ("categories_", lambda v: [v[0][:1]]),
        ("categories_", lambda v: [v[0] * np.nan]),
        ("_n_features_outs", lambda v: [2]),
        ("_infrequent_indices", lambda v: [np.array([50])]),
        ("_default_to_infrequent_mappings", lambda v: [np.array([0, 1, 2, 70])]),
        ("_drop_idx_after_grouping", lambda v: np.array([9])),
        ("sparse_output", lambda v: True),
    ],
)
def test_indicator_columns_must_be_there(fitted, name, change):
    model = fitted("svm")
    own = encoder(model)
    setattr(own, name, change(getattr(own, name)))
    with pytest.raises(DamageError, match="of its OneHotEncoder"):
        check_fitted_state(model)


def test_other_types_are_not_looked_at():
    class Other:
        tree_ = classes = 3

    check_fitted_state([Other(), {"a": (Other(), np.array([Other()], dtype=object))}, str, None])


@pytest.mark.parametrize(("step", "name"), [(0, "statistics_"), (1, "mean_"), (1, "scale_")])
def test_numbers_of_a_preparation_are_finite(fitted, step, name):
    model = fitted("svm")
    numbers = model.steps[0][1].named_transformers_["numbers"]
    getattr(numbers.steps[step][1], name)[0] = np.nan
    with pytest.raises(DamageError, match=f"{name} of its"):
        check_fitted_state(model)


def chain(model):
    return last(model)._machines.chains[0]


def factor(model):
    return chain(model).steps[0].factor


def learner(model):
    return last(model).estimators_[0]


WRONG = [
    ("adaboost_svm", last, "length_scales_", lambda v: v * -1.0),
    ("adaboost_svm", last, "estimator_weights_", lambda v: v * 0.0),
    ("adaboost_svm", last, "dual_coef_", lambda v: v[..., :-1]),
    ("adaboost_svm", last, "voting", lambda v: None),
    ("c45_ib1", lambda m: last(m).tree_, "node_first_child_", lambda v: v * 0),
    ("c45_ib1", lambda m: last(m).tree_, "node_feature_", lambda v: v + 100),
    ("c45_ib1", lambda m: last(m).tree_, "node_n_children_", lambda v: v + 1000),
    ("c45_ib1", lambda m: last(m).tree_, "node_threshold_", lambda v: v[:-1]),
    ("c45_ib1", lambda m: last(m).tree_, "categories_", lambda v: [None, None]),
    ("c45_ib1", last, "_example_codes", lambda v: v + 9),
    ("c45_ib1", last, "_examples", lambda v: v[:, :1]),
    ("c45_ib1", last, "_low", lambda v: v[:1]),
    ("rusboost", learner, "classes_", lambda v: v + 7),
    ("rusboost", last, "estimators_", lambda v: [1]),
    ("rusboost", learner, "node_class_", lambda v: v - 5),
    ("adaboost_mlp", learner, "coefs_", lambda v: v[:1]),
    ("adaboost_mlp", learner, "intercepts_", lambda v: [v[0] * np.nan, *v[1:]]),
    ("d_svm", lambda m: last(m)._space, "points", lambda v: v[:, :1]),
    ("d_svm", lambda m: last(m)._space, "weight", lambda v: v * 0.0),
    ("d_svm", last, "dual_coef_", lambda v: v[:, :-1]),
    ("aks", chain, "coef", lambda v: v[:1]),
    ("aks", factor, "decays", lambda v: v[:1]),
    ("ks", lambda m: last(m)._machines, "signs", lambda v: v * 3),
    ("ks", lambda m: last(m)._machines, "support_vectors", lambda v: v[:, 1:]),
    ("aks_chi2", chain, "intercept", lambda v: v * np.inf),
    ("aks_chi2", lambda m: last(m)._machines.kernel, "gamma", lambda v: -1.0),
    ("act", factor, "widths", lambda v: v * 0.0),
    ("act", factor, "anchors", lambda v: v[:-1]),
    ("act", factor, "distance", lambda v: "x"),
    ("kba", factor, "first", lambda v: v + 10**9),
    ("kba", factor, "second", lambda v: v - 10**9),
    ("kba", factor, "beta", lambda v: 7.0),
    ("rare_class", lambda m: last(m).members_[0], "slope", lambda v: -v),
    ("rare_class", lambda m: last(m)._pooled, "slope", lambda v: -v),
    ("rare_class", last, "_encoder", lambda v: StandardScaler()),
    ("rare_class", lambda m: last(m)._bank, "starts", lambda v: v.astype(np.uint64)),
    ("svm_balanced_tuned", last, "response_method_", lambda v: "predict_proba"),
]


@pytest.mark.parametrize(("kind", "owner", "name", "change"), WRONG)
def test_other_machines_of_a_wrong_state_are_refused(fitted, kind, owner, name, change):
    model = fitted(kind)
    own = owner(model)
    object.__setattr__(own, name, change(getattr(own, name)))
    with pytest.raises(DamageError, match="is not what a training leaves"):
        check_fitted_state(model)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("estimator_", lambda own: vars(own).update(classes_=np.array(["x", "y"]))),
        ("estimator_", lambda own: vars(own.estimator_).update(classes_=np.array([1, 0]))),
        ("n_features_in_", lambda own: vars(own).update(n_features_in_=3)),
    ],
)
def test_coded_labels_must_be_those_of_the_estimator(name, spoil):
    X = np.arange(12.0).reshape(6, 2)
    own = CodedLabelsClassifier(LogisticRegression()).fit(X, np.array(list("abcabc")))
    check_fitted_state(own)
    spoil(own)
    with pytest.raises(DamageError, match=f"{name} of its CodedLabelsClassifier"):
        check_fitted_state(own)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda own: own._lines[0].update(width=0.0),
        lambda own: own._lines[0].update(slope=-5.0),
        lambda own: own._point.update(n_samples="x"),
        lambda own: own._point.update(recalls=[[9, 9, 9]] * 3),
    ],
)
def test_operating_points_of_a_wrong_state_are_refused(fitted, spoil):
    model = fitted("svm_balanced_tuned")
    spoil(last(model))
    with pytest.raises(ValueError, match=r"not an operating point|that no fit leaves"):
        check_fitted_state(model)


LOW_RANK = [
    ("landmarks_", lambda v: v[:, :1]),
    ("landmarks_", lambda v: v[:0]),
    ("landmarks_", lambda v: v * np.nan),
    ("coef_", lambda v: v[..., :-1]),
    ("coef_", lambda v: v[:1]),
    ("intercept_", lambda v: v * np.inf),
    ("estimator_weights_", lambda v: v * 0.0),
    ("estimator_weights_", lambda v: v * np.nan),
    ("selected_rounds_", lambda v: v.astype(float)),
    ("estimator_errors_", lambda v: v[..., :-1]),
    ("gamma_", lambda v: -1.0),
    ("_signs", lambda v: v * 2),
    ("classes_", lambda v: v[:1]),
    ("voting", lambda v: "loud"),
    ("batch_size", lambda v: 0),
]


@pytest.mark.parametrize(("name", "change"), LOW_RANK)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_low_rank_machine_must_fit_together(name, change, n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), np.arange(90) % n_classes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of labels drawn by lot
        model = NystroemKPBoostSVC(n_landmarks=10, random_state=0).fit(X, y)
    check_fitted_state(model)
    value = getattr(model, name)
    is_array = isinstance(value, np.ndarray)
    setattr(model, name, change(np.array(value)) if is_array else change(value))
    with pytest.raises(DamageError, match=name):
        check_fitted_state(model)


def test_a_search_of_low_rank_must_fit_its_best_candidate():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), np.arange(90) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of labels drawn by lot
        search = NystroemKPBoostSVCCV(Cs=[1.0], gammas=[0.3], n_landmarks=10, random_state=0)
        search.fit(X, y)
    check_fitted_state(search)
    other = NystroemKPBoostSVC(n_landmarks=10)
    for name, value in {
        "n_features_in_": 4,
        "best_estimator_": other,  # not fitted
        "classes_": np.array([0, 2]),
    }.items():
        damaged = copy(search)
        setattr(damaged, name, value)
        with pytest.raises(DamageError, match=r"best_estimator_|n_features_in_"):
            check_fitted_state(damaged)
