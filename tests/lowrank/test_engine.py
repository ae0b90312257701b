"""The contract of block collections; another engine joins by a line in ENGINES."""

import operator

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kpboost.lowrank._engine import LocalBlocks, add, merged

ENGINES = {"local": LocalBlocks}


@pytest.fixture(params=ENGINES.values(), ids=ENGINES)
def engine(request):
    return request.param


class Counted:
    """Blocks that tell how often they were read."""

    def __init__(self, parts):
        self.given, self.passes = parts, 0

    def __iter__(self):
        self.passes += 1
        return iter(self.given)


def scaled(part, factor):
    return part * factor


def summed(part, other):
    return part + other


def wrapped(part):
    return f"({part})"


def together(one, other):
    return f"[{one}{other}]"


def test_each_gives_blocks_again(engine):
    tens = engine([1, 2, 3]).each(scaled, 10)
    assert tens.each(scaled, 2).total(scaled, 1) == 120


def test_blocks_as_arguments_are_read_block_by_block(engine):
    one, other = engine([1, 2, 3]), engine([10, 20, 30]).each(scaled, 1, keep=False)
    assert_array_equal(one.each(summed, other).total(np.atleast_1d, merge=np.append), [11, 22, 33])


def test_different_numbers_of_blocks_are_refused(engine):
    with pytest.raises(ValueError, match="argument"):
        engine([1, 2, 3]).each(summed, engine([1, 2]))


def test_kept_results_are_computed_once():
    source = Counted([1, 2, 3])
    kept = LocalBlocks(source).each(scaled, 2)
    assert kept.total(scaled, 1) == kept.total(scaled, 1) == 12
    assert source.passes == 1
    passing = LocalBlocks(source).each(scaled, 2, keep=False)
    assert passing.total(scaled, 1) == passing.total(scaled, 1) == 12
    assert source.passes == 3


@pytest.mark.parametrize(
    ("n", "tree"),
    [
        (1, "(0)"),
        (2, "[(0)(1)]"),
        (3, "[[(0)(1)](2)]"),
        (4, "[[(0)(1)][(2)(3)]]"),
        (7, "[[[(0)(1)][(2)(3)]][[(4)(5)](6)]]"),
    ],
)
def test_the_tree_is_fixed(engine, n, tree):
    assert engine(list(range(n))).total(wrapped, merge=together) == tree


def test_few_results_wait():
    held = most = 0

    def pieces():
        nonlocal held, most
        for number in range(1024):
            held += 1
            most = max(most, held)
            yield {number}

    def union(one, other):
        nonlocal held
        held -= 1
        return one | other

    assert len(merged(pieces(), union)) == 1024
    assert most <= 11


def test_tuples_are_added_member_by_member():
    total = add((1.0, np.array([1, 2])), (2.0, np.array([10, 20])))
    assert total[0] == 3.0
    assert_array_equal(total[1], [11, 22])
    assert merged([1], operator.add) == 1
