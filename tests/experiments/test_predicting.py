from dataclasses import replace

import numpy as np
import pytest

from kpboost.datasets import read_dataset
from kpboost.experiments import StoreError, outcomes, predictions, run
from kpboost.metrics import geometric_mean_score


def test_scores_follow_from_the_labels(small_spec, three_classes, tmp_path):
    path = tmp_path / "store.db"
    spec = replace(small_spec, datasets=(str(three_classes),), methods=("svm",))
    run(spec, path)
    y = read_dataset(three_classes).y
    (outcome,) = outcomes(path)
    answers = [predictions(path, "three", "svm", fold.fold) for fold in outcome.folds]
    for fold, answer in zip(outcome.folds, answers, strict=True):
        assert fold.scores["gmean"] == pytest.approx(
            geometric_mean_score(y[answer.rows], answer.labels)
        )
    rows = np.concatenate([answer.rows for answer in answers])
    np.testing.assert_array_equal(np.sort(rows), np.arange(y.size))


def test_what_is_not_there_is_said(small_spec, tmp_path):
    path = tmp_path / "store.db"
    run(replace(small_spec, methods=("svm",)), path)
    with pytest.raises(StoreError, match="no result of kpboost on fold 0 of two"):
        predictions(path, "two", "kpboost", 0)
    with pytest.raises(StoreError, match="no result of svm on fold 7 of two"):
        predictions(path, "two", "svm", 7)
