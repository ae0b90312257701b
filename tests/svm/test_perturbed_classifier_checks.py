"""scikit-learn's own checks of an estimator, one configuration per code path.

No check is expected to fail.
"""

from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.svm import (
    AsymmetricKernelScalingSVC,
    BoundaryAlignmentSVC,
    ChiSquareKernelScalingSVC,
    ConformalSVC,
    KernelScalingSVC,
)
from support.solver_checks import check_solved

CONFIGURATIONS = [
    ConformalSVC(),
    ConformalSVC(rule="wu_amari", multi_class="one_vs_rest", class_weight="balanced"),
    ConformalSVC(rule="act", kernel="laplacian", normalize=True, keep_best=True),
    BoundaryAlignmentSVC(),
    BoundaryAlignmentSVC(pairs="all", beta=0.6, n_iterations=2, min_improvement=None),
    KernelScalingSVC(decay=0.1, cache_size=0.01),  # MB: more than 36 points read rows on demand
    AsymmetricKernelScalingSVC(),
    ChiSquareKernelScalingSVC(),
    ChiSquareKernelScalingSVC(decay_rule="phi", counts="predicted", gamma="auto"),
]


@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learns_checks(estimator, check):
    check_solved(estimator, check)
