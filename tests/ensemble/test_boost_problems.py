"""Problems boosted together are those boosted alone, and Ctrl-C at any moment leaves round 1."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kpboost.ensemble._boosting import boost, correctly_classified
from kpboost.ensemble._ensembles import BoostingTask, boost_problems
from kpboost.kernels import rbf_kernel
from kpboost.problems._gram import dense_source
from kpboost.problems._multiclass import binary_problems
from kpboost.solvers import DenseGram

CODES = np.arange(60) % 4
X = np.random.default_rng(0).normal(size=(60, 2)) + 1.5 * CODES[:, None]
PROBLEMS = list(binary_problems(CODES, 4, "one_vs_one"))
SIGNS = np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0])
GRAM = rbf_kernel(X, gamma=0.5)
N_ROUNDS = 4


def task(gram=None, on_round=None):
    source = gram or dense_source(DenseGram(GRAM))
    return BoostingTask(
        problems=PROBLEMS,
        signs=SIGNS,
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
    for trace, problem, sign in zip(traces, PROBLEMS, SIGNS, strict=True):
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
    for trace, problem, sign in zip(traces, PROBLEMS, SIGNS, strict=True):
        assert_array_equal(trace.log_scale, alone(problem, sign).log_scale[: trace.n_rounds])
        assert trace.interrupted == (trace.n_rounds < N_ROUNDS)


def test_an_interruption_before_that_is_passed_on():
    calls = iter(range(5))

    def on_round():
        if next(calls, None) is None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        boost_problems(task(on_round=on_round), n_threads=1)
