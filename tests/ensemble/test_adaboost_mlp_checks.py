"""scikit-learn's own checks of an estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.ensemble import AdaBoostMLPClassifier

# The versions differ in what a network is given, not in how the estimator behaves.
CONFIGURATIONS = [AdaBoostMLPClassifier(n_estimators=2, n_epochs=12)]
DRAWS = (
    "weights are probabilities of a resample, and points drawn by weight are not the points drawn "
    "from repetitions; in the mean they are"
)
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": DRAWS,
    "check_sample_weight_equivalence_on_sparse_data": DRAWS,
}


# Some checks train on labels without pattern.
@pytest.mark.filterwarnings("ignore:No learner was better than chance:UserWarning")
@parametrize_with_checks(CONFIGURATIONS, expected_failed_checks=lambda _: EXPECTED)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
