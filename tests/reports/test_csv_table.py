import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kpboost.reports.csv_table import FORMULA_STARTS, csv_table, csv_text, is_formula
from kpboost.reports.table import Column, Table

COLUMNS = (Column("set"), Column("score", digits=2))


def read(table):
    return list(csv.reader(io.StringIO(csv_table(table), newline="")))


def test_numbers_are_exact_and_holes_are_empty():
    table = Table("t", "T", COLUMNS, (("a", 1 / 3), ("b", float("nan")), ("c", None)))
    rows = read(table)
    assert rows[0] == ["set", "score"]
    assert float(rows[1][1]) == 1 / 3
    assert rows[2:] == [["b", ""], ["c", ""]]


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_names_come_back(name):
    back = read(Table("t", "T", COLUMNS, ((name, 0.5),)))[1][0]
    kept = name.replace("\r", " ")
    assert back == (f"'{kept}" if is_formula(name) else kept)


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1+1", "@SUM(A1)", "-2+3", "\t=1", "\r=1"])
def test_no_formula_gets_through(name):
    assert not read(Table("t", "T", COLUMNS, ((name, 0.5),)))[1][0].startswith(FORMULA_STARTS)


@pytest.mark.parametrize("name", ["-1", "+1.5e3", "-", "+", "a=b", "", "'=1"])
def test_what_runs_nothing_stays_as_it_is(name):
    assert csv_text(["a", "b"], [[name, 0]]).splitlines()[1] == f"{name},0"


def test_text_can_be_written_as_it_is():
    rows = [["=1+1", -1], ["@x", 2]]
    assert csv_text(["=a", "b"], rows, raw=True) == "=a,b\n=1+1,-1\n@x,2\n"
    assert csv_text(["=a", "b"], rows) == "'=a,b\n'=1+1,-1\n'@x,2\n"
