"""scikit-learn's own checks of an estimator, over the machine's configurations.

No check is expected to fail. SVC fails the equivalence of sample weights with repetition.
"""

from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.svm import KernelSVC

CONFIGURATIONS = [
    KernelSVC(),
    KernelSVC(multi_class="one_vs_rest"),
    KernelSVC(C=1000.0),
    KernelSVC(class_weight="balanced", gamma="auto"),
    KernelSVC(warm_start=True),
    KernelSVC(cache_size=0.01),  # MB: more than 36 points read rows on demand
    KernelSVC(kernel="precomputed"),
]
# The equivalence is exact, the solver is not: two solves agree within tol, and this check compares
# them to 1e-7 where the default tol is 1e-6.
FINER_THAN_DEFAULT = "check_sample_weight_equivalence"
TIGHT = 1e-10


@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learns_checks(estimator, check):
    if check.func.__name__.startswith(FINER_THAN_DEFAULT):
        estimator = clone(estimator).set_params(tol=TIGHT)
    check(estimator)
