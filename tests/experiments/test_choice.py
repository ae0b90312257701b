import numpy as np
import pytest

from kpboost.methods._search import NoChoiceError, choose

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
