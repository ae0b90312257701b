"""scikit-learn's own checks of an estimator; none is expected to fail."""

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.ensemble import AdaBoostSVC

CONFIGURATIONS = [
    AdaBoostSVC(n_estimators=5),
    AdaBoostSVC(n_estimators=5, diverse=True, class_weight="balanced"),
    AdaBoostSVC(n_estimators=5, multi_class="one_vs_rest", n_jobs=2),
    AdaBoostSVC(n_estimators=5, cache_size=0.01),  # MB: most checks read rows on demand
]
# The equivalence is exact, the solver is not: two solves agree within tol, and this check compares
# them to 1e-7 where the default tol is 1e-6.
FINER_THAN_DEFAULT = "check_sample_weight_equivalence"
TIGHT = 1e-10


# Some checks train on labels without pattern.
@pytest.mark.filterwarnings("ignore:No machine was better than chance:UserWarning")
@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learns_checks(estimator, check):
    if check.func.__name__.startswith(FINER_THAN_DEFAULT):
        estimator = clone(estimator).set_params(tol=TIGHT)
    check(estimator)
