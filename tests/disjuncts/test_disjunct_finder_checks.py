"""scikit-learn's own checks, as far as they fit an estimator whose predict needs labels.

The checks call ``predict(X)``. So they run twice: over the finder as it is, where those that get as
far as ``predict`` must fail, all for that one reason; and over one that fills the labels in, where
none may fail.
"""

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

from kpboost.disjuncts import DisjunctFinder

NEEDS_LABELS = "predict(X, y) needs the labels of the points; the check calls predict(X)"
CHECKS_THAT_PREDICT = [
    "check_dict_unchanged",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimators_dtypes",
    "check_estimators_nan_inf",
    "check_estimators_pickle",
    "check_estimators_unfitted",
    "check_f_contiguous_array_estimator",
    "check_fit2d_predict1d",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in_after_fitting",
]


class FillsLabelsIn(DisjunctFinder):
    """Takes every new point for one of the first class."""

    def predict(self, X):
        check_is_fitted(self)
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        return super().predict(X, np.repeat(self.classes_[:1], n_rows))


@parametrize_with_checks(
    [DisjunctFinder()],
    expected_failed_checks=lambda finder: dict.fromkeys(CHECKS_THAT_PREDICT, NEEDS_LABELS),
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@parametrize_with_checks(
    [
        FillsLabelsIn(neighbors_from="class", connection="strong", n_jobs=2),
        FillsLabelsIn(3, connection="weak"),
    ]
)
def test_scikit_learns_checks_with_labels_filled_in(estimator, check):
    check(estimator)
