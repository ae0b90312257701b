from dataclasses import replace

import pytest

from kpboost.auditing._records import (
    THRESHOLD,
    Answer,
    ClassFinding,
    DataFacts,
    Decider,
    DisjunctFinding,
    Drift,
    ModelScores,
    Question,
    Remedies,
)
from kpboost.auditing._words import verdict_of
from kpboost.datasets import ColumnRole, Leak

DATA = DataFacts(100, 2, 0, {"a": 80, "b": 20}, 4.0, 0, 0, 0, (), ())
SCORES = ModelScores("svm", "plain SVM", 0.95, 0.8, 0.8, 0.1, {"a": 0.99, "b": 0.6}, 1.0)
FINE = ClassFinding("a", 80, 79, 0.99, 0.9, 1.0, "fine")
WEAK = ClassFinding("b", 20, 12, 0.6, 0.36, 0.81, "weak")
LOST = ClassFinding("b", 20, 1, 0.05, 0.0, 0.25, "missed")
PART = DisjunctFinding("b/2", "b", 8, 1, 0.125, 0.0, 0.5, 0.005, True, tuple(range(8)))
HELP = Answer(
    "svm", "plain SVM", 0.9, 0.7, 1.0, 0.8, 0.5, 0.95, -0.02, "a", -0.02, 0.6, 0.2, 1.0, 7, 0, 0.01,
    helps=True,
)  # fmt: skip
MOVED = replace(HELP, name=THRESHOLD, title="plain SVM, threshold moved", recall=0.5, gain=0.4)


def remedies(*tried, recommended="", control=None, finding="b/2"):
    asked = Question(finding, "b", 8, 0.1, control, tried, recommended)
    models = (replace(SCORES, accuracy=0.97), replace(SCORES, name=THRESHOLD, accuracy=0.94))
    models = models if tried or control else ()
    return Remedies(SCORES, models, (asked,), {}, recommended, "KPBoost loses here: x.")


def verdict(classes=(FINE,), disjuncts=(), tried=None, data=DATA, n_scattered=0, n_wrong=0):
    return verdict_of(data, SCORES, classes, disjuncts, n_scattered, tried, n_wrong)


@pytest.mark.parametrize(
    ("found", "mood", "headline"),
    [
        (verdict(), "good", "Nothing is clearly missed."),
        (verdict((FINE, WEAK)), "mixed", "One class is recognised clearly less"),
        (verdict((FINE, LOST)), "bad", "One class is mostly missed; no single part stands out."),
        (verdict(disjuncts=(PART,)), "bad", "One part of a class is missed."),
        (verdict(disjuncts=(PART, PART)), "bad", "2 parts of classes are missed."),
        (
            verdict(disjuncts=(PART,), tried=remedies(HELP, recommended="svm")),
            "mixed",
            "One part of a class is missed.",
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
    assert "For b/2, plain SVM helps: it recognises 90% of its 8 rows instead of 10% on" in words
    assert "on new folds, at the cost of 2.0% of the class “a”, with an accuracy of" in words
    assert "with an accuracy of 97.0% instead of 95.0%." in words
    assert "KPBoost loses here" in words


def test_the_moved_threshold_stands_beside_what_helps():
    tried = remedies(HELP, recommended="svm", control=replace(MOVED, helps=False))
    assert (
        "class “a”, with an accuracy of 97.0% instead of 95.0%; a moved threshold recognises 50%."
        in text(verdict(tried=tried))
    )


def test_a_threshold_that_does_it_is_told():
    idle = replace(HELP, helps=False)
    found = verdict(disjuncts=(PART,), tried=remedies(idle, recommended=THRESHOLD, control=MOVED))
    assert (
        "For b/2, a threshold does it: moved, it recognises 50% of its 8 rows instead of 10% on "
        "new folds, at the cost of 2.0% of the class “a”, with an accuracy of 94.0% instead of "
        "95.0%; no other model is clearly better."
    ) in found.sentences
    assert found.mood == "mixed"


def test_a_class_is_called_a_class():
    tried = remedies(HELP, recommended="svm", finding="class b")
    assert "For the class “b”, plain SVM helps" in text(verdict((FINE, WEAK), tried=tried))


def test_every_finding_has_a_sentence_up_to_three():
    one = remedies(HELP, recommended="svm")
    four = replace(one, questions=one.questions * 5)
    words = text(verdict(disjuncts=(PART,) * 5, tried=four))
    assert words.count("For b/2,") == 3
    assert "What helps the other 2 findings is below." in words


def test_the_same_folds_are_told():
    tried = replace(remedies(HELP, recommended="svm"), new_folds=False)
    assert "on the same folds (a part of it may be luck)" in text(verdict(tried=tried))


def test_it_says_when_nothing_helps():
    idle = replace(HELP, helps=False, recall=0.2, gain_low=-0.1, p_value=0.4)
    words = text(verdict(disjuncts=(PART,), tried=remedies(idle)))
    assert "For b/2, nothing that was tried helps beyond chance and is worth its cost" in words
    assert (
        "recognises 20% of its 8 rows instead of 10% on new folds; the gain may be luck." in words
    )


@pytest.mark.parametrize(
    ("change", "control", "words"),
    [
        ({"n_gained": 0}, None, "no more than before"),
        ({"gain_low": 0.0}, None, "the gain may be luck"),
        ({"elsewhere": -0.9, "worst": -0.9}, None, "the gain costs 90.0% of the class “a”"),
        (
            {"p_value": 0.2},
            replace(MOVED, helps=False),
            "not clearly better than a moved threshold",
        ),
        ({"p_value": 0.2}, None, "after its cost the gain may be luck"),
        (
            {"elsewhere": -0.85, "worst": -0.85, "worst_class": "b"},
            None,
            "85.0% of the rest of the class “b”",
        ),
    ],
)
def test_why_nothing_helps_is_true_to_the_case(change, control, words):
    idle = replace(HELP, helps=False, **change)
    assert words in text(verdict(disjuncts=(PART,), tried=remedies(idle, control=control)))


def test_the_worst_class_stands_beside_the_accuracy():
    assert "accuracy 95.0%; recall of “b” 60.0%" in text(verdict())


def test_data_that_spoil_the_scores_are_named():
    data = replace(DATA, n_contradictions=3, n_unavoidable=1, left_out=("Gone.",))
    words = text(verdict(data=data))
    assert "3 rows agree in every column with a row of another class" in words
    assert "Gone." in words


LEAK = Leak("bill", 1.0)
TIME = Drift("visit", False, "b", 0.1, 0.5, 1e-6)
SORTED = Drift("", True, "b", 0.0, 1.0, 1e-20)


def test_a_leak_stands_first_and_is_never_green():
    found = verdict(data=replace(DATA, leaks=(LEAK,)))
    assert found.mood == "mixed"
    assert found.headline.startswith("A column may give the class away")
    assert "Nothing is clearly missed" not in found.headline
    assert found.sentences[0].startswith("Possible leak: column 'bill'")
    assert found.warnings == found.sentences[:1]
    two = verdict(data=replace(DATA, n_columns=4, leaks=(LEAK, LEAK)))
    assert two.headline.startswith("2 columns may give the class away")


def test_where_most_columns_tell_the_class_it_is_asked_calmly():
    leaks = tuple(Leak(name, 1.0) for name in "uvwx")
    found = verdict(data=replace(DATA, n_columns=6, leaks=leaks))
    said = "4 of 6 columns alone predict the class ('u', 'v', 'w' and 1 more): easy classes, or"
    assert said in text(found)
    assert (found.mood, found.warnings) == ("mixed", ())
    assert found.headline == "Nothing is clearly missed."
    assert verdict(data=replace(DATA, n_columns=1, leaks=leaks[:1])).warnings


def test_a_leak_does_not_hide_what_is_missed():
    found = verdict(disjuncts=(PART,), data=replace(DATA, leaks=(LEAK,)))
    assert found.mood == "bad"
    assert found.headline.endswith("One part of a class is missed.")


def test_copies_in_two_folds_are_never_green():
    parted = replace(DATA, n_copies=7, copies_together=False)
    found = verdict(data=parted)
    assert found.mood == "mixed"
    assert found.headline == "Copies of rows are both learnt and tested: scores are too good."
    assert found.sentences[0].startswith("Of 100 rows, 7 rows agree with others in every feature")
    kept = verdict(data=replace(parted, copies_together=True))
    assert (kept.mood, kept.warnings) == ("good", ())
    assert kept.sentences[0].endswith("a coincidence; such copies stay in one fold.")
    assert "one row agrees with another" in text(verdict(data=replace(parted, n_copies=1)))


def test_a_class_that_follows_time_is_a_warning():
    found = verdict(data=replace(DATA, drifts=(TIME,)))
    assert found.warnings[0].startswith(
        "The share of “b” changes over time (column 'visit'): 10% of the first fifth and 50% of"
    )
    rows = verdict(data=replace(DATA, drifts=(replace(TIME, column=""),)))
    assert rows.warnings[0].startswith("The share of “b” changes in the order of the rows:")


def test_a_sorted_file_is_named_and_harmless():
    found = verdict(data=replace(DATA, drifts=(SORTED,)))
    assert found.sentences[0].startswith("The file is sorted by the class.")
    assert (found.mood, found.warnings) == ("good", ())
    leak = replace(LEAK, follows_rows=True)
    told = verdict(data=replace(DATA, drifts=(SORTED,), leaks=(leak,)))
    assert "sorted by the class" not in text(told)  # the leak says it


def test_deciders_stand_before_the_scores_and_identifiers_last():
    role = ColumnRole("Id", "identifier", "running numbers")
    data = replace(DATA, roles=(role,), seen_identifiers=("Id",),
                   deciders=(Decider("petal", "setosa", 1.0),))  # fmt: skip
    first, second, *_, left_out, last = verdict(data=data).sentences
    assert first.startswith("One column alone decides a class: 'petal' tells “setosa” from all")
    assert "accuracy 95.0%" in second
    assert left_out.startswith("Left out as identifiers: 'Id'")
    assert last == "The audited model gets 'Id' all the same, as it gets the whole table."


def test_many_findings_are_cut_short():
    assert "and 2 more" in text(verdict(disjuncts=(PART,) * 5))


def test_errors_among_rows_that_cannot_be_tested_are_counted():
    said = text(verdict(n_scattered=37, n_wrong=9))
    assert "37 rows (37.0% of all) lie in parts of fewer than 5 rows, too small to be" in said
    assert "9 of them are predicted wrongly" in said


def test_where_most_rows_cannot_be_tested_nothing_is_called_good():
    found = verdict(n_scattered=51, n_wrong=3)
    assert (found.mood, found.headline) == ("mixed", "Too few rows to tell.")
    assert "51 rows (51.0% of all) lie in parts of fewer than 5 rows" in text(found)
    assert verdict(n_scattered=50).mood == "good"
    assert verdict(disjuncts=(PART,), n_scattered=80).headline == "One part of a class is missed."


@pytest.mark.parametrize(("n_rows", "n_wrong"), [(100, 4), (2000, 8)])
def test_no_alarm_where_hardly_anything_is_wrong(n_rows, n_wrong):
    data = replace(DATA, n_rows=n_rows)
    assert "too small" not in text(verdict(data=data, n_scattered=50, n_wrong=n_wrong))


def test_sentences_about_findings_are_on_their_cards():
    found = verdict(classes=(FINE, WEAK), disjuncts=(PART,), tried=remedies(HELP))
    assert [each for each in found.on_cards if each.startswith("Missed: ")]
    assert not [each for each in found.remarks if "low recall" in each or "Missed" in each]
    assert {*found.remarks} | {*found.on_cards} | {*found.warnings} == {*found.sentences}
    assert verdict().on_cards == ()


def test_nothing_is_said_where_all_rows_are_tested():
    assert "too small" not in text(verdict())


def test_it_says_when_no_remedies_were_tried():
    assert "No remedies were tried." in text(verdict(disjuncts=(PART,)))
    assert "No remedies" not in text(verdict())
    assert "No other model could be tried." in text(verdict(disjuncts=(PART,), tried=remedies()))


@pytest.mark.parametrize(
    ("worst", "words"),
    [
        (0.01, "at no cost to any class"),
        (-0.003, "at hardly any cost to any class"),
        (-0.031, "at the cost of 3.1% of the class “a”"),
    ],
)
def test_the_price_is_what_it_is(worst, words):
    best = replace(HELP, worst=worst)
    assert words in text(verdict(disjuncts=(PART,), tried=remedies(best, recommended="svm")))


def test_there_are_no_other_rows_where_all_are_in_question():
    best = replace(HELP, worst_class="", worst=0.0)
    tried = remedies(best, recommended="svm", finding="all rows")
    assert "For all rows, plain SVM helps" in text(verdict(tried=tried))
    assert "instead of 10% on new folds, with an accuracy of" in text(verdict(tried=tried))


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


def test_a_model_without_errors_has_no_worst_class():
    perfect = replace(SCORES, accuracy=1.0, class_recalls={"a": 1.0, "b": 1.0})
    first = verdict_of(DATA, perfect, (FINE,), (), 0, None).sentences[0]
    assert first == "Plain SVM: cross-validated accuracy 100.0%."
    assert "recall of “b” 60.0%" in verdict().sentences[0]
