import numpy as np
import pytest

from kpboost.metrics import average_ranks
from kpboost.reports._comparison import compare_outcomes, coverage, score_table, summary_table
from support.made_outcomes import METHODS, outcome, table_of_outcomes

TITLES = {"kpboost": "KPBoost-SVM"}


def test_scores_and_means():
    comparison = compare_outcomes(table_of_outcomes(3), TITLES)
    table = score_table(comparison, "gmean")
    assert [column.name for column in table.columns][:4] == [
        *("Data set", "svm", "svm_balanced", "KPBoost-SVM")
    ]
    assert table.rows[-1][0] == "Mean of 3"
    np.testing.assert_allclose(
        table.rows[-1][1:], comparison.scores["gmean"].mean(axis=0), rtol=1e-12
    )


def test_all_tied_bests_are_marked():
    made = [outcome("a", "svm", 0.5), outcome("a", "aks", 0.5), outcome("a", "kba", 0.4)]
    table = score_table(compare_outcomes(made, {}), "gmean")
    assert {(0, 1), (0, 2)} <= table.best
    assert (0, 3) not in table.best


def test_unfinished_cells_stay_empty():
    made = [outcome("a", "svm", 0.5), outcome("a", "aks", 0, status="waiting")]
    table = score_table(compare_outcomes(made, {}), "gmean")
    assert table.text(0, 2) == "–"  # noqa: RUF001
    assert len(table.rows) == 1


def test_summary_is_ordered_by_rank():
    comparison = compare_outcomes(table_of_outcomes(5), {})
    table = summary_table(comparison)
    expected = average_ranks(comparison.scores["gmean"])
    order = np.argsort(expected, kind="stable")
    assert [row[0] for row in table.rows] == [METHODS[place] for place in order]
    assert [row[1] for row in table.rows] == pytest.approx(np.sort(expected))
    assert (0, 1) in table.best


def test_wins_are_counted_with_ties():
    made = [
        *(outcome("a", "svm", 0.5), outcome("a", "aks", 0.5)),
        *(outcome("b", "svm", 0.7), outcome("b", "aks", 0.6)),
    ]
    rows = summary_table(compare_outcomes(made, {})).rows
    assert {row[0]: row[5] for row in rows} == {"svm": 2, "aks": 1}


def test_coverage_names_what_is_set_aside():
    made = [
        outcome(each.dataset, each.method, 0, status="failed") if each.method == "svm" else each
        for each in table_of_outcomes(3)
    ]
    comparison = compare_outcomes(made, {"svm": "SVM"})
    assert coverage(comparison).endswith("Set aside, too little finished: SVM.")
    assert "3 of 3 data sets count" in coverage(comparison)


def test_nothing_finished_gives_no_rows():
    assert summary_table(compare_outcomes([], {})).rows == ()
