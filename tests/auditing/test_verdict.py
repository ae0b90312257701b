from dataclasses import replace

import pytest

from kpboost.auditing.records import (
    ClassFinding,
    DataFacts,
    DisjunctFinding,
    Remedies,
    Remedy,
    Scores,
)
from kpboost.auditing.verdict import verdict_of

DATA = DataFacts(100, 2, 0, {"a": 80, "b": 20}, 4.0, 0, 0, 0, (), ())
SCORES = Scores("svm", "plain SVM", 0.95, 0.8, 0.8, 0.1, {"a": 0.99, "b": 0.6}, 1.0)
FINE = ClassFinding("a", 80, 79, 0.99, 0.9, 1.0, "fine")
WEAK = ClassFinding("b", 20, 12, 0.6, 0.36, 0.81, "weak")
LOST = ClassFinding("b", 20, 1, 0.05, 0.0, 0.25, "missed")
PART = DisjunctFinding("b/2", "b", 8, 1, 0.125, 0.0, 0.5, 0.005, True, tuple(range(8)))
HELP = Remedy(SCORES, 0.9, 0.7, 1.0, 7, 0, 0.01, True, -0.02, {"b/2": 0.9}, "svm")


def remedies(*tried, recommended=""):
    return Remedies(("b/2",), 8, SCORES, 0.1, tried, {}, recommended, "KPBoost loses here: x.")


def verdict(classes=(FINE,), disjuncts=(), tried=None, data=DATA):
    return verdict_of(data, SCORES, classes, disjuncts, tried)


@pytest.mark.parametrize(
    ("found", "mood", "headline"),
    [
        (verdict(), "good", "Nothing is clearly missed."),
        (verdict((FINE, WEAK)), "mixed", "One class is recognised clearly less"),
        (verdict((FINE, LOST)), "bad", "One class is recognised clearly less"),
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
    assert "which may be luck" in words


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
