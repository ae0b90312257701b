"""A made-up table of card payments, with a kind of fraud that a linear model cannot see.

Most fraud is large and far from home. Fourteen payments are another kind: tiny ones from new
accounts, which try whether a stolen card works.
"""

from __future__ import annotations

import numpy as np

from kpboost._typing import FloatArray, LabelArray

N_USUAL, N_FAR, N_TRIAL = 1200, 66, 14
COLUMNS = ("amount", "distance_km", "account_days", "hour", "items")
SEED = 7
# How widely amounts and distances are spread, as standard deviations of their logarithms.
SPREAD = 0.8
# Those who try cards all do the same.
TRIAL_SPREAD = 0.3


def payments() -> tuple[FloatArray, LabelArray]:
    """Return the values of the columns and the kinds of payment, rows in random order."""
    rng = np.random.default_rng(SEED)
    usual = _drawn(rng, N_USUAL, (30, 5, 400))
    far = _drawn(rng, N_FAR, (180, 70, 400))
    trial = _drawn(rng, N_TRIAL, (2.5, 5, 9), TRIAL_SPREAD)
    kinds = np.repeat(["usual", "fraud"], [N_USUAL, N_FAR + N_TRIAL])
    order = rng.permutation(kinds.size)
    return np.concatenate([usual, far, trial])[order], kinds[order]


def _drawn(
    rng: np.random.Generator, n: int, medians: tuple[float, float, float], spread: float = SPREAD
) -> FloatArray:
    """Draw payments around the medians; the hour and the number of items say nothing."""
    amount, distance, days = (rng.lognormal(np.log(middle), spread, n) for middle in medians)
    distance = rng.lognormal(np.log(medians[1]), SPREAD, n)  # even trials are spread in space
    hours, items = rng.integers(24, size=n), 1 + rng.poisson(2, n)
    days = days.round(2).round()
    return np.column_stack([amount.round(2), distance.round(2), days, hours, items])
