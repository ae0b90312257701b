from dataclasses import replace

from kpboost.reports._comparison import compare_outcomes
from kpboost.reports._verdict import verdict
from support.made_outcomes import outcome

TITLES = {"svm": "SVM", "kpboost": "KPBoost-SVM", "aks": "AKS"}


def words(scores, folds=None):
    """The verdict on one data set; folds of a method may be set one by one."""
    made = []
    for name, score in scores.items():
        each = outcome("mine", name, score, n_folds=4)
        if folds and name in folds:
            own = [
                replace(f, scores={**f.scores, "gmean": g})
                for f, g in zip(each.folds, folds[name], strict=True)
            ]
            each = replace(each, folds=tuple(own))
        made.append(each)
    return verdict(compare_outcomes(made, TITLES))


def test_the_best_is_named_with_its_score_and_followers():
    found = words({"svm": 0.5, "kpboost": 0.8, "aks": 0.7})
    assert found.heading == "KPBoost-SVM does best on mine: Gmean 0.800"
    assert found.sentences[0] == "Then AKS (0.700), SVM (0.500)."
    assert found.sentences[1] == "Best on small disjuncts (GSDI): KPBoost-SVM (0.640)."
    assert found.mood == "mixed"


def test_a_shared_best():
    found = words({"svm": 0.5, "aks": 0.5})
    assert found.heading == "SVM and AKS do best on mine: Gmean 0.500"
    assert not any(sentence.startswith("Then") for sentence in found.sentences)
    assert words({"svm": 0.5, "kpboost": 0.4, "aks": 0.5}).sentences[0] == (
        "Then KPBoost-SVM (0.400)."
    )


def test_folds_are_counted_and_called_a_hint():
    folds = {"kpboost": [0.9, 0.9, 0.7, 0.7], "svm": [0.8, 0.8, 0.8, 0.7]}
    sentence = words({"kpboost": 0.8, "svm": 0.775}, folds).sentences[2]
    assert sentence.startswith("Of 4 folds, KPBoost-SVM is ahead of SVM in 2 and behind in 1.")
    assert "hint" in sentence
