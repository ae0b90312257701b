"""Classification when some classes, and some parts of classes, are rare."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what __getattr__ finds when it is asked for
    from ._versions import show_versions as show_versions
    from .auditing import Audit as Audit, audit as audit
    from .disjuncts import DisjunctFinder as DisjunctFinder
    from .ensemble import (
        AdaBoostMLPClassifier as AdaBoostMLPClassifier,
        AdaBoostSVC as AdaBoostSVC,
        KPBoostSVC as KPBoostSVC,
        NystroemKPBoostSVC as NystroemKPBoostSVC,
        RareClassClassifier as RareClassClassifier,
        RUSBoostM2Classifier as RUSBoostM2Classifier,
    )
    from .metrics import (
        DisjunctFrame as DisjunctFrame,
        DisjunctRecallDisplay as DisjunctRecallDisplay,
        class_recalls as class_recalls,
        geometric_mean_score as geometric_mean_score,
        gsdi_score as gsdi_score,
        hard_auc_score as hard_auc_score,
        imbalance_ratio as imbalance_ratio,
    )
    from .model_selection import (
        AsymmetricKernelScalingSVCCV as AsymmetricKernelScalingSVCCV,
        KPBoostSVCCV as KPBoostSVCCV,
        NystroemKPBoostSVCCV as NystroemKPBoostSVCCV,
        OperatingPointClassifier as OperatingPointClassifier,
        best_tradeoff as best_tradeoff,
        tradeoff_score as tradeoff_score,
    )
    from .svm import (
        AsymmetricKernelScalingSVC as AsymmetricKernelScalingSVC,
        BoundaryAlignmentSVC as BoundaryAlignmentSVC,
        ChiSquareKernelScalingSVC as ChiSquareKernelScalingSVC,
        ConformalSVC as ConformalSVC,
        DissimilaritySVC as DissimilaritySVC,
        KernelScalingSVC as KernelScalingSVC,
        KernelSVC as KernelSVC,
    )
    from .tree import C45Classifier as C45Classifier, C45IB1Classifier as C45IB1Classifier

    __version__: str

# The names that each package lends to this one.
_NAMES_BY_PACKAGE = {
    "auditing": ("Audit", "audit"),
    "disjuncts": ("DisjunctFinder",),
    "ensemble": (
        *("AdaBoostMLPClassifier", "AdaBoostSVC", "KPBoostSVC", "RUSBoostM2Classifier"),
        *("NystroemKPBoostSVC", "RareClassClassifier"),
    ),
    "metrics": (
        *("DisjunctFrame", "DisjunctRecallDisplay", "class_recalls", "geometric_mean_score"),
        *("gsdi_score", "hard_auc_score", "imbalance_ratio"),
    ),
    "model_selection": (
        *("AsymmetricKernelScalingSVCCV", "KPBoostSVCCV", "NystroemKPBoostSVCCV"),
        *("OperatingPointClassifier", "best_tradeoff", "tradeoff_score"),
    ),
    "svm": (
        *("AsymmetricKernelScalingSVC", "BoundaryAlignmentSVC", "ChiSquareKernelScalingSVC"),
        *("ConformalSVC", "DissimilaritySVC", "KernelSVC", "KernelScalingSVC"),
    ),
    "tree": ("C45Classifier", "C45IB1Classifier"),
    "_versions": ("show_versions",),
}
_PACKAGES = {name: package for package, names in _NAMES_BY_PACKAGE.items() for name in names}


def _subpackages() -> list[str]:
    from pkgutil import iter_modules

    return [each.name for each in iter_modules(__path__) if each.ispkg]


def _find(name: str) -> Any:
    """Import what a name stands for: scikit-learn is only loaded with what needs it."""
    if name in _PACKAGES:
        return getattr(import_module(f".{_PACKAGES[name]}", __name__), name)
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    if not name.startswith("_") and name in _subpackages():
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if not TYPE_CHECKING:  # a type checker reads the imports above; from these it would learn nothing
    __all__ = ["__version__", *sorted(_PACKAGES)]

    def __getattr__(name: str) -> Any:
        return globals().setdefault(name, _find(name))

    def __dir__() -> list[str]:
        return sorted({*__all__, *_subpackages()})
