"""Whether the audit finds the same in real tables whatever the order of their rows.

Every table is audited as it is, sorted by label, and after five shuffles. Findings are equal if
all parts have the same rows, hits and p-values, and the verdict is the same to the letter, but for
what it says about the order of the rows.

python benchmarks/row_order.py --folder ../shared/data    20 tables: some ten minutes
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets

from kpboost import audit
from kpboost.auditing import Audit

N_SHUFFLES = 5
OWN = ("load_iris", "load_wine", "load_breast_cancer")
# Of the paper's, those with categories, whole numbers and rounded measurements first.
FILES = (
    *("balance", "car3", "hayes", "zoo3", "lymphography", "dermatology", "soybean12"),
    *("cleveland0vs4", "abalone9vs18", "ecoli", "glass1", "new-thyroid", "pima", "vowel0"),
    "winequality_red3vs5",
    *("yeast2vs4", "poker8vs6"),
)  # fmt: skip


def tables(folder: Path | None) -> dict[str, tuple[pd.DataFrame, NDArray[Any]]]:
    """Features and labels by name."""
    found = {}
    for name in OWN:
        data = getattr(datasets, name)(as_frame=True)
        found[name.removeprefix("load_")] = (data.data, data.target.to_numpy())
    for name in FILES if folder else ():
        frame = pd.read_csv(f"{folder}/{name}.csv")
        found[name] = (frame.iloc[:, :-1], frame.iloc[:, -1].to_numpy())
    return found


def orders(y: NDArray[Any]) -> list[NDArray[np.intp]]:
    """As it is, by label, and shuffled."""
    random = [np.random.default_rng(seed).permutation(y.size) for seed in range(N_SHUFFLES)]
    return [np.arange(y.size), np.argsort(y, kind="stable"), *random]


def findings(found: Audit, order: NDArray[np.intp]) -> tuple[Any, ...]:
    """Return what was found, with row numbers of the table as it was."""
    parts = {
        (each.name, each.n_correct, each.p_value, frozenset(order[list(each.rows)].tolist()))
        for each in found.disjuncts
    }
    said = [each for each in found.verdict.sentences if "order of the rows" not in each]
    return parts, found.verdict.headline, said, found.classes


def main() -> None:
    options = parse_options()
    n_equal, found = 0, tables(options.folder)
    for name, (X, y) in found.items():
        told = []
        for order in orders(y):
            again = audit(X.iloc[order], y[order], options.model, remedies="never")
            told.append((findings(again, order), len(again.missed)))
        equal = all(each == told[0] for each in told)
        n_equal += equal
        flags = ", ".join(str(number) for _, number in told)
        print(f"{name:<20} {len(y):>5} rows  flags {flags:<22} {'same' if equal else 'DIFFERENT'}",
              flush=True)  # fmt: skip
    print(f"the same in {n_equal} of {len(found)} tables")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, help="of the paper's data sets")
    parser.add_argument("--model", help="name of a method; the audit's two by default")
    return parser.parse_args()


if __name__ == "__main__":
    main()
