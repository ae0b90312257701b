from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.linear_model import LogisticRegression

from kpboost.cli.audit import audit_input
from kpboost.datasets import DataError, Table, read_dataset
from kpboost.methods import MethodClassifier
from kpboost.model_files import save_model, train


def audited(data="small.csv", target=None, method=None, model=None, seed=0):
    return audit_input(data, target, data_dir=None, seed=seed, method=method, model=model, trust=())


def test_without_a_model_the_file_is_taken_as_it_is(small_csv):
    found = audited(method="svm", seed=6)
    assert isinstance(found.X, Table)
    assert found.estimator == "svm"
    assert found.steps.model_seed == 6
    assert found.notes == ()


def test_a_model_of_ours_brings_recipe_settings_and_target(small_csv):
    frame = pd.read_csv(small_csv)[["label", "a", "b"]]  # the class is not the last column
    frame.to_csv("first.csv", index=False)
    saved = train(read_dataset("first.csv", target="label"), "svm", tune=True, random_state=3)
    save_model(saved, "m.skops")
    found = audited("first.csv", model=Path("m.skops"))
    assert isinstance(found.estimator, MethodClassifier)
    settings = MethodClassifier("svm", tune=True, random_state=3).get_params()
    assert found.estimator.get_params() == settings
    assert found.steps.read.target_name == "label"
    assert "paper's grid" in found.notes[0]


def test_another_class_column_than_the_models_is_refused(small_csv):
    save_model(train(read_dataset(small_csv), "svm"), "m.skops")
    frame = pd.read_csv(small_csv)
    frame.assign(b=np.sign(frame["b"])).to_csv("other.csv", index=False)
    with pytest.raises(DataError, match="its class is 'b', but the model's is 'label'"):
        audited("other.csv", "b", model=Path("m.skops"))


def test_any_other_classifier_is_audited_itself(small_csv):
    skops.io.dump(LogisticRegression(), "own.skops")
    found = audited(model=Path("own.skops"))
    assert isinstance(found.estimator, LogisticRegression)
    assert found.X.columns.tolist() == ["a", "b"]
    assert found.steps.weights == "class_weight"
    assert found.notes[0].startswith("The audit is of the settings of own.skops, trained again")
