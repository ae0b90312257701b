"""
Does 30 % mean 30 %?
====================

Class weights help to find a rare class, and spoil probabilities: a balanced forest calls a sample
likely that is not. :class:`~kpboost.RareClassClassifier` weighs classes as well, but its
probabilities are for the shares that the data have; here they are a little too careful.
"""

# %%
# A rare class of 7 %, a quarter of the samples for training.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import calibration_curve
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from kpboost import OperatingPointClassifier, RareClassClassifier

X, y = make_classification(
    8000, weights=[0.94], n_informative=6, class_sep=0.8, flip_y=0.03, random_state=2
)
X, X_new, y, y_new = train_test_split(X, y, test_size=0.75, stratify=y, random_state=0)
models = {
    "Balanced forest": RandomForestClassifier(
        class_weight="balanced", min_samples_leaf=20, random_state=0
    ),
    "Balanced SVM, calibrated": OperatingPointClassifier(
        SVC(class_weight="balanced"), random_state=0
    ),
    "RareClassClassifier": RareClassClassifier(random_state=0),
}

# %%
# On the dotted line, a predicted probability is what came true. Above it, the rare class is more
# frequent than predicted. The Brier score is the mean squared distance between probability and
# truth; the smaller, the better. Below: how many samples got which probability.

figure, (axis, counts) = plt.subplots(
    2, 1, figsize=(6, 7), sharex=True, height_ratios=(3, 1), layout="constrained"
)
axis.plot((0, 1), (0, 1), color="0.6", linestyle=":")
for name, model in models.items():
    predicted = model.fit(X, y).predict_proba(X_new)[:, 1]
    share, mean = calibration_curve(y_new, predicted, n_bins=6)
    (line,) = axis.plot(
        mean, share, marker="o", label=f"{name}: {brier_score_loss(y_new, predicted):.3f}"
    )
    counts.hist(predicted, np.linspace(0, 1, 25), histtype="step", color=line.get_color())
axis.set(ylabel="share that is of the rare class", aspect="auto")
axis.legend(title="Brier score", frameon=False)
counts.set(xlabel="predicted probability of the rare class", ylabel="samples", yscale="log")
plt.show()
