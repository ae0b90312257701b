import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kpboost.auditing import audit
from kpboost.auditing._data import audit_data_of
from kpboost.auditing._models import (
    OWN,
    AuditedModel,
    checked_remedies,
    method_arguments,
    models_of,
    remedies_for,
    snippet_of,
    weight_parameter,
)
from kpboost.auditing._records import THRESHOLD
from kpboost.datasets import read_dataset, read_table
from kpboost.methods import DEFAULT_METHODS, METHODS, MethodClassifier
from kpboost.model_files import train
from kpboost.model_selection import make_folds, out_of_fold, same_folds
from support.patience import HANG
from support.planted_data import plain_svm, planted


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
    known = [name for name in DEFAULT_METHODS if METHODS[name].is_available]
    assert list(checked_remedies("auto")) == known
    assert {"rare_class", "svm_balanced", "kpboost", "gradient_boosting_tuned"} <= {*known}
    assert checked_remedies(["svm", "aks"]) == ("svm", "aks")


@pytest.mark.parametrize(
    ("remedies", "words"), [("hope", "'hope'"), (["hope"], "no method 'hope'"), (3, "3")]
)
def test_other_remedies_are_refused(remedies, words):
    with pytest.raises(ValueError, match=words):
        checked_remedies(remedies)


@pytest.fixture
def data_of_out_of_fold(load):
    X, y = load("wine")
    return X, np.array(["a", "b", "c"])[y], y


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (LogisticRegression(), "predict_log_proba"),
        (SVC(decision_function_shape="ovr"), "decision_function"),
    ],
)
def test_answers_are_those_of_cross_val_predict(data_of_out_of_fold, model, method):
    X, y, codes = data_of_out_of_fold
    folds = make_folds(codes, 4, 0)
    ours = out_of_fold(model, X, y, ["a", "b", "c"], folds)
    np.testing.assert_array_equal(
        ours.predicted, codes_of(cross_val_predict(model, X, y, cv=folds))
    )
    expected = cross_val_predict(model, X, y, cv=folds, method=method)
    np.testing.assert_allclose(ours.scores, np.maximum(expected, np.log(1e-6)), atol=1e-9)


def codes_of(labels):
    return np.searchsorted(["a", "b", "c"], labels)


def test_folds_are_stratified_and_keep_rare_classes():
    codes = np.repeat([0, 1], [60, 3])
    folds = make_folds(codes, 5, 0)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(63))
    assert all((codes[train] == 1).sum() >= 2 for train, _ in folds)


def test_seeds_give_other_folds():
    codes = np.repeat([0, 1], [60, 30])
    first, second = make_folds(codes, 5, 0), make_folds(codes, 5, 1)
    assert not np.array_equal(first[0][1], second[0][1])


def test_a_splitter_is_used():
    codes = np.repeat([0, 1], [60, 30])
    ours = make_folds(codes, StratifiedKFold(3), 0)
    theirs = list(StratifiedKFold(3).split(codes, codes))
    np.testing.assert_array_equal(ours[1][1], theirs[1][1])


@pytest.mark.parametrize("cv", [True, 2.5, "5", None])
def test_what_is_no_rule_for_folds_is_refused(cv):
    with pytest.raises(ValueError, match=r"cv=.* is not allowed; it must be a whole number"):
        make_folds(np.repeat([0, 1], 10), cv, 0)


@pytest.mark.parametrize("cv", [[], [([0], [1])]])
def test_rows_that_are_not_tested_are_refused(cv):
    with pytest.raises(ValueError, match="every row exactly once"):
        make_folds(np.repeat([0, 1], 10), cv, 0)


def test_folds_are_compared_by_the_rows_that_they_test():
    codes = np.repeat([0, 1], 10)
    first = make_folds(codes, 3, 0)
    assert same_folds(first, make_folds(codes, 3, 0))
    assert not same_folds(first, make_folds(codes, 3, 1))
    assert not same_folds(first, first[:2])


def test_a_class_that_a_fold_never_saw():
    X, y = np.arange(12.0).reshape(-1, 1), np.repeat([0, 1, 2], [5, 5, 2])
    folds = [(np.arange(10), np.array([10, 11])), (np.arange(2, 12), np.array([0, 1]))]
    answers = out_of_fold(LogisticRegression(), X, y, [0, 1, 2], folds)
    assert answers.scores[10, 2] == answers.scores[10].min()


def test_one_fitted_model_for_each_fold_is_not_trained_again(data_of_out_of_fold):
    X, y, codes = data_of_out_of_fold
    folds = make_folds(codes, 4, 0)
    fitted = [FrozenEstimator(SVC().fit(X[train], y[train])) for train, _ in folds]
    own_rows = [(test, test) for _, test in folds]
    theirs = out_of_fold(fitted, X, y, ["a", "b", "c"], own_rows)
    ours = out_of_fold(SVC(), X, y, ["a", "b", "c"], folds)
    np.testing.assert_array_equal(ours.predicted, theirs.predicted)
    np.testing.assert_allclose(ours.scores, theirs.scores)


def test_a_failure_names_the_model_and_the_fold():
    X, y = np.arange(8.0).reshape(-1, 1), np.repeat([0, 1], 4)
    folds = [(np.arange(2, 8), np.arange(2)), (np.arange(4), np.arange(2, 8))]
    with pytest.raises(ValueError, match=r"^LogisticRegression failed on fold 2 of 2: .*class"):
        out_of_fold(LogisticRegression(), X, y, [0, 1], folds)


SVM = AuditedModel("svm", "", None, tune=True, seed=5)


def ran(text, **names):
    exec(text, names)
    return names


def clinic(n_rows=120, seed=0):
    """A frame of numbers, text and truth values with gaps, and its labels."""
    rng = np.random.default_rng(seed)
    ill = np.arange(n_rows) % 4 == 0
    ward = rng.choice(["north", "south", "east, upstairs"], size=n_rows).astype(object)
    ward[::13] = None
    age = rng.normal(50, 10, size=n_rows) + 15 * ill
    age[::9] = np.nan
    smokes = rng.random(n_rows) < np.where(ill, 0.8, 0.3)
    return pd.DataFrame({"age": age, "ward": ward, "smokes": smokes}), np.where(ill, "ill", "well")


def in_polars(frame):
    return pl.DataFrame(frame.astype(object).where(frame.notna(), None).to_dict("list"))


def arrays():
    X, y = clinic()
    return X[["age"]].fillna(50).to_numpy(), y


KINDS = {
    "array": arrays,
    "list": lambda: tuple(each.tolist() for each in arrays()),
    "sparse": lambda: (sparse.csr_array(arrays()[0]), arrays()[1]),
    "pandas": clinic,
    "polars": lambda: (in_polars(clinic()[0]), clinic()[1]),
    "categories": lambda: (clinic()[0].astype({"ward": "category"}), clinic()[1]),
    "objects": lambda: (clinic()[0].to_numpy(dtype=object), clinic()[1]),
    "whole numbers as labels": lambda: (clinic()[0], (clinic()[1] == "ill").astype(int)),
    "truth values as labels": lambda: (clinic()[0], clinic()[1] == "ill"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_trains_what_fit_trains_on_the_same_rows(kind, tmp_path):
    X, y = KINDS[kind]()
    model = ran(audit(X, y, "svm_balanced", remedies="never").snippet, X=X, y=y)["model"]
    fitted = train(written(X, y, tmp_path), "svm_balanced")
    answers = model.predict(X)
    assert answers.dtype.kind == np.asarray(y).dtype.kind
    assert [str(each) for each in answers.tolist()] == fitted.predict(
        read_table(tmp_path / "d.csv")
    ).tolist()


def written(X, y, folder):
    """The same rows as a data set that came from a CSV file."""
    dense = X.toarray() if hasattr(X, "toarray") else X
    frame = pd.DataFrame(dense.to_dict() if isinstance(dense, pl.DataFrame) else dense)
    frame = frame.rename(columns=str).assign(label=np.asarray(y).astype(str))
    frame.to_csv(folder / "d.csv", index=False)
    return read_dataset(folder / "d.csv", target="label")


def test_it_is_a_program_of_its_own(tmp_path):
    X, y = clinic()
    text = audit(X, y, "svm_balanced", remedies="never").snippet
    X.assign(label=y).to_pickle(tmp_path / "d.pkl")
    before = "import pandas as pd\nX = pd.read_pickle('d.pkl')\ny = X.pop('label')\n"
    after = "print(*model.predict(X))\n"
    done = subprocess.run(
        [sys.executable, "-c", before + text + after],
        cwd=tmp_path, capture_output=True, text=True, timeout=HANG, check=True,
    )  # fmt: skip
    expected = MethodClassifier("svm_balanced").fit(X, y).predict(X)
    assert done.stdout.split() == expected.tolist()


def test_a_recommended_remedy_is_what_is_built():
    X, y, _ = planted()
    frame = pd.DataFrame(X, columns=["length", "width"]).assign(
        side=np.where(X[:, 0] > 0, "r", "l")
    )
    equal = {"common": 1.0, "rare": 1.0}  # so that there is no balanced copy of it
    model = plain_svm().set_params(svc__class_weight=equal)
    found = audit(frame, y, model, remedies=["svm"], random_state=2)
    assert found.remedies.recommended == "svm"
    model = ran(found.snippet, X=frame, y=y)["model"]
    assert model.get_params() == MethodClassifier("svm", random_state=2).get_params()
    assert (model.predict(frame) == y).mean() > 0.9


def test_rows_that_the_audit_leaves_out_are_left_out_again():
    X, y = clinic()
    y = y.astype(object)
    y[[3, 8]] = None, "nobody else"
    found = audit(X, y, "svm_balanced", remedies="never")
    assert len(found.data.left_out) == 2
    names = ran(found.snippet, X=X, y=y)
    assert len(names["X"]) == len(names["y"]) == 118
    assert names["model"].classes_.tolist() == ["ill", "well"]


def test_without_a_recommendation_it_is_the_audited_model_with_its_settings():
    text = snippet_of(SVM, "", [0, 1, 0, 1], 7)
    assert 'MethodClassifier("svm", tune=True, random_state=5)' in text


def test_the_recommended_model_has_the_seed_of_the_audit():
    text = snippet_of(SVM, "rusboost", [0, 1, 0, 1], 7)
    model = ran(text, X=np.ones((4, 2)), y=[0, 1, 0, 1])["model"]
    assert model.get_params() == MethodClassifier("rusboost", random_state=7).get_params()


@pytest.mark.parametrize("kind", ["list", "sparse", "pandas", "polars"])
def test_the_threshold_of_a_method_is_moved_on_any_table(kind):
    X, y = KINDS[kind]()
    audited = AuditedModel("svm", "", None, seed=5)
    model = ran(snippet_of(audited, THRESHOLD, y, 7), X=X, y=y)["model"]
    assert model.estimator.get_params() == MethodClassifier("svm", random_state=5).get_params()
    plain = MethodClassifier("svm", random_state=5).fit(X, y)
    assert (model.predict(X) == "ill").sum() > (plain.predict(X) == "ill").sum()


def test_the_threshold_of_ones_own_model_is_moved():
    X, y, _ = planted()
    audited = AuditedModel(OWN, "SVC", SVC(), takes_given=True)
    text = snippet_of(audited, THRESHOLD, [*y, None], 3)
    model = ran(text, X=[*X.tolist(), [0.0, 0.0]], y=[*y.tolist(), None], model=SVC())["model"]
    assert (model.predict(X) == "rare").sum() > (SVC().fit(X, y).predict(X) == "rare").sum()


def test_arguments_are_those_that_differ_from_the_default():
    assert method_arguments("svm", False, 0) == '"svm"'
    assert method_arguments("svm", True, 2) == '"svm", tune=True, random_state=2'


def test_weights_of_ones_own_model():
    model = make_pipeline(StandardScaler(), SVC())
    audited = AuditedModel(OWN, "Pipeline", model, takes_given=True)
    names = {"model": model, "X": [[0.0], [1.0]] * 5, "y": [0, 1] * 5}
    ran(snippet_of(audited, "own_balanced", names["y"]), **names)
    assert model[-1].class_weight == "balanced"
    assert model.predict([[0.0], [1.0]]).tolist() == [0, 1]
    assert "Keep the model" in snippet_of(audited, "", names["y"])


def test_ones_own_model_is_trained_without_the_rows_that_the_audit_leaves_out():
    model = SVC()
    audited = AuditedModel(OWN, "SVC", model, takes_given=True)
    names = {"model": model, "X": np.arange(12.0).reshape(-1, 1), "y": [0, 1] * 5 + [None, 2]}
    ran(snippet_of(audited, "own_balanced", names["y"]), **names)
    assert model.classes_.tolist() == [0, 1]


def test_weights_that_are_set_already_stay():
    model = make_pipeline(SVC(class_weight={0: 2}), LogisticRegression())
    audited = AuditedModel(OWN, "Pipeline", model, takes_given=True)
    ran(
        snippet_of(audited, "own_balanced", [0, 1, 0, 1]),
        model=FitsNothing(model),
        X=0,
        y=0,
    )
    assert model[0].class_weight == {0: 2}
    assert model[1].class_weight == "balanced"


class FitsNothing:
    """A model whose training is beside the point."""

    def __init__(self, model):
        self.set_params = model.set_params

    def fit(self, X, y):
        return self
