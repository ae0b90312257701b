import warnings

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score
from sklearn.naive_bayes import GaussianNB

from kpboost.recipes._recipes import mean_recall


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_it_is_balanced_accuracy(n_classes, weighted):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(n_classes, size=80).astype(str)
    model = GaussianNB().fit(X[:60], y[:60])
    weight = rng.uniform(1, 3, size=20) if weighted else None
    expected = balanced_accuracy_score(y[60:], model.predict(X[60:]), sample_weight=weight)
    assert mean_recall(model, X[60:], y[60:], sample_weight=weight) == pytest.approx(expected)


def test_a_class_that_is_not_tested_does_not_count():
    X, y = np.arange(6.0).reshape(-1, 1), np.array([0, 0, 1, 1, 2, 2])
    model = GaussianNB().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mean_recall(model, [[0.0], [1.0], [5.0]], [0, 0, 1]) == 0.5
