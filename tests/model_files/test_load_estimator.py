import inspect
import json

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.base import ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from kpboost import ensemble, methods, model_selection, svm, tree
from kpboost.datasets import load
from kpboost.model_files import (
    ModelFileError,
    SavedModel,
    _archive as archive,
    load_estimator,
    save_model,
    train,
)
from support import forged_models

X = np.random.default_rng(0).normal(size=(40, 2)) + np.repeat([0, 2], [25, 15])[:, None]
Y = np.repeat([0, 1], [25, 15])
OWN = [
    getattr(package, name)
    for package in (svm, ensemble, tree, model_selection, methods)
    for name in package.__all__
    if inspect.isclass(getattr(package, name))
    and issubclass(getattr(package, name), ClassifierMixin)
]


def there_and_back(model, folder, **options):
    skops.io.dump(model, folder / "m.skops")
    return load_estimator(folder / "m.skops", **options)


@pytest.mark.parametrize("fit", [False, True])
@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.__name__)
def test_all_our_classifiers_are_trusted(kind, fit, tmp_path):
    model = kind()
    if fit:
        model.fit(X, Y)
    loaded = there_and_back(model, tmp_path)
    assert type(loaded) is kind
    assert repr(loaded) == repr(model)


@pytest.mark.parametrize(
    "model",
    [
        SVC(C=3.0),
        make_pipeline(StandardScaler(), LogisticRegression()),
        GridSearchCV(SVC(), {"C": [1, 2]}, scoring="balanced_accuracy"),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("fit", [False, True])
def test_classifiers_of_scikit_learn_are_read(model, fit, tmp_path):
    loaded = there_and_back(model.fit(X, Y) if fit else model, tmp_path)
    assert repr(loaded) == repr(model)


@pytest.mark.parametrize(
    "model", [RandomForestClassifier(3), KNeighborsClassifier(3), SVC(C=2.0), GaussianNB()]
)
def test_of_a_fitted_model_the_settings_and_the_columns_are_read(model, tmp_path):
    loaded = there_and_back(model.fit(X, Y), tmp_path)
    assert loaded.get_params() == model.get_params()
    assert loaded.n_features_in_ == 2
    assert loaded.classes_.tolist() == [0, 1]
    left = {name for name in vars(loaded) if name.startswith("_") or name.endswith("_")}
    assert left == {"n_features_in_", "classes_"}
    np.testing.assert_array_equal(loaded.fit(X, Y).predict(X[:3]), model.predict(X[:3]))


def test_a_search_remembers_classes_and_columns(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b"])
    loaded = there_and_back(GridSearchCV(SVC(), {"C": [1, 2]}).fit(frame, Y), tmp_path)
    assert loaded.classes_.tolist() == [0, 1]
    assert loaded.feature_names_in_.tolist() == ["a", "b"]
    assert not hasattr(loaded.best_estimator_, "_dual_coef_")


def test_a_file_chooses_no_folder_and_no_crowd_of_processes(tmp_path):
    cached = make_pipeline(StandardScaler(), SVC(), memory=str(tmp_path / "cache"))
    with pytest.raises(ModelFileError, match="cache in a folder of its own choice"):
        there_and_back(cached, tmp_path)
    assert there_and_back(RandomForestClassifier(n_jobs=100_000), tmp_path).n_jobs is None
    assert there_and_back(RandomForestClassifier(n_jobs=-1), tmp_path).n_jobs == -1


@pytest.mark.parametrize("source", ["filename", "file"])
def test_a_file_opens_no_other_files(source, tmp_path):
    with pytest.raises(ModelFileError, match="open the files that a table names"):
        there_and_back(make_pipeline(CountVectorizer(input=source), SVC()), tmp_path)
    assert there_and_back(make_pipeline(CountVectorizer(), SVC()), tmp_path)[0].input == "content"


def test_settings_have_names_that_are_looked_at(tmp_path):
    skops.io.dump(SVC(), tmp_path / "s.skops")
    entries = forged_models.unzipped(tmp_path / "s.skops")
    schema = json.loads(entries["schema.json"])
    settings = json.dumps({"memory": "/", "input": "filename", "n_jobs": 10**6})
    schema["content"] = {**archive.NULL, "content": settings}
    forged_models.zipped({**entries, "schema.json": json.dumps(schema)}, tmp_path / "s.skops")
    with pytest.raises(ModelFileError, match="a state without names"):
        load_estimator(tmp_path / "s.skops")


def stranger(table):
    raise AssertionError("a function of the file was called")


def test_functions_are_refused_by_name(tmp_path):
    model = make_pipeline(FunctionTransformer(stranger), SVC())
    with pytest.raises(ModelFileError, match="stranger"):
        there_and_back(model, tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (LinearRegression(), "holds a LinearRegression; a classifier"),
        (StandardScaler(), "holds a StandardScaler"),
        ([1, 2], "holds a list"),
        ({"format": "something else"}, "holds a dict"),
    ],
)
def test_what_is_no_classifier_is_refused(content, words, tmp_path):
    with pytest.raises(ModelFileError, match=words):
        there_and_back(content, tmp_path)


def test_a_model_of_ours_is_read_with_all_that_it_remembers(tmp_path):
    save_model(train(load("planted-two"), "svm", tune=True, random_state=5), tmp_path / "m.skops")
    loaded = load_estimator(tmp_path / "m.skops")
    assert isinstance(loaded, SavedModel)
    assert (loaded.method, loaded.tune, loaded.random_state) == ("svm", True, 5)
