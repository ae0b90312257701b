"""Every bad parameter is named, with its value and what is allowed, before any work."""

import numpy as np
import pytest

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
