"""
How many alarms for how many finds?
===================================

A rare class is found at the price of false alarms. :class:`~kpboost.OperatingPointClassifier`
chooses the threshold by what you want, and says what it will give.
"""

# %%
# A forest gives scores; we want 80 % of the rare class. The scores are out of bag, so nothing else
# has to be trained.

from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier

from kpboost import OperatingPointClassifier
from kpboost.model_selection import OperatingPointDisplay

X, y = make_classification(3000, weights=[0.93], n_informative=5, random_state=0)
forest = ExtraTreesClassifier(300, bootstrap=True, oob_score=True, random_state=0)
model = OperatingPointClassifier(forest, recall=0.8, cv="oob").fit(X, y)
print(model.operating_point_)

# %%
# All other points that could have been chosen, and the chosen one with its 95 % intervals.

OperatingPointDisplay.from_estimator(model)

# %%
# Another aim needs no training: at most 5 % of all samples may raise an alarm.

model.change_operating_point(alarms=0.05)
print(model.operating_point_)
