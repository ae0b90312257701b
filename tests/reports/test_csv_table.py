import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kpboost.reports.csv_table import FORMULA_STARTS, csv_table
from kpboost.reports.table import Column, Table

COLUMNS = (Column("set"), Column("score", digits=2))


def read(table):
    return list(csv.reader(csv_table(table).splitlines(keepends=True)))


def test_numbers_are_exact_and_holes_are_empty():
    table = Table("t", "T", COLUMNS, (("a", 1 / 3), ("b", float("nan")), ("c", None)))
    rows = read(table)
    assert rows[0] == ["set", "score"]
    assert float(rows[1][1]) == 1 / 3
    assert rows[2:] == [["b", ""], ["c", ""]]


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1))
def test_names_come_back(name):
    back = read(Table("t", "T", COLUMNS, ((name, 0.5),)))[1][0]
    assert back == (f"'{name}" if name.startswith(FORMULA_STARTS) else name)


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1", "@SUM(A1)", "-2+3"])
def test_no_formula_gets_through(name):
    assert not read(Table("t", "T", COLUMNS, ((name, 0.5),)))[1][0].startswith(FORMULA_STARTS)
