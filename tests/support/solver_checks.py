"""scikit-learn's checks of estimators whose solver ends at a tolerance."""

from sklearn.base import clone

# The equivalence is exact, the solver is not: two solves agree within tol, and this check compares
# them to 1e-7 where the default tol is 1e-6.
FINER_THAN_DEFAULT = "check_sample_weight_equivalence"
TIGHT = 1e-10


def check_solved(estimator, check):
    """Run a check, with a tighter tolerance where it compares more finely than the default."""
    if check.func.__name__.startswith(FINER_THAN_DEFAULT):
        estimator = clone(estimator).set_params(tol=TIGHT)
    check(estimator)
