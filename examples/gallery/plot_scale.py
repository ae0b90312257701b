"""
How time grows with rows
========================

A kernel machine compares rows with rows, so that twice the rows take three or four times as long.
:class:`~kpboost.NystroemKPBoostSVC` boosts a kernel of low rank. That costs more for few rows, and
far less for many.
"""

# %%
# Processor time of one fit, on one thread, on data of ten columns with a rare class of 5 %. Times
# depend on the machine; what to look at are the slopes.

from time import process_time

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from kpboost import KPBoostSVC, NystroemKPBoostSVC

classifiers = {
    "SVC, one machine": SVC(class_weight="balanced"),
    "KPBoostSVC, ten rounds": KPBoostSVC(class_weight="balanced"),
    "NystroemKPBoostSVC, ten rounds": NystroemKPBoostSVC(class_weight="balanced", random_state=0),
}
n_rows = [500 * 2**step for step in range(7)]
n_sizes = {"SVC, one machine": 5, "KPBoostSVC, ten rounds": 5}  # the longer ones take too long here
X, y = make_classification(n_rows[-1], 10, n_informative=6, weights=[0.95], random_state=0)


def seconds(classifier, n):
    """Return the processor time of a fit to the first rows."""
    start = process_time()
    classifier.fit(X[:n], y[:n])
    return process_time() - start


# %%
# The boosted machine takes about as long as a single one, since its rounds share one kernel matrix
# and each starts from the last. Above some thousand rows the kernel of low rank wins.

figure, axis = plt.subplots(figsize=(7, 4.5), layout="constrained")
with threadpool_limits(1):
    for name, classifier in classifiers.items():
        sizes = n_rows[: n_sizes.get(name)]
        axis.loglog(sizes, [seconds(classifier, n) for n in sizes], marker="o", label=name)
axis.set(xlabel="rows", ylabel="processor seconds of one fit")
axis.grid(alpha=0.3, which="both")
axis.legend(frameon=False)
plt.show()
