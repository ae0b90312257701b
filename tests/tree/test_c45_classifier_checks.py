"""scikit-learn's own checks of an estimator, as it is and with everything else; none may fail."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.tree import C45Classifier


@parametrize_with_checks(
    [
        C45Classifier(),
        C45Classifier(
            prune=False,
            collapse=False,
            criterion="gain",
            min_leaf=1,
            categorical_features=[0],
            cut_penalty=False,
            min_gap=0.0,
        ),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
