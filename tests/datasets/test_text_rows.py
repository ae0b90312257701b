import pytest

from kpboost.datasets import DataError
from kpboost.datasets._text import TextRows


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
