import os
import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression

from kpboost.auditing import audit
from kpboost.auditing._models import AuditedModel, run_all
from kpboost.auditing._parts import Parts
from kpboost.auditing._records import THRESHOLD, ClassFinding, DisjunctFinding
from kpboost.auditing._remedies import (
    NO_SCORES,
    Asked,
    Strata,
    asked_of,
    compare_remedies,
    everything,
    holm,
    moved_threshold,
    paired_interval,
    swap_test,
    with_control,
)
from kpboost.model_selection import OperatingPointClassifier, OutOfFold, make_folds, out_of_fold
from support.patience import HANG, CtrlC, wait_until
from support.planted_data import plain_svm, planted

CODES = np.repeat([0, 1], [80, 20])
PARTS = Parts(np.repeat([0, 1], [80, 20]), np.array([0, 1]), np.array([80, 20]))
FOLDS = make_folds(CODES, 5, 0)
ROWS = tuple(range(80, 100))
MISSED = DisjunctFinding("b/1", "b", 20, 2, 0.1, 0.0, 0.3, 0.01, True, ROWS)
WHOLE = Asked("class b", 1, np.arange(80, 100))
HALF = Asked("b/1", 1, np.arange(80, 90))


def candidate(name, predicted):
    answer = ValueError("cannot")
    if predicted is not None:
        predicted = np.asarray(predicted)
        answer = OutOfFold(predicted, np.eye(2)[predicted], 1.0)
    return AuditedModel(name, name.title(), None), answer


def right_on(n_rare, n_common=80):
    predicted = np.zeros(100, dtype=int)
    predicted[80 : 80 + n_rare] = 1
    predicted[n_common:80] = 1
    return predicted


def scored(n_rare, n_moved, n_lost=0):
    """An audited model that recognises some rare rows, and more of them with its threshold moved.

    Rows in order: common ones far off, common ones that a moved threshold loses; rare ones that no
    threshold finds, that a moved one finds, and that are found anyhow.
    """
    score = np.full(100, -3.0)
    score[80 - n_lost : 80] = -1.0
    score[80 : 80 + n_rare] = 3.0
    score[80 + n_rare : 80 + n_moved] = -1.0
    found = OutOfFold((score > 0).astype(int), np.column_stack([-score / 2, score / 2]), 1.0)
    return AuditedModel("before", "Before", None), found


def run(*candidates, before=None, asked=(WHOLE,)):
    audited = candidate("before", right_on(2)) if before is None else before
    data = SimpleNamespace(codes=CODES, names=["a", "b"])
    return compare_remedies(
        with_control([audited, *candidates], data.codes, FOLDS), data, PARTS, asked
    )


def test_help_beyond_chance_is_recommended():
    found = run(candidate("good", right_on(18)), candidate("idle", right_on(3)))
    (question,) = found.questions
    good, idle = question.tried
    assert found.recommended == question.recommended == "good"
    assert question.best is good
    assert (good.n_gained, good.n_lost, good.recall) == (16, 0, 0.9)
    assert good.gain == pytest.approx(0.8)
    assert good.gain_low < 0.8 < good.gain_high
    assert good.helps
    assert not idle.helps
    assert question.recall_before == 0.1
    assert [each.name for each in found.models] == ["good", "idle"]


def test_a_model_without_scores_has_no_threshold_to_move():
    found = run(candidate("good", right_on(18)))
    assert found.questions[0].control is None
    assert found.failed == {THRESHOLD: NO_SCORES}
    assert found.questions[0].tried[0].lead == found.questions[0].tried[0].worth


def test_a_threshold_that_does_it_is_recommended():
    found = run(candidate("other", right_on(18)), before=scored(2, 18))
    (question,) = found.questions
    assert question.control.recall == 0.9
    assert question.control.helps
    assert question.recommended == found.recommended == THRESHOLD
    assert question.tried[0].lead == 0.0
    assert question.tried[0].p_value == 1.0
    assert not question.tried[0].helps


def test_what_beats_the_threshold_is_recommended():
    found = run(candidate("other", right_on(20)), before=scored(2, 10, n_lost=10))
    (question,) = found.questions
    assert question.control.helps
    assert question.control.worst == pytest.approx(-10 / 80)
    assert question.recommended == "other"
    other = question.tried[0]
    assert other.lead == pytest.approx(other.worth - question.control.worth)
    assert other.lead_low < other.lead < other.lead_high


def test_a_part_and_its_class_are_asked_one_by_one():
    """For the part one remedy is better, for the class another."""
    for_part = np.where(np.isin(np.arange(100), np.arange(80, 90)), 1, 0)
    for_class = right_on(20, n_common=74)
    found = run(
        candidate("part", for_part), candidate("class", for_class), asked=(HALF, WHOLE),
        before=candidate("before", right_on(0)),
    )  # fmt: skip
    assert [each.recommended for each in found.questions] == ["part", "class"]
    assert found.recommended == "part"  # of equals, the first finding's
    assert found.question("b/1").n_rows == 10
    assert found.question("nobody") is None


def test_costs_elsewhere_are_told_and_count():
    cheap, dear = candidate("cheap", right_on(15)), candidate("dear", right_on(16, n_common=10))
    found = run(dear, cheap)
    assert found.recommended == "cheap"
    tried = {each.name: each for each in found.questions[0].tried}
    assert round(tried["cheap"].elsewhere, 3) == 0.0
    assert round(tried["dear"].elsewhere, 3) == -0.875
    assert tried["dear"].worst_class == "a"
    assert not tried["dear"].helps


def test_gains_of_the_own_class_do_not_pay_for_losses_of_others():
    """Calling everything by the name of the class is no remedy for a part of it."""
    everyone = candidate("everyone", np.ones(100, dtype=int))
    (question,) = run(everyone, asked=(HALF,), before=candidate("b", right_on(0))).questions
    answer = question.tried[0]
    assert answer.gain == 1.0
    assert answer.elsewhere == -1.0
    assert answer.worth == 0.0
    assert question.recommended == ""


def test_no_class_may_lose_more_than_the_finding_gains():
    """On the mean of many classes the loss of one is small, and gains of others do not pay."""
    codes = np.repeat(np.arange(6), 20)
    asked = Asked("class f", 5, np.arange(100, 120))
    before = codes.copy()
    before[100:110] = 0
    before[20:40] = 0  # class b gains all
    after = codes.copy()
    after[:18] = 1  # class a is given up for half of class f
    data = SimpleNamespace(codes=codes, names=list("abcdef"))
    parts = Parts(codes, np.arange(6), np.full(6, 20))
    replies = [
        (AuditedModel(name, name, None), OutOfFold(answers, np.eye(6)[answers], 1.0))
        for name, answers in (("before", before), ("after", after))
    ]
    found = compare_remedies(
        with_control(replies, codes, make_folds(codes, 5, 0)), data, parts, [asked]
    )
    (answer,) = found.questions[0].tried
    assert answer.worth == pytest.approx(0.5 - 0.9)
    assert (answer.worst_class, answer.worst) == ("a", pytest.approx(-0.9))
    assert not answer.helps


def test_rare_classes_count_as_much_as_common_ones():
    """Ten common rows and ten rare ones are different losses."""
    strata = Strata.of(Asked("p", 0, np.arange(10)), np.repeat([0, 1, 2], [100, 800, 10]))
    was = np.ones(910, dtype=bool)
    common, rare = was.copy(), was.copy()
    common[100:110] = False
    rare[900:] = False
    before = strata.recalls(was)
    assert strata.elsewhere(strata.recalls(common) - before) == pytest.approx(-10 / 800)
    assert strata.elsewhere(strata.recalls(rare) - before) == -1


def test_a_loss_in_fewer_than_five_rows_tells_nothing():
    strata = Strata.of(Asked("p", 0, np.arange(10)), np.repeat([0, 1, 2], [10, 80, 4]))
    changes = np.array([0.5, -0.1, -1.0])
    assert strata.elsewhere(changes) == -0.1
    assert strata.worst(changes) == 1


def test_nothing_helps():
    found = run(candidate("idle", right_on(4)), candidate("worse", right_on(0)))
    assert found.recommended == ""
    assert not any(each.helps for each in found.questions[0].tried)
    assert found.questions[0].best.name == "idle"


def test_a_remedy_that_fails_is_told():
    found = run(candidate("broken", None), candidate("good", right_on(18)))
    assert found.failed["broken"] == "cannot"
    assert found.recommended == "good"


def test_all_rows_have_no_elsewhere():
    (question,) = run(candidate("good", right_on(20)), asked=[everything(CODES)]).questions
    answer = question.tried[0]
    assert (question.label, answer.elsewhere, answer.worst_class) == ("", 0.0, "")
    assert answer.gain == pytest.approx(0.18)


@pytest.mark.parametrize(
    ("ours", "other", "words"),
    [
        (10, 18, "loses here: Kpboost recognises 50% of the rows of the class “b”;"),
        (10, 18, "the recommended Other 90%."),
        (18, 18, "is on a par here"),
        (20, 12, "is ahead here"),
        (20, 12, "the best of the others, Other 60%"),
        (20, 3, "is ahead here"),
        (4, 18, "loses here: Kpboost recognises 20%"),
        (4, 18, "but the gain may be luck; the recommended"),
        (1, 18, "but no more than before;"),
        (4, 3, "does not help here either: Kpboost recognises 20%"),
    ],
)
def test_kpboost_is_judged_like_the_others(ours, other, words):
    found = run(candidate("kpboost", right_on(ours)), candidate("other", right_on(other)))
    assert words in found.kpboost


def test_kpboost_is_compared_with_the_moved_threshold_too():
    found = run(candidate("kpboost", right_on(18)), before=scored(2, 18))
    assert "KPBoost is on a par here" in found.kpboost
    assert "the recommended “Before, threshold moved” 90%" in found.kpboost


def test_nothing_is_said_of_kpboost_alone_or_absent():
    assert run(candidate("kpboost", right_on(18))).kpboost == ""
    assert run(candidate("other", right_on(18))).kpboost == ""


@pytest.mark.parametrize(("gained", "lost"), [(5, 0), (8, 1), (3, 2), (20, 9), (12, 3)])
def test_swaps_in_one_stratum_are_the_binomial_test(gained, lost):
    strata = Strata.of(Asked("all", -1, np.arange(40)), np.zeros(40, dtype=int))
    change = np.array([(gained - lost) / 40])
    expected = binomtest(gained, gained + lost, alternative="greater").pvalue
    found = swap_test(strata, change, np.zeros(1), np.array([gained + lost]))
    assert found == pytest.approx(expected, abs=0.015)


def test_swaps_of_two_equal_models_give_uniform_p_values():
    """Two models with the same chance on every row: at most 5 % below 5 %, and not far less."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [300, 60])
    strata = Strata.of(Asked("p", 1, np.arange(300, 340)), codes)
    chance = rng.random(360)
    small = 0
    for _ in range(300):
        was, one, two = (rng.random(360) < chance for _ in range(3))
        before = strata.recalls(was)
        up, down = strata.changes(one, two)
        changes = [strata.recalls(each) - before for each in (one, two)]
        small += swap_test(strata, *changes, up + down) <= 0.05
    assert 3 <= small <= 25  # of 300; 0.1 % limits of a binomial count at 5 % on the upper side


def test_paired_intervals_cover():
    """Agresti and Min's interval covers the true change in about 95 % of the draws."""
    rng = np.random.default_rng(1)
    cells = rng.multinomial(20, [0.35, 0.05, 0.3, 0.3], size=2000)
    limits = np.array([paired_interval(g, lost, 20) for g, lost, *_ in cells.tolist()])
    covered = (limits[:, 0] <= 0.3) & (limits[:, 1] >= 0.3)
    assert 0.93 <= covered.mean() <= 0.98


def test_paired_interval_by_hand():
    low, high = paired_interval(8, 0, 8)
    assert (low, high) == (pytest.approx(0.8 - 1.96 * 0.026**0.5, abs=1e-4), 1.0)


def test_a_threshold_is_chosen_without_the_row_that_it_is_used_on():
    """The labels of a fold change nothing about the predictions in it."""
    rng = np.random.default_rng(0)
    codes = (np.arange(200) % 5 == 0).astype(int)
    score = rng.normal(size=200) + codes - 1
    before = OutOfFold((score > 0).astype(int), np.column_stack([-score / 2, score / 2]), 0.0)
    folds = make_folds(codes, 5, 0)
    first = moved_threshold(before, codes, folds)
    changed = codes.copy()
    test = folds[2][1]
    changed[test] = 1 - changed[test]
    second = moved_threshold(before, changed, folds)
    np.testing.assert_array_equal(first.predicted[test], second.predicted[test])
    assert (first.predicted != second.predicted).any()
    assert (first.predicted == 1).sum() > (before.predicted == 1).sum()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_moved_threshold_is_that_of_an_operating_point_classifier(n_classes):
    rng = np.random.default_rng(0)
    shares = {2: [0.85, 0.15], 3: [0.7, 0.2, 0.1]}[n_classes]
    codes = rng.choice(n_classes, 400, p=shares)
    X = rng.normal(size=(400, 3)) + codes[:, None]
    folds = make_folds(codes, 4, 0)
    model = LogisticRegression()
    before = out_of_fold(model, X, codes, list(range(n_classes)), folds)
    moved = moved_threshold(before, codes, folds).predicted
    theirs = OperatingPointClassifier(model, cv=folds).fit(X, codes)
    nested = theirs.operating_point_.decision.codes(theirs.oof_scores_)
    assert (moved == nested).mean() >= 0.95  # chosen on three quarters, and on all


@pytest.mark.parametrize("odd", [np.nan, np.inf, 1e200])
def test_scores_that_are_no_numbers_to_calculate_with_have_no_threshold(odd):
    scores = np.column_stack([np.zeros(100), np.linspace(-1, 1, 100)])
    scores[7, 0] = odd
    assert isinstance(moved_threshold(OutOfFold(CODES, scores, 0.0), CODES, FOLDS), ValueError)


@pytest.mark.parametrize("value", [0.0, np.log(1e-6)])
def test_scores_that_say_nothing_do_no_harm(value):
    rare = np.repeat([0, 1, 2], [50, 2, 3])
    same = OutOfFold(np.zeros(55, dtype=int), np.full((55, 3), value), 0.0)
    assert isinstance(moved_threshold(same, rare, make_folds(rare, 5, 0)), OutOfFold)


def test_a_class_that_other_folds_lack_leaves_the_model_its_word():
    codes = np.repeat([0, 1], [30, 10])
    folds = [(np.arange(30), np.arange(30, 40)), (np.arange(30, 40), np.arange(30))]
    score = np.linspace(-1, 1, 40)
    before = OutOfFold((score > 0).astype(int), np.column_stack([-score / 2, score / 2]), 0.0)
    np.testing.assert_array_equal(moved_threshold(before, codes, folds).predicted, before.predicted)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_missed_disjuncts_and_low_classes_are_asked_about():
    fine = ClassFinding("a", 80, 80, 1.0, 0.9, 1.0, "fine")
    weak = ClassFinding("b", 20, 9, 0.45, 0.2, 0.7, "weak")
    part, whole = asked_of([MISSED], [fine, weak], CODES)
    assert (part.name, whole.name) == ("b/1", "class b")
    assert (part.code, whole.code) == (1, 1)
    assert part.rows.tolist() == whole.rows.tolist() == list(ROWS)
    assert asked_of([], [fine], CODES) == []


def test_an_audited_model_that_fails_ends_the_comparison():
    with pytest.raises(ValueError, match="cannot"):
        run(before=candidate("own", None))


# More processes than there will ever be.
NEVER = 1000


def task(number, seconds=0.0):
    """A model at work; the function is made here, as other processes cannot import the tests."""

    def answer():
        time.sleep(seconds)
        if number < 0:
            raise ValueError("cannot")
        if number == 100:
            raise MemoryError("full")
        if number == 101 and os.getpid() != owner:
            os._exit(1)
        return OutOfFold(np.array([number, os.getpid()]), np.zeros((1, 2)), 0.0)

    owner = os.getpid()
    return answer


def silent(number):
    pass


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_answers_keep_their_order_and_reports_go_from_the_last_to_the_first(n_jobs):
    said = []
    asked = [task(n, 0.03 * n) for n in range(4)]
    replies = run_all(asked, n_jobs, lambda number: said.append((number, threading.get_ident())))
    assert [int(each.predicted[0]) for each in replies] == [0, 1, 2, 3]
    assert said == [(n, threading.main_thread().ident) for n in (3, 2, 1, 0)]


def task_in_company(number, folder, company):
    """A model that leaves a file with the name of its process, and waits for those of others."""

    def answer():
        (folder / str(os.getpid())).touch()
        end = time.monotonic() + HANG
        while len(os.listdir(folder)) < company and time.monotonic() < end:
            time.sleep(0.01)
        return plain()

    plain = task(number)
    return answer


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_models_are_asked_in_so_many_processes(n_jobs, tmp_path):
    asked = [task_in_company(n, tmp_path, company=n_jobs) for n in range(4)]
    replies = run_all(asked, n_jobs, silent)
    places = {int(each.predicted[1]) for each in replies}
    assert len(places) == n_jobs
    assert (os.getpid() in places) == (n_jobs == 1)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_failure_is_an_answer(n_jobs):
    good, bad = run_all([task(1), task(-1)], n_jobs, silent)
    assert isinstance(good, OutOfFold)
    assert isinstance(bad, ValueError)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_other_errors_are_not_hidden(n_jobs):
    with pytest.raises(MemoryError):
        run_all([task(0), task(100)], n_jobs, silent)


def test_a_model_that_cannot_be_sent_is_asked_here():
    lock = threading.Lock()

    def locked():
        with lock:
            return task(7)()

    replies = run_all([locked, task(1)], 2, silent)
    assert [int(each.predicted[0]) for each in replies] == [7, 1]


def test_a_lost_process_is_made_up_for():
    replies = run_all([task(101), task(1)], 2, silent)
    assert [int(each.predicted[0]) for each in replies] == [101, 1]


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another thing on Windows")
def test_ctrl_c_ends_it_at_once(tmp_path):
    """Also where polars is loaded, whose handling of signals does not end a wait for a lock."""
    pytest.importorskip("polars")
    asked = [task_in_company(n, tmp_path, company=NEVER) for n in range(4)]
    both_at_work = CtrlC(lambda: len(os.listdir(tmp_path)) == 2)
    with pytest.raises(KeyboardInterrupt), both_at_work:
        run_all(asked, 2, silent)
    places = [int(name) for name in os.listdir(tmp_path)]
    wait_until(lambda: not any(map(lives, places)))  # they would wait for company for minutes


def lives(process):
    with suppress(ProcessLookupError):
        os.kill(process, 0)
        return True
    return False


def test_an_audit_does_not_depend_on_the_number_of_jobs():
    X, y, _ = planted(n_common=120)
    one, two = (
        audit(
            X, y, plain_svm(), cv=3, remedies=["svm_balanced", "kpboost", "ks"], n_jobs=n
        ).remedies
        for n in (1, 2)
    )
    assert one.recommended == two.recommended
    assert one.kpboost == two.kpboost
    assert one.questions == two.questions
    for first, second in zip(one.models, two.models, strict=True):
        assert first.class_recalls == second.class_recalls
