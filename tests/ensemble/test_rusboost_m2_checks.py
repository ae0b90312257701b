"""scikit-learn's own checks of an estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.ensemble import RUSBoostM2Classifier

# Another weak learner runs through the same lines; test_sparse_input gives it sparse points.
CONFIGURATIONS = [RUSBoostM2Classifier(minority_share=0.35)]
DRAWS = "the undersample counts points, so a point of weight 2 is not drawn like the point twice"


EXPECTED = {"check_sample_weight_equivalence_on_dense_data": DRAWS}


# Some checks train on labels without pattern.
@pytest.mark.filterwarnings("ignore:No learner was better than chance:UserWarning")
@parametrize_with_checks(CONFIGURATIONS, expected_failed_checks=lambda _: EXPECTED)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
