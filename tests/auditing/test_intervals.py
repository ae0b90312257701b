import numpy as np
import pandas as pd
import pytest

from kpboost.auditing._significance import MISSING_BIN, N_BINS, interval_words, intervals_of
from kpboost.methods import columns_of


def test_bins_hold_equally_many_rows():
    values = np.random.default_rng(0).permutation(np.arange(N_BINS * 7.0))
    cut = intervals_of(columns_of(values[:, None]))
    assert np.bincount(cut.bins[:, 0])[:N_BINS].tolist() == [7] * N_BINS
    order = np.argsort(values)
    assert (np.diff(cut.bins[order, 0]) >= 0).all()


def test_equal_values_share_a_bin_and_missing_ones_have_their_own():
    values = np.array([0.0] * 50 + [1.0] * 3 + [np.nan] * 7)
    bins = intervals_of(columns_of(values[:, None])).bins[:, 0]
    assert len(set(bins[:50])) == 1
    assert len(set(bins[50:53])) == 1
    assert bins[0] != bins[50]
    assert (bins[53:] == MISSING_BIN).all()


def test_a_column_without_any_value():
    cut = intervals_of(columns_of(np.column_stack([np.full(5, np.nan), np.arange(5)])))
    assert (cut.bins[:, 0] == MISSING_BIN).all()


def test_categories_stand_alone_and_rare_ones_together():
    kinds = [f"k{i}" for i in range(20) for _ in range(40 - i)]
    cut = intervals_of(columns_of(pd.DataFrame({"kind": kinds})))
    whole = cut.members.shape[1] - 1
    for number in range(whole):
        inside = cut.inside(0, number)
        rare = {f"k{i}" for i in range(N_BINS - 1, 20)}
        assert len({kinds[i] for i in np.flatnonzero(inside)} - rare) <= 1
    assert cut.inside(0, whole).all()


def test_intervals_of_numbers_are_runs():
    cut = intervals_of(columns_of(np.arange(64.0)[:, None]))
    for number in range(cut.members.shape[1] - 1):
        rows = np.flatnonzero(cut.inside(0, number))
        assert rows.size <= 64 // 4
        assert not rows.size or rows[-1] - rows[0] + 1 == rows.size


@pytest.mark.parametrize(
    ("rows", "column", "words"),
    [
        ([0, 1], 0, "size from 1 to 2.5"),
        ([2], 0, "size = 3"),
        ([3], 0, "size missing"),
        ([0, 2], 1, "kind = red"),
    ],
)
def test_words(rows, column, words):
    frame = pd.DataFrame({"size": [1, 2.5, 3, np.nan], "kind": ["red", "blue", "red", "blue"]})
    inside = np.isin(np.arange(4), rows)
    assert interval_words(columns_of(frame), inside, column) == words
