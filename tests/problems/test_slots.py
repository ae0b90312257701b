"""Slots hold exactly what an array by problems would, and nothing twice."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kpboost.problems._multiclass import (
    NO_SLOT,
    binary_problems,
    class_pairs,
    problems_of_class,
    put,
    slot_table,
    spread,
)

WAYS = [(2, "one_vs_one"), (2, "one_vs_rest"), (3, "one_vs_one"), (5, "one_vs_one")]
WAYS += [(3, "one_vs_rest"), (6, "one_vs_rest")]


def test_pairs_written_out():
    table = slot_table(3, "one_vs_one")
    assert_array_equal(table, [[0, 0, NO_SLOT], [1, NO_SLOT, 0], [NO_SLOT, 1, 1]])
    assert_array_equal(slot_table(2, "one_vs_rest"), [[0, 0]])
    assert_array_equal(slot_table(3, "one_vs_rest"), [[0, 0, 0], [1, 1, 1], [2, 2, 2]])


@pytest.mark.parametrize(("n_classes", "multi_class"), WAYS)
def test_every_class_has_each_slot_once(n_classes, multi_class):
    table = slot_table(n_classes, multi_class)
    n_slots = n_classes if n_classes > 2 and multi_class == "one_vs_rest" else n_classes - 1
    for code in range(n_classes):
        problems = problems_of_class(table, code)
        assert_array_equal(table[problems, code], np.arange(n_slots))
    if n_slots < n_classes:
        for own, pair in zip(table, class_pairs(n_classes), strict=True):
            assert_array_equal(np.flatnonzero(own != NO_SLOT), pair)


@pytest.mark.parametrize(("n_classes", "multi_class"), WAYS)
def test_what_is_put_is_found(n_classes, multi_class):
    rng = np.random.default_rng(0)
    codes = rng.permutation(np.arange(30) % n_classes)
    table = slot_table(n_classes, multi_class)
    problems = list(binary_problems(codes, n_classes, multi_class))
    slots = np.zeros((table.max() + 1, 4, 30))
    expected = np.zeros((len(problems), 4, 30))
    for own, problem, full in zip(table, problems, expected, strict=True):
        values = rng.normal(size=(rng.integers(1, 5), problem.rows.size))
        put(slots, values, own[codes[problem.rows]], problem.rows)
        full[: len(values), problem.rows] = values
    assert_array_equal(spread(slots, table, codes), expected)


def test_rows_of_no_class_are_zero():
    slots = np.ones((1, 2, 3))
    found = spread(slots, slot_table(2, "one_vs_one"), np.array([0, -1, 1]))
    assert_array_equal(found, [[[1, 0, 1], [1, 0, 1]]])
