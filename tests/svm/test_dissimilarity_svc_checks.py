"""scikit-learn's own checks of an estimator; none is expected to fail."""

from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.svm import DissimilaritySVC

CONFIGURATIONS = [
    DissimilaritySVC(),
    DissimilaritySVC(kernel="rbf"),
    DissimilaritySVC(scale_dissimilarities=True, class_weight="balanced"),
    DissimilaritySVC(kernel="rbf", scale_dissimilarities=True, multi_class="one_vs_rest"),
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
