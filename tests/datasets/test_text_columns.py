import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kpboost.datasets import DataError
from kpboost.datasets.text_columns import column_of, is_number, numbers, shortened


def column(cells, nominal=None):
    return column_of("c", cells, "f.csv", lambda row: row + 2, nominal or {})


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_come_back(values):
    assert numbers([repr(value) for value in values]).tolist() == values


@pytest.mark.parametrize("word", ["1", "-2.5", "+3", "1e-5", ".5", "5.", " 7 "])
def test_numbers_as_files_write_them(word):
    assert is_number(word)
    assert column([word]).kind == "number"


@pytest.mark.parametrize("word", ["", "x", "1,5", "1_0", "\u0661", "0x10", "1 2"])
def test_other_words(word):
    assert not is_number(word)


def test_a_column_without_a_value_is_of_numbers():
    found = column(["?", "", "NA"])
    assert found.kind == "number"
    assert np.isnan(found.values).all()


def test_categories_that_look_like_numbers_beside_others():
    assert column(["2", "3", "4", "5more"]).categories == ("2", "3", "4", "5more")


def test_a_slip_among_numbers_is_no_category():
    with pytest.raises(DataError, match="'12O' among numbers") as caught:
        column(["1"] * 50 + ["12O"])
    assert caught.value.line == 52
    assert column(["1"] * 50 + ["12O"], {"c": None}).categories == ("1", "12O")


def test_long_cells_are_cut_in_messages():
    assert shortened("a\nb") == "'a\\nb'"
    assert len(shortened("x" * 1000)) < 60
