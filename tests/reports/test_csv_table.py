import csv
import io

import pytest
from hypothesis import given, strategies as st

from kpboost.reports._table import ReportColumn, ReportTable, csv_table, csv_text, is_formula

COLUMNS = (ReportColumn("set"), ReportColumn("score", digits=2))


def read(table):
    return list(csv.reader(io.StringIO(csv_table(table), newline="")))


def test_numbers_are_exact_and_holes_are_empty():
    table = ReportTable("t", "T", COLUMNS, (("a", 1 / 3), ("b", float("nan")), ("c", None)))
    rows = read(table)
    assert rows[0] == ["set", "score"]
    assert float(rows[1][1]) == 1 / 3
    assert rows[2:] == [["b", ""], ["c", ""]]


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_names_come_back(name):
    back = read(ReportTable("t", "T", COLUMNS, ((name, 0.5),)))[1][0]
    kept = name.replace("\r", " ")
    assert back == (f"'{kept}" if is_formula(name) else kept)


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1+1", "@SUM(A1)", "-2+3", "-1,5+A1"])
@pytest.mark.parametrize("start", ["", "\t", "\r", "\n", "\r\n", " ", "\ufeff", "\0", "\n \n"])
def test_no_formula_gets_through(name, start):
    assert read(ReportTable("t", "T", COLUMNS, ((start + name, 0.5),)))[1][0].startswith("'")


@pytest.mark.parametrize("name", ["-1", "+1.5e3", "-.5", "-", "+", " ", "a=b", "", "'=1", " - "])
def test_what_runs_nothing_stays_as_it_is(name):
    assert csv_text(["a", "b"], [[name, 0]]).splitlines()[1] == f"{name},0"


@pytest.mark.parametrize("number", ["-1,5", "+1,5e3", "-,5", "-1.234,5", "-1,234,567.8"])
def test_numbers_with_a_decimal_comma_stay_as_they_are(number):
    assert csv_text(["a", "b"], [[number, 0]]).splitlines()[1] == f'"{number}",0'


def test_text_can_be_written_as_it_is():
    rows = [["=1+1", -1], ["@x", 2]]
    assert csv_text(["=a", "b"], rows, raw=True) == "=a,b\n=1+1,-1\n@x,2\n"
    assert csv_text(["=a", "b"], rows) == "'=a,b\n'=1+1,-1\n'@x,2\n"
