from kpboost.reports._comparison import compare_outcomes
from support.made_outcomes import made_report, outcome, table_of_outcomes


def test_a_full_comparison_has_every_table():
    report = made_report(table_of_outcomes(6))
    assert [table.name for table in report.tables] == [
        *("summary", "ranks", "friedman", "duels"),
        *("scores-gmean", "scores-auc", "scores-gsdi", "time", "datasets"),
    ]
    assert len(report.dots) == 2
    assert len(report.diagrams) == 3
    assert report.lead == "5 methods on 6 data sets, quick grid, protocol nested."


def test_names_of_tables_are_distinct():
    names = [table.name for table in made_report(table_of_outcomes(names=["wine", "yeast"])).tables]
    assert len(set(names)) == len(names)


def test_nothing_finished_is_still_a_report():
    report = made_report([outcome("a", "svm", 0, status="waiting")])
    assert [table.name for table in report.tables] == [
        *("scores-gmean", "scores-auc", "scores-gsdi", "datasets", "unfinished")
    ]
    assert report.dots == report.diagrams == ()
    assert report.cost is None


def test_one_data_set_is_singular():
    report = made_report(table_of_outcomes(1, methods=("svm", "kpboost")))
    assert report.lead.startswith("2 methods on 1 data set,")
    assert compare_outcomes([], {}).datasets == ()
