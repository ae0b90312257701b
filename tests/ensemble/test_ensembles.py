"""Traces side by side: nothing is lost, signs are turned, gaps are filled."""

import os
import signal
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost import KPBoostSVC
from kpboost.ensemble import _ensembles as threads
from kpboost.ensemble._boosting import boost, correctly_classified
from kpboost.ensemble._ensembles import (
    BoostingTask,
    Threads,
    boost_problems,
    gather,
    run_in_threads,
)
from kpboost.kernels import rbf_kernel
from kpboost.problems._gram import dense_source
from kpboost.problems._multiclass import binary_problems, slot_table, spread
from kpboost.solvers import DenseGram
from support.patience import CtrlC, wait_until, worked

CODES = np.array([0, 1, 2, 0, 1, 2, 0, 0, 1, 2, 0, 2])
SIGNS = np.array([1.0, -1.0, 1.0])
TABLE = slot_table(3, "one_vs_one")


@pytest.fixture(scope="module")
def gathered():
    X = np.random.default_rng(0).normal(size=(12, 2)) + CODES[:, None]
    gram = rbf_kernel(X, gamma=0.5)
    problems = list(binary_problems(CODES, 3, "one_vs_one"))
    traces = [
        boost(
            np.ascontiguousarray(gram[np.ix_(each.rows, each.rows)]),
            sign * each.target,
            np.ones(each.rows.size),
            step=0.1,
            n_rounds=n_rounds,
        )
        for each, sign, n_rounds in zip(problems, SIGNS, (3, 2, 3), strict=True)
    ]
    rows = [problem.rows for problem in problems]
    return gram, traces, rows, gather(traces, rows, SIGNS, CODES, TABLE, inherits=True)


def by_problem(found, name):
    codes = CODES[found.support] if name == "dual_coef" else CODES
    return spread(getattr(found, name), TABLE, codes)


def test_every_value_is_found_again(gathered):
    _, traces, rows, found = gathered
    for p, (trace, own, sign) in enumerate(zip(traces, rows, SIGNS, strict=True)):
        done = trace.errors.size
        for name in ("tpr", "tnr", "errors", "weights", "kept", "n_iter"):
            assert_array_equal(getattr(found, name)[p, :done], getattr(trace, name))
        for name in ("log_scale", "perturbation"):
            values = by_problem(found, name)[p]
            assert_array_equal(values[:done, own], getattr(trace, name))
            assert not np.delete(values, own, axis=1).any()
        assert_array_equal(found.intercept[p, :done], sign * trace.intercept)


def test_values_speak_for_the_later_class(gathered):
    gram, traces, rows, found = gathered
    for p, (trace, own, sign) in enumerate(zip(traces, rows, SIGNS, strict=True)):
        for t in range(trace.errors.size):
            scale = np.exp(by_problem(found, "log_scale")[p, t])
            coef = np.zeros(12)
            coef[found.support] = by_problem(found, "dual_coef")[p, t]
            values = scale * (gram @ (scale * coef)) + found.intercept[p, t]
            assert_allclose(values[own], sign * trace.decision[t], atol=1e-9)


def test_support_is_the_union_class_by_class(gathered):
    _, traces, rows, found = gathered
    union = {
        i for trace, own in zip(traces, rows, strict=True) for i in own[trace.dual_coef.any(0)]
    }
    assert_array_equal(found.support, sorted(union, key=lambda row: (CODES[row], row)))
    assert np.all(found.dual_coef.any(axis=(0, 1)))


def test_rounds_that_were_not_done_are_silent(gathered):
    *_, found = gathered
    assert np.isnan(found.errors[1, 2])
    assert np.isnan(found.tpr[1, 2])
    assert np.isnan(found.tnr[1, 2])
    assert found.weights[1, 2] == 0
    assert not found.kept[1, 2]
    assert not by_problem(found, "dual_coef")[1, 2].any()
    assert found.intercept[1, 2] == 0


def test_perturbation_is_kept_on_request_only(gathered):
    _, traces, rows, _ = gathered
    found = gather(traces, rows, SIGNS, CODES, TABLE, inherits=False)
    assert found.perturbation is None


# Problems boosted together are those boosted alone, and Ctrl-C at any moment leaves round 1.


CODES_OF_BOOST_PROBLEMS = np.arange(60) % 4
X = np.random.default_rng(0).normal(size=(60, 2)) + 1.5 * CODES_OF_BOOST_PROBLEMS[:, None]
PROBLEMS = list(binary_problems(CODES_OF_BOOST_PROBLEMS, 4, "one_vs_one"))
SIGNS_OF_BOOST_PROBLEMS = np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0])
GRAM = rbf_kernel(X, gamma=0.5)
N_ROUNDS = 4


def task(gram=None, on_round=None):
    source = gram or dense_source(DenseGram(GRAM))
    return BoostingTask(
        problems=PROBLEMS,
        signs=SIGNS_OF_BOOST_PROBLEMS,
        gram_of=lambda p: source(PROBLEMS[p].rows),
        rule_of=lambda p: correctly_classified,
        bounds=np.full(60, 5.0),
        weight=np.ones(60),
        as_new=True,
        step=0.1,
        n_rounds=N_ROUNDS,
        tol=1e-6,
        inherits=False,
        on_round=on_round,
    )


def alone(problem, sign):
    own = np.ascontiguousarray(GRAM[np.ix_(problem.rows, problem.rows)])
    bounds = np.full(problem.rows.size, 5.0)
    return boost(own, sign * problem.target, bounds, step=0.1, n_rounds=N_ROUNDS)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_together_is_alone_bit_for_bit(n_threads):
    reports = []
    traces = boost_problems(task(on_round=lambda: reports.append(1)), n_threads=n_threads)
    assert len(reports) == N_ROUNDS * len(PROBLEMS)
    for trace, problem, sign in zip(traces, PROBLEMS, SIGNS_OF_BOOST_PROBLEMS, strict=True):
        expected = alone(problem, sign)
        assert_array_equal(trace.dual_coef, expected.dual_coef)
        assert_array_equal(trace.log_scale, expected.log_scale)
        assert_array_equal(trace.errors, expected.errors)
        assert not trace.interrupted
        assert trace.decision.size == trace.judged.size == trace.perturbation.size == 0  # freed


@pytest.mark.parametrize(
    ("at", "after"),
    [("gram", 6), ("gram", 8), ("gram", 11), ("round", 6), ("round", 9), ("round", 22)],
)
def test_an_interruption_leaves_every_problem_its_first_round(at, after):
    """At any round, or while the Gram matrix of a problem is made."""
    source, left = dense_source(DenseGram(GRAM)), iter(range(after))

    def step():
        if next(left, None) is None:
            raise KeyboardInterrupt

    def gram(rows):
        if at == "gram":
            step()
        return source(rows)

    on_round = step if at == "round" else None
    traces = boost_problems(task(gram, on_round), n_threads=1)
    assert all(each.n_rounds >= 1 for each in traces)
    assert any(each.interrupted for each in traces)
    for trace, problem, sign in zip(traces, PROBLEMS, SIGNS_OF_BOOST_PROBLEMS, strict=True):
        assert_array_equal(trace.log_scale, alone(problem, sign).log_scale[: trace.n_rounds])
        assert trace.interrupted == (trace.n_rounds < N_ROUNDS)


def test_an_interruption_before_that_is_passed_on():
    calls = iter(range(5))

    def on_round():
        if next(calls, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        boost_problems(task(on_round=on_round), n_threads=1)


# Threads give the same results in the same order, and one Ctrl-C reaches all of them.


# CPU seconds: far less than the work that is given up.
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


# Set while the main thread waits for its tasks.
waiting = threading.Event()


def press_ctrl_c(stop):
    wait_until(waiting.is_set)
    os.kill(os.getpid(), signal.SIGINT)
    wait_until(stop.is_set)
    return "pressed"


def has_something(stop):
    wait_until(stop.is_set)
    return "partial"


def has_nothing(stop):
    wait_until(stop.is_set)
    raise KeyboardInterrupt


@pytest.fixture(params=[True, False], ids=["waits_end", "waits_go_on"])
def _ctrl_c(request, monkeypatch):
    """Python's own handler, with and without system calls that go on after it."""
    wait_for = threads._wait_for

    def announced(futures):
        waiting.set()
        try:
            wait_for(futures)
        finally:
            waiting.clear()

    monkeypatch.setattr(threads, "_wait_for", announced)
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


def test_ctrl_c_before_all_tasks_are_handed_out(monkeypatch):
    """A thread takes a while to start on a busy machine; the tasks after it are asked, too."""
    submit, calls = ThreadPoolExecutor.submit, []

    def interrupted_submit(self, *task):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return submit(self, *task)

    monkeypatch.setattr(ThreadPoolExecutor, "submit", interrupted_submit)
    assert run_in_threads([has_something] * 3, 2) == ["partial"] * 3


def test_threads_are_kept_for_the_next_list():
    with Threads(2) as kept:
        ran_in = [
            set(kept.run([lambda stop: wait_until(lambda: True) or threading.get_ident()] * 20))
            for _ in range(3)
        ]
    assert len(set.union(*ran_in)) <= 2
    assert threading.get_ident() not in set.union(*ran_in)


def test_threads_go_on_after_an_error():
    def fails(stop):
        raise ValueError("no")

    with Threads(2) as kept:
        with pytest.raises(ValueError, match="no"):
            kept.run([fails, has_something, *[has_something] * 20])
        assert kept.run([lambda stop: stop.is_set()] * 3) == [False] * 3


def test_an_error_keeps_others_from_beginning():
    begun = []

    def fails(stop):
        raise ValueError("no")

    def begins(stop):
        begun.append(1)
        wait_until(stop.is_set)

    with pytest.raises(ValueError, match="no"):
        run_in_threads([fails, has_something, *[begins] * 20], 2)
    assert len(begun) <= 1  # the thread of the failure is free for one of them


def test_an_error_stops_the_other_tasks():
    stopped = []

    def fails(stop):
        raise ValueError("no")

    def goes_on(stop):
        wait_until(stop.is_set)
        stopped.append(1)

    with pytest.raises(ValueError, match="no"):
        run_in_threads([goes_on, fails], 2)
    assert stopped


ENDLESS = 10**7
# Labels without pattern and a huge C: the first solve takes seconds.
HARD = {"n": 9000, "n_features": 4, "C": 1e9, "distance": 0, "n_estimators": 3, "after": 0}


@pytest.fixture
def fit_and_press_ctrl_c(monkeypatch):
    """Press Ctrl-C after some rounds; after none, when the first solve has worked a while."""
    rounds_seen = []

    @contextmanager
    def counting(verbose, title, total):
        yield lambda: rounds_seen.append(1)

    monkeypatch.setattr("kpboost.ensemble._kpboost_svc.progress", counting)

    def fit_and_press(
        n_classes,
        n_jobs=None,
        n=900,
        n_features=2,
        n_estimators=ENDLESS,
        C=1.0,
        distance=2,
        after=20,
    ):
        rounds_seen.clear()
        y = np.arange(n) % n_classes
        X = np.random.default_rng(0).normal(size=(n, n_features)) + distance * y[:, None]
        model = KPBoostSVC(C, gamma=0.1, n_estimators=n_estimators, n_jobs=n_jobs)
        press = CtrlC((lambda: len(rounds_seen) >= after) if after else worked(0.5))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                with press:
                    model.fit(X, y)
            finally:
                assert press.work_after < SOON
        rounds = np.isfinite(model.estimator_errors_).sum(axis=-1).tolist()
        *_, last = model.staged_decision_function(X[:20])
        assert_allclose(last, model.decision_function(X[:20]))
        assert model.score(X, y) > 0.8
        return rounds, [str(each.message) for each in caught]

    return fit_and_press


def test_ctrl_c_after_some_rounds_leaves_a_usable_ensemble(fit_and_press_ctrl_c):
    rounds, messages = fit_and_press_ctrl_c(n_classes=2)
    assert 1 <= rounds < ENDLESS
    (message,) = [each for each in messages if "interrupted" in each]
    assert f"at least {rounds} of every problem" in message


def test_ctrl_c_reaches_the_threads(fit_and_press_ctrl_c):
    rounds, messages = fit_and_press_ctrl_c(n_classes=3, n_jobs=3)
    assert len(rounds) == 3
    assert all(1 <= done < ENDLESS for done in rounds)
    assert any("interrupted" in each for each in messages)


def test_ctrl_c_reaches_problems_that_have_not_begun(fit_and_press_ctrl_c):
    """One after the other or in too few threads: round 1 of all comes first."""
    for n_jobs in (None, 2):
        rounds, messages = fit_and_press_ctrl_c(n_classes=4, n_jobs=n_jobs, n=3000)
        assert len(rounds) == 6
        assert min(rounds) == 1
        assert 1 < max(rounds) < ENDLESS
        assert any("at least 1 of every problem" in each for each in messages)


@pytest.mark.parametrize(("n_classes", "n_jobs"), [(2, None), (3, 3)], ids=["alone", "threads"])
def test_ctrl_c_before_the_first_round_is_passed_on(fit_and_press_ctrl_c, n_classes, n_jobs):
    with pytest.raises(KeyboardInterrupt):
        fit_and_press_ctrl_c(n_classes, n_jobs, **HARD)
