"""
Thirteen classifiers on 93 tables
=================================

A critical-difference diagram shows average ranks over many data sets. A bar joins classifiers that
Nemenyi's test cannot tell apart.
"""

# %%
# The scores are measured ones, kept in the folder ``results`` of the repository: nested
# cross-validation on 93 tables of R packages with a rare class.

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from scikit_posthocs import critical_difference_diagram

from kpboost.reports import friedman_test

checkout = next(folder for folder in Path.cwd().resolve().parents if (folder / "results").is_dir())
table = checkout / "results" / "field_collection" / "tables" / "scores-gmean.csv"
scores = pd.read_csv(table, index_col="Data set").iloc[:-1]  # the last line has the means
names = list(scores)
friedman = friedman_test(scores)
print(f"{len(scores)} data sets, p = {friedman.p_value:.1g}")

# %%
# The best rank is on the left. KPBoost, as published, is the last: honest tables are made to show
# that, too. "Rare-class pool" in the table is RareClassClassifier, which this library recommends
# instead.

figure, axis = plt.subplots(figsize=(10, 4), layout="constrained")
critical_difference_diagram(
    dict(zip(names, friedman.ranks, strict=True)),
    pd.DataFrame(friedman.p_values, index=names, columns=names),
    ax=axis,
    color_palette={name: "tab:red" if name == "Rare-class pool" else "0.25" for name in names},
    crossbar_props={"color": "tab:blue", "linewidth": 3},
    text_h_margin=0.3,
    label_fmt_left="{label} ({rank:.2f})",
    label_fmt_right="({rank:.2f}) {label}",
)
axis.set_title(f"Average rank in Gmean; {len(scores)} data sets, 5 folds, nested")
plt.show()
