"""Sample weights as all estimators check them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kpboost._validation import check_sample_weight


def test_no_weight_is_weight_one():
    assert_array_equal(check_sample_weight(None, 3), np.ones(3))


def test_one_number_stands_for_all():
    assert_array_equal(check_sample_weight(2, 3), np.full(3, 2.0))


@pytest.mark.parametrize("bad", [[1.0, -0.5], [1.0, np.nan], [np.inf, 1.0]])
def test_negative_and_non_finite_weights_are_refused(bad):
    with pytest.raises(ValueError, match="sample_weight has negative or non-finite values"):
        check_sample_weight(bad, 2)


@pytest.mark.parametrize("bad", [[1.0], [[1.0], [1.0]], [1.0, 1.0, 1.0]])
def test_weights_of_another_shape_are_refused(bad):
    with pytest.raises(ValueError, match=r"sample_weight has shape .* one weight per sample"):
        check_sample_weight(bad, 2)


@pytest.mark.parametrize("bad", ["balanced", ["a", "b"], [[1.0], [1.0, 2.0]], {"a": 1.0}])
def test_weights_that_are_no_numbers_are_named(bad):
    with pytest.raises(ValueError, match=r"^sample_weight=.* one number per sample, or None"):
        check_sample_weight(bad, 2)


def test_no_weight_at_all_is_refused():
    with pytest.raises(ValueError, match="sample_weight is zero for every sample"):
        check_sample_weight(np.zeros(5), 5)
