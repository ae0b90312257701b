"""
Who wins where
==============

An average hides where a method wins. Here every line is a data set, sorted by how much the choice
of classifier matters there: on most tables little, on some everything.
"""

# %%
# Measured scores of the repository's folder ``results``; see also :doc:`plot_critical_difference`.

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

checkout = next(folder for folder in Path.cwd().resolve().parents if (folder / "results").is_dir())
table = checkout / "results" / "field_collection" / "tables" / "scores-gmean.csv"
scores = pd.read_csv(table, index_col="Data set").iloc[:-1]  # the last line has the means
shown = {
    "Rare-class pool": "tab:red",
    "Gradient boosting, tuned threshold": "tab:green",
    "Balanced SVM": "tab:blue",
    "KPBoost-SVM": "tab:purple",
}
scores = scores[list(shown)]
spread = scores.max(axis=1) - scores.min(axis=1)
scores = scores.loc[spread.sort_values().index]

# %%
# The grey line goes from the worst to the best of the four.

rows = np.arange(len(scores))
best = scores.eq(scores.max(axis=1), axis=0).sum()
figure, axis = plt.subplots(figsize=(7, 9), layout="constrained")
axis.hlines(rows, scores.min(axis=1), scores.max(axis=1), color="0.85", linewidth=2, zorder=1)
for name, color in shown.items():
    axis.scatter(scores[name], rows, s=14, color=color, label=f"{name}: best on {best[name]}")
axis.set(xlabel="Gmean", ylabel=f"{len(scores)} data sets", yticks=(), xlim=(-0.02, 1.02))
axis.legend(loc="lower left", frameon=False)
axis.spines[["top", "right", "left"]].set_visible(False)
plt.show()
