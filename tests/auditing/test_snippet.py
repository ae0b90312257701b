import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kpboost.auditing.columns import Columns
from kpboost.auditing.records import Remedies, Scores
from kpboost.auditing.snippet import snippet_of
from kpboost.auditing.subjects import OWN, Subject

COLUMNS = Columns(("a", "b"), np.zeros((2, 2)), np.array([False, True]), (None, ("u", "v")))
SCORES = Scores("svm", "plain SVM", 1.0, 1.0, 1.0, 1.0, {}, 0.0)


def recommending(name):
    return Remedies((), 0, SCORES, 0.0, (), {}, name, "")


def test_the_snippet_runs_and_knows_the_nominal_columns():
    text = snippet_of(Subject("svm", "", "", None), recommending("svm_tuned"), COLUMNS)
    rng = np.random.default_rng(0)
    names = {"X": np.column_stack([rng.normal(size=40), np.arange(40) % 2]), "y": np.arange(40) % 2}
    exec(text, names)
    assert names["nominal"].tolist() == [False, True]
    assert (names["model"].predict(names["X"]) == names["y"]).all()


def test_without_a_recommendation_it_is_the_audited_model():
    subject = Subject("hgb", "", "", None)
    assert 'build("hgb"' in snippet_of(subject, recommending(""), COLUMNS)
    assert 'build("hgb"' in snippet_of(subject, None, COLUMNS)


def test_the_snippet_has_the_seed_of_the_audit():
    text = snippet_of(Subject("hgb", "", "", None), None, COLUMNS, 7)
    names = {"X": np.ones((4, 2)), "y": [0, 1, 0, 1]}
    exec(text, names)
    assert names["model"][-1].random_state == 7


def test_weights_of_ones_own_model():
    model = make_pipeline(StandardScaler(), SVC())
    subject = Subject(OWN, "Pipeline", "", model, takes_given=True)
    names = {"model": model, "X": [[0.0], [1.0]] * 5, "y": [0, 1] * 5}
    exec(snippet_of(subject, recommending("own_balanced"), COLUMNS), names)
    assert model[-1].class_weight == "balanced"
    assert "Keep the model" in snippet_of(subject, recommending(""), COLUMNS)
