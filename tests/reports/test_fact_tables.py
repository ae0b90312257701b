from kpboost.experiments._records import DatasetInfo
from kpboost.reports._comparison import (
    LONGEST_ERROR,
    compare_outcomes,
    dataset_table,
    time_table,
    unfinished_table,
)
from support.made_outcomes import outcome


def test_data_sets_that_could_not_be_had_are_left_out():
    there = DatasetInfo("a", "ready", 100, 4, 7, {"x": 90, "y": 10}, 9.0, "")
    absent = DatasetInfo("b", "failed", 0, 0, 0, {}, float("nan"), "not here")
    assert dataset_table([there, absent]).rows == (("a", 100, 4, 2, 9.0, 7),)


def test_time_counts_what_is_finished_fastest_first():
    made = [
        *(outcome("a", "slow", 0.5, seconds=8.0), outcome("b", "slow", 0.5, seconds=2.0)),
        *(outcome("a", "fast", 0.5, seconds=1.0), outcome("b", "fast", 0.5, status="waiting")),
    ]
    rows = time_table(compare_outcomes(made, {})).rows
    assert rows == (("fast", 1, 9, 1.0, 1.0), ("slow", 2, 9, 5.0, 10.0))


def test_unfinished_says_why_on_one_line():
    made = [
        outcome("a", "svm", 0.5),
        outcome("a", "kba", 0, status="failed", error="ValueError: no\nline"),
        outcome("b", "kba", 0, status="failed", error="x" * 1000),
    ]
    rows = unfinished_table(compare_outcomes(made, {"kba": "KBA"})).rows
    assert rows[0] == ("a", "KBA", "failed", "ValueError: no line")
    assert len(rows[1][3]) == LONGEST_ERROR
