import _thread
import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from kpboost.auditing import audit
from kpboost.auditing.asking import Candidate, ask_all
from kpboost.auditing.out_of_fold import OutOfFold
from planted_data import planted


def candidate(number, work=None):
    def answer():
        if work is not None:
            work()
        if number < 0:
            raise ValueError("cannot")
        return OutOfFold(np.array([number]), np.zeros((1, 2)), 0.0)

    return Candidate(str(number), str(number), "svm", answer)


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3, -1])
def test_answers_and_reports_come_in_order(n_jobs):
    said = []
    asked = [candidate(n, lambda n=n: time.sleep(0.02 * (3 - n))) for n in range(4)]
    answers = ask_all(
        asked, n_jobs, lambda one: said.append((one.name, threading.current_thread()))
    )
    assert [int(each.predicted[0]) for each in answers] == [0, 1, 2, 3]
    assert said == [(str(n), threading.main_thread()) for n in range(4)]


def test_two_at_a_time():
    """Each waits for the other: one after the other they would wait for ever."""
    both = threading.Barrier(2, timeout=20)
    answers = ask_all([candidate(0, both.wait), candidate(1, both.wait)], 2, lambda one: None)
    assert len(answers) == 2


def test_a_failure_is_an_answer():
    good, bad = ask_all([candidate(1), candidate(-1)], 2, lambda one: None)
    assert isinstance(good, OutOfFold)
    assert isinstance(bad, ValueError)


def test_other_errors_are_not_hidden():
    def broken():
        raise MemoryError("full")

    with pytest.raises(MemoryError):
        ask_all([candidate(0), candidate(1, broken)], 2, lambda one: None)


def test_ctrl_c_ends_it_at_once():
    def interrupt():
        time.sleep(0.2)
        _thread.interrupt_main()

    start = time.perf_counter()
    slow = [candidate(n, lambda: time.sleep(3)) for n in range(8)]
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        ask_all(slow, 2, lambda one: None)
    assert time.perf_counter() - start < 8  # all of it would take 12 seconds


def test_thread_limits_are_as_before():
    before = [(each["filepath"], each["num_threads"]) for each in threadpool_info()]
    ask_all([candidate(n) for n in range(4)], 2, lambda one: None)
    assert [(each["filepath"], each["num_threads"]) for each in threadpool_info()] == before


def test_an_audit_does_not_depend_on_the_number_of_jobs():
    X, y, _ = planted(n_common=120)
    one, two = (
        audit(X, y, "svm", cv=3, remedies=["svm_balanced", "kpboost", "hgb"], n_jobs=n).remedies
        for n in (1, 2)
    )
    assert one.recommended == two.recommended
    assert one.kpboost == two.kpboost
    for first, second in zip(one.tried, two.tried, strict=True):
        assert first.scores.class_recalls == second.scores.class_recalls
        assert (first.n_gained, first.n_lost) == (second.n_gained, second.n_lost)
