import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from kpboost.datasets import catalogue, load, source_of
from kpboost.datasets._sources import from_sklearn
from support.shared_data import data_folder

ENTRIES = {entry.name: entry for entry in catalogue()}


def test_iris_and_wine():
    found = [entry.name for entry in catalogue() if from_sklearn(entry)]
    assert found == ["iris12vs3", "wine"]
    assert source_of("wine") == "scikit-learn"


def test_values_are_scikit_learns():
    X, y = load_iris(return_X_y=True)
    iris = from_sklearn(ENTRIES["iris12vs3"]).read()
    assert np.array_equal(iris.X, X)
    assert np.array_equal(iris.y == "positive", y == 2)
    X, y = load_wine(return_X_y=True)
    wine = from_sklearn(ENTRIES["wine"]).read()
    assert np.array_equal(wine.X, X)
    assert np.array_equal(wine.y.astype(int), y + 1)


@pytest.mark.parametrize("name", ["iris12vs3", "wine"])
def test_they_are_those_of_the_shared_folder(name):
    folder = data_folder()
    ours, theirs = load(name), load(name, data_dir=folder)
    assert np.array_equal(ours.X, theirs.X)
    assert np.array_equal(ours.y, theirs.y)
