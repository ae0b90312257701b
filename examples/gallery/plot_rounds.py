"""
How boosting moves the boundary
===============================

:class:`~kpboost.KPBoostSVC` lowers the resolution of the kernel around points that are classified
correctly, round by round, so that the others get more of it.
"""

# %%
# A common class with a gap, and a rare class with a small part in it.

import numpy as np

from kpboost import KPBoostSVC
from kpboost.ensemble import BoostingRoundsDisplay, ResolutionMapDisplay

rng = np.random.default_rng(4)
common = rng.uniform(-3, 3, size=(300, 2))
common = common[np.linalg.norm(common - (1.5, 1.5), axis=1) > 1.0]
common = common[np.linalg.norm(common - (-1.6, -1.2), axis=1) > 0.7]
rare = np.vstack([rng.normal((1.5, 1.5), 0.4, (40, 2)), rng.normal((-1.6, -1.2), 0.25, (7, 2))])
X = np.vstack([common, rare])
y = np.repeat(["common", "rare"], [len(common), len(rare)])

model = KPBoostSVC(C=1, gamma=0.5, perturbation_step=0.1).fit(X, y)

# %%
# Errors, rates and weights of the rounds; rounds that vote are marked.

BoostingRoundsDisplay.from_estimator(model)

# %%
# The boundary and the resolution in the first, the fourth and the last round.

ResolutionMapDisplay.from_estimator(model, X, y, rounds=(1, 4, 10))
# sphinx_gallery_thumbnail_number = 2
