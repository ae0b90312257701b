"""
Which parts of a class does a classifier miss?
==============================================

A classifier with 95 % accuracy may still miss a whole part of a class. Here a rare class has a
large part and two small ones. :class:`~kpboost.DisjunctFinder` finds the parts,
:class:`~kpboost.DisjunctFrame` tells how a classifier does on each.
"""

# %%
# Two classes whose parts are known, because we make them.

from sklearn.model_selection import cross_val_predict
from sklearn.svm import SVC

from kpboost import DisjunctFinder, DisjunctFrame
from kpboost.datasets import make_disjuncts
from kpboost.disjuncts import DisjunctCurveDisplay, DisjunctMapDisplay
from kpboost.metrics import DisjunctRecallDisplay

X, y, planted = make_disjuncts(((220, 80), (45, 9, 6)), overlap=0.45, random_state=3)

# %%
# The number of disjuncts falls as every point looks at more neighbours; the knee of that curve is
# where the finder stops.

finder = DisjunctFinder(n_neighbors="auto").fit(X, y)
DisjunctCurveDisplay.from_estimator(finder)

# %%
# What it found, on the plane. Small disjuncts are ringed.

finder = DisjunctFinder(n_neighbors=10).fit(X, y)
DisjunctMapDisplay.from_estimator(finder, X)
# sphinx_gallery_thumbnail_number = 2

# %%
# A plain SVM, judged disjunct by disjunct on points it was not trained on. The bars are exact 95 %
# intervals: a disjunct of five points says little about itself, and the picture shows it.

predictions = cross_val_predict(SVC(), X, y)
DisjunctRecallDisplay.from_predictions(y, predictions, disjuncts=finder.labels_)

# %%
# The same as numbers.

DisjunctFrame(y, predictions, disjuncts=finder.labels_)
