from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import recall_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from kpboost.datasets import Column, Dataset, Table, features_of, load
from kpboost.methods import METHODS, MethodClassifier
from kpboost.model_files import load_model, model_card, save_model, train


@pytest.fixture(scope="module")
def data():
    return load("planted-two")


def test_the_model_is_the_method_on_all_rows(data):
    saved = train(data, "svm_balanced")
    alone = MethodClassifier("svm_balanced").fit(data.X, data.y)
    np.testing.assert_array_equal(saved.model.predict(data.X), alone.predict(data.X))
    assert (saved.target, saved.n_folds, saved.left_out) == (data.target_name, 5, ())


def test_recalls_are_those_of_cross_validation(data):
    saved = train(data, "svm", random_state=3)
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    model = MethodClassifier("svm", random_state=3)
    answers = cross_val_predict(model, data.X, data.y, cv=folds)
    expected = recall_score(data.y, answers, average=None)
    np.testing.assert_allclose(list(saved.recalls.values()), expected)
    assert list(saved.recalls) == sorted(set(data.y))


def test_settings_are_remembered(data):
    saved = train(data, "svm", tune=True, random_state=7)
    assert (saved.method, saved.tune, saved.random_state) == ("svm", True, 7)
    same = MethodClassifier("svm", tune=True, random_state=7).fit(data.X, data.y)
    assert saved.model[-1].get_params() == same.model_[-1].get_params()


def few(data, labels):
    n_rows = len(labels)
    return replace(data.take(np.arange(n_rows)), y=np.array(labels))


def test_classes_of_one_row_are_left_out_and_named(data):
    saved = train(few(data, ["a", "b", "z"] * 8 + ["only"]), "svm")
    assert saved.left_out == ("only",)
    assert saved.model.classes_.tolist() == ["a", "b", "z"]
    assert sum(saved.class_sizes.values()) == 24


def test_few_rows_are_scored_in_fewer_folds(data):
    saved = train(few(data, ["a", "b", "b", "a", "b"]), "svm")
    assert saved.n_folds == 3


@pytest.mark.parametrize("labels", [["a", "a", "a", "b"], ["a", "b", "c"]])
def test_fewer_than_two_classes_of_two_rows_are_refused(data, labels):
    with pytest.raises(ValueError, match=r"two classes of at least two rows each; .*'b'"):
        train(few(data, labels), "svm")


def test_an_unknown_method_is_refused_before_any_work(data):
    with pytest.raises(ValueError, match="no method 'magic'"):
        train(data, "magic")


def test_a_sample_is_called_one(monkeypatch):
    monkeypatch.setitem(METHODS, "svm", replace(METHODS["svm"], max_rows=250))
    rng = np.random.default_rng(0)
    y = np.repeat(["common", "rare"], [300, 6])
    X = rng.normal(size=(306, 2)) + 2.0 * (y == "rare")[:, None]
    data = Dataset("large", features_of(X), y)
    sampled, whole = train(data, "svm"), train(data, "gradient_boosting")
    assert (sampled.n_rows, sampled.n_samples) == (250, 306)
    assert whole.n_rows == whole.n_samples
    card = model_card(sampled, file="m.skops", data="large.csv")
    assert "on a sample of 250 of the 306 rows" in card
    assert "sample" not in model_card(whole, file="m.skops", data="large.csv")


def oversampled():
    """Noise that nothing can be learnt from, its rare rows ten times each."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), np.repeat(["common", "rare"], [270, 30])
    rows = np.append(np.arange(270), np.repeat(np.arange(270, 300), 10))
    columns = [Column(*each) for each in zip("abcd", ["number"] * 4, X[rows].T, strict=True)]
    return Dataset("noise", Table.of(columns, "noise.csv"), y[rows], "label")


def test_copies_of_rows_are_not_tested_by_models_that_have_seen_them(tmp_path):
    data = oversampled()
    saved = train(data, "gradient_boosting")
    assert saved.n_copies == 270
    assert saved.copies_together
    # in noise nothing can be found; parted copies would be found nearly all
    assert sum(saved.recalls.values()) / 2 < 0.65
    assert saved.weakness.startswith("This model is poor")
    assert any("270 rows agree with others" in note for note in saved.notes)
    save_model(saved, tmp_path / "m.skops")
    assert load_model(tmp_path / "m.skops").notes == saved.notes
