from itertools import repeat

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from kpboost.kernels import rbf_kernel
from kpboost.problems._gram import dense_source
from kpboost.problems._multiclass import binary_problems
from kpboost.solvers import DenseGram, solve_dual
from kpboost.svm._kernel_svc import class_scores, spread_rows, train_machines


def test_gathering_keeps_every_solution(load):
    X, y = load("wine")
    gram, bounds = rbf_kernel(X, gamma=0.1), np.full(y.size, 3.0)
    problems = list(binary_problems(y, 3, "one_vs_one"))
    machines = train_machines(
        problems, dense_source(DenseGram(gram)), bounds, y, repeat(None), tol=1e-6, max_iter=None
    )
    spread = list(spread_rows(machines.dual_coef, machines.support, y.size))
    for problem, full, intercept in zip(problems, spread, machines.intercept, strict=True):
        block = np.ascontiguousarray(gram[np.ix_(problem.rows, problem.rows)])
        alone = solve_dual(block, problem.target, 3.0)
        assert_array_equal(full[problem.rows], alone.dual_coef)
        assert intercept == alone.intercept
        assert_allclose(gram[problem.rows] @ full + intercept, alone.decision, atol=1e-9)
    # Class by class, ascending within a class, and no column without a coefficient.
    order = np.lexsort((machines.support, y[machines.support]))
    assert_array_equal(order, np.arange(machines.support.size))
    assert np.all(np.any(machines.dual_coef != 0, axis=0))


def test_scores_of_classes():
    values = np.random.default_rng(0).standard_normal((5, 3))
    assert_array_equal(class_scores(values[:, :1], 2, "one_vs_one"), values[:, 0])
    assert_array_equal(class_scores(values[:, :1], 2, "one_vs_rest"), values[:, 0])
    assert_array_equal(class_scores(values, 3, "one_vs_rest"), values)
    # Pairs (0, 1), (0, 2), (1, 2): a positive value speaks for the later class.
    winners = np.where(values > 0, [1, 2, 2], [0, 0, 1])
    votes = np.array([np.bincount(row, minlength=3) for row in winners])
    assert_array_equal(np.rint(class_scores(values, 3, "one_vs_one")), votes)
