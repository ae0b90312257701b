import os
import threading
import time
from contextlib import suppress

import numpy as np
import pytest

from kpboost.auditing import audit
from kpboost.auditing._models import run_all
from kpboost.model_selection import OutOfFold
from support.patience import HANG, CtrlC, wait_until
from support.planted_data import plain_svm, planted

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
