"""scikit-learn's own checks of an estimator; none is expected to fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.svm import DissimilaritySVC
from support.solver_checks import check_solved

CONFIGURATIONS = [
    DissimilaritySVC(),
    DissimilaritySVC(
        kernel="rbf",
        scale_dissimilarities=True,
        multi_class="one_vs_rest",
        class_weight="balanced",
    ),
]


@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learns_checks(estimator, check):
    check_solved(estimator, check)
