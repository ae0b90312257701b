import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kpboost.auditing import audit
from kpboost.auditing._models import OWN, AuditedModel, method_arguments, snippet_of
from kpboost.auditing._records import ModelScores, Remedies
from kpboost.datasets import read_dataset, read_table
from kpboost.methods import MethodClassifier
from kpboost.model_files import train
from support.patience import HANG
from support.planted_data import plain_svm, planted

SCORES = ModelScores("svm", "plain SVM", 1.0, 1.0, 1.0, 1.0, {}, 0.0)
SVM = AuditedModel("svm", "", None, tune=True, seed=5)


def recommending(name):
    return Remedies((), 0, SCORES, 0.0, (), {}, name, "")


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
    for remedies in (None, recommending("")):
        text = snippet_of(SVM, remedies, [0, 1, 0, 1], 7)
        assert 'MethodClassifier("svm", tune=True, random_state=5)' in text


def test_the_recommended_model_has_the_seed_of_the_audit():
    text = snippet_of(SVM, recommending("rusboost"), [0, 1, 0, 1], 7)
    model = ran(text, X=np.ones((4, 2)), y=[0, 1, 0, 1])["model"]
    assert model.get_params() == MethodClassifier("rusboost", random_state=7).get_params()


def test_arguments_are_those_that_differ_from_the_default():
    assert method_arguments("svm", False, 0) == '"svm"'
    assert method_arguments("svm", True, 2) == '"svm", tune=True, random_state=2'


def test_weights_of_ones_own_model():
    model = make_pipeline(StandardScaler(), SVC())
    audited = AuditedModel(OWN, "Pipeline", model, takes_given=True)
    names = {"model": model, "X": [[0.0], [1.0]] * 5, "y": [0, 1] * 5}
    ran(snippet_of(audited, recommending("own_balanced"), names["y"]), **names)
    assert model[-1].class_weight == "balanced"
    assert model.predict([[0.0], [1.0]]).tolist() == [0, 1]
    assert "Keep the model" in snippet_of(audited, recommending(""), names["y"])


def test_ones_own_model_is_trained_without_the_rows_that_the_audit_leaves_out():
    model = SVC()
    audited = AuditedModel(OWN, "SVC", model, takes_given=True)
    names = {"model": model, "X": np.arange(12.0).reshape(-1, 1), "y": [0, 1] * 5 + [None, 2]}
    ran(snippet_of(audited, recommending("own_balanced"), names["y"]), **names)
    assert model.classes_.tolist() == [0, 1]


def test_weights_that_are_set_already_stay():
    model = make_pipeline(SVC(class_weight={0: 2}), LogisticRegression())
    audited = AuditedModel(OWN, "Pipeline", model, takes_given=True)
    ran(
        snippet_of(audited, recommending("own_balanced"), [0, 1, 0, 1]),
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
