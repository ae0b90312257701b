"""scikit-learn's own checks of an estimator; none is expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.ensemble import AdaBoostSVC
from support.solver_checks import check_solved

CONFIGURATIONS = [
    AdaBoostSVC(n_estimators=5),
    AdaBoostSVC(n_estimators=5, multi_class="one_vs_rest", n_jobs=2),
    # cache_size in MB: most checks read rows on demand
    AdaBoostSVC(n_estimators=5, diverse=True, class_weight="balanced", cache_size=0.01),
]


# Some checks train on labels without pattern.
@pytest.mark.filterwarnings("ignore:No machine was better than chance:UserWarning")
@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learns_checks(estimator, check):
    check_solved(estimator, check)
