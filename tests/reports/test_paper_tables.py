import numpy as np
import pytest

from kpboost.metrics import average_ranks
from kpboost.reports.comparison import compare_outcomes
from kpboost.reports.paper_tables import beside_paper, paper_tables
from kpboost.reports.published import published_scores
from reports.made_outcomes import outcome

TITLES = {
    "svm": "SVM",
    "aks": "AKS",
    "kpboost": "KPBoost-SVM",
    "kpboost_roi": "KPBoostROI-SVM",
    "svm_balanced": "SVM, balanced",
    "svm_ovr": "SVM, one vs rest",
    "kpboost_ovr": "KPBoost-SVM, one vs rest",
    "rusboost": "RUSBoost",
}
SETS = ("glass0", "glass1", "pima")


def comparison(methods, datasets=SETS, seed=0):
    rng = np.random.default_rng(seed)
    made = [outcome(name, method, rng.uniform()) for name in datasets for method in methods]
    return compare_outcomes(made, TITLES)


def test_both_are_ranked_over_the_same_sets_and_methods():
    ours = comparison(("svm", "svm_balanced", "kpboost", "aks"), (*SETS, "mine"))
    found = beside_paper(ours, "gmean", "two-class-low")
    assert found.methods == ("svm", "kpboost", "aks")
    assert found.datasets == SETS
    expected = published_scores("gmean", SETS, ["SVM", "KPBoost-SVM", "AKS"])
    assert found.theirs == pytest.approx(average_ranks(expected))
    assert found.ours == pytest.approx(average_ranks(ours.scores["gmean"][:3][:, [0, 2, 3]]))
    assert found.printed == (4.24, 2.07, 3.15)


def test_the_papers_own_scores_agree_with_the_paper():
    methods = ("svm", "aks", "kpboost", "kpboost_roi")
    scores = published_scores("gmean", SETS, [TITLES[name] for name in methods])
    made = [
        outcome(name, method, scores[row, column])
        for row, name in enumerate(SETS)
        for column, method in enumerate(methods)
    ]
    found = beside_paper(compare_outcomes(made, TITLES), "gmean", "two-class-low")
    assert found.ours == pytest.approx(found.theirs)
    assert found.agreement == pytest.approx(1.0)
    assert found.printed[-1] is None  # the paper prints no rank of KPBoostROI-SVM


def test_schemes_of_many_classes_are_kept_apart():
    methods = ("svm", "svm_ovr", "kpboost", "kpboost_ovr", "rusboost")
    tables = paper_tables(comparison(methods, ("wine", "yeast")))
    assert [table.name for table in tables] == [
        "paper-multi-class-low-ovo",
        "paper-multi-class-low-ova",
    ]
    assert [row[0] for row in tables[1].rows] == [
        "SVM, one vs rest",
        "KPBoost-SVM, one vs rest",
        "RUSBoost",
    ]


def test_nothing_of_the_paper_gives_no_table():
    assert paper_tables(comparison(("svm", "kpboost"), ("mine",))) == ()
    assert paper_tables(comparison(("svm", "svm_balanced"))) == ()
