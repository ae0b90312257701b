"""The scorer inside scikit-learn's searches, with disjuncts routed to every fold."""

import pickle

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from kpboost.metrics import geometric_mean_score, gsdi_score, gsdi_scorer
from kpboost.svm import KernelSVC


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture
def data():
    """Two classes with a large and a small blob each, and the blob of every row."""
    rng = np.random.default_rng(0)
    sizes = np.array([60, 8, 40, 6])
    disjuncts = np.repeat(np.arange(4), sizes)
    centres = np.array([[0, 0], [3, 3], [3, 0], [0, 3]])
    X = centres[disjuncts] + rng.normal(size=(disjuncts.size, 2))
    return X, disjuncts // 2, disjuncts, sizes


def by_hand(model, X, y, disjuncts, sizes, folds):
    scores = []
    for train, test in folds.split(X, y):
        predicted = model.fit(X[train], y[train]).predict(X[test])
        scores.append(
            gsdi_score(y[test], predicted, disjuncts=disjuncts[test], disjunct_sizes=sizes)
        )
    return scores


@pytest.mark.usefixtures("routing")
def test_cross_validation_gives_each_fold_its_disjuncts(data):
    X, y, disjuncts, sizes = data
    model, folds = DecisionTreeClassifier(random_state=0), StratifiedKFold(4)
    scores = cross_validate(
        model, X, y, scoring=gsdi_scorer(sizes), cv=folds, params={"disjuncts": disjuncts}
    )
    expected = by_hand(model, X, y, disjuncts, sizes, folds)
    assert_allclose(scores["test_score"], expected)
    assert 0 < np.mean(expected) < 1


@pytest.mark.usefixtures("routing")
def test_grid_search_from_end_to_end(data):
    X, y, disjuncts, sizes = data
    model = make_pipeline(StandardScaler(), KernelSVC())
    grid = {"kernelsvc__gamma": [0.01, 0.1, 1.0, 10.0]}
    scoring = {"gsdi": gsdi_scorer(sizes), "gmean": make_scorer(geometric_mean_score)}
    folds = StratifiedKFold(3)
    search = GridSearchCV(model, grid, scoring=scoring, refit="gsdi", cv=folds)
    search.fit(X, y, disjuncts=disjuncts)
    means = [
        np.mean(by_hand(model.set_params(kernelsvc__gamma=g), X, y, disjuncts, sizes, folds))
        for g in grid["kernelsvc__gamma"]
    ]
    assert_allclose(search.cv_results_["mean_test_gsdi"], means)
    assert search.best_index_ == int(np.argmax(means))
    assert np.ptp(means) > 0.01


@pytest.mark.usefixtures("routing")
def test_the_milder_weights_are_passed_on(data):
    X, y, disjuncts, sizes = data
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    score = gsdi_scorer(sizes, size_weighting="scaled_exp")(model, X, y, disjuncts=disjuncts)
    options = {"disjuncts": disjuncts, "disjunct_sizes": sizes}
    predicted = model.predict(X)
    assert score == gsdi_score(y, predicted, size_weighting="scaled_exp", **options)
    assert score != gsdi_score(y, predicted, **options)


@pytest.mark.usefixtures("routing")
def test_the_scorer_travels_to_other_processes(data):
    X, y, disjuncts, sizes = data
    model, scorer = DecisionTreeClassifier(max_depth=2).fit(X, y), gsdi_scorer(sizes)
    there = pickle.loads(pickle.dumps(scorer))
    assert there(model, X, y, disjuncts=disjuncts) == scorer(model, X, y, disjuncts=disjuncts)


def test_without_routing_it_says_what_to_do():
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        gsdi_scorer([1, 2])
