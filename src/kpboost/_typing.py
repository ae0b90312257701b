"""Types that many signatures share: arrays, and scikit-learn's base classes as callers see them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
LabelArray = NDArray[np.str_]
Function = TypeVar("Function", bound=Callable[..., Any])

if TYPE_CHECKING:  # scikit-learn has no types; these are for whoever calls our estimators
    from sklearn.utils import Tags

    class BaseEstimator:
        """The part of scikit-learn's base class that users call."""

        n_features_in_: int
        feature_names_in_: NDArray[np.object_]

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def get_metadata_routing(self) -> Any: ...
        def set_fit_request(self, *, sample_weight: bool | str | None = "") -> Self: ...
        def __sklearn_tags__(self) -> Tags: ...
        def __getstate__(self) -> dict[str, Any]: ...

    class ClassifierMixin:
        """What classifiers have."""

        classes_: NDArray[Any]

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...
        def set_score_request(self, *, sample_weight: bool | str | None = "") -> Self: ...

    class MetaEstimatorMixin:
        """What estimators around others have: nothing that users call."""

    def available_if(check: Callable[[Any], bool]) -> Callable[[Function], Function]:
        """Make a method available where a check of the estimator says so."""

else:
    from sklearn.base import (
        BaseEstimator as BaseEstimator,
        ClassifierMixin as ClassifierMixin,
        MetaEstimatorMixin as MetaEstimatorMixin,
    )
    from sklearn.utils.metaestimators import available_if as available_if
