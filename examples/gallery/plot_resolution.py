"""
Resolution, round by round
==========================

Most boosting methods weigh points. :class:`~kpboost.KPBoostSVC` bends space instead: around points
that are classified correctly the kernel loses resolution, round by round, and the boundary turns
to the others.
"""

# %%
# The rare class has a large part and two small ones, each in a hole of the common class.

import matplotlib.pyplot as plt
import numpy as np

from kpboost import KPBoostSVC
from kpboost.ensemble import ResolutionMapDisplay

rng = np.random.default_rng(4)
common, rare = rng.uniform(-3, 3, size=(330, 2)), []
for place, width, n_points in (
    ((1.5, 1.5), 0.4, 40),
    ((-1.6, -1.2), 0.25, 9),
    ((-1.7, 1.8), 0.2, 7),
):
    common = common[np.linalg.norm(common - place, axis=1) > 2.6 * width]
    rare.append(rng.normal(place, width, size=(n_points, 2)))
X = np.vstack([common, *rare])
y = np.repeat(["common", "rare"], [len(common), 56])
model = KPBoostSVC(C=1, gamma=0.7, perturbation_step=0.06).fit(X, y)

# %%
# Dark is where resolution is lost. The line is the boundary of that round's machine, the dashed one
# that of the first. The first machine is a plain SVM, which misses the smallest part. What is
# misclassified keeps its resolution, and so the boundary closes around that part as well.

figure, axes = plt.subplots(2, 3, figsize=(11, 7.6), layout="constrained")
ResolutionMapDisplay.from_estimator(model, X, y, rounds=(1, 2, 3, 4, 5, 6), ax=axes.ravel())
plt.show()
