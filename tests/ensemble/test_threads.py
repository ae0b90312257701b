"""Threads give the same results in the same order, and one Ctrl-C reaches all of them."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from kpboost.ensemble.threads import run_in_threads

# Long enough for a slow machine, far less than the work that is given up.
SOON = 5.0


def numbered(number, seen):
    def task(stop):
        time.sleep(0.002 * (5 - number))
        seen.append(threading.get_ident())
        return number

    return task


@pytest.mark.parametrize("n_threads", [1, 2, 8])
def test_results_come_in_order(n_threads):
    seen = []
    assert run_in_threads([numbered(i, seen) for i in range(5)], n_threads) == list(range(5))
    own = [ident == threading.get_ident() for ident in seen]
    assert all(own) if n_threads == 1 else not any(own)


def wait_for(stop):
    began = time.perf_counter()
    while not stop.is_set():
        assert time.perf_counter() - began < SOON, "nobody stopped this task"
        time.sleep(0.005)


def press_ctrl_c(stop):
    time.sleep(0.1)  # the other threads are at work by now
    os.kill(os.getpid(), signal.SIGINT)
    wait_for(stop)
    return "pressed"


def has_something(stop):
    wait_for(stop)
    return "partial"


def has_nothing(stop):
    wait_for(stop)
    raise KeyboardInterrupt


@pytest.fixture(params=[True, False], ids=["waits_end", "waits_go_on"])
def _ctrl_c(request):
    """Python's own handler, with and without system calls that go on after it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.siginterrupt(signal.SIGINT, request.param)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_ctrl_c")
def test_ctrl_c_waits_for_what_the_tasks_have():
    assert run_in_threads([has_something, press_ctrl_c], 2) == ["partial", "pressed"]


@pytest.mark.usefixtures("_ctrl_c")
def test_a_task_with_nothing_to_return_ends_it_all():
    with pytest.raises(KeyboardInterrupt):
        run_in_threads([has_something, press_ctrl_c, has_nothing], 3)


@pytest.mark.usefixtures("_ctrl_c")
def test_a_task_that_had_not_begun_is_asked_too():
    assert run_in_threads([has_something, press_ctrl_c, has_something], 2)[2] == "partial"
    with pytest.raises(KeyboardInterrupt):
        run_in_threads([has_something, press_ctrl_c, has_nothing], 2)


def test_an_error_keeps_others_from_beginning():
    begun = []

    def fails(stop):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_in_threads([fails, has_something, *[begun.append] * 20], 2)
    assert len(begun) < 20


def test_an_error_stops_the_other_tasks():
    def fails(stop):
        raise ValueError("no")

    began = time.perf_counter()
    with pytest.raises(ValueError, match="no"):
        run_in_threads([has_something, fails], 2)
    assert time.perf_counter() - began < SOON


FIT = """
import json, os, signal, sys, threading, time, warnings
import numpy as np
from kpboost import KPBoostSVC

warnings.simplefilter("always")
rng = np.random.default_rng(0)
n, n_classes, n_jobs, n_estimators, C, distance = json.loads(sys.argv[1])
y = np.arange(n) % n_classes
X = rng.normal(size=(n, 2)) + distance * y[:, None]
model = KPBoostSVC(C, gamma=0.1, n_estimators=n_estimators, n_jobs=n_jobs)
began = time.perf_counter()
threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT)).start()
with warnings.catch_warnings(record=True) as caught:
    try:
        model.fit(X, y)
        seconds = time.perf_counter() - began
        rounds = np.isfinite(model.estimator_errors_).sum(axis=-1).tolist()
        *_, last = model.staged_decision_function(X[:20])
        same = bool(np.allclose(last, model.decision_function(X[:20])))
        score = model.score(X, y)
    except KeyboardInterrupt:
        seconds = time.perf_counter() - began
        rounds = same = score = None
messages = [str(each.message) for each in caught]
print(json.dumps([rounds, same, score, messages, seconds]))
"""
ENDLESS = 10**7
# Labels without pattern and a huge C: the first solve takes seconds.
HARD = {"n": 4000, "C": 1e9, "distance": 0, "n_estimators": 3}


def fit_and_press_ctrl_c(n_classes, n_jobs=None, n=900, n_estimators=ENDLESS, C=1.0, distance=2):
    arguments = json.dumps([n, n_classes, n_jobs, n_estimators, C, distance])
    command = [sys.executable, "-c", FIT, arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    rounds, same, score, messages, seconds = json.loads(done.stdout)
    assert seconds < SOON
    return rounds, same, score, messages


def test_ctrl_c_after_some_rounds_leaves_a_usable_ensemble():
    rounds, same, score, messages = fit_and_press_ctrl_c(n_classes=2)
    assert 1 <= rounds < ENDLESS
    assert same
    assert score > 0.8
    (message,) = [each for each in messages if "interrupted" in each]
    assert f"at least {rounds} of every problem" in message


def test_ctrl_c_reaches_the_threads():
    rounds, same, score, messages = fit_and_press_ctrl_c(n_classes=3, n_jobs=3)
    assert len(rounds) == 3
    assert all(1 <= done < ENDLESS for done in rounds)
    assert same
    assert score > 0.8
    assert any("interrupted" in each for each in messages)


def test_ctrl_c_reaches_problems_that_have_not_begun():
    """One after the other or in too few threads: round 1 of all comes first."""
    for n_jobs in (None, 2):
        rounds, same, score, messages = fit_and_press_ctrl_c(n_classes=4, n_jobs=n_jobs, n=3000)
        assert len(rounds) == 6
        assert min(rounds) == 1
        assert 1 < max(rounds) < ENDLESS
        assert same
        assert score > 0.8
        assert any("at least 1 of every problem" in each for each in messages)


def test_ctrl_c_before_the_first_round_is_passed_on():
    rounds, *_ = fit_and_press_ctrl_c(n_classes=2, **HARD)
    assert rounds is None


def test_ctrl_c_before_the_first_round_is_passed_on_from_threads():
    rounds, *_ = fit_and_press_ctrl_c(n_classes=3, n_jobs=3, **HARD)
    assert rounds is None
