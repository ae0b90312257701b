from dataclasses import replace

import pytest

from kpboost.auditing._records import (
    ClassFinding,
    DataFacts,
    DisjunctFinding,
    ModelScores,
    Remedies,
    Remedy,
)
from kpboost.auditing._words import verdict_of

DATA = DataFacts(100, 2, 0, {"a": 80, "b": 20}, 4.0, 0, 0, 0, (), ())
SCORES = ModelScores("svm", "plain SVM", 0.95, 0.8, 0.8, 0.1, {"a": 0.99, "b": 0.6}, 1.0)
FINE = ClassFinding("a", 80, 79, 0.99, 0.9, 1.0, "fine")
WEAK = ClassFinding("b", 20, 12, 0.6, 0.36, 0.81, "weak")
LOST = ClassFinding("b", 20, 1, 0.05, 0.0, 0.25, "missed")
PART = DisjunctFinding("b/2", "b", 8, 1, 0.125, 0.0, 0.5, 0.005, True, tuple(range(8)))
HELP = Remedy(SCORES, 0.9, 0.7, 1.0, 7, 0, 0.01, True, -0.02, {"b/2": 0.9})


def remedies(*tried, recommended=""):
    return Remedies(("b/2",), 8, SCORES, 0.1, tried, {}, recommended, "KPBoost loses here: x.")


def verdict(classes=(FINE,), disjuncts=(), tried=None, data=DATA, n_scattered=0):
    return verdict_of(data, SCORES, classes, disjuncts, n_scattered, tried)


@pytest.mark.parametrize(
    ("found", "mood", "headline"),
    [
        (verdict(), "good", "Nothing is clearly missed."),
        (verdict((FINE, WEAK)), "mixed", "One class is recognised clearly less"),
        (verdict((FINE, LOST)), "bad", "One class is mostly missed; no single part stands out."),
        (verdict(disjuncts=(PART,)), "bad", "One sub-concept is missed."),
        (verdict(disjuncts=(PART, PART)), "bad", "2 sub-concepts are missed."),
        (
            verdict(disjuncts=(PART,), tried=remedies(HELP, recommended="svm")),
            "mixed",
            "One sub-concept is missed.",
        ),
    ],
)
def test_mood_and_headline(found, mood, headline):
    assert found.mood == mood
    assert found.headline.startswith(headline)


def text(found):
    return " ".join(found.sentences)


def test_help_and_its_cost_are_told():
    words = text(verdict(disjuncts=(PART,), tried=remedies(HELP, recommended="svm")))
    assert "90% of the 8 rows in question instead of 10%, at the cost of 2.0%" in words
    assert "KPBoost loses here" in words


def test_it_says_when_nothing_helps():
    idle = replace(HELP, helps=False, recall=0.2, p_value=0.4)
    words = text(verdict(disjuncts=(PART,), tried=remedies(idle)))
    assert "Nothing that was tried helps beyond chance" in words
    assert "20%; the gain may be luck" in words


def test_the_worst_class_stands_beside_the_accuracy():
    assert "95.0% of the rows" in text(verdict())
    assert "“b”, 60.0%" in text(verdict())


def test_data_that_spoil_the_scores_are_named():
    data = replace(DATA, n_duplicates=7, n_contradictions=3, left_out=("Gone.",))
    words = text(verdict(data=data))
    assert "7 rows repeat" in words
    assert "3 rows agree" in words
    assert "Gone." in words


def test_many_findings_are_cut_short():
    assert "and 2 more" in text(verdict(disjuncts=(PART,) * 5))


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "One row (1.0% of all) lies in parts of fewer than 5 rows, too small to be tested"),
        (37, "37 rows (37.0% of all) lie in parts of fewer than 5 rows, too small to be tested"),
    ],
)
def test_rows_that_nothing_is_said_about_are_counted(count, words):
    assert words in text(verdict(n_scattered=count))


def test_a_tiny_share_is_not_called_none():
    data = replace(DATA, n_rows=20_000)
    assert "3 rows (less than 0.1% of all) lie" in text(verdict(data=data, n_scattered=3))


def test_nothing_is_said_where_all_rows_are_tested():
    assert "too small" not in text(verdict())


def test_it_says_when_no_remedies_were_tried():
    assert "No remedies were tried." in text(verdict(disjuncts=(PART,)))
    assert "No remedies" not in text(verdict())
    assert "No other model could be tried." in text(verdict(disjuncts=(PART,), tried=remedies()))


@pytest.mark.parametrize(
    ("elsewhere", "words"),
    [
        (0.01, "at no cost to the other rows"),
        (-0.003, "at hardly any cost to the other rows"),
        (-0.031, "at the cost of 3.1% of all other rows"),
    ],
)
def test_the_price_is_what_it_is(elsewhere, words):
    best = replace(HELP, elsewhere=elsewhere)
    assert words in text(verdict(disjuncts=(PART,), tried=remedies(best, recommended="svm")))


def test_there_are_no_other_rows_where_all_are_in_question():
    tried = replace(remedies(HELP, recommended="svm"), n_rows=100)
    assert "instead of 10%." in text(verdict(disjuncts=(PART,), tried=tried))


def test_a_best_remedy_that_gains_nothing_is_no_luck():
    idle = replace(HELP, helps=False, recall=0.1, n_gained=0, p_value=1.0)
    words = text(verdict(disjuncts=(PART,), tried=remedies(idle)))
    assert "10%; no more than before." in words
    assert "luck" not in words


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_correct": 0}, "b/2, 8 rows of the class “b”, of which none is recognised"),
        ({"n_correct": 1}, "of which one is recognised"),
        ({"n_correct": 3}, "of which 3 are recognised"),
        ({"size": 20}, "b/2, all 20 rows of the class “b”"),
        ({"where": "x from 1 to 2"}, "8 rows of the class “b” (x from 1 to 2), of which"),
    ],
)
def test_what_is_missed_is_told_in_words(changes, words):
    assert words in text(verdict(disjuncts=(replace(PART, **changes),)))


def test_many_low_classes_are_cut_short():
    found = verdict((WEAK,) * 5)
    assert "and 2 more" in text(found)
    assert found.headline.startswith("5 classes are recognised clearly less often")
    assert verdict((LOST,) * 4).headline.startswith("4 classes are mostly missed")


def test_one_repeated_row_is_one():
    assert "One row repeats an earlier one" in text(verdict(data=replace(DATA, n_duplicates=1)))


def test_a_model_without_errors_has_no_worst_class():
    perfect = replace(SCORES, accuracy=1.0, class_recalls={"a": 1.0, "b": 1.0})
    first = verdict_of(DATA, perfect, (FINE,), (), 0, None).sentences[0]
    assert first == "Plain SVM predicts all rows correctly, each without having seen it."
    assert "of the class “b”, 60.0%" in verdict().sentences[0]
