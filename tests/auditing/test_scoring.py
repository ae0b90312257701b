from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binomtest

from kpboost.auditing._findings import class_findings, recalls_by_disjunct
from kpboost.auditing._parts import Parts


def test_classes_are_missed_weak_or_fine():
    codes = np.repeat([0, 1, 2], [600, 100, 100])
    predicted = codes.copy()
    predicted[600:640] = 0  # 60 % of class 1
    predicted[700:780] = 0  # 20 % of class 2
    data = SimpleNamespace(codes=codes, names=["a", "b", "c"])
    fine, weak, missed = class_findings(predicted, data)
    assert [each.status for each in (fine, weak, missed)] == ["fine", "weak", "missed"]
    exact = binomtest(60, 100).proportion_ci(method="exact")
    assert (weak.low, weak.high) == pytest.approx((exact.low, exact.high))


def test_three_rows_do_not_make_a_missed_class():
    codes = np.repeat([0, 1], [100, 3])
    predicted = np.zeros(103, dtype=int)
    data = SimpleNamespace(codes=codes, names=["a", "b"])
    assert class_findings(predicted, data)[1].status == "weak"


def test_disjuncts_are_named_by_size_and_sorted_by_finding():
    labels = np.repeat([0, 1, 2, 3], [10, 20, 4, 15])
    parts = Parts(labels, np.array([0, 0, 0, 1]), np.bincount(labels))
    codes = parts.owners[labels]
    predicted = codes.copy()
    predicted[:9] = 1
    data = SimpleNamespace(codes=codes, names=["a", "b"])
    found = recalls_by_disjunct(predicted, data, parts, np.array([0.01, 1, 1, 1]))
    assert [each.name for each in found] == ["a/2", "a/1", "b/1"]  # four rows are too few
    assert found[0].missed
    assert found[0].rows == tuple(range(10))
    assert (found[0].n_correct, found[0].recall) == (1, 0.1)
