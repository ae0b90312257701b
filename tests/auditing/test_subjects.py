import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kpboost.auditing._data import material_of
from kpboost.auditing._models import (
    checked_remedies,
    make_folds,
    remedies_for,
    subjects_of,
    weight_parameter,
)
from kpboost.methods import METHODS, MethodClassifier


@pytest.fixture(scope="module")
def material():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], [60, 30])
    frame = pd.DataFrame(rng.normal(size=(90, 2)) + (y == "b")[:, None], columns=["u", "v"])
    return material_of(frame, y, 1000, 0)


def test_without_an_estimator_there_are_two_baselines(material):
    assert [each.name for each in subjects_of(None, material, 0)] == [
        "gradient_boosting",
        "svm",
    ]


def test_a_method_by_name_has_the_seed_of_the_audit(material):
    (subject,) = subjects_of("svm", material, 4)
    assert (subject.name, subject.title, subject.tune) == ("svm", "SVM", False)
    assert subject.estimator.random_state == subject.seed == 4


def test_a_method_classifier_is_its_method_with_its_own_settings(material):
    given = MethodClassifier("kpboost", tune=True, random_state=9)
    (subject,) = subjects_of(given, material, 4)
    assert (subject.name, subject.seed) == ("kpboost", 9)
    assert subject.title == "KPBoost-SVM, paper's grid"
    assert subject.estimator.tune
    assert not subject.takes_given


def test_ones_own_model_gets_the_table_and_labels_as_they_are(material):
    (subject,) = subjects_of(GaussianNB(), material, 0)
    assert (subject.name, subject.title, subject.takes_given) == ("own", "GaussianNB", True)
    splits = StratifiedKFold(5, shuffle=True, random_state=0)
    answers = subject.answer(material, make_folds(material.codes, splits, 0))
    expected = cross_val_predict(GaussianNB(), material.given, material.labels, cv=splits)
    np.testing.assert_array_equal(np.array(material.classes)[answers.predicted], expected)


@pytest.mark.parametrize("estimator", [LinearRegression(), SVC, 3])
def test_what_is_no_classifier_is_refused(material, estimator):
    with pytest.raises(ValueError, match="must be a scikit-learn classifier"):
        subjects_of(estimator, material, 0)


def test_the_audited_method_is_no_remedy_of_itself(material):
    (subject,) = subjects_of("svm", material, 0)
    assert [each.name for each in remedies_for(subject, ["svm", "ks"], material, 0)] == ["ks"]


def test_ones_own_model_is_tried_with_class_weights(material):
    own = make_pipeline(StandardScaler(), SVC(C=7.0))
    (subject,) = subjects_of(own, material, 0)
    assert subject.title == "SVC in a pipeline"
    first, second = remedies_for(subject, ["svm"], material, 0)
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
