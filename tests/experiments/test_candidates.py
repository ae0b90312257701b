"""Engines that share work answer what their estimators answer one by one."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.preprocessing import scale

from kpboost import metrics
from kpboost.datasets import load
from kpboost.experiments import ExperimentSpec, StoreError, outcomes, predictions, run
from kpboost.experiments._scores import MEASURES, Measure, Predictions, scores_of
from kpboost.methods import METHODS
from kpboost.methods._preparation import PreparedSplit, paper_split, prepare_split
from kpboost.methods._registry import ONE_BY_ONE
from kpboost.methods._search import NO_ANSWER, NoChoiceError, choose, try_on_split
from kpboost.reports import plain_summary, read_comparison, write_report
from kpboost.reports._comparison import score_table
from kpboost.tree import C45IB1Classifier

SHARING = [name for name, method in METHODS.items() if method.engine != ONE_BY_ONE]
GAMMA = 0.3
NUMBERS = np.zeros(3, dtype=bool)


@pytest.fixture
def split(request):
    random = np.random.RandomState(3)
    n_classes = request.param
    codes = random.choice(n_classes, 90, p=[0.7, 0.3] if n_classes == 2 else [0.6, 0.25, 0.15])
    X = scale(random.normal(size=(90, 3)) + codes[:, None])
    return PreparedSplit(X, codes, 60, n_classes, NUMBERS)


@pytest.mark.parametrize("split", [2, 3], indirect=True)
@pytest.mark.parametrize("protocol", ["nested", "published"])
@pytest.mark.parametrize("name", SHARING)
def test_shared_work_changes_no_answer(name, protocol, split):
    method = METHODS[name] if protocol == "nested" else METHODS[name].as_in_paper()
    candidates = method.grids["quick"][0].candidates[:12]
    answers = try_on_split(method, candidates, GAMMA, split, [0] * len(candidates))
    for candidate, codes in zip(candidates, answers.codes, strict=True):
        model = method.build(candidate, GAMMA, 0, NUMBERS).fit(*split.train)
        # Two solutions within the solver's tolerance may part on a point of the boundary.
        assert np.mean(codes == model.predict(split.test[0])) >= 29 / 30
    assert answers.errors == ("",) * len(candidates)
    assert (answers.fit_seconds >= 0).all()
    assert len(np.unique(answers.codes)) == split.n_classes


@pytest.mark.parametrize("split", [2], indirect=True)
@pytest.mark.parametrize("name", SHARING)
def test_large_data_sets_go_one_by_one_to_the_same_answers(name, split, monkeypatch):
    method = METHODS[name]
    candidates = method.grids["quick"][0].candidates[:2]
    shared = try_on_split(method, candidates, GAMMA, split, [0, 0]).codes
    monkeypatch.setattr("kpboost.methods._preparation.MOST_DENSE_POINTS", 50)
    assert not split.fits_dense
    alone = try_on_split(method, candidates, GAMMA, split, [0, 0]).codes
    assert np.mean(shared == alone) >= 29 / 30


@pytest.mark.parametrize("split", [2], indirect=True)
def test_a_candidate_that_fails_leaves_the_others_alone(split):
    candidates = [{"C": 1.0}, {"C": -1.0}, {"C": 10.0}]
    answers = try_on_split(METHODS["svm"], candidates, GAMMA, split, [0] * 3)
    assert answers.errors[1].startswith("ValueError: C=-1.0 is not allowed")
    assert (answers.codes[1] == NO_ANSWER).all()
    assert (answers.codes[[0, 2]] != NO_ANSWER).all()


def test_memory_that_runs_out_is_not_a_candidates_fault(monkeypatch):
    split = PreparedSplit(np.arange(8.0)[:, None], np.arange(8) % 2, 4, 2, NUMBERS[:1])

    def no_memory(*_):
        raise MemoryError

    monkeypatch.setattr("kpboost.svm.KernelSVC.fit", no_memory)
    with pytest.raises(MemoryError):
        try_on_split(METHODS["svm"], [{"C": 1.0}], GAMMA, split, [0])


@pytest.mark.parametrize("protocol", ["nested", "published"])
def test_trees_are_told_which_columns_are_nominal(protocol):
    random = np.random.RandomState(0)
    X = np.column_stack([random.randint(5, size=120), random.normal(size=120)])
    codes = ((X[:, 0] == 1) | (X[:, 0] == 3)).astype(np.intp)  # no order of names tells them apart
    nominal = np.array([True, False])
    rows = np.arange(120)
    method, candidate = METHODS["c45_ib1"], {"max_disjunct_size": 3}
    data = X, nominal, codes, rows[:80], rows[80:]
    split = prepare_split(method, *data) if protocol == "nested" else paper_split(*data)
    (answers,) = try_on_split(method, [candidate], None, split, [0]).codes
    plain = C45IB1Classifier(3, categorical_features=nominal).fit(X[:80], codes[:80])
    np.testing.assert_array_equal(answers, plain.predict(X[80:]))
    tree = method.build(candidate, None, 0, split.nominal).fit(*split.train).tree_
    assert (tree.max_depth_, tree.n_leaves_) == (1, 5)
    boosted = METHODS["rusboost"].build({}, None, 0, split.nominal).fit(*split.train)
    assert all(learner.is_categorical_.sum() == 1 for learner in boosted.estimators_)
    assert METHODS["rusboost"].fixed["estimator"].categorical_features is None


# Scores of many answers are those of kpboost.metrics, one by one.


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


# The example of the paper's section on the trade-off.
RECALLS = np.array([[0.4, 0.8], [0.67, 0.67], [0.875, 0.515], [0.9, 0.5]])


def test_the_papers_example():
    assert choose(RECALLS[:, None]) == 1


def test_recalls_are_averaged_over_folds():
    apart = np.stack([RECALLS + 0.1, RECALLS - 0.1], axis=1)
    assert choose(apart) == 1


def test_who_failed_on_a_fold_cannot_win():
    folds = np.stack([RECALLS, RECALLS], axis=1)
    folds[1, 1] = np.nan
    assert choose(folds) != 1


def test_a_fold_without_a_class_counts_for_the_others():
    folds = np.stack([RECALLS, RECALLS], axis=1)
    folds[:, 1, 0] = np.nan
    assert choose(folds) == 1


def test_nobody_left():
    with pytest.raises(NoChoiceError, match="Every candidate"):
        choose(np.full((3, 2, 2), np.nan))
