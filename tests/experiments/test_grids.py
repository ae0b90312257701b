import numpy as np
import pytest
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from kpboost.methods._grids import FOLLOWING_WIDTHS, PAPER_WIDTHS, Width, gamma_of


def test_units():
    assert Width().length_scale(4, None) is None
    assert Width("sigma", 0.3).length_scale(4, 2.0) == 0.3
    assert Width("best", 0.5).length_scale(4, 3.0) == 1.5


def test_scale_is_that_of_scikit_learn_on_standardised_data():
    X = scale(np.random.RandomState(0).normal(size=(50, 7)))
    y = np.arange(50) % 2
    gamma = gamma_of(Width("scale", 1.0).length_scale(7, None))
    values = [SVC(gamma=own).fit(X, y).decision_function(X) for own in ("scale", gamma)]
    np.testing.assert_allclose(*values, atol=1e-9)


def test_the_papers_widths():
    sigmas = [width.length_scale(3, None) for width in PAPER_WIDTHS]
    assert (len(sigmas), sigmas[0], sigmas[-1]) == (38, 0.01, 200.0)
    assert [width.length_scale(3, 2.0) for width in FOLLOWING_WIDTHS] == [1, 1.5, 2, 2.5, 3]


def test_a_width_that_waits_for_another():
    with pytest.raises(ValueError, match="best sigma"):
        Width("best", 0.5).length_scale(4, None)


def test_labels_tell_widths_apart():
    labels = [width.label for width in (*PAPER_WIDTHS, *FOLLOWING_WIDTHS, Width())]
    assert len(set(labels)) == len(labels)
