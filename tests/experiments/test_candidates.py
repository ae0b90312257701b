"""Engines that share work answer what their estimators answer one by one."""

import numpy as np
import pytest
from sklearn.preprocessing import scale

from kpboost.methods import METHODS
from kpboost.methods._preparation import PreparedSplit, paper_split, prepare_split
from kpboost.methods._registry import ONE_BY_ONE
from kpboost.methods._search import NO_CLASS, NoChoiceError, choose, try_on_split
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


SCORED = ["svm", "kpboost", "kpboost_roi", "aks", "c45_ib1", "gradient_boosting_balanced"]


@pytest.mark.parametrize("split", [2, 3], indirect=True)
@pytest.mark.parametrize("name", SCORED)
def test_scores_are_those_of_the_estimators(name, split):
    method = METHODS[name]
    gamma = GAMMA if method.engine != ONE_BY_ONE else None
    candidates = method.grids["quick"][0].candidates[:3]
    found = try_on_split(method, candidates, gamma, split, [0] * len(candidates), with_scores=True)
    assert found.are_probabilities == (name in ("c45_ib1", "gradient_boosting_balanced"))
    assert found.scores.shape == (len(candidates), 30, split.n_classes)
    for candidate, scores in zip(candidates, found.scores, strict=True):
        model = method.build(candidate, gamma, 0, NUMBERS)
        if method.is_kpboost:  # votes are few numbers; the margins behind them rank samples
            model.set_params(voting="soft")
        model.fit(*split.train)
        if found.are_probabilities:
            np.testing.assert_array_equal(scores, model.predict_proba(split.test[0]))
        else:
            own = model.decision_function(split.test[0])
            expected = np.column_stack((-own, own)) if own.ndim == 1 else own
            # Two solutions within the solver's tolerance; a vote may part on a few samples.
            assert np.mean(np.isclose(scores, expected, atol=0.02)) >= 0.9


@pytest.mark.parametrize("split", [2], indirect=True)
def test_a_search_computes_no_scores(split, monkeypatch):
    def refuse(*_):
        raise AssertionError("a search needs the classes alone")

    monkeypatch.setattr("kpboost.tree.C45IB1Classifier.predict_proba", refuse)
    candidates = [{"max_disjunct_size": 3}]
    found = try_on_split(METHODS["c45_ib1"], candidates, None, split, [0])
    assert found.scores is None
    assert found.errors == ("",)
    with pytest.raises(AssertionError, match="classes alone"):
        try_on_split(METHODS["c45_ib1"], candidates, None, split, [0], with_scores=True)


@pytest.mark.parametrize("split", [2], indirect=True)
def test_who_failed_has_no_scores(split):
    candidates = [{"C": 1.0}, {"C": -1.0}]
    found = try_on_split(METHODS["svm"], candidates, GAMMA, split, [0] * 2, with_scores=True)
    assert np.isnan(found.scores[1]).all()
    assert np.isfinite(found.scores[0]).all()


@pytest.mark.parametrize(
    ("scoring", "absent"), [("predict_proba", 0.0), ("decision_function", -np.inf)]
)
def test_a_class_that_was_not_trained_on_comes_last(scoring, absent, monkeypatch):
    split = PreparedSplit(np.arange(12.0)[:, None], np.arange(12) // 4, 8, 3, NUMBERS[:1])
    if scoring == "decision_function":
        monkeypatch.delattr("kpboost.tree.C45IB1Classifier.predict_proba")
        monkeypatch.setattr(
            C45IB1Classifier, scoring, lambda self, X: np.ravel(X) - 5, raising=False
        )
    candidates = [{"max_disjunct_size": 3}]
    found = try_on_split(METHODS["c45_ib1"], candidates, None, split, [0], with_scores=True)
    assert (found.scores[0, :, 2] == absent).all()
    assert np.isfinite(found.scores[0, :, :2]).all()


@pytest.mark.parametrize("split", [2], indirect=True)
def test_a_method_with_labels_alone_has_no_scores(split, monkeypatch):
    monkeypatch.delattr("kpboost.tree.C45IB1Classifier.predict_proba")
    candidates = [{"max_disjunct_size": 3}]
    found = try_on_split(METHODS["c45_ib1"], candidates, None, split, [0], with_scores=True)
    assert (found.scores, found.are_probabilities, found.errors) == (None, False, ("",))


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
    assert (answers.codes[1] == NO_CLASS).all()
    assert (answers.codes[[0, 2]] != NO_CLASS).all()


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
