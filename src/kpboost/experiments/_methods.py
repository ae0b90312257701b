"""The methods of a comparison by their short names, each with the paper's grid and a quick one.

Estimators are named, not imported: a method whose package is not installed is still listed, and
says what is missing when it is asked for. Only the weak learner of RUSBoost, one of ours, is here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from sklearn.base import clone

from kpboost._typing import BoolArray
from kpboost.ensemble import AS_NEW, PAPER
from kpboost.model_selection import N_ROUNDS, PERTURBATION_STEPS, REGULARISATIONS, ROI_SCALES
from kpboost.tree import C45Classifier

from ._grids import (
    FOLLOWING_WIDTHS,
    PAPER_WIDTHS,
    QUICK_FOLLOWING_WIDTHS,
    QUICK_WIDTHS,
    Grid,
    Parameters,
    Part,
    needs_best_width,
    over,
    without,
)
from ._partitions import NESTED

# Whose best sigma the other kernel methods follow.
PLAIN_SVM = "svm"

# What evaluates the candidates of one width: one after the other; on one kernel matrix; by the
# boosting that shares its first round; or all pairs of decays from one machine.
ONE_BY_ONE, ON_GRAM, BOOSTING, DECAY_PAIRS = "one by one", "on gram", "boosting", "decay pairs"


@dataclass(frozen=True, slots=True)
class Method:
    """One entry of a comparison.

    Attributes
    ----------
    name : str
        The short name.
    title : str
        As tables call it.
    estimator : str
        Dotted name of its class.
    grids : mapping from str to Grid
        By "quick" and "paper".
    fixed : mapping
        Parameters that no grid varies.
    as_paper : mapping
        Those of them that have another value under the paper's protocols, with that value.
    engine : str
        What evaluates its candidates.
    seeded : bool
        Whether it takes a random_state.
    nominal : str or None
        The parameter that takes the mask of nominal columns; None for a method that reads them as
        numbers.
    two_class : tuple of str
        Parameters that mean something for two classes only.
    extra : str or None
        The extra of kpboost that installs what it needs.
    in_paper : bool
        Whether the paper's tables have it.
    """

    name: str
    title: str
    estimator: str
    grids: Mapping[str, Grid]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    as_paper: Mapping[str, Any] = field(default_factory=dict)
    engine: str = ONE_BY_ONE
    seeded: bool = False
    nominal: str | None = None
    two_class: tuple[str, ...] = ()
    extra: str | None = None
    in_paper: bool = True

    def under(self, protocol: str) -> "Method":
        """Return the method as a protocol wants it: the paper's own are true to the letter."""
        if protocol == NESTED:
            return self
        return replace(self, fixed={**self.fixed, **self.as_paper})

    def needs(self, grid: str) -> tuple[str, ...]:
        """Return the methods that must have been tried before."""
        return (PLAIN_SVM,) if needs_best_width(self.grids[grid]) else ()

    def candidates(self, part: Part, n_classes: int) -> tuple[Parameters, ...]:
        """Return what of a part of its grid is tried on data with so many classes.

        Candidates that would differ by nothing but the draw are one: the best of several draws
        would flatter the method where the choice is made on the test folds.
        """
        if n_classes == 2 or not self.two_class:
            return part.candidates
        return without(self.two_class, part.candidates)

    def build(
        self, candidate: Parameters, gamma: float | None, seed: int, nominal: BoolArray
    ) -> Any:
        """Return the estimator of a candidate.

        Parameters
        ----------
        candidate : mapping
        gamma : float or None
            Kernel width; None for a method without.
        seed : int
            For methods that draw.
        nominal : ndarray of bool of shape (d,)
            For methods that tell names from numbers.
        """
        values: dict[str, Any] = {**self.fixed, **candidate}
        if gamma is not None:
            values["gamma"] = gamma
        if self.seeded:
            values["random_state"] = seed
        model = self.estimator_class()(**values)
        if self.nominal is None:
            return model
        # A clone, so that a weak learner among the fixed parameters stays as it is.
        return clone(model).set_params(**{self.nominal: nominal})

    def estimator_class(self) -> Any:
        """Import the class, or say in one sentence what is missing."""
        module, _, name = self.estimator.rpartition(".")
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            hint = f"; pip install 'kpboost[{self.extra}]' brings it" if self.extra else ""
            raise ValueError(f"The method {self.name!r} needs {self.estimator}{hint}.") from error


GRIDS = ("quick", "paper")
# C of the quick grids; features are standardised, so that a decade is a fair step.
QUICK_CS = (1.0, 10.0, 100.0)
# Three decades of the paper's steps, one each.
QUICK_STEPS = (0.001, 0.01, 0.1)

_SVM_GRIDS = {
    "quick": over({"C": QUICK_CS}, QUICK_WIDTHS),
    "paper": over({"C": REGULARISATIONS}, PAPER_WIDTHS),
}
_KPBOOST_GRIDS = {
    "quick": over({"C": QUICK_CS, "perturbation_step": QUICK_STEPS}, QUICK_FOLLOWING_WIDTHS),
    "paper": over(
        {"C": REGULARISATIONS, "perturbation_step": PERTURBATION_STEPS}, FOLLOWING_WIDTHS
    ),
}
_ROI_GRIDS = {
    "quick": over(
        {"C": QUICK_CS, "perturbation_step": QUICK_STEPS, "roi_scale": ROI_SCALES[:1]},
        QUICK_FOLLOWING_WIDTHS,
    ),
    "paper": over(
        {"C": REGULARISATIONS, "perturbation_step": PERTURBATION_STEPS, "roi_scale": ROI_SCALES},
        FOLLOWING_WIDTHS,
    ),
}
# D of KBA is a mean of bumps, at most 1: the kernel shrinks, and C must grow to match.
_PERTURBED_GRIDS = {
    "quick": over({"C": (10.0, 100.0, 1000.0)}, QUICK_FOLLOWING_WIDTHS),
    "paper": over({"C": REGULARISATIONS}, FOLLOWING_WIDTHS),
}
_ROUNDS = {"n_estimators": N_ROUNDS}
# The paper judges rounds in their own kernels; its tables were made so.
_JUDGED, _JUDGED_AS_PAPER = {"judge_rounds": AS_NEW}, {"judge_rounds": PAPER}
_BALANCED = {"class_weight": "balanced"}
_ONE_VS_REST = {"multi_class": "one_vs_rest"}


def _both(grid: Grid) -> dict[str, Grid]:
    """Let a small grid serve as both."""
    return {"quick": grid, "paper": grid}


def _svm(name: str, title: str, fixed: Mapping[str, Any], *, in_paper: bool = True) -> Method:
    return Method(
        name,
        title,
        "kpboost.svm.KernelSVC",
        _SVM_GRIDS,
        fixed=fixed,
        engine=ON_GRAM,
        in_paper=in_paper,
    )


def _kpboost(
    name: str,
    title: str,
    grids: Mapping[str, Grid],
    fixed: Mapping[str, Any],
    *,
    in_paper: bool = True,
) -> Method:
    return Method(
        name,
        title,
        "kpboost.ensemble.KPBoostSVC",
        grids,
        fixed={**_ROUNDS, **_JUDGED, **fixed},
        as_paper=_JUDGED_AS_PAPER,
        engine=BOOSTING,
        in_paper=in_paper,
    )


_ALL = (
    _svm("svm", "SVM", {}),
    _kpboost("kpboost", "KPBoost-SVM", _KPBOOST_GRIDS, {}),
    _kpboost("kpboost_roi", "KPBoostROI-SVM", _ROI_GRIDS, {}),
    Method(
        "adaboost_svm",
        "AdaBoost-SVM",
        "kpboost.ensemble.AdaBoostSVC",
        _both(over({"length_scale_step": (1.0, 2.0, 3.0)})),
        fixed={"n_estimators": 40},  # as the paper
    ),
    Method(
        "c45_ib1",
        "C4.5/IB1",
        "kpboost.tree.C45IB1Classifier",
        _both(over({"max_disjunct_size": (3, 5, 10, 15)})),
        nominal="categorical_features",
    ),
    Method(
        "d_svm",
        "D-SVM",
        "kpboost.svm.DissimilaritySVC",
        _both(
            over({"kernel": ("linear",)}) + over({"kernel": ("rbf",)}, FOLLOWING_WIDTHS),
        ),
        fixed={"C": 1.0},  # as the paper
    ),
    Method(
        "aks",
        "AKS",
        "kpboost.svm.AsymmetricKernelScalingSVC",
        {
            "quick": over(
                {"C": QUICK_CS, "decay_pos": QUICK_STEPS, "decay_neg": QUICK_STEPS},
                QUICK_FOLLOWING_WIDTHS,
            ),
            "paper": over(
                {
                    "C": REGULARISATIONS,
                    "decay_pos": PERTURBATION_STEPS,
                    "decay_neg": PERTURBATION_STEPS,
                },
                FOLLOWING_WIDTHS,
            ),
        },
        engine=DECAY_PAIRS,
    ),
    Method(
        "aks_chi2",
        "AKS-chi2",
        "kpboost.svm.ChiSquareKernelScalingSVC",
        {
            "quick": over({"C": QUICK_CS, "n_iterations": (2, 5)}, QUICK_FOLLOWING_WIDTHS),
            "paper": over({"C": REGULARISATIONS, "n_iterations": (2, 3, 5)}, FOLLOWING_WIDTHS),
        },
    ),
    Method(
        "rusboost",
        "RUSBoost",
        "kpboost.ensemble.RUSBoostM2Classifier",
        _both(over({"minority_share": (0.35, 0.5, 0.65)})),
        fixed={**_ROUNDS, "estimator": C45Classifier()},
        seeded=True,
        nominal="estimator__categorical_features",
        two_class=("minority_share",),  # several classes are all cut to the smallest one's size
    ),
    Method(
        "adaboost_mlp",
        "AdaBoost-MLP",
        "kpboost.ensemble.AdaBoostMLPClassifier",
        _both(over({"hidden_units": (10, 15, 20)})),
        fixed=_ROUNDS,
        seeded=True,
    ),
    Method("kba", "KBA", "kpboost.svm.BoundaryAlignmentSVC", _PERTURBED_GRIDS),
    Method(
        "act",
        "ACT",
        "kpboost.svm.ConformalSVC",
        _PERTURBED_GRIDS,
        fixed={"rule": "act", "n_iterations": 10},  # at most; as the paper
    ),
    Method(
        "ks",
        "KS",
        "kpboost.svm.KernelScalingSVC",
        {
            "quick": over({"C": QUICK_CS, "decay": QUICK_STEPS}, QUICK_FOLLOWING_WIDTHS),
            "paper": over({"C": REGULARISATIONS, "decay": PERTURBATION_STEPS}, FOLLOWING_WIDTHS),
        },
        in_paper=False,
    ),
    _svm("svm_ovr", "SVM one-vs-rest", _ONE_VS_REST),
    _kpboost("kpboost_ovr", "KPBoost-SVM one-vs-rest", _KPBOOST_GRIDS, _ONE_VS_REST),
    _kpboost("kpboost_roi_ovr", "KPBoostROI-SVM one-vs-rest", _ROI_GRIDS, _ONE_VS_REST),
    _svm("svm_balanced", "Balanced SVM", _BALANCED, in_paper=False),
    _kpboost("kpboost_balanced", "Balanced KPBoost-SVM", _KPBOOST_GRIDS, _BALANCED, in_paper=False),
    Method(
        "hgb_balanced",
        "Balanced gradient boosting",
        "sklearn.ensemble.HistGradientBoostingClassifier",
        {
            "quick": over({"min_samples_leaf": (5, 20)}),
            "paper": over({"learning_rate": (0.03, 0.1, 0.3), "min_samples_leaf": (2, 5, 20)}),
        },
        fixed={**_BALANCED, "early_stopping": False},  # it would need a part of each rare class
        seeded=True,
        in_paper=False,
    ),
    Method(
        "brf",
        "Balanced random forest",
        "imblearn.ensemble.BalancedRandomForestClassifier",
        {
            "quick": over({"max_features": ("sqrt",)}),
            "paper": over({"n_estimators": (100, 300), "max_features": ("sqrt", 0.5, 1.0)}),
        },
        # Breiman's sampling, which the library is moving to: a bootstrap of equal class sizes.
        fixed={"sampling_strategy": "all", "replacement": True, "bootstrap": False},
        seeded=True,
        extra="baselines",
        in_paper=False,
    ),
    Method(
        "easy_ensemble",
        "EasyEnsemble",
        "imblearn.ensemble.EasyEnsembleClassifier",
        {
            "quick": over({"n_estimators": (10,)}),
            "paper": over({"n_estimators": (10, 30, 100)}),
        },
        seeded=True,
        extra="baselines",
        in_paper=False,
    ),
)

METHODS: Mapping[str, Method] = {method.name: method for method in _ALL}


def check_methods(names: Iterable[str]) -> None:
    """Refuse a name that is not in the registry, by name and with those that are."""
    for name in names:
        if name not in METHODS:
            raise ValueError(
                f"There is no method {name!r}; there are {', '.join(sorted(METHODS))}."
            )
