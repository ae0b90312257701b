"""scikit-learn's own checks of an estimator."""

import pytest
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.ensemble import RUSBoostM2Classifier

CONFIGURATIONS = [
    RUSBoostM2Classifier(),
    RUSBoostM2Classifier(DecisionTreeClassifier(max_depth=3), minority_share=0.35),
]
DRAWS = "the undersample counts points, so a point of weight 2 is not drawn like the point twice"


def expected_failures(model):
    names = ["check_sample_weight_equivalence_on_dense_data"]
    if get_tags(model).input_tags.sparse:  # C4.5 takes no sparse points, nor older trees
        names.append("check_sample_weight_equivalence_on_sparse_data")
    return dict.fromkeys(names, DRAWS)


# Some checks train on labels without pattern.
@pytest.mark.filterwarnings("ignore:No learner was better than chance:UserWarning")
@parametrize_with_checks(CONFIGURATIONS, expected_failed_checks=expected_failures)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
