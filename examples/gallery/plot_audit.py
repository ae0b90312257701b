"""
An audit, as a picture
======================

A model with 96 % accuracy misses a part of the rare class that nobody has named.
:func:`~kpboost.auditing.audit` finds it, tells it from chance, and tries what would help.
"""

# %%
# A common class with a hole, and in the hole ten rows of the rare class.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kpboost.auditing import audit

rng = np.random.default_rng(0)
common = rng.uniform(-3, 3, size=(400, 2))
gap = np.hypot(common[:, 0] + 1.6, common[:, 1] + 1.2) < 0.7
common = common[~gap & (np.hypot(*(common - 1.5).T) > 1)]
rare = np.vstack([rng.normal(1.5, 0.45, size=(40, 2)), rng.normal([-1.6, -1.2], 0.2, size=(10, 2))])
X = np.vstack([common, rare])
y = np.repeat(["common", "rare"], [len(common), len(rare)])

found = audit(X, y, make_pipeline(StandardScaler(), SVC()), remedies=["svm_balanced", "kpboost"])
print(found.verdict.headline)
for sentence in found.verdict.sentences:
    print("-", sentence)

# %%
# On the left the rows, with a ring around those that are missed. On the right what was tried on
# them: the recall on new folds, with exact 95 % intervals.

(missed,) = found.missed
question = found.remedies.questions[0]
answers = [question.control, *question.tried]

figure, (plane, bars) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for label, color in (("common", "tab:blue"), ("rare", "tab:red")):
    plane.scatter(*X[y == label].T, s=12, color=color, label=label)
rows = np.array(missed.rows)
plane.scatter(*X[rows].T, s=90, facecolor="none", edgecolor="black", label=missed.name)
plane.set(aspect="equal", xticks=(), yticks=(), title=found.verdict.headline)
plane.legend(loc="upper left", framealpha=0.9)

bars.barh("as it is", question.recall_before, color="0.6")
for answer in answers:
    interval = [[answer.recall - answer.low], [answer.high - answer.recall]]
    color = "tab:green" if answer.helps else "0.6"
    bars.barh(answer.title, answer.recall, xerr=interval, color=color, ecolor="0.2")
bars.invert_yaxis()
bars.set(xlim=(0, 1.05), title=f"Recall of {missed.name}, {missed.size} rows (green: helps)")
bars.spines[["top", "right"]].set_visible(False)
plt.show()
