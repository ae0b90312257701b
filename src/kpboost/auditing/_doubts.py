"""What makes the scores themselves doubtful: leaks, copies in two folds, a class that follows time.

Like everything in an audit, this does not depend on the order of the rows; but for what is about
that order, which is looked at as the user gave it: a column that follows it, and the classes
themselves.

Order and time: if the order of the rows means nothing, the places of one class among all rows are a
random draw. Wilcoxon's rank-sum test says how well that holds, for each class along the file and
along each column of dates; with two classes one test is both. A change is told if its chance is at
most 0.1 %, corrected for the number of tests, and if a row of the class lies behind a row of
another with a probability of at least 0.6 (or at most 0.4): in a large file the slightest change is
beyond chance. A file that is sorted by the class is told as that.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.stats import mannwhitneyu

from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.datasets import (
    ColumnChoices,
    CopiedRows,
    Leak,
    Table,
    features_of,
    follows_rows,
    possible_leaks,
    telling_columns,
)
from kpboost.model_selection import Split

from ._data import AuditData
from ._records import DataFacts, Decider, Drift

# Of the rank-sum test, before correction; and how far from one half the probability must be.
DRIFT_LEVEL, DRIFT_EFFECT = 0.001, 0.1
# Classes with fewer rows are not looked at: nothing could be told of them.
FEWEST_ROWS = 10
# Rows sorted by class have a run of rows for each; where classes of a sorted file were made one, a
# run before and one behind it. A file that was put together from sorted ones has more, up to this
# share of what chance gives.
SORTED_SHARE = 0.05
# Shares of a class are told in the first and in the last of so many parts.
N_PARTS = 5


def with_doubts(
    facts: DataFacts,
    data: AuditData,
    copies: CopiedRows,
    folds: Sequence[Split],
    takes_given: bool,
) -> DataFacts:
    """Add to what is known of a table what makes its scores doubtful.

    Parameters
    ----------
    facts : DataFacts
        The table.
    data : AuditData
        The same with its rows.
    copies : CopiedRows
        Records that are there more than once.
    folds : sequence of (train, test)
        Folds of the audit.
    takes_given : bool
        Whether the audited model gets the user's table, identifiers included.

    Returns
    -------
    DataFacts
    """
    given = np.argsort(data.rows)
    table, codes = data.table.take(given), data.codes[given]
    leaks = leaks_of(data.table, data.codes, given)
    seen = _seen_identifiers(data) if takes_given else []
    if seen:
        own = features_of(data.given[seen], ColumnChoices(keep="all"))
        leaks = (*leaks, *leaks_of(own, data.codes, given))
    return replace(
        facts,
        leaks=leaks,
        n_copies=copies.n_copies,
        copies_together=n_parted(copies, folds) == 0,
        seen_identifiers=tuple(seen),
        drifts=drifts_of(codes, data.names, orders_of(table)),
        deciders=deciders_of(data.table, data.codes, data.names, leaks),
    )


def leaks_of(table: Table, codes: IndexArray, given: IndexArray) -> tuple[Leak, ...]:
    """Columns that give the class away, in any order of the rows or in that of the user.

    Parameters
    ----------
    table : Table
        In the audit's order.
    codes : ndarray of shape (n_rows,)
        Numbers of the classes, likewise.
    given : ndarray of shape (n_rows,)
        Where the rows of the user's order are.

    Returns
    -------
    tuple of Leak
    """
    leaks = telling_columns(table.values, table.nominal, table.names, codes)
    ordered = [
        place
        for place, values in enumerate(table.values[given].T)
        if not table.nominal[place] and follows_rows(values)
    ]
    if not ordered:
        return leaks
    names = [table.names[place] for place in ordered]
    values = table.values[given][:, ordered]
    by_rows = telling_columns(values, table.nominal[ordered], names, codes[given])
    told = {leak.column for leak in by_rows}
    return (*(leak for leak in leaks if leak.column not in told), *by_rows)


def _seen_identifiers(data: AuditData) -> list[str]:
    """Name the identifiers that a model of one's own gets, as it gets the whole frame."""
    names = [role.name for role in data.table.roles if role.kind == "identifier"]
    return [] if isinstance(data.given, Table) else names


def n_parted(copies: CopiedRows, folds: Sequence[Split]) -> int:
    """Count the copies that are tested in another fold than the first of their record."""
    if copies.n_copies == 0 or copies.found is None:
        return 0
    fold = np.zeros(copies.found.size, dtype=np.intp)
    for number, (_, test) in enumerate(folds):
        fold[test] = number
    return int(np.sum(fold != fold[copies.found]))


def orders_of(table: Table) -> dict[str, FloatArray]:
    """Return what rows may be ordered by: their number under "", and columns of dates."""
    orders = {"": np.arange(table.n_rows, dtype=np.float64)}
    for role in table.roles:
        place = table.names.index(f"{role.name} (days)") if "days" in role.parts else -1
        if place >= 0:
            orders[role.name] = table.values[:, place]
    return orders


def drifts_of(
    codes: IndexArray, names: Sequence[str], orders: Mapping[str, FloatArray]
) -> tuple[Drift, ...]:
    """Find what the classes follow.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        Numbers of the classes, in the order of the file.
    names : sequence of str
        Names of the classes.
    orders : mapping of str to ndarray of shape (n_rows,)
        Numbers that rows may be ordered by; nan is missing.

    Returns
    -------
    tuple of Drift
    """
    sizes = np.bincount(codes, minlength=len(names))
    classes = [code for code in np.argsort(sizes, kind="stable") if sizes[code] >= FEWEST_ROWS]
    classes = classes[:1] if len(names) == 2 else classes
    found = [
        _drift(column, values, codes, names, classes, len(classes) * len(orders))
        for column, values in orders.items()
    ]
    return tuple(each for each in found if each is not None)


def _drift(
    column: str,
    values: FloatArray,
    codes: IndexArray,
    names: Sequence[str],
    classes: Sequence[int],
    n_tests: int,
) -> Drift | None:
    known = ~np.isnan(values)
    values, codes = values[known], codes[known]
    tests = {code: _rank_sum(values, codes == code) for code in classes}
    sure = [code for code, (chance, effect) in tests.items()
            if chance * n_tests <= DRIFT_LEVEL and abs(effect) >= DRIFT_EFFECT]  # fmt: skip
    is_sorted = column == "" and _is_sorted(codes)
    if not sure and not is_sorted:
        return None
    clearest = max(sure or classes, key=lambda code: abs(tests[code][1]))
    order = np.argsort(values, kind="stable")
    parts = np.array_split(codes[order] == clearest, N_PARTS)
    chance = min(1.0, tests[clearest][0] * n_tests)
    first, last = float(parts[0].mean()), float(parts[-1].mean())
    return Drift(column, is_sorted, names[clearest], first, last, chance)


def _rank_sum(values: FloatArray, own: BoolArray) -> tuple[float, float]:
    """p-value of the rank-sum test, and how far the probability to lie behind is from one half."""
    here, there = values[own], values[~own]
    if min(here.size, there.size) < FEWEST_ROWS:
        return 1.0, 0.0
    test = mannwhitneyu(here, there, method="asymptotic")
    return float(test.pvalue), float(test.statistic / (here.size * there.size) - 0.5)


def _is_sorted(codes: IndexArray) -> bool:
    """Tell whether the classes stand one after the other, or nearly so; small ones aside."""
    codes = codes[np.bincount(codes)[codes] >= FEWEST_ROWS]
    sizes = np.unique(codes, return_counts=True)[1]
    if sizes.size < 2:
        return False
    expected = 1 + codes.size - np.square(sizes).sum() / codes.size
    n_runs = 1 + np.count_nonzero(np.diff(codes))
    return bool(n_runs <= max(2 * sizes.size - 1, SORTED_SHARE * expected))


def deciders_of(
    table: Table, codes: IndexArray, names: Sequence[str], leaks: Sequence[Leak]
) -> tuple[Decider, ...]:
    """Find columns that alone tell one of several classes from all others.

    Of two classes such a column is a leak; columns that are leaks are not told again.
    """
    if len(names) < 3:
        return ()
    told = {leak.column for leak in leaks}
    sizes = np.bincount(codes, minlength=len(names))
    return tuple(
        Decider(leak.column, names[code], leak.score)
        for code in np.flatnonzero(sizes >= FEWEST_ROWS).tolist()
        for leak in possible_leaks(table.values, table.nominal, table.names, codes == code)
        if leak.column not in told
    )
