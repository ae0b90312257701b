"""Every bad parameter is named, with its value and what is allowed, before any work."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kpboost import _validation as parameters
from kpboost._validation import check_sample_weight
from kpboost.svm import KernelSVC

BAD = [
    ("C", 0.0, "positive"),
    ("C", -1, "positive"),
    ("C", np.inf, "finite"),
    ("C", "1", "number"),
    ("C", True, "number"),
    ("kernel", "linear", "'rbf', 'precomputed' or a function"),
    ("kernel", None, "'rbf', 'precomputed' or a function"),
    ("gamma", 0.0, "'scale', 'auto' or a positive"),
    ("gamma", "wide", "'scale', 'auto' or a positive"),
    ("gamma", np.nan, "'scale', 'auto' or a positive"),
    ("multi_class", "ovo", "'one_vs_one' or 'one_vs_rest'"),
    ("class_weight", "equal", "'balanced'"),
    ("class_weight", [1.0, 2.0], "'balanced'"),
    ("tol", 0.0, "positive"),
    ("max_iter", 0, "at least 1, or None"),
    ("max_iter", 1.5, "at least 1, or None"),
    ("max_iter", True, "at least 1, or None"),
    ("cache_size", -5, "positive"),
    ("warm_start", 1, "True or False"),
]


@pytest.mark.parametrize(("name", "value", "allowed"), BAD)
def test_a_bad_parameter_is_named(name, value, allowed):
    machine = KernelSVC().set_params(**{name: value})
    with pytest.raises(ValueError, match=f"^{name}=") as refusal:
        machine.fit("no data is looked at", None)
    assert repr(value) in str(refusal.value)
    assert allowed in str(refusal.value)


def test_of_several_bad_parameters_the_first_by_name_is_named():
    machine = KernelSVC(0.0, tol=0.0, gamma=0.0, cache_size=0.0, max_iter=0)
    for name in ("C", "cache_size", "gamma", "max_iter", "tol"):
        with pytest.raises(ValueError, match=f"^{name}="):
            machine.fit("no data is looked at", None)
        machine.set_params(**{name: getattr(KernelSVC(), name)})


@pytest.mark.parametrize(
    "good",
    [
        {"C": np.float32(2.0)},
        {"C": np.int64(2)},
        {"gamma": "auto"},
        {"gamma": 1},
        {"class_weight": {0: 1.0, 1: 2.0}},
        {"max_iter": np.int32(1000)},
        {"cache_size": 1},
        {"warm_start": True},
    ],
)
def test_numbers_of_any_kind_are_welcome(good):
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    machine = KernelSVC(**good).fit(X, [0, 0, 1, 1])
    assert machine.predict(X).tolist() == [0, 0, 1, 1]


SENTENCES = [
    (parameters.check_share, "a number above 0 and up to 1", [0, 1.5, None, "half", True]),
    (parameters.check_roi_scale, "None or a number from 0 to 1", [-0.1, 1.5, "half", True]),
    (parameters.check_share_or_none, "None or a number above 0 and up to 1", [0, 1.5, "half"]),
    (
        parameters.check_seed,
        f"a whole number from 0 to {parameters.LARGEST_SEED}",
        [-1, 0.5, None, True, 2**32],
    ),
    (parameters.check_not_negative, "a finite number of at least 0", [-1, None, np.inf, "0"]),
]


@pytest.mark.parametrize(("check", "allowed", "values"), SENTENCES)
def test_a_sentence_names_all_that_is_allowed_and_nothing_else(check, allowed, values):
    for value in values:
        with pytest.raises(ValueError, match=r"^it=") as refusal:
            check("it", value)
        assert str(refusal.value) == f"it={value!r} is not allowed; it must be {allowed}."


def test_none_passes_where_the_sentence_says_so():
    parameters.check_share_or_none("it", None)
    parameters.check_roi_scale("it", None)
    parameters.check_roi_scale("it", 0)
    parameters.check_share("it", 1)
    parameters.check_not_negative("it", 0)


@pytest.mark.parametrize("value", ["narrow", 0, -1.0, None, np.nan])
def test_words_and_numbers_are_named_together(value):
    with pytest.raises(ValueError, match=r"must be 'max', 'rms' or a positive, finite number\.$"):
        parameters.check_positive_or_word("it", value, ("max", "rms"))
    for good in ("max", "rms", 0.5):
        parameters.check_positive_or_word("it", good, ("max", "rms"))


# Sample weights as all estimators check them.


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
