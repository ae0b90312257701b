"""A made-up table of card payments, with a kind of fraud that a linear model cannot see.

Most fraud is large and far from home. Fourteen payments are another kind: tiny ones from new
accounts, which try whether a stolen card works. ``python examples/payments.py > payments.csv``
writes the table.
"""

import sys

import numpy as np
import pandas as pd

N_USUAL, N_FAR, N_TRIAL = 1200, 66, 14


def payments() -> pd.DataFrame:
    """Return the table, its rows in random order."""
    rng = np.random.default_rng(7)
    usual = draw(rng, N_USUAL, amount=30, distance_km=5, account_days=400)
    far = draw(rng, N_FAR, amount=180, distance_km=70, account_days=400)
    trial = draw(rng, N_TRIAL, amount=2.5, distance_km=5, account_days=9, spread=0.3)
    table = pd.concat([usual, far, trial], ignore_index=True)
    table["kind"] = np.repeat(["usual", "fraud"], [N_USUAL, N_FAR + N_TRIAL])
    return table.iloc[rng.permutation(len(table))]


def draw(rng: np.random.Generator, n: int, spread: float = 0.8, **medians: float) -> pd.DataFrame:
    """Draw payments around the medians; the hour and the number of items say nothing."""
    columns = {name: rng.lognormal(np.log(middle), spread, n) for name, middle in medians.items()}
    columns["distance_km"] = rng.lognormal(np.log(medians["distance_km"]), 0.8, n)
    table = pd.DataFrame(columns).round(2)
    table["account_days"] = table["account_days"].round().astype(int)
    return table.assign(hour=rng.integers(24, size=n), items=1 + rng.poisson(2, n))


if __name__ == "__main__":
    payments().to_csv(sys.stdout, index=False, lineterminator="\n")
