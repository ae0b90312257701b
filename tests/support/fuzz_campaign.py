"""Thousands of hard problems at tight tolerances: how does the solver end, and is it honest?

    cd tests; python -m support.fuzz_campaign --problems 10000

Each problem comes from its number alone, so that what is printed can be built again with
``random_recipe(number)``. A problem is solved

- at every tolerance: it must end converged, or stalled at the limits of rounding, and the record
  must agree with its coefficients;
- once more from the solution, where it has stalled: the gap must not get worse;
- with growing caps: the gap must not grow with the cap, once it is below that of zero.
"""

from __future__ import annotations

import argparse
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from kpboost.solvers import DualSolution, solve_dual
from support.random_problems import Problem, build, random_recipe
from support.verdict import assert_consistent, assert_feasible, assert_solved, rounding_of, true_gap

Solve = Callable[..., DualSolution]

TOLERANCES = (1e-6, 1e-9, 1e-12)
CAPS = (100, 300, 1000, 3000, 10_000)
# Zero coefficients have this gap: a gap above it says only that steps were large.
GAP_OF_ZERO = 2.0


@dataclass
class Tally:
    """What a campaign has seen."""

    ends: Counter[tuple[float, str]] = field(default_factory=Counter)
    worst_gap: dict[tuple[float, str], float] = field(default_factory=dict)
    most_steps: dict[tuple[float, str], int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def count(self, tol: float, solution: DualSolution, gap: float) -> None:
        """Take in one solve."""
        key = tol, solution.status
        self.ends[key] += 1
        self.worst_gap[key] = max(gap, self.worst_gap.get(key, 0.0))
        self.most_steps[key] = max(solution.n_iter, self.most_steps.get(key, 0))

    def lines(self) -> list[str]:
        """Return a table, and what went wrong."""
        rows = [
            f"{tol:<8g}{status:<16}{self.ends[tol, status]:>8}"
            f"{self.worst_gap[tol, status]:>12.3g}{self.most_steps[tol, status]:>12}"
            for tol, status in sorted(self.ends)
        ]
        head = f"{'tol':<8}{'status':<16}{'solves':>8}{'worst gap':>12}{'most steps':>12}"
        return [head, *rows, *self.failures, f"failures: {len(self.failures)}"]


def judge(problem: Problem, solve: Solve, tally: Tally) -> None:
    """Solve one problem in all ways; raise AssertionError at the first that is wrong."""
    for tol in TOLERANCES:
        solution = quietly(solve, problem, tol=tol)
        tally.count(tol, solution, true_gap(problem, solution.dual_coef))
        assert_solved(problem, solution, tol)
        if solution.status == "stalled":
            again = quietly(solve, problem, tol=tol, start=solution)
            assert_not_worse(problem, again, solution)
    assert_more_steps_are_no_worse(problem, solve)


def assert_more_steps_are_no_worse(problem: Problem, solve: Solve) -> None:
    """The gap of what comes back at a cap is the smallest that was seen on the way."""
    before = None
    for cap in CAPS:
        solution = quietly(solve, problem, tol=TOLERANCES[-1], max_iter=cap)
        assert_feasible(problem, solution.dual_coef)
        assert_consistent(problem, solution, TOLERANCES[-1])
        if before is not None and before.gap < GAP_OF_ZERO:
            assert_not_worse(problem, solution, before)
        if solution.status != "iteration_limit":
            return
        before = solution


def assert_not_worse(problem: Problem, later: DualSolution, earlier: DualSolution) -> None:
    """Compare two gaps; a converged one is good enough."""
    slack = rounding_of(problem, later.dual_coef)
    assert later.status == "converged" or later.gap <= earlier.gap + slack, (
        f"a gap of {later.gap:.3g} ({later.status} after {later.n_iter}) follows one of "
        f"{earlier.gap:.3g} (after {earlier.n_iter})"
    )


def quietly(solve: Solve, problem: Problem, **options: Any) -> DualSolution:
    """Solve without a word: the status is read instead."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solve(problem.gram, problem.y, problem.C, scale=problem.scale, **options)


def run(numbers: range, solve: Solve = solve_dual, say: Callable[[str], None] = print) -> Tally:
    """Judge the problems of these numbers."""
    tally = Tally()
    for number in numbers:
        try:
            judge(build(random_recipe(number)), solve, tally)
        except AssertionError as error:
            tally.failures.append(f"random_recipe({number}): {_reason(error)}")
            say(tally.failures[-1])
    return tally


def _reason(error: AssertionError) -> str:
    """Return the message, or else the line that was not true, on one line."""
    line = traceback.extract_tb(error.__traceback__)[-1].line
    return " ".join((str(error) or str(line)).split())


def main() -> int:
    """Run it from a command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=int, default=10_000, help="how many (10000)")
    parser.add_argument("--first", type=int, default=0, help="number of the first one (0)")
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.problems)
    tally = run(numbers, say=lambda line: print(line, flush=True))
    print("\n".join(tally.lines()))
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
