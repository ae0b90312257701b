import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kpboost.auditing._data import audit_data_of
from kpboost.auditing._models import (
    checked_remedies,
    models_of,
    remedies_for,
    weight_parameter,
)
from kpboost.methods import METHODS, MethodClassifier
from kpboost.model_selection import make_folds


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], [60, 30])
    frame = pd.DataFrame(rng.normal(size=(90, 2)) + (y == "b")[:, None], columns=["u", "v"])
    return audit_data_of(frame, y, 1000, 0)


def test_without_an_estimator_there_are_two_baselines(data):
    assert [each.name for each in models_of(None, data, 0)] == ["gradient_boosting", "svm"]


def test_a_method_by_name_has_the_seed_of_the_audit(data):
    (model,) = models_of("svm", data, 4)
    assert (model.name, model.title, model.tune) == ("svm", "SVM", False)
    assert model.estimator.random_state == model.seed == 4


def test_a_method_classifier_is_its_method_with_its_own_settings(data):
    given = MethodClassifier("kpboost", tune=True, random_state=9)
    (model,) = models_of(given, data, 4)
    assert (model.name, model.seed) == ("kpboost", 9)
    assert model.title == "KPBoost-SVM, paper's grid"
    assert model.estimator.tune
    assert not model.takes_given


def test_ones_own_model_gets_the_table_and_labels_as_they_are(data):
    (model,) = models_of(GaussianNB(), data, 0)
    assert (model.name, model.title, model.takes_given) == ("own", "GaussianNB", True)
    splits = StratifiedKFold(5, shuffle=True, random_state=0)
    answers = model.out_of_fold(data, make_folds(data.codes, splits, 0))
    expected = cross_val_predict(GaussianNB(), data.given, data.labels, cv=splits)
    np.testing.assert_array_equal(np.array(data.classes)[answers.predicted], expected)


@pytest.mark.parametrize("estimator", [LinearRegression(), SVC, 3])
def test_what_is_no_classifier_is_refused(data, estimator):
    with pytest.raises(ValueError, match="must be a scikit-learn classifier"):
        models_of(estimator, data, 0)


def test_the_audited_method_is_no_remedy_of_itself(data):
    (model,) = models_of("svm", data, 0)
    assert [each.name for each in remedies_for(model, ["svm", "ks"], data, 0)] == ["ks"]


def test_ones_own_model_is_tried_with_class_weights(data):
    own = make_pipeline(StandardScaler(), SVC(C=7.0))
    (model,) = models_of(own, data, 0)
    assert model.title == "SVC in a pipeline"
    first, second = remedies_for(model, ["svm"], data, 0)
    assert (first.name, second.name) == ("own_balanced", "svm")
    assert first.estimator.get_params()["svc__class_weight"] == "balanced"
    assert first.estimator[-1].C == 7.0
    assert own[-1].class_weight is None


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (GaussianNB(), ""),
        (SVC(), "class_weight"),
        (SVC(class_weight="balanced"), ""),
        (SVC(class_weight={0: 3}), ""),
        (make_pipeline(StandardScaler(), LogisticRegression()), "logisticregression__class_weight"),
    ],
)
def test_the_parameter_of_class_weights(model, name):
    assert weight_parameter(model) == name


def test_remedies_by_word_and_by_name():
    assert checked_remedies("never") == ()
    known = [name for name, each in METHODS.items() if each.is_remedy and each.is_available]
    assert list(checked_remedies("auto")) == known
    assert {"svm_balanced", "kpboost", "gradient_boosting_balanced"} <= {*known}
    assert checked_remedies(["svm", "aks"]) == ("svm", "aks")


@pytest.mark.parametrize(
    ("remedies", "words"), [("hope", "'hope'"), (["hope"], "no method 'hope'"), (3, "3")]
)
def test_other_remedies_are_refused(remedies, words):
    with pytest.raises(ValueError, match=words):
        checked_remedies(remedies)
