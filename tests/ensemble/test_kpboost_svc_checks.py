"""scikit-learn's own checks of an estimator, one configuration per code path.

No check is expected to fail.
"""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost import KPBoostSVC
from support.solver_checks import check_solved

CONFIGURATIONS = [
    KPBoostSVC(),
    KPBoostSVC(judge_rounds="paper", multi_class="one_vs_rest", class_weight="balanced", n_jobs=2),
    KPBoostSVC(roi_scale=0.6),
    KPBoostSVC(cache_size=0.01),  # MB: more than 36 points read rows on demand
    KPBoostSVC(kernel="precomputed", roi_scale=0.6),
]


# Some checks train on labels without pattern, or on classes that C = 1 cannot tell apart.
@pytest.mark.filterwarnings("ignore:No round met the conditions:UserWarning")
@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learns_checks(estimator, check):
    check_solved(estimator, check)
