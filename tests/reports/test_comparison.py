from dataclasses import replace

import numpy as np

from kpboost.experiments import MEASURES
from kpboost.reports._comparison import compare_outcomes
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
