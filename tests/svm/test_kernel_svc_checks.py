"""scikit-learn's own checks of an estimator, one configuration per code path.

No check is expected to fail. SVC fails the equivalence of sample weights with repetition.
"""

from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.svm import KernelSVC
from support.solver_checks import check_solved

CONFIGURATIONS = [
    KernelSVC(),
    KernelSVC(multi_class="one_vs_rest", class_weight="balanced", gamma="auto"),
    # cache_size in MB: more than 36 points read rows on demand
    KernelSVC(warm_start=True, cache_size=0.01),
    KernelSVC(kernel="precomputed"),
]


@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learns_checks(estimator, check):
    check_solved(estimator, check)
