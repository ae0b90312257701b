"""Scores of many answers are those of kpboost.metrics, one by one."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kpboost import metrics
from kpboost.datasets import load
from kpboost.experiments import ExperimentSpec, StoreError, outcomes, predictions, run
from kpboost.experiments._scores import MEASURES, Measure, Predictions, scores_of
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
    found = Predictions(truth, answers, n_classes, disjuncts, sizes)
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
    found = Predictions(truth, predicted, 2, truth, np.array([1, 2]))
    scores = scores_of(found)
    assert np.isnan(found.recalls[0]).all()
    assert np.isnan([scores["gmean"][0], scores["auc"][0], scores["gsdi"][0]]).all()
    assert scores["gmean"][1] == 1.0


def test_one_class_alone_has_no_auc():
    truth = np.zeros(3, dtype=int)
    found = Predictions(truth, truth[None], 2, truth, np.array([3]))
    scores = scores_of(found)
    assert np.isnan(scores["auc"]).all()
    assert np.isnan(found.recalls[0, 1])
    assert scores["gmean"] == 1.0


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
