from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, fisher_exact

from kpboost.auditing._data import audit_data_of
from kpboost.auditing._findings import (
    _extents,
    _n_near,
    class_findings,
    low_classes,
    recalls_by_disjunct,
    told_in,
    weakest_class,
)
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
    assert low_classes((fine, weak, missed)) == [2, 1]
    assert weakest_class((), (fine, weak, missed)) == "c"


def test_classes_are_as_sure_as_scipy_says():
    codes = np.repeat([0, 1, 2], [600, 100, 100])
    predicted = codes.copy()
    predicted[600:640] = 0  # 60 % of class 1
    predicted[700:770] = 0  # 30 % of class 2
    data = SimpleNamespace(codes=codes, names=["a", "b", "c"])
    fine, weak, missed = class_findings(predicted, data)
    assert fine.p_value == 1
    lost = binomtest(30, 100, 0.5, alternative="less").pvalue
    assert missed.p_value == pytest.approx(3 * lost)
    less = fisher_exact([[60, 40], [630, 70]], alternative="less").pvalue
    assert weak.p_value == pytest.approx(3 * less)


def test_rows_of_all_classes_in_the_same_place_are_counted():
    line = np.arange(8.0)
    X = np.column_stack([np.r_[line, 3.5, 4.5, 7.9, 9.5, 40.0, 41.0], np.zeros(14)])
    data = audit_data_of(X, np.repeat(["a", "b"], [8, 6]), 1000, 0)
    part = np.flatnonzero(np.isin(data.rows, range(8)))
    assert _n_near(part, data) == 8 + 3  # neighbours are 1 apart; 9.5 is further than that


def test_extents_are_the_middle_of_numbers_and_the_common_categories():
    frame = pd.DataFrame({"x": np.arange(11.0), "k": [*"aaaaaabbbcd"], "gone": np.nan})
    frame["gone"] = frame["gone"].astype(float)
    data = audit_data_of(frame, np.arange(11) % 2, 1000, 0)
    one, two, three = _extents(data.table, np.arange(11), ["k"])
    assert (one.column, one.values, one.low) == ("k", ("a", "b", "c", "d"), None)
    assert (two.column, two.low, two.high, two.values) == ("x", 1.0, 9.0, ())
    assert (three.low, three.high, three.values) == (None, None, ())


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


def test_a_part_whose_missed_rows_are_told_says_where():
    box = SimpleNamespace(name="r/box 1", rows=(0, 1, 2))
    wrong = np.array([True] * 5 + [False])
    part = SimpleNamespace(rows=(0, 1, 2, 3, 4), recall=0.0)
    assert told_in(part, [box], wrong) == "r/box 1"
    assert told_in(part, [SimpleNamespace(name="r/box 1", rows=(0, 1))], wrong) == ""
    halves = [SimpleNamespace(name="x", rows=(0,)), SimpleNamespace(name="y", rows=(2, 3))]
    assert told_in(part, halves, wrong) == "y"
    assert told_in(SimpleNamespace(rows=(0, 5, 5), recall=0.9), [box], wrong) == ""
    assert told_in(SimpleNamespace(rows=(5,), recall=0.0), [], wrong) == ""
