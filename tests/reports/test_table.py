import pytest

from kpboost.reports._table import EMPTY, ReportColumn, ReportTable, written

TABLE = ReportTable(
    "scores",
    "Scores",
    (ReportColumn("set"), ReportColumn("score", digits=3), ReportColumn("points")),
    (("glass", 0.98765, 214), ("iris", None, 150), ("wine", float("nan"), None)),
)


@pytest.mark.parametrize(
    ("row", "column", "text"),
    [(0, 0, "glass"), (0, 1, "0.988"), (0, 2, "214"), (1, 1, EMPTY), (2, 1, EMPTY), (2, 2, EMPTY)],
)
def test_text_of_a_cell(row, column, text):
    assert TABLE.text(row, column) == text


def test_columns_of_numbers_are_known():
    assert [TABLE.is_number(column) for column in range(3)] == [False, True, True]


def test_an_empty_column_is_not_a_column_of_numbers():
    assert not ReportTable("t", "T", (ReportColumn("a"),), ((None,),)).is_number(0)


def test_a_short_row_is_refused():
    with pytest.raises(ValueError, match="Row 1 of table 't' has 1 values; 2 columns"):
        ReportTable("t", "T", (ReportColumn("a"), ReportColumn("b")), (("x", 1), ("y",)))


@pytest.mark.parametrize(
    ("value", "text"), [(3e-17, "3e-17"), (0.0, "0.0000"), (-2e-6, "-2e-06"), (5e-5, "0.0001")]
)
def test_a_tiny_number_is_not_written_as_zero(value, text):
    assert written(value, 4) == text


def test_words_ignore_digits():
    assert written("H1", 2) == "H1"
