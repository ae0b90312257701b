"""One table of a whole field, from the folds of several runs.

    python benchmarks/field.py results/field/paper_0 results/field/paper_1 [--first rare_class]

Each folder is the report of a run (`folds.csv`); runs differ by their seed. Scores are means over
folds and runs, ranks are means over the data sets that every method has finished, ties shared;
p is Wilcoxon's signed-rank test against the first method, won and lost are counted by data sets.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata, wilcoxon

# Measure, heading, and whether larger is better.
MEASURES = (
    ("gmean", "Gmean", True),
    ("balanced_accuracy", "bal. acc.", True),
    ("gsdi", "GSDI", True),
    ("roc_auc", "ROC-AUC", True),
    ("average_precision", "AP", True),
    ("log_loss", "log-loss", False),
    ("brier", "Brier", False),
)


def means(folders: list[Path]) -> pd.DataFrame:
    """Mean scores by data set and method, of the data sets that all methods have finished."""
    folds = pd.concat([pd.read_csv(folder / "folds.csv") for folder in folders])
    names = [name for name, _, _ in MEASURES if name in folds]
    counts = folds.groupby(["dataset", "method"]).size().unstack()
    whole = counts.index[counts.eq(counts.max(axis=None)).all(axis=1)]
    table = folds[folds.dataset.isin(whole)].groupby(["dataset", "method"])[names].mean()
    return table


def column(table: pd.DataFrame, measure: str, larger: bool, first: str) -> dict[str, str]:
    """Cells of one measure by method."""
    scores = table[measure].unstack("method").dropna(axis=1, how="all").dropna()
    merits = (scores if larger else -scores).round(12)
    ranks = pd.Series(rankdata(-merits.to_numpy(), axis=1).mean(axis=0), merits.columns)
    cells = {}
    for method in merits:
        difference = (merits[first] - merits[method]).to_numpy()
        p = wilcoxon(difference).pvalue if np.any(difference) else np.nan
        count = f"{(difference > 0).sum()}/{(difference < 0).sum()}"
        against = "" if method == first else f" | {count} | {p:.2g}"
        cells[method] = f"{scores[method].mean():.3f} | {ranks[method]:.2f}{against or ' | | '}"
    return cells


def markdown(table: pd.DataFrame, first: str) -> str:
    """Write one table per measure side by side, methods by their rank in the first measure."""
    known = [each for each in MEASURES if each[0] in table]
    columns = [(title, column(table, name, larger, first)) for name, title, larger in known]
    order = sorted(columns[0][1], key=lambda method: float(columns[0][1][method].split("|")[1]))
    n_datasets = table.index.get_level_values("dataset").nunique()
    lines = [f"{n_datasets} data sets, {len(order)} methods.", ""]
    for title, cells in columns:
        lines += [
            f"| {title} | mean | rank | won/lost | p |",
            "| --- | ---: | ---: | ---: | ---: |",
        ]
        lines += [f"| {method} | {cells[method]} |" for method in order if method in cells]
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--first", default="rare_class")
    given = parser.parse_args()
    print(markdown(means(given.folders), given.first))


if __name__ == "__main__":
    main()
