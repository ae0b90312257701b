import pytest

from kpboost.reports._comparison import compare_outcomes, duel_table, friedman_table, rank_table
from kpboost.reports._paper_tables import published_datasets, published_ranks, published_scores
from support.made_outcomes import outcome, table_of_outcomes

NAMES = {"SVM": "svm", "AKS": "aks", "KPBoost-SVM": "kpboost"}


def papers_own(group="two-class-high"):
    """The paper's scores of a group as if we had found them, with its own names of methods."""
    titles = list(published_ranks(group, "gmean"))
    datasets = published_datasets(group)
    scores = published_scores("gmean", datasets, titles)
    short = {title: NAMES.get(title, title) for title in titles}
    made = [
        outcome(name, short[title], scores[row, column])
        for row, name in enumerate(datasets)
        for column, title in enumerate(titles)
    ]
    return compare_outcomes(made, {own: title for title, own in short.items()})


def test_the_papers_table_comes_out():
    rows = {row[0]: row[1:3] for row in rank_table(papers_own()).rows}
    for title, cell in published_ranks("two-class-high", "gmean").items():
        assert rows[title][0] == pytest.approx(cell.rank, abs=0.06)
        assert rows[title][1] == cell.hypothesis


def test_rows_are_ordered_and_the_best_is_marked():
    table = rank_table(papers_own())
    ranks = [row[1] for row in table.rows]
    assert ranks == sorted(ranks)
    assert table.rows[0][0] == "KPBoost-SVM"
    assert (0, 1) in table.best


def test_friedman_has_a_row_per_measure_and_none_for_two_methods():
    rows = friedman_table(compare_outcomes(table_of_outcomes(5), {})).rows
    assert [row[0] for row in rows] == ["Gmean", "AUC", "GSDI"]
    two = compare_outcomes(table_of_outcomes(5, methods=("svm", "kpboost")), {})
    assert friedman_table(two).rows == ()


def test_duels_are_written_as_three_counts():
    made = [
        *(outcome("a", "svm", 0.5), outcome("a", "aks", 0.5)),
        *(outcome("b", "svm", 0.7), outcome("b", "aks", 0.6)),
    ]
    assert duel_table(compare_outcomes(made, {})).rows == (
        ("svm", "", "1/1/0"),
        ("aks", "0/1/1", ""),
    )


def test_nothing_to_rank():
    assert rank_table(compare_outcomes([], {})).rows == ()
    assert duel_table(compare_outcomes([], {})).rows == ()
