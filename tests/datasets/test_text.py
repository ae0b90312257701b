from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from kpboost.datasets import DataError, _text as text_columns
from kpboost.datasets._file_bytes import read_bytes
from kpboost.datasets._text import Origin, TextRows, check_text, columns_of, lines_of

ORIGIN = Origin("f.csv", lambda row: row + 2)


def column(cells, nominal=None, only_numbers=False):
    rows = [(cell,) for cell in cells]
    return columns_of(lambda: rows, ["c"], ORIGIN, nominal or {}, only_numbers=only_numbers)[0]


def test_a_column_without_a_value_is_of_numbers():
    found = column(["?", "", "NA"])
    assert found.kind == "number"
    assert np.isnan(found.values).all()


def test_categories_that_look_like_numbers_beside_others():
    assert column(["2", " 3", "4", "5more "]).categories == ("2", "3", "4", "5more")


def test_a_slip_among_measures_is_no_category():
    measures = [str(k / 10) for k in range(50)]
    with pytest.raises(DataError, match="'12O' among numbers") as caught:
        column([*measures, "12O"])
    assert caught.value.line == 52
    assert "12O" in column([*measures, "12O"], {"c": None}).categories


def test_a_rare_word_among_codes_is_a_rare_category():
    assert column(["0", "1"] * 50 + ["other"]).categories == ("0", "1", "other")


def test_where_only_numbers_are_allowed_any_word_is_a_slip():
    assert column(["1", "2", "x"]).kind == "nominal"
    with pytest.raises(DataError, match="'x' among numbers"):
        column(["1", "2", "x"], only_numbers=True)


def test_infinite_numbers_are_refused():
    with pytest.raises(DataError, match="not finite") as caught:
        column(["1", "inf"])
    assert caught.value.line == 3


cells = st.sampled_from(["1", "2.5", "?", "x", "y", " z"])


@given(
    rows=st.lists(st.tuples(cells, cells, cells), min_size=1, max_size=12), size=st.integers(1, 9)
)
def test_rows_at_a_time_make_no_difference(rows, size):
    def read(chunk):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(text_columns, "CHUNK", chunk)
            return columns_of(lambda: rows, ["a", "b", "c"], ORIGIN, {"c": None})

    for whole, chunked in zip(read(10**6), read(size), strict=True):
        assert whole.kind == chunked.kind
        assert whole.categories == chunked.categories
        assert np.array_equal(whole.values, chunked.values, equal_nan=True)


def test_marks_before_the_text():
    for content in (b"\xef\xbb\xbfa\r\n\xc3\xa9", b"a\r\n\xc3\xa9"):
        check_text(content, "f")
        assert list(lines_of(content)) == ["a\n", "é"]
        assert list(lines_of(content, newline="")) == ["a\r\n", "é"]
    with pytest.raises(DataError, match="UTF-16"):
        check_text(b"\xff\xfea\0", "f")


def test_wrong_bytes_are_blamed_on_their_line():
    with pytest.raises(DataError) as caught:
        check_text(b"one\ntwo\n\xe9\n", "f")
    assert caught.value.line == 3


def test_a_file_up_to_the_cap(tmp_path):
    (tmp_path / "f").write_bytes(b"12345")
    assert read_bytes(tmp_path / "f", 5) == b"12345"
    with pytest.raises(DataError, match="max_bytes=4"):
        read_bytes(tmp_path / "f", 4)


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "f").write_bytes(b"1")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match="cannot be read: Permission denied"):
        read_bytes(tmp_path / "f")


def test_rows_start_again_and_know_their_lines():
    rows = TextRows(lambda: iter([(2, ["a"]), (5, ["b"])]), 1, "f.csv")
    assert next(rows()) == ["a"]
    assert list(rows()) == [["a"], ["b"]]
    assert [rows.origin.error("wrong", row).line for row in (0, 1)] == [2, 5]


def test_a_row_of_another_width_is_refused_with_its_line():
    rows = TextRows(lambda: iter([(2, ["a"]), (5, ["b", "c"])]), 1, "f.csv")
    with pytest.raises(DataError, match="2 cells, but 1 columns") as caught:
        list(rows())
    assert caught.value.line == 5
