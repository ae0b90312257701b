"""The measures are those of kpboost.metrics and scikit-learn, and survive a store."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given, settings, strategies as st

from kpboost import metrics
from kpboost.datasets import load
from kpboost.experiments import ExperimentSpec, StoreError, outcomes, predictions, run
from kpboost.experiments._scores import MEASURES, Measure, Predictions, scores_of
from kpboost.experiments.storage._store import pack, unpack
from kpboost.reports import plain_summary, read_comparison, write_report
from kpboost.reports._comparison import score_table


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 4), n=st.integers(4, 40))
def test_scores_are_those_of_the_metrics(seed, n_classes, n):
    random = np.random.RandomState(seed)
    truth = random.randint(0, n_classes, n)
    truth[:2] = [0, n_classes - 1]
    disjuncts = truth * 3 + random.randint(0, 3, n)
    sizes = random.randint(1, 900, 3 * n_classes)
    answers = random.randint(0, n_classes, (5, n))
    answers[0], answers[1] = truth, 0
    class_sizes = np.bincount(truth, minlength=n_classes)
    found = Predictions(truth, answers, class_sizes, disjuncts, sizes)
    scores = scores_of(found)
    labels = np.arange(n_classes)
    for place, answer in enumerate(answers):
        expected = metrics.class_recalls(truth, answer, labels=labels)
        np.testing.assert_allclose(found.recalls[place], expected)
        assert scores["gmean"][place] == pytest.approx(metrics.geometric_mean_score(truth, answer))
        assert scores["auc"][place] == pytest.approx(metrics.hard_auc_score(truth, answer))
        gsdi = metrics.gsdi_score(truth, answer, disjuncts=disjuncts, disjunct_sizes=sizes)
        assert scores["gsdi"][place] == pytest.approx(gsdi)
    assert (scores["gmean"][0], scores["auc"][0], scores["gsdi"][0]) == (1.0, 1.0, 1.0)


def test_a_candidate_that_failed_has_no_scores():
    truth = np.array([0, 1, 1])
    predicted = np.array([[-1, -1, -1], [0, 1, 1]])
    found = Predictions(truth, predicted, np.array([1, 2]), truth, np.array([1, 2]))
    scores = scores_of(found)
    assert np.isnan(found.recalls[0]).all()
    assert np.isnan([scores["gmean"][0], scores["auc"][0], scores["gsdi"][0]]).all()
    assert scores["gmean"][1] == 1.0


def test_one_class_alone_has_no_auc():
    truth = np.zeros(3, dtype=int)
    found = Predictions(truth, truth[None], np.array([3, 1]), truth, np.array([3]))
    scores = scores_of(found)
    assert np.isnan(scores["auc"]).all()
    assert np.isnan(found.recalls[0, 1])
    assert scores["gmean"] == 1.0


# Measures of scores and probabilities are scikit-learn's.


def graded(truth, scores, *, are_probabilities=False):
    sizes = np.bincount(truth, minlength=scores.shape[-1])
    predicted = scores.argmax(axis=-1)
    return Predictions(
        truth, predicted, sizes, truth, sizes, scores, are_probabilities=are_probabilities
    )


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    n_classes=st.integers(2, 4),
    n=st.integers(6, 60),
    digits=st.sampled_from([1, 12]),
)
def test_measures_of_scores_are_those_of_scikit_learn(seed, n_classes, n, digits):
    random = np.random.RandomState(seed)
    truth = np.r_[np.arange(n_classes), random.randint(0, n_classes, n - n_classes)]
    scores = random.dirichlet(np.ones(n_classes), (3, n))
    scores = np.round(scores, digits)  # with ties, and zeros
    scores[..., 0] = 1 - scores[..., 1:].sum(axis=-1)
    found = scores_of(graded(truth, scores, are_probabilities=True))
    one_hot = np.eye(n_classes)[truth]
    rarer = int(np.sum(truth == 1) <= np.sum(truth == 0))
    for place, own in enumerate(scores):
        if n_classes == 2:
            area = sklearn.metrics.roc_auc_score(truth, own[:, 1])
            precision = sklearn.metrics.average_precision_score(truth == rarer, own[:, rarer])
            brier = sklearn.metrics.brier_score_loss(truth, np.clip(own[:, 1], 0, 1))
        else:
            area = sklearn.metrics.roc_auc_score(truth, own, multi_class="ovo", average="macro")
            precision = sklearn.metrics.average_precision_score(one_hot, own, average="macro")
            brier = 0.5 * np.square(own - one_hot).sum(axis=1).mean()
        loss = sklearn.metrics.log_loss(truth, np.clip(own, 0, 1), labels=np.arange(n_classes))
        expected = {
            **{"roc_auc": area, "average_precision": precision},
            **{"log_loss": loss, "brier": brier},
        }
        for name, value in expected.items():
            assert found[name][place] == pytest.approx(value, abs=1e-9), name


def test_of_two_classes_the_second_has_the_scores():
    """1 - p rounds small probabilities to one; their order still counts."""
    second = np.array([1e-18, 1e-17])
    scores = np.column_stack((1 - second, second))[None]
    assert scores_of(graded(np.array([0, 1]), scores))["roc_auc"] == [1.0]


def test_a_probability_of_zero_costs_much_but_not_all():
    found = scores_of(graded(np.array([0, 1]), np.eye(2)[None, ::-1], are_probabilities=True))
    assert found["log_loss"] == pytest.approx([36.04], abs=0.01)
    assert found["brier"] == [1.0]
    assert found["roc_auc"] == [0.0]


def test_votes_have_no_log_loss_and_labels_no_area():
    truth = np.array([0, 1, 1])
    votes = np.column_stack((-truth, truth)).astype(float)[None]
    assert {"roc_auc", "average_precision"} <= scores_of(graded(truth, votes)).keys()
    assert not {"log_loss", "brier"} & scores_of(graded(truth, votes)).keys()
    alone = Predictions(truth, truth[None], np.array([1, 2]), truth, np.array([1, 2]))
    assert scores_of(alone).keys() == {"gmean", "auc", "balanced_accuracy", "gsdi"}


def test_a_fold_without_a_class():
    """Two classes: there is nothing to tell apart; three: the two that are there count."""
    alone = np.zeros(4, dtype=int)
    found = scores_of(graded(alone, np.full((1, 4, 2), 0.5), are_probabilities=True))
    assert np.isnan([found["roc_auc"], found["average_precision"]]).all()
    assert found["brier"] == [0.25]
    truth = np.array([0, 0, 2, 2, 2])
    scores = np.random.RandomState(0).dirichlet(np.ones(3), (1, 5))
    found = scores_of(graded(truth, scores))
    own = [
        sklearn.metrics.roc_auc_score(truth == 0, scores[0, :, 0]),
        sklearn.metrics.roc_auc_score(truth == 2, scores[0, :, 2]),
    ]
    assert found["roc_auc"] == pytest.approx([np.mean(own)])
    assert np.isfinite(found["average_precision"]).all()


def test_a_failed_candidate_has_no_measures_of_scores():
    truth = np.array([0, 1, 1])
    scores = np.stack([np.full((3, 2), np.nan), np.eye(2)[truth]])
    found = scores_of(graded(truth, scores, are_probabilities=True))
    for name in ("roc_auc", "average_precision", "log_loss", "brier"):
        assert np.isnan(found[name]).tolist() == [True, False]


def test_balanced_accuracy_is_the_mean_recall_and_the_hard_auc_is_not():
    truth, predicted = np.array([0, 0, 1, 1, 2, 2]), np.array([[0, 0, 1, 0, 0, 0]])
    found = scores_of(Predictions(truth, predicted, np.full(3, 2), truth, np.full(3, 2)))
    assert found["balanced_accuracy"] == [
        sklearn.metrics.balanced_accuracy_score(truth, predicted[0])
    ]
    assert found["balanced_accuracy"] == pytest.approx([0.5])
    assert found["auc"] == pytest.approx([0.625])


@pytest.fixture(scope="module")
def nested_store(tmp_path_factory):
    path = tmp_path_factory.mktemp("nested") / "store.db"
    spec = ExperimentSpec(["planted-two"], ["svm", "c45_ib1"], n_folds=2)
    run(spec, path, backend="threads")
    return path


def test_a_nested_comparison_keeps_measures_of_scores(nested_store):
    svm, tree = outcomes(nested_store)
    assert all(0.5 < each.scores["roc_auc"] <= 1 for each in (svm, tree))
    assert all(0 < each.scores["average_precision"] <= 1 for each in (svm, tree))
    assert np.isnan([svm.scores["log_loss"], svm.scores["brier"]]).all()
    assert 0 < tree.scores["brier"] < 0.5
    assert tree.scores["log_loss"] > 0
    assert svm.scores["balanced_accuracy"] == pytest.approx(svm.scores["auc"])  # of two classes
    fold = svm.folds[0]
    assert fold.scores["balanced_accuracy"] == pytest.approx(
        np.mean(list(fold.class_recalls.values()))
    )


def test_a_store_from_before_has_what_labels_tell_and_no_more(nested_store, tmp_path):
    path = tmp_path / "old.db"
    path.write_bytes(nested_store.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        for row, blob in connection.execute("SELECT rowid, predictions FROM results").fetchall():
            old = pack({"codes": unpack(blob)["codes"]})
            connection.execute("UPDATE results SET predictions = ? WHERE rowid = ?", (old, row))
    for before, now in zip(outcomes(path), outcomes(nested_store), strict=True):
        assert before.scores["balanced_accuracy"] == now.scores["balanced_accuracy"]
        assert np.isnan([before.scores["roc_auc"], before.scores["brier"]]).all()
    page = write_report(path, tmp_path / "report")
    names = {file.stem for file in (page.parent / "tables").iterdir()}
    assert "scores-balanced_accuracy" in names
    assert "scores-roc_auc" not in names
    summary = plain_summary(read_comparison(path))
    assert all(np.isnan(each["roc_auc"]) for each in summary["results"])


def test_a_fold_on_which_a_measure_is_not_defined_is_left_out_of_its_mean(nested_store, tmp_path):
    path = tmp_path / "one.db"
    path.write_bytes(nested_store.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        (row, blob), *_ = connection.execute("SELECT rowid, predictions FROM results").fetchall()
        changed = pack({**unpack(blob), "roc_auc": np.array(np.nan)})
        connection.execute("UPDATE results SET predictions = ? WHERE rowid = ?", (changed, row))
    found = [
        each for each in outcomes(path) if np.isnan([f.scores["roc_auc"] for f in each.folds]).any()
    ]
    assert len(found) == 1
    values = [fold.scores["roc_auc"] for fold in found[0].folds]
    assert found[0].scores["roc_auc"] == np.nanmean(values)


def accuracy(found):
    return found.hits.mean(axis=1)


def test_a_new_measure_is_a_function_and_a_line_in_the_list(tmp_path, monkeypatch):
    """It is in the records, the JSON, the CSV files and the page, also of a store from before."""
    spec = ExperimentSpec(["planted-two"], ["svm", "c45_ib1"], protocol="published", n_folds=2)
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    run(spec, old, backend="threads")
    measure = Measure(
        "error_rate", "Errors", "share of wrong labels", lambda f: 1 - accuracy(f), False
    )
    monkeypatch.setitem(MEASURES, "error_rate", measure)
    run(spec, new, backend="threads")
    for path in (old, new):
        for outcome in outcomes(path):
            for fold in outcome.folds:
                found = predictions(path, "planted-two", outcome.method, fold.fold)
                wrong = found.labels != load("planted-two").y[found.rows].astype(str)
                assert fold.scores["error_rate"] == pytest.approx(wrong.mean())
        page = write_report(path, tmp_path / path.stem)
        assert "Errors" in page.read_text()
        assert (page.parent / "tables" / "scores-error_rate.csv").exists()
        assert "error_rate" in (page.parent / "folds.csv").read_text().splitlines()[0]
        summary = plain_summary(read_comparison(path))
        assert all(0 < each["error_rate"] < 1 for each in summary["results"])
        shown = {each["method"]: each["error_rate"] for each in summary["methods"]}
        assert shown == {each["method"]: each["error_rate"] for each in summary["results"]}
    table = score_table(read_comparison(new), "error_rate")
    row = list(table.rows[0][1:])
    assert (0, 1 + row.index(min(row))) in table.best  # of errors the fewest are the best


def test_damaged_predictions_are_refused_in_words(tmp_path, monkeypatch):
    path = tmp_path / "store.db"
    run(ExperimentSpec(["planted-two"], ["c45_ib1"], protocol="published", n_folds=2), path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE results SET fold = 7 WHERE fold = 1")
    assert len(outcomes(path)[0].folds) == 2  # three scores need no predictions
    monkeypatch.setitem(MEASURES, "hits", Measure("hits", "Hits", "share of hits", accuracy))
    with pytest.raises(StoreError, match="is damaged"):
        outcomes(path)
