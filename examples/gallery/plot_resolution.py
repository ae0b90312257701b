"""
Resolution, round by round
==========================

A boosting method weighs points. :class:`~kpboost.KPBoostSVC` bends space instead: around points
that are classified correctly the kernel loses resolution, round by round, and the boundary turns
to the others.
"""

# %%
# Two interleaved classes, the rarer one with a small part on its own.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from kpboost import KPBoostSVC
from kpboost.ensemble import ResolutionMapDisplay

rng = np.random.default_rng(0)
X, y = make_moons((220, 60), noise=0.22, random_state=0)
X = np.vstack([X, rng.normal((-0.9, -0.5), 0.1, size=(8, 2))])
y = np.append(y, np.ones(8, dtype=int))
model = KPBoostSVC(C=1, gamma=1.0, perturbation_step=0.03).fit(X, y)

# %%
# Dark is where the resolution is lost. The line is the boundary of that round's machine.

figure, axes = plt.subplots(2, 3, figsize=(11, 7), layout="constrained")
ResolutionMapDisplay.from_estimator(model, X, y, rounds=(1, 2, 3, 4, 6, 8), ax=axes.ravel())
plt.show()
