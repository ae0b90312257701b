import numpy as np
import pytest
from hypothesis import given, strategies as st

from kpboost.datasets._table import is_number, numbers, shortened


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_come_back(values):
    assert numbers([repr(value) for value in values]).tolist() == values


@pytest.mark.parametrize("word", ["1", "-2.5", "+3", "1e-5", ".5", "5.", " 7 "])
def test_numbers_as_files_write_them(word):
    assert is_number(word)
    assert numbers([word]).tolist() == [float(word)]


@pytest.mark.parametrize("word", ["x", "1,5", "1_0", "\u0661", "0x10", "1 2"])
def test_other_words(word):
    assert not is_number(word)
    assert numbers(["1", word]) is None


def test_missing_values():
    assert np.isnan(numbers(["?", " ? ", "", "NA", "<null>"])).all()
    assert np.array_equal(numbers(["1", "?"]), [1, np.nan], equal_nan=True)


def test_blanks_that_are_not_ascii():
    assert numbers(["\u00a01", "\u2003?"])[0] == 1


def test_long_cells_are_cut_in_messages():
    assert shortened("a\nb") == "'a\\nb'"
    assert len(shortened("x" * 1000)) < 60
