"""The contract of block collections; another engine joins by a line in ENGINES."""

import operator
from functools import partial
from itertools import pairwise

import dask
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kpboost.lowrank._dask_engine import Chunk, Cluster, DaskBlocks, as_it_is
from kpboost.lowrank._engine import LocalBlocks, add, closed, joined_runs, merged, run_of


def on_dask(parts, size):
    """Blocks on dask, so many in a chunk."""
    chunks = [
        Chunk(as_it_is, (dask.delayed(parts[first : first + size]),), first)
        for first in range(0, len(parts), size)
    ]
    return DaskBlocks(chunks, Cluster())


ENGINES = {
    "local": LocalBlocks,
    "dask": partial(on_dask, size=1),
    "dask, three in a chunk": partial(on_dask, size=3),
}


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


def test_sums_are_the_same_to_the_last_bit(engine):
    parts = list(np.random.default_rng(0).normal(size=(50, 30)))
    expected = merged((part * 0.1 for part in parts), operator.add)
    assert_array_equal(engine(parts).total(scaled, 0.1), expected)
    lazy = engine(parts).each(scaled, 0.1, keep=False)
    assert_array_equal(lazy.total(scaled, 1.0), expected)
    assert not np.array_equal(expected, np.sum([part * 0.1 for part in parts], axis=0))


def test_arguments_that_look_like_tasks_are_left_alone(engine):
    """Tuples with functions, names of keys and lists go to a function as they are."""
    strange = (operator.neg, 1), {"a": [1, (operator.neg, 2)]}
    same = engine([0, 1, 2]).each(given_with, *strange)
    assert same.total(list_of, merge=operator.add) == [strange] * 3


def given_with(part, *arguments):
    return arguments


def list_of(part):
    return [part]


def test_an_error_of_a_function_comes_through(engine):
    with pytest.raises(ZeroDivisionError):
        engine([1, 0, 2]).total(inverse)


def inverse(part):
    return 1 / part


@pytest.mark.parametrize("n", [1, 2, 6, 13, 16])
def test_where_runs_are_cut_does_not_show(n):
    results = [wrapped(number) for number in range(n)]
    whole = merged(results, together)
    for cut in range(n + 1):
        for other in range(cut, n + 1):
            ends = (0, cut, other, n)
            runs = [run_of(results[a:b], a, together) for a, b in pairwise(ends)]
            left = joined_runs(joined_runs(*runs[:2], together), runs[2], together)
            right = joined_runs(runs[0], joined_runs(*runs[1:], together), together)
            assert closed(left, together) == closed(right, together) == whole


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
