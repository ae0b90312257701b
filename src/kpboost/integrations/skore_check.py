"""A check for skore that tells which parts of classes the model of a report misses.

Add it to a report, and ``summarize`` shows it among skore's own::

    report.checks.add([MissedDisjunctsCheck()])
    report.checks.summarize()
"""

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from kpboost._typing import IndexArray
from kpboost.auditing import DisjunctFinding, Trait, missed_disjuncts

__all__ = ["MissedDisjunctsCheck"]

Tested = tuple[Any, Any, list[Any], IndexArray]

TASKS = ("binary-classification", "multiclass-classification")
# More would hide the text that matters.
MOST_SHOWN = 3


class MissedDisjunctsCheck:
    """Flag parts of classes that a classifier misses, with the audit's corrected test.

    A cross-validation report has out-of-fold predictions for every row; its check sees most. The
    check of an estimator report asks the report's model about its test rows, so that a part needs
    at least five rows among them to be seen.

    Parameters
    ----------
    random_state : int, default=0
        Seed of the test's draws.

    See Also
    --------
    kpboost.audit : The whole audit.

    Notes
    -----
    It implements the protocol ``skore.Check``. At most half of a flagged part is recognised,
    and the chance that anything is flagged in a report where the model could not do better is about
    5 %, however many parts there are; see ``docs/audit.md``.

    Examples
    --------
    >>> from kpboost.integrations.skore_check import MissedDisjunctsCheck
    >>> MissedDisjunctsCheck(random_state=0).title
    'Missed parts of classes'
    """

    code = "KPB001"
    title = "Missed parts of classes"
    docs_url: str | None = None
    severity: Literal["issue", "tip"] = "issue"
    slow = True  # some hundred draws of labels, and neighbours of all rows

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state
        self.report_types = ["estimator", "cross-validation"]

    def check_function(self, report: Any) -> str | None:
        """Say what is missed.

        Parameters
        ----------
        report : skore.EstimatorReport or skore.CrossValidationReport

        Returns
        -------
        str or None
            None where nothing is.
        """
        from skore import CheckNotApplicable

        if report.ml_task not in TASKS:
            raise CheckNotApplicable(f"This check is for classification, not for {report.ml_task}.")
        try:
            X, y, models, owners = _tested(report)
            missed = missed_disjuncts(X, y, models, owners, random_state=self.random_state)
        except ValueError as error:  # one report that cannot be checked must not stop the others
            raise CheckNotApplicable(str(error)) from error
        return explanation(missed) if missed else None


def explanation(missed: tuple[DisjunctFinding, ...]) -> str:
    """Missed parts in words, the worst first.

    Parameters
    ----------
    missed : tuple of DisjunctFinding
        At least one, with descriptions.

    Returns
    -------
    str
    """
    count = "1 part of a class is" if len(missed) == 1 else f"{len(missed)} parts of classes are"
    more = len(missed) - MOST_SHOWN
    rest = [f"And {more} more."] if more > 0 else []
    return " ".join([f"{count} missed.", *map(_sentence, missed[:MOST_SHOWN]), *rest])


def _sentence(finding: DisjunctFinding) -> str:
    where = f" ({finding.where})" if finding.where else ""
    return (
        f"Part {finding.name}{where}: {finding.n_correct} of {finding.size} rows recognised "
        f"(95% interval {finding.low:.0%} to {finding.high:.0%}, p = {finding.p_value:.3f})"
        + "".join(_details(finding))
        + "."
    )


def _details(finding: DisjunctFinding) -> Iterator[str]:
    words = finding.description
    if words is None:
        return
    if words.mistaken_for:
        yield f", mistaken for {', '.join(words.mistaken_for)}"
    traits: tuple[Trait, ...] = words.from_own_class or words.from_confusers
    if traits:
        trait = traits[0]
        yield f"; set apart by {trait.column}: {trait.here}, elsewhere {trait.there}"
    yield f"; a typical one is row {words.medoid}"


def _tested(report: Any) -> Tested:
    """Rows with models that have not seen them: X, y, models, and whose row it is."""
    if hasattr(report, "split_indices"):
        return _tested_by_folds(report)
    if report.X_test is None or report.y_test is None:
        raise ValueError("The report has no test rows of its own.")
    n_rows = len(np.asarray(report.y_test))
    return report.X_test, report.y_test, [report.estimator_], np.zeros(n_rows, dtype=np.intp)


def _tested_by_folds(report: Any) -> Tested:
    if report.X is None or report.y is None:
        raise ValueError("The report has no table of its own.")
    n_rows = len(np.asarray(report.y))
    owners = np.full(n_rows, -1, dtype=np.intp)
    times = np.zeros(n_rows, dtype=np.intp)
    for number, (_, test) in enumerate(report.split_indices):
        owners[test] = number
        times[test] += 1
    if not np.all(times == 1):
        raise ValueError("The splits do not test every row exactly once, as plain folds do.")
    return report.X, report.y, [each.estimator_ for each in report.reports_], owners
