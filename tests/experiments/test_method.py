"""What a method tries, and what it needs."""

import numpy as np
import pytest

from kpboost.methods import METHODS, Method


def test_what_is_not_installed_is_named_with_its_extra():
    method = Method("x", "X", "nothing", "no_such_package.Thing", {}, extra="baselines")
    with pytest.raises(ValueError, match=r"'x' needs no_such_package.Thing.*kpboost\[baselines\]"):
        method.estimator_class()


def test_shares_of_two_classes_are_one_candidate_for_more():
    method = METHODS["rusboost"]
    (part,) = method.grids["paper"]
    assert len(method.candidates(part, 2)) == 3
    assert method.candidates(part, 3) == ({},)
    # What the shares have in common there: the same learners from the same seed.
    random = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], [30, 12, 6])
    X = random.normal(size=(48, 3)) + y[:, None]
    numbers = np.zeros(3, dtype=bool)
    answers = [
        method.build(own, None, 0, numbers).fit(X, y).decision_function(X)
        for own in part.candidates
    ]
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


def test_other_methods_try_the_same_for_any_number_of_classes():
    for name in ("svm", "c45_ib1"):
        part = METHODS[name].grids["quick"][0]
        assert METHODS[name].candidates(part, 5) == part.candidates
