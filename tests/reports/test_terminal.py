from io import StringIO

from rich.console import Console

from kpboost.reports._comparison import compare_outcomes
from kpboost.reports._report import print_summary, terminal_table
from kpboost.reports._table import ReportColumn, ReportTable
from support.made_outcomes import table_of_outcomes


def shown(renderable=None, comparison=None, width=100):
    console = Console(file=StringIO(), width=width)
    if comparison is not None:
        print_summary(comparison, console)
    else:
        console.print(renderable)
    return console.file.getvalue()


def test_summary_has_table_heading_and_meaning():
    text = shown(comparison=compare_outcomes(table_of_outcomes(5), {"svm": "SVM"}))
    assert "At a glance" in text
    assert "gradient_boosting_balanced has the best average rank" in text
    assert "too few" in text


def test_nothing_yet_is_said():
    assert "Nothing to compare yet" in shown(comparison=compare_outcomes([], {}))


def test_markup_in_names_is_text():
    hostile = "[bold red]x[/] [link=http://a]y[/link]"
    columns = (ReportColumn(hostile, note=hostile),)
    text = shown(terminal_table(ReportTable("t", hostile, columns, ((hostile,),), note=hostile)))
    assert text.count(hostile) == 4


def test_long_names_are_folded_not_cut():
    table = ReportTable("t", "T", (ReportColumn("a"), ReportColumn("b")), (("x" * 70, "y" * 70),))
    text = shown(terminal_table(table), width=60)
    assert text.count("x") == text.count("y") == 70
