"""scikit-learn's own checks of an estimator, over three places to search; none may fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.tree import C45IB1Classifier


@parametrize_with_checks(
    [
        C45IB1Classifier(),
        C45IB1Classifier(15, search="small", inclusive=False),
        C45IB1Classifier(3, search="leaf", prune=False),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
