"""
Who sees the small parts of a class?
====================================

The rare class has a large part and two small ones. Four classifiers learn the same points. Each
panel shows where a classifier predicts the rare class, how many of 200 new points of each small
part it recognises, and how many new points of the common class it calls rare.
"""

# %%
# Common points fill the plane, but for the places of the rare class.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.svm import SVC

from kpboost import KPBoostSVC, RareClassClassifier

PLACES = {"large": ((1.5, 1.5), 0.40), "small": ((-1.6, -1.2), 0.25), "tiny": ((-1.7, 1.8), 0.18)}
rng = np.random.default_rng(4)


def common_points(n):
    """Draw points all over the plane, without those in the places of the rare class."""
    points = rng.uniform(-3, 3, size=(n, 2))
    for place, width in PLACES.values():
        points = points[np.linalg.norm(points - place, axis=1) > 2.5 * width]
    return points


common = common_points(340)
rare = [
    rng.normal(place, width, size=(n, 2))
    for n, (place, width) in zip((40, 9, 6), PLACES.values(), strict=True)
]
X = np.vstack([common, *rare])
y = np.repeat([0, 1], [len(common), 55])

# %%
# Both SVMs have the same ``C``. The plain one gives the small parts up: their points are cheaper to
# misclassify than to fit. The forest draws tight boxes. KPBoost finds nearly all new points of the
# small parts and pays with false alarms. The last one, a pool of models for rare classes, is the
# default of ``kpboost fit``.

classifiers = {
    "SVM": SVC(C=10),
    "Random forest": RandomForestClassifier(random_state=0),
    "KPBoost": KPBoostSVC(C=10),
    "RareClassClassifier": RareClassClassifier(random_state=0),
}
fresh = {name: rng.normal(*PLACES[name], size=(200, 2)) for name in ("small", "tiny")}
fresh["false alarms"] = common_points(3000)

figure, axes = plt.subplots(2, 2, figsize=(8, 8), layout="constrained")
for axis, (name, classifier) in zip(axes.flat, classifiers.items(), strict=True):
    classifier.fit(X, y)
    DecisionBoundaryDisplay.from_estimator(
        classifier, X, response_method="predict", cmap="RdBu_r", alpha=0.35, ax=axis
    )
    axis.scatter(*X[y == 0].T, s=7, color="tab:blue", alpha=0.5)
    axis.scatter(*X[y == 1].T, s=16, color="tab:red", edgecolor="white", linewidth=0.4)
    found = ", ".join(f"{part} {classifier.predict(new).mean():.0%}" for part, new in fresh.items())
    axis.set(title=f"{name}\n{found}", aspect="equal", xticks=(), yticks=())
plt.show()
