"""A spec that takes a second."""

import pytest

from kpboost.experiments import ExperimentSpec
from support.small_experiments import write_points


@pytest.fixture
def two_classes(tmp_path):
    return write_points(tmp_path / "two.csv")


@pytest.fixture
def three_classes(tmp_path):
    return write_points(tmp_path / "three.csv", n_points=90, n_classes=3)


@pytest.fixture
def small_spec(two_classes):
    return ExperimentSpec([str(two_classes)], ["svm", "kpboost"], n_folds=2)
