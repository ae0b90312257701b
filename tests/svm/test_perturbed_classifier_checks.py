"""scikit-learn's own checks of an estimator, over the kernel-perturbation family.

No check is expected to fail.
"""

from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.svm import (
    AsymmetricKernelScalingSVC,
    BoundaryAlignmentSVC,
    ChiSquareKernelScalingSVC,
    ConformalSVC,
    KernelScalingSVC,
)

CONFIGURATIONS = [
    ConformalSVC(),
    ConformalSVC(rule="wu_amari", multi_class="one_vs_rest", class_weight="balanced"),
    ConformalSVC(rule="act", n_iterations=10, keep_best=True),
    ConformalSVC(rule="act", kernel="laplacian", normalize=True),
    BoundaryAlignmentSVC(),
    BoundaryAlignmentSVC(pairs="all", beta=0.6, n_iterations=2, min_improvement=None),
    KernelScalingSVC(decay=0.1, cache_size=0.01),  # MB: more than 36 points read rows on demand
    KernelScalingSVC(n_iterations=3, multi_class="one_vs_rest"),
    AsymmetricKernelScalingSVC(),
    AsymmetricKernelScalingSVC(C=100.0, retrain=True, class_weight="balanced"),
    ChiSquareKernelScalingSVC(),
    ChiSquareKernelScalingSVC(decay_rule="phi", counts="predicted", gamma="auto"),
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
