import os
import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binomtest

from kpboost.auditing import audit
from kpboost.auditing._models import (
    AuditedModel,
    compare_remedies,
    holm,
    question_of,
    run_all,
    sign_test,
)
from kpboost.auditing._parts import Parts
from kpboost.auditing._records import ClassFinding, DataFacts, DisjunctFinding
from kpboost.auditing._words import verdict_of
from kpboost.model_selection import OutOfFold
from support.patience import HANG, CtrlC, wait_until
from support.planted_data import plain_svm, planted

CODES = np.repeat([0, 1], [80, 20])
PARTS = Parts(np.repeat([0, 1], [80, 20]), np.array([0, 1]), np.array([80, 20]))
FACTS = DataFacts(100, 2, 0, {"a": 80, "b": 20}, 4.0, 0, 0, 0, (), ())
ROWS = tuple(range(80, 100))
MISSED = DisjunctFinding("b/1", "b", 20, 2, 0.1, 0.0, 0.3, 0.01, True, ROWS)


def candidate(name, predicted):
    answer = ValueError("cannot")
    if predicted is not None:
        answer = OutOfFold(np.asarray(predicted), np.zeros((100, 2)), 1.0)
    return AuditedModel(name, name.title(), None), answer


def right_on(n_rare, n_common=80):
    predicted = np.zeros(100, dtype=int)
    predicted[80 : 80 + n_rare] = 1
    predicted[n_common:80] = 1
    return predicted


def run(*candidates, before=2):
    question = (("b/1",), np.array(ROWS))
    audited = candidate("before", right_on(before))
    data = SimpleNamespace(codes=CODES, names=["a", "b"])
    return compare_remedies([audited, *candidates], data, PARTS, question, [MISSED])


def test_help_beyond_chance_is_recommended():
    found = run(candidate("good", right_on(18)), candidate("idle", right_on(3)))
    good, idle = found.tried
    assert found.recommended == "good"
    assert (good.n_gained, good.n_lost, good.recall) == (16, 0, 0.9)
    assert good.helps
    assert not idle.helps
    assert good.disjunct_recalls == {"b/1": 0.9}
    assert found.recall_before == 0.1


def test_costs_elsewhere_are_told_and_count():
    cheap, dear = candidate("cheap", right_on(15)), candidate("dear", right_on(16, n_common=10))
    found = run(dear, cheap)
    assert found.recommended == "cheap"
    assert {each.scores.name: round(each.elsewhere, 3) for each in found.tried} == {
        "cheap": 0.0,
        "dear": -0.875,
    }


def test_a_gain_that_costs_more_than_it_brings_is_no_help():
    found = run(candidate("dear", right_on(16, n_common=20)))
    assert found.tried[0].p_value < 0.001
    assert found.tried[0].elsewhere == -0.75
    assert not found.tried[0].helps
    assert found.recommended == ""
    verdict = verdict_of(FACTS, found.before, [], [MISSED], 0, found)
    assert any("80%; the gain costs 75.0% of all other rows" in s for s in verdict.sentences)


def test_nothing_helps():
    found = run(candidate("idle", right_on(4)), candidate("worse", right_on(0)))
    assert found.recommended == ""
    assert not any(each.helps for each in found.tried)


def test_a_remedy_that_fails_is_told():
    found = run(candidate("broken", None), candidate("good", right_on(18)))
    assert found.failed == {"broken": "cannot"}
    assert found.recommended == "good"


@pytest.mark.parametrize(
    ("ours", "other", "words"),
    [
        (10, 18, "loses here: Kpboost recognises 50% of the rows in question"),
        (10, 18, "the recommended Other 90% (0.95)."),
        (18, 18, "is on a par here"),
        (20, 12, "is ahead here"),
        (20, 12, "the best of the others, Other 60%"),
        (20, 3, "is ahead here"),
        (4, 18, "loses here: Kpboost recognises 20%"),
        (4, 18, "over all rows), but the gain may be luck; the recommended"),
        (1, 18, "but no more than before;"),
        (4, 3, "does not help here either: Kpboost recognises 20%"),
    ],
)
def test_kpboost_is_judged_like_the_others(ours, other, words):
    found = run(candidate("kpboost", right_on(ours)), candidate("other", right_on(other)))
    assert words in found.kpboost


def test_kpboost_is_compared_with_the_recommended_remedy():
    found = run(
        candidate("kpboost", right_on(12)),
        candidate("steady", right_on(18, n_common=70)),
        candidate("dear", right_on(20, n_common=0)),
    )
    assert found.recommended == "steady"
    assert "KPBoost loses here" in found.kpboost
    assert "the recommended Steady" in found.kpboost


def test_nothing_is_said_of_kpboost_alone_or_absent():
    assert run(candidate("kpboost", right_on(18))).kpboost == ""
    assert run(candidate("other", right_on(18))).kpboost == ""


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (5, 0), (8, 1), (3, 3), (0, 4), (20, 9)])
def test_sign_test_is_the_binomial_test(gained, lost):
    expected = (
        binomtest(gained, gained + lost, alternative="greater").pvalue if gained + lost else 1.0
    )
    assert sign_test(gained, lost) == pytest.approx(expected)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_question_is_missed_disjuncts_and_low_classes():
    fine = ClassFinding("a", 80, 80, 1.0, 0.9, 1.0, "fine")
    weak = ClassFinding("b", 20, 9, 0.45, 0.2, 0.7, "weak")
    names, rows = question_of([MISSED], [fine, weak], CODES)
    assert names == ("b/1", "class b")
    assert rows.tolist() == list(ROWS)
    assert question_of([], [fine], CODES)[0] == ()


def test_an_audited_model_that_fails_ends_the_comparison():
    data = SimpleNamespace(codes=CODES, names=["a", "b"])
    with pytest.raises(ValueError, match="cannot"):
        compare_remedies([candidate("own", None)], data, PARTS, (("b/1",), np.array(ROWS)), [])


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
    for first, second in zip(one.tried, two.tried, strict=True):
        assert first.scores.class_recalls == second.scores.class_recalls
        assert (first.n_gained, first.n_lost) == (second.n_gained, second.n_lost)
