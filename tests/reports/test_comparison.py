import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest

from kpboost.experiments import MEASURES
from kpboost.experiments._records import DatasetInfo
from kpboost.metrics import average_ranks
from kpboost.reports._comparison import (
    LONGEST_ERROR,
    MOST_COLORED,
    compare_outcomes,
    cost_plot,
    coverage,
    dataset_table,
    dot_plot,
    duel_table,
    friedman_table,
    rank_diagram,
    rank_table,
    score_table,
    styles,
    summary_table,
    time_table,
    unfinished_table,
)
from kpboost.reports._published import published_datasets, published_ranks, published_scores
from support.made_outcomes import METHODS, outcome, table_of_outcomes

TITLES = {"svm": "SVM"}


def without(outcomes, dataset, method):
    return [
        outcome(each.dataset, each.method, 0.0, status="failed", error="no")
        if (each.dataset, each.method) == (dataset, method)
        else each
        for each in outcomes
    ]


def test_a_full_table_is_compared_whole():
    made = table_of_outcomes(4)
    comparison = compare_outcomes(made, TITLES)
    shared = comparison.shared("gmean")
    assert shared.methods == METHODS
    assert shared.scores.shape == (4, len(METHODS))
    assert shared.scores[1, 2] == made[1 * len(METHODS) + 2].scores["gmean"]


def test_a_hole_costs_its_data_set():
    made = without(table_of_outcomes(4), "planted-two", "svm")
    for measure in MEASURES:
        shared = compare_outcomes(made, TITLES).shared(measure)
        assert "planted-two" not in shared.datasets
        assert len(shared.datasets) == 3
        assert np.all(np.isfinite(shared.scores))


def test_a_method_that_finished_little_is_set_aside():
    made = table_of_outcomes(5)
    for name in ("planted-two", "four-digits", "rare-malignant"):
        made = without(made, name, "svm")
    shared = compare_outcomes(made, TITLES).shared("gmean")
    assert "svm" not in shared.methods
    assert len(shared.datasets) == 5


def test_unfinished_outcomes_have_no_score():
    made = [replace(outcome("a", "svm", 0.9), status="partial"), outcome("a", "kpboost", 0.8)]
    comparison = compare_outcomes(made, TITLES)
    assert np.isnan(comparison.scores["gmean"][0, 0])
    assert comparison.shared("gmean").is_empty


def test_nothing_at_all_is_empty():
    assert compare_outcomes([], TITLES).shared("gmean").is_empty


def test_the_control_is_kpboost_or_the_first():
    whole = compare_outcomes(table_of_outcomes(3), TITLES)
    assert whole.control(whole.shared("gmean")) == METHODS.index("kpboost")
    others = compare_outcomes(table_of_outcomes(3, methods=("svm", "aks")), TITLES)
    assert others.control(others.shared("gmean")) == 0


def test_titles_fall_back_to_short_names():
    comparison = compare_outcomes(table_of_outcomes(2), TITLES)
    assert (comparison.title("svm"), comparison.title("kpboost")) == ("SVM", "kpboost")


HOSTILE = "<b>&$x^2$"


def words(figure):
    return [element.text for element in ET.fromstring(figure.svg).iter() if element.text]


def test_every_data_set_and_method_is_named():
    comparison = compare_outcomes(table_of_outcomes(5), {"svm": "SVM"})
    shown = words(dot_plot(comparison, "gmean"))
    assert set(comparison.datasets) <= set(shown)
    assert "SVM" in shown


def test_many_methods_share_a_dot():
    methods = ("svm", "kpboost", *(f"m{k}" for k in range(8)))
    comparison = compare_outcomes(table_of_outcomes(4, methods=methods), {})
    shared = comparison.shared("gmean")
    marks = styles(comparison, shared)
    assert next(iter(marks)) == "kpboost"
    assert sum(mark["marker"] != "." for mark in marks.values()) == MOST_COLORED
    assert words(dot_plot(comparison, "gmean")).count("the others") == 1


def test_a_method_looks_the_same_in_all_measures():
    made = [
        replace(each, scores={**each.scores, "gsdi": 1 - each.scores["gsdi"]})
        for each in table_of_outcomes(4, methods=("a", "b", "c"))
    ]
    comparison = compare_outcomes(made, {})
    gmean, gsdi = (styles(comparison, comparison.shared(name)) for name in ("gmean", "gsdi"))
    assert gmean == gsdi


@pytest.mark.parametrize("draw", [lambda c: dot_plot(c, "gsdi"), cost_plot,
                                  lambda c: rank_diagram(c, "roc_auc")])  # fmt: skip
def test_names_from_outside_are_text(draw):
    names = [f"{HOSTILE}{k}" for k in range(6)]
    made = table_of_outcomes(methods=("svm", HOSTILE, "kpboost"), names=names)
    figure = draw(compare_outcomes(made, {}))
    assert "<b>" not in figure.svg
    assert any(HOSTILE in text for text in words(figure))


def test_ranks_are_written_beside_names():
    comparison = compare_outcomes(table_of_outcomes(5), {})
    assert any(
        text.startswith("gradient_boosting_balanced (1.")
        for text in words(rank_diagram(comparison, "gmean"))
    )


def test_names_that_shorten_to_the_same_stay_apart():
    methods = ("kpboost", "x" * 40 + "a", "x" * 40 + "b")
    assert rank_diagram(compare_outcomes(table_of_outcomes(5, methods=methods), {}), "gmean")


def test_time_is_written_in_plain_numbers():
    assert not [text for text in words(cost_plot(compare_outcomes(table_of_outcomes(5), {})))
                if "$" in text]  # fmt: skip


def test_nothing_to_draw():
    empty = compare_outcomes([outcome("a", "svm", 0.5)], {})
    assert dot_plot(empty, "gmean") is None
    assert rank_diagram(empty, "gmean") is None
    assert cost_plot(empty) is None


def test_all_methods_equal_is_no_crash():
    made = [outcome(f"s{k}", name, 1.0, seconds=0.0) for k in range(4) for name in ("a", "b", "c")]
    comparison = compare_outcomes(made, {})
    assert rank_diagram(comparison, "gmean")
    assert dot_plot(comparison, "gmean")
    assert cost_plot(comparison)


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


def test_fewer_than_six_data_sets_have_ranks_and_no_verdicts():
    few, enough = (rank_table(compare_outcomes(table_of_outcomes(n), {})) for n in (5, 6))
    assert {row[2] for row in few.rows} == {"CN", None}
    assert "fewer than 6 data sets no difference can be significant" in few.note
    assert None not in {row[2] for row in enough.rows}
    assert "significant" not in enough.note


def test_friedman_has_a_row_per_measure_and_none_for_two_methods():
    rows = friedman_table(compare_outcomes(table_of_outcomes(5), {})).rows
    assert [row[0] for row in rows] == [
        *("Gmean", "Balanced accuracy", "GSDI", "ROC-AUC", "AP", "Log-loss", "Brier score")
    ]
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
    assert duel_table(compare_outcomes([outcome("a", "svm", 0.5)], {})).rows == ()


TITLES_OF_SCORE_TABLES = {"kpboost": "KPBoost-SVM"}


def test_scores_and_means():
    comparison = compare_outcomes(table_of_outcomes(3), TITLES_OF_SCORE_TABLES)
    table = score_table(comparison, "gmean")
    assert [column.name for column in table.columns][:4] == [
        *("Data set", "svm", "svm_balanced", "KPBoost-SVM")
    ]
    assert table.rows[-1][0] == "Mean of 3"
    assert (table.n_sums, table.n_single) == (1, 3)
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
    assert {row[0]: row[7] for row in rows} == {"svm": 2, "aks": 1}


def some_without_probabilities(n_datasets=5):
    """The first method has no probabilities, the second no scores at all."""
    lacking = {
        "svm": ("log_loss", "brier"),
        "svm_balanced": ("roc_auc", "average_precision", "log_loss", "brier"),
    }
    return [
        outcome(
            each.dataset, each.method, each.scores["gmean"], lacking=lacking.get(each.method, ())
        )
        for each in table_of_outcomes(n_datasets)
    ]


def column(table, name):
    place = [each.name for each in table.columns].index(name)
    return {row[0]: row[place] for row in table.rows}


def test_who_gives_no_probabilities_stays_and_has_no_rank_in_them():
    comparison = compare_outcomes(some_without_probabilities(), TITLES)
    table = rank_table(comparison)
    assert column(table, "Log-loss AR")["SVM"] is None
    assert column(table, "ROC-AUC AR")["svm_balanced"] is None
    assert column(table, "ROC-AUC AR")["SVM"] is not None
    others = [rank for rank in column(table, "Log-loss AR").values() if rank is not None]
    assert sum(others) == pytest.approx(1 + 2 + 3)
    assert "ROC-AUC and AP need scores; Log-loss and Brier score need probabilities." in table.note
    assert "dash" not in rank_table(compare_outcomes(table_of_outcomes(6), TITLES)).note


def test_of_log_loss_the_smallest_is_the_best_everywhere():
    comparison = compare_outcomes(table_of_outcomes(5, methods=("svm", "kpboost", "kba")), {})
    shared = comparison.shared("log_loss")
    ranks = column(rank_table(comparison), "Log-loss AR")
    assert list(ranks.values()) == sorted(ranks.values())
    np.testing.assert_allclose(
        [ranks[name] for name in shared.methods], average_ranks(-shared.scores)
    )
    table = score_table(comparison, "log_loss")
    row = list(table.rows[0][1:])
    assert (0, 1 + row.index(min(row))) in table.best
    assert "the smaller the better" in table.note
    whole = summary_table(comparison, comparison.all_measures)
    place = [each.name for each in whole.columns].index("Log-loss")
    lines = [line for line, where in whole.best if where == place]
    assert whole.rows[lines[0]][place] == min(row[place] for row in whole.rows)
    assert "(left is better)" in dot_plot(comparison, "log_loss").svg


def test_the_short_table_leaves_details_out():
    table = summary_table(compare_outcomes(some_without_probabilities(), TITLES))
    assert [each.name for each in table.columns] == [
        *("Method", "Rank", "Gmean", "Balanced accuracy", "GSDI", "ROC-AUC", "AP"),
        *("Best on", "Seconds"),
    ]
    assert np.isnan(column(table, "ROC-AUC")["svm_balanced"])
    assert "ROC-AUC and AP need scores." in table.note
    assert "probabilities" not in table.note


def test_a_measure_that_nothing_has_is_left_out():
    lacking = ("roc_auc", "average_precision", "log_loss", "brier")
    made = [outcome("a", name, 0.5, lacking=lacking) for name in ("svm", "kpboost")]
    comparison = compare_outcomes(made, TITLES)
    assert [each.name for each in comparison.measures] == ["gmean", "balanced_accuracy", "gsdi"]


def test_one_method_alone_keeps_its_mean():
    lacking = ("log_loss", "brier")
    made = [outcome("a", "svm", 0.5, lacking=lacking), outcome("a", "c45_ib1", 0.6)]
    comparison = compare_outcomes(made, TITLES)
    table = summary_table(comparison, comparison.all_measures)
    assert column(table, "Log-loss")["c45_ib1"] == pytest.approx(0.4)


def test_under_the_papers_protocols_the_measures_are_the_papers():
    made = [replace(each, protocol="published") for each in table_of_outcomes(3)]
    comparison = compare_outcomes(made, TITLES)
    assert [each.title for each in comparison.measures] == ["Gmean", "AUC", "GSDI"]


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


def test_what_no_method_could_finish_is_said_once():
    missing = {"status": "failed", "error": "no such file"}
    made = [
        *(outcome("gone", "svm", 0, **missing), outcome("gone", "kba", 0, **missing)),
        *(outcome("here", "svm", 0.5), outcome("here", "kba", 0, status="waiting")),
    ]
    rows = unfinished_table(compare_outcomes(made, {})).rows
    assert rows == (("gone", "all", "failed", "no such file"), ("here", "kba", "waiting", ""))


def test_data_sets_that_are_not_available_count_nowhere_and_are_listed_once():
    """As does a method that only they would have had."""
    missing = {"status": "not available", "error": "no such file"}
    made = [
        *(outcome("gone", name, 0, **missing) for name in ("svm", "kba", "svm_ovr")),
        *(outcome("here", name, 0.5) for name in ("svm", "kba")),
    ]
    comparison = compare_outcomes(made, {})
    assert (comparison.datasets, comparison.methods) == (("here",), ("svm", "kba"))
    assert coverage(comparison).startswith("1 of 1 data sets count")
    assert [row[0] for row in score_table(comparison, "gmean").rows] == ["here", "Mean of 1"]
    assert unfinished_table(comparison).rows == (("gone", "all", "not available", "no such file"),)
