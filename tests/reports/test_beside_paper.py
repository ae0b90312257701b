import numpy as np
import pytest

from kpboost.metrics import average_ranks
from kpboost.reports._comparison import compare_outcomes
from kpboost.reports._paper_tables import beside_paper, published_scores
from support.made_outcomes import outcome

TITLES = {
    "svm": "SVM",
    "aks": "AKS",
    "kpboost": "KPBoost-SVM",
    "kpboost_roi": "KPBoostROI-SVM",
    "svm_balanced": "Balanced SVM",
    "svm_ovr": "SVM one-vs-rest",
    "kpboost_ovr": "KPBoost-SVM one-vs-rest",
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
    assert found.paper_ranks == pytest.approx(average_ranks(expected))
    assert found.our_ranks == pytest.approx(average_ranks(ours.scores["gmean"][:3][:, [0, 2, 3]]))
    assert found.printed == (4.24, 2.07, 3.15)
    assert found.paper_means == pytest.approx(expected.mean(axis=0))


def test_the_papers_own_scores_agree_with_the_paper():
    methods = ("svm", "aks", "kpboost", "kpboost_roi")
    scores = published_scores("gmean", SETS, [TITLES[name] for name in methods])
    made = [
        outcome(name, method, scores[row, column])
        for row, name in enumerate(SETS)
        for column, method in enumerate(methods)
    ]
    found = beside_paper(compare_outcomes(made, TITLES), "gmean", "two-class-low")
    assert found.our_ranks == pytest.approx(found.paper_ranks)
    assert found.agreement == pytest.approx(1.0)
    assert found.printed[-1] is None  # the paper prints no rank of KPBoostROI-SVM


def test_the_scheme_decides_which_methods_belong():
    methods = ("svm", "svm_ovr", "kpboost", "kpboost_ovr", "rusboost")
    ours = comparison(methods, ("wine", "yeast"))
    for scheme, names in (("OVO", methods[0::2]), ("OVA", (*methods[1::2], "rusboost"))):
        assert beside_paper(ours, "auc", "multi-class-low", scheme=scheme).methods == names


def test_two_methods_have_no_order_to_agree_on():
    assert np.isnan(beside_paper(comparison(("svm", "aks")), "auc", "two-class-low").agreement)


def test_nothing_in_common():
    assert beside_paper(comparison(("svm", "kpboost"), ("mine",)), "auc", "two-class-low") is None
    assert beside_paper(comparison(("svm", "svm_balanced")), "auc", "two-class-low") is None
