from dataclasses import replace

from kpboost.reports._comparison import compare_outcomes
from kpboost.reports._verdict import verdict
from support.made_outcomes import outcome, table_of_outcomes

TITLES = {"svm": "SVM", "kpboost": "KPBoost-SVM", "aks": "AKS"}


def always(best, n_datasets, methods=("svm", "kpboost", "aks")):
    """One method is the best everywhere, by a different margin each time."""
    return compare_outcomes(
        [
            outcome(f"s{row}", name, 0.5 + (0.01 * (row + 1) if name == best else 0.0))
            for row in range(n_datasets)
            for name in methods
        ],
        TITLES,
    )


def test_a_clear_winner():
    words = verdict(always("kpboost", 12))
    assert words.heading.startswith("KPBoost-SVM has the best average rank: 1.00 among 3")
    assert words.mood == "good"
    assert any("The methods differ" in sentence for sentence in words.sentences)


def test_small_disjuncts_have_a_sentence_of_their_own():
    made = [
        replace(each, scores={**each.scores, "gsdi": 0.9 if each.method == "aks" else 0.1})
        for each in always("kpboost", 7).outcomes
    ]
    words = verdict(compare_outcomes(made, TITLES))
    assert "On small disjuncts (GSDI) the best is AKS: rank 1.00, mean 0.900." in words.sentences


def test_few_data_sets_are_a_hint():
    words = verdict(always("kpboost", 5))
    assert words.mood == "mixed"
    assert any("5 data sets are too few" in sentence for sentence in words.sentences)


def test_kpboost_losing_is_said():
    words = verdict(always("svm", 8))
    assert any(
        sentence.startswith("KPBoost-SVM against SVM: 0 won, 0 tied, 8 lost, which is significant")
        for sentence in words.sentences
    )


def test_a_shared_first_place():
    words = verdict(always("nobody", 3))
    assert words.heading.startswith("SVM, KPBoost-SVM and AKS share")
    assert words.sentences[1].startswith(
        "On small disjuncts (GSDI) the best are SVM, KPBoost-SVM and AKS: rank 2.00, mean "
    )


def test_two_methods_have_their_own_test():
    words = verdict(always("kpboost", 8, methods=("svm", "kpboost")))
    assert "Signed rank test of the two: p = 0.00781." in words.sentences


def test_the_protocol_is_explained():
    made = table_of_outcomes(3)
    assert "expect on new data" in verdict(compare_outcomes(made, {})).sentences[-1]
    published = [replace(each, protocol="published") for each in made]
    assert "flatters" in verdict(compare_outcomes(published, {})).sentences[-1]


def test_nothing_yet():
    assert verdict(compare_outcomes([], {})).heading == "Nothing to compare yet"


def test_one_method_alone_is_no_comparison_but_has_its_figure():
    words = verdict(compare_outcomes([outcome("mine", "svm", 0.75)], TITLES))
    assert words.heading == "SVM alone: mean Gmean 0.750 on 1 data set"
    assert "no other method" in words.sentences[0]
    failed = [outcome("mine", "svm", 0.75, status="failed")]
    assert verdict(compare_outcomes(failed, TITLES)).heading == "Nothing to compare yet"


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
