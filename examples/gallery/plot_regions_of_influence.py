"""
Three ways to guess the resolution at a new point
=================================================

KPBoost lowers the resolution of the kernel around training points that are classified correctly. At
a new point nobody knows whether it will be, so KPBoost gives it full resolution. The supplement of
the paper looks at another way: a new point takes over the factor of its nearest training point. Its
three cases are drawn here on made-up data: a common class, and a sparse rare one in its midst.
"""

# %%
# A machine on overlapping classes. The rare points that it misses keep their resolution.

import matplotlib.pyplot as plt
import numpy as np

from kpboost import KernelSVC

rng = np.random.default_rng(4)
common = rng.uniform(-1.6, 1.6, size=(90, 2))
rare = rng.normal(0.0, 0.55, size=(14, 2))
X = np.vstack([common, rare])
y = np.repeat([-1, 1], [len(common), len(rare)])
correct = KernelSVC(3.0, gamma=1.0).fit(X, y).predict(X) == y

# %%
# Case 1: no regions (``roi_scale=0``). Case 2: every misclassified point protects its neighbours
# within one radius, that of the denser class. Case 3: within the radius of its own class, wider for
# the sparser one. Radii are mean nearest-neighbour distances, as in the paper.

distance = np.linalg.norm(X[:, None] - X, axis=2)
np.fill_diagonal(distance, np.inf)
mean_nearest = {c: distance[np.ix_(y == c, y == c)].min(axis=1).mean() for c in (-1, 1)}
radii = {
    "Case 1: no regions": np.zeros(len(y)),
    "Case 2: one radius": np.full(len(y), min(mean_nearest.values())),
    "Case 3: a radius for each class": np.where(y > 0, mean_nearest[1], mean_nearest[-1]),
}

# %%
# Blue is where a new point would lose resolution, because its nearest training point does. Rings
# are the regions of influence; crosses are the points that the machine misses.

side = np.linspace(-1.8, 1.8, 160)
plane = np.stack(np.meshgrid(side, side), axis=-1)
nearest = np.linalg.norm(plane[:, :, None] - X, axis=3).argmin(axis=2)

figure, axes = plt.subplots(1, 3, figsize=(11, 4), sharey=True, layout="constrained")
for axis, (title, radius) in zip(axes, radii.items(), strict=True):
    protected = (distance <= radius[:, None])[~correct].any(axis=0)
    losing = correct & ~protected
    axis.pcolormesh(side, side, losing[nearest], cmap="Blues", vmin=-0.3, vmax=1.6)
    for point, own in zip(X[~correct], radius[~correct], strict=True):
        axis.add_patch(plt.Circle(point, own, fill=False, color="0.35", linewidth=0.8))
    for label, marker, color in ((-1, "o", "0.25"), (1, "s", "tab:red")):
        for right, shape in ((True, marker), (False, "x")):
            own = (y == label) & (correct == right)
            axis.plot(*X[own].T, shape, color=color, markersize=5, linestyle="none")
    axis.set_title(f"{title}\n{losing.sum()} of {len(y)} lose resolution", fontsize=10)
    axis.set(aspect="equal", xlim=side[[0, -1]], ylim=side[[0, -1]])
plt.show()

# %%
# In case 1 the places of missed rare points lie like islands among points that lose resolution, and
# many rare new points would fall beside them. With a radius of its own the sparse class keeps the
# resolution of its surroundings.
