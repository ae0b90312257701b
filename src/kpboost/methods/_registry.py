"""The methods by their short names: what `compare`, `paper`, `audit` and `fit` mean by a name.

A name stands for one class, one title, one preparation of the columns, one rule of choice and two
grids, the paper's and a quick one. Estimators are named, not imported: a method whose package is
not installed is still listed, and says what is missing when it is needed. Only the weak learner of
RUSBoost, one of ours, is imported here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from sklearn.base import clone

from kpboost._notebook import Facts, FactsMixin
from kpboost._text import did_you_mean
from kpboost._typing import BoolArray
from kpboost.ensemble import AS_NEW, PAPER
from kpboost.model_selection import (
    N_ROUNDS,
    OUT_OF_BAG,
    PERTURBATION_STEPS,
    REGULARISATIONS,
    ROI_SCALES,
)
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
from ._wrappers import CodedLabelsClassifier, Threshold

# Whose best sigma the other kernel methods follow, and those that divide classes as the second.
PLAIN_SVM, PLAIN_SVM_OVR = "svm", "svm_ovr"

# What evaluates the candidates of one width: one after the other; on one kernel matrix; by the
# boosting that shares its first round; or all pairs of decays from one machine.
ONE_BY_ONE, ON_GRAM, BOOSTING, DECAY_PAIRS = "one by one", "on gram", "boosting", "decay pairs"


# On data of how many classes the paper has a method.
ANY, TWO, SEVERAL = "any", "two", "several"


@dataclass(frozen=True, slots=True, repr=False)
class Method(FactsMixin):
    """A classifier by its short name.

    Attributes
    ----------
    name : str
        The short name.
    title : str
        As tables and sentences call it.
    good_for : str
        When to take it, in a few words.
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
        The parameter that takes the mask of nominal columns, for a method that gets their codes;
        None for a method that gets indicators.
    two_class : tuple of str
        Parameters that mean something for two classes only.
    extra : str or None
        The extra of kpboost that installs what it needs.
    in_paper : bool
        Whether the paper's tables have it.
    paper_classes : {"any", "two", "several"}
        On data sets of how many classes they have it. One against the rest of two classes is the
        same machine as one against one.
    max_rows : int or None
        Of more training rows of user data it gets a sample of so many; None takes all.
    coded_labels : bool
        Whether the estimator takes no labels but numbers of classes.
    threshold : Threshold or None
        How the chosen candidate's threshold is set; None leaves the decision to the estimator.
    low_rank : Method or None
        Its form for user data of more than ``LOW_RANK_ROWS`` training rows, with a kernel of low
        rank, which takes all rows; None for a method that has no such form.

    See Also
    --------
    METHODS : All of them, by name.
    MethodClassifier : A method as an estimator.

    Examples
    --------
    >>> from kpboost.methods import METHODS
    >>> METHODS["kpboost"].title
    'KPBoost-SVM'
    """

    name: str
    title: str
    good_for: str
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
    paper_classes: str = ANY
    max_rows: int | None = None
    coded_labels: bool = False
    threshold: Threshold | None = None
    low_rank: "Method | None" = None

    def _facts(self) -> Facts:
        yield "name", self.name
        yield "title", self.title
        yield "good for", self.good_for
        yield "estimator", self.estimator

    def for_rows(self, n_rows: int) -> "Method":
        """Return the form of the method for so many training rows of user data."""
        if self.low_rank is None or n_rows <= LOW_RANK_ROWS:
            return self
        own = self.low_rank.named(self.name, self.title, self.good_for)
        return replace(own, threshold=self.threshold)

    def as_searched(self) -> "Method":
        """Return the method as its candidates are tried: only the chosen one gets a threshold."""
        return replace(self, threshold=None)

    def as_in_paper(self) -> "Method":
        """Return the method as the paper has it, for the paper's protocols."""
        return self.fixing(self.as_paper)

    def fixing(self, values: Mapping[str, Any]) -> "Method":
        """Return the method with more parameters that no grid varies, or other values of them."""
        return replace(self, fixed={**self.fixed, **values})

    def one_vs_rest(self) -> "Method":
        """Return the method, and its form of low rank, with each class against all others.

        It is the paper's second way, for several classes alone.
        """
        other = self.low_rank and self.low_rank.fixing(_ONE_VS_REST)
        return replace(self.fixing(_ONE_VS_REST), low_rank=other, paper_classes=SEVERAL)

    def named(self, name: str, title: str, good_for: str) -> "Method":
        """Return a method of this kind under its own name."""
        return replace(self, name=name, title=title, good_for=good_for)

    @property
    def is_kpboost(self) -> bool:
        """Tell whether it is one of the boosted machines of the paper."""
        return self.estimator == KPBOOST

    @property
    def weighs_rows(self) -> bool:
        """Tell whether its rows can have weights that restore the shares of the classes."""
        return self.max_rows is not None or self.estimator == LOW_RANK_SEARCH

    @property
    def takes_draws(self) -> bool:
        """Tell whether it can learn from a draw and be told the sizes of the classes."""
        return self.weighs_rows or self.estimator == RARE_CLASS

    @property
    def is_available(self) -> bool:
        """Tell whether its package is installed."""
        return find_spec(self.estimator.partition(".")[0]) is not None

    @property
    def advice(self) -> str:
        """Say how to get what it needs; "" if it needs nothing more."""
        return f"pip install 'kpboost[{self.extra}]'" if self.extra else ""

    @property
    def leader(self) -> str:
        """The plain SVM whose sigma* it follows: the one that divides classes as it does."""
        one_vs_rest = self.fixed.get("multi_class") == _ONE_VS_REST["multi_class"]
        return PLAIN_SVM_OVR if one_vs_rest else PLAIN_SVM

    def needs(self, grid: str) -> tuple[str, ...]:
        """Return the methods that must have been tried before."""
        return (self.leader,) if needs_best_width(self.grids[grid]) else ()

    @property
    def needs_several_classes(self) -> bool:
        """Tell whether it is one-vs-rest, which on two classes is the same as one-vs-one."""
        return self.paper_classes == SEVERAL

    def is_tried_by_paper(self, n_classes: int) -> bool:
        """Tell whether the paper tries it on so many classes; of other methods, always."""
        return self.paper_classes in (ANY, TWO if n_classes == 2 else SEVERAL)

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
        if self.nominal is not None:
            # A clone, so that a weak learner among the fixed parameters stays as it is.
            model = clone(model).set_params(**{self.nominal: nominal})
        if self.coded_labels:
            model = CodedLabelsClassifier(model)
        return model if self.threshold is None else self.threshold.of(model, seed)

    def estimator_class(self) -> Any:
        """Import the class, or say in one sentence what is missing."""
        module, _, name = self.estimator.rpartition(".")
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            hint = f"; {self.advice} brings it" if self.extra else ""
            raise ValueError(f"The method {self.name!r} needs {self.estimator}{hint}.") from error


KPBOOST = "kpboost.ensemble.KPBoostSVC"
LOW_RANK_SEARCH = "kpboost.model_selection.NystroemKPBoostSVCCV"
RARE_CLASS = "kpboost.ensemble.RareClassClassifier"
# Kernel machines take time by the square of the rows, and a search some hundred machines. This is
# more than the largest training part of the paper's data sets, 3,342 rows.
KERNEL_ROWS = 3500
# With more training rows a kernel machine that has a form of low rank is trained in that form, on
# all of them. As measured (docs/methods.md) it is as good as exact machines on a sample from there
# on, and better the more rows there are, in a few seconds.
LOW_RANK_ROWS = KERNEL_ROWS
GRIDS = ("quick", "paper")
# By five folds; a forest has its out-of-bag scores for nothing.
TUNED = Threshold("gmean", 5)
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
    "paper": over({"C": REGULARISATIONS, "perturbation_step": PERTURBATION_STEPS}, PAPER_WIDTHS),
}
_ROI_GRIDS = {
    "quick": over(
        {"C": QUICK_CS, "perturbation_step": QUICK_STEPS, "roi_scale": ROI_SCALES[:1]},
        QUICK_FOLLOWING_WIDTHS,
    ),
    "paper": over(
        {"C": REGULARISATIONS, "perturbation_step": PERTURBATION_STEPS, "roi_scale": ROI_SCALES},
        PAPER_WIDTHS,
    ),
}
_AKS_GRIDS = {
    "quick": over(
        {"C": QUICK_CS, "decay_pos": QUICK_STEPS, "decay_neg": QUICK_STEPS}, QUICK_FOLLOWING_WIDTHS
    ),
    "paper": over(
        {"C": REGULARISATIONS, "decay_pos": PERTURBATION_STEPS, "decay_neg": PERTURBATION_STEPS},
        FOLLOWING_WIDTHS,
    ),
}
# D of KBA is a mean of bumps, at most 1: the kernel shrinks, and C must grow to match.
_PERTURBED_GRIDS = {
    "quick": over({"C": (10.0, 100.0, 1000.0)}, QUICK_FOLLOWING_WIDTHS),
    "paper": over({"C": REGULARISATIONS}, FOLLOWING_WIDTHS),
}
_TREE_BOOSTING_GRIDS = {
    "quick": over({"min_samples_leaf": (5, 20)}),
    "paper": over({"learning_rate": (0.03, 0.1, 0.3), "min_samples_leaf": (2, 5, 20)}),
}
_FOREST_GRIDS = {
    "quick": over({"max_features": ("sqrt",)}),
    "paper": over({"max_features": ("sqrt", 0.5, 1.0), "min_samples_leaf": (1, 3)}),
}
_ROUNDS = {"n_estimators": N_ROUNDS}
# The paper judges rounds in their own kernels; its tables were made so.
_JUDGED, _JUDGED_AS_PAPER = {"judge_rounds": AS_NEW}, {"judge_rounds": PAPER}
# A step of KBA or ACT that did not lower the training error is not kept; results say so.
_KEPT_BEST = {"keep_best": True}
_BALANCED = {"class_weight": "balanced"}
_ONE_VS_REST = {"multi_class": "one_vs_rest"}
_ONE_VS_ONE = {"multi_class": "one_vs_one"}


def _both(grid: Grid) -> dict[str, Grid]:
    """Let a small grid serve as both."""
    return {"quick": grid, "paper": grid}


# Kinds: what several methods share. They have no name yet.
_KERNEL_MACHINE = Method("", "", "", "", {}, max_rows=KERNEL_ROWS)
_DRAWING = Method("", "", "", "", {}, seeded=True)
_BASELINE = replace(_DRAWING, in_paper=False)
_OF_OTHER_PACKAGES = replace(_BASELINE, extra="baselines")
# It searches C and gamma itself, on folds of its sample. Votes are soft: hard ones of a single
# round are two values, which no threshold can part. Without balanced weights the rounds of a rare
# class swing from one answer to the other; a single machine does not.
_LOW_RANK = replace(
    _BASELINE,
    estimator=LOW_RANK_SEARCH,
    grids=_both(over({"n_landmarks": (500,)})),
    fixed={**_ROUNDS, **_BALANCED, **_ONE_VS_ONE, "voting": "soft"},
)
_LOW_RANK_SVM = _LOW_RANK.fixing({"n_estimators": 1})
_SVM = replace(
    _KERNEL_MACHINE,
    estimator="kpboost.svm.KernelSVC",
    grids=_SVM_GRIDS,
    engine=ON_GRAM,
    low_rank=_LOW_RANK_SVM.fixing({"class_weight": None}),
)
_BALANCED_SVM = replace(_SVM.fixing(_BALANCED), in_paper=False, low_rank=_LOW_RANK_SVM)
_KPBOOST = replace(
    _KERNEL_MACHINE,
    estimator=KPBOOST,
    grids=_KPBOOST_GRIDS,
    fixed={**_ROUNDS, **_JUDGED},
    as_paper=_JUDGED_AS_PAPER,
    engine=BOOSTING,
    low_rank=_LOW_RANK,
)
_KPBOOST_ROI = replace(_KPBOOST, grids=_ROI_GRIDS, low_rank=None)
_FOREST = replace(
    _BASELINE,
    grids=_FOREST_GRIDS,
    fixed={"n_estimators": 300, "bootstrap": True, "oob_score": True},
    threshold=Threshold("gmean", OUT_OF_BAG),
)
_BY_PRIOR = Threshold("prior", OUT_OF_BAG)
_EXTRA_TREES = replace(_FOREST, estimator="sklearn.ensemble.ExtraTreesClassifier")
_RANDOM_FOREST = replace(_FOREST, estimator="sklearn.ensemble.RandomForestClassifier")
_GRADIENT_BOOSTING = replace(
    _BASELINE,
    estimator="sklearn.ensemble.HistGradientBoostingClassifier",
    grids=_TREE_BOOSTING_GRIDS,
    fixed={"early_stopping": False},  # it would need a part of each rare class
)

_ALL = (
    replace(
        _BASELINE,
        estimator=RARE_CLASS,
        grids=_both(over({"n_trees": (300,)})),
    ).named("rare_class", "RareClassClassifier", "rare classes, any table: the default"),
    _SVM.named("svm", "SVM", "a smooth boundary, few rows"),
    _KPBOOST.named("kpboost", "KPBoost-SVM", "small disjuncts, few rows"),
    _KPBOOST_ROI.named("kpboost_roi", "KPBoostROI-SVM", "small disjuncts inside another class"),
    replace(
        _KERNEL_MACHINE,
        estimator="kpboost.ensemble.AdaBoostSVC",
        paper_classes=TWO,
        grids=_both(over({"length_scale_step": (1.0, 2.0, 3.0)})),
        fixed={"n_estimators": 40},  # as the paper
    ).named("adaboost_svm", "AdaBoost-SVM", "boosting of wide to narrow kernels"),
    Method(
        "c45_ib1",
        "C4.5/IB1",
        "rules with exceptions, nominal columns",
        "kpboost.tree.C45IB1Classifier",
        _both(over({"max_disjunct_size": (3, 5, 10, 15)})),
        paper_classes=TWO,
        nominal="categorical_features",
    ),
    replace(
        _KERNEL_MACHINE,
        estimator="kpboost.svm.DissimilaritySVC",
        paper_classes=TWO,
        grids=_both(over({"kernel": ("linear",)}) + over({"kernel": ("rbf",)}, FOLLOWING_WIDTHS)),
        fixed={"C": 1.0},  # as the paper
    ).named("d_svm", "D-SVM", "classes told apart by distances"),
    replace(
        _KERNEL_MACHINE,
        estimator="kpboost.svm.AsymmetricKernelScalingSVC",
        paper_classes=TWO,
        grids=_AKS_GRIDS,
        engine=DECAY_PAIRS,
    ).named("aks", "AKS", "two classes of unequal size"),
    replace(
        _KERNEL_MACHINE,
        estimator="kpboost.svm.ChiSquareKernelScalingSVC",
        grids={
            "quick": over({"C": QUICK_CS, "n_iterations": (2, 5)}, QUICK_FOLLOWING_WIDTHS),
            "paper": over({"C": REGULARISATIONS, "n_iterations": (2, 3, 5)}, FOLLOWING_WIDTHS),
        },
    ).named("aks_chi2", "AKS-chi2", "several classes of unequal size"),
    replace(
        _DRAWING,
        estimator="kpboost.ensemble.RUSBoostM2Classifier",
        grids=_both(over({"minority_share": (0.35, 0.5, 0.65)})),
        fixed={**_ROUNDS, "estimator": C45Classifier()},
        nominal="estimator__categorical_features",
        two_class=("minority_share",),  # several classes are all cut to the smallest one's size
    ).named("rusboost", "RUSBoost", "rare classes, nominal columns, many rows"),
    replace(
        _DRAWING,
        estimator="kpboost.ensemble.AdaBoostMLPClassifier",
        grids=_both(over({"hidden_units": (10, 15, 20)})),
        fixed=_ROUNDS,
    ).named("adaboost_mlp", "AdaBoost-MLP", "smooth boundaries, many rows"),
    replace(
        _KERNEL_MACHINE,
        estimator="kpboost.svm.BoundaryAlignmentSVC",
        paper_classes=TWO,
        grids=_PERTURBED_GRIDS,
        fixed=_KEPT_BEST,
        as_paper=_KEPT_BEST,
    ).named("kba", "KBA", "finer resolution near the boundary, unequal classes"),
    replace(
        _KERNEL_MACHINE,
        estimator="kpboost.svm.ConformalSVC",
        paper_classes=TWO,
        grids=_PERTURBED_GRIDS,
        fixed={"rule": "act", "n_iterations": 10, **_KEPT_BEST},  # at most; as the paper
        as_paper=_KEPT_BEST,
    ).named("act", "ACT", "finer resolution near the boundary"),
    replace(
        _KERNEL_MACHINE,
        estimator="kpboost.svm.KernelScalingSVC",
        grids={
            "quick": over({"C": QUICK_CS, "decay": QUICK_STEPS}, QUICK_FOLLOWING_WIDTHS),
            "paper": over({"C": REGULARISATIONS, "decay": PERTURBATION_STEPS}, FOLLOWING_WIDTHS),
        },
        in_paper=False,
    ).named("ks", "KS", "finer resolution near the boundary, one parameter"),
    _SVM.one_vs_rest().named("svm_ovr", "SVM one-vs-rest", "many classes, each against all others"),
    _KPBOOST.one_vs_rest().named(
        "kpboost_ovr", "KPBoost-SVM one-vs-rest", "a rare class among many"
    ),
    _KPBOOST_ROI.one_vs_rest().named(
        "kpboost_roi_ovr", "KPBoostROI-SVM one-vs-rest", "small disjuncts of one class among many"
    ),
    _LOW_RANK.fixing(_ONE_VS_REST).named(
        "nystroem_kpboost", "Low-rank KPBoost-SVM", "small disjuncts, many rows"
    ),
    _BALANCED_SVM.named("svm_balanced", "Balanced SVM", "rare classes, few rows"),
    replace(_KPBOOST.fixing(_BALANCED), in_paper=False).named(
        "kpboost_balanced", "Balanced KPBoost-SVM", "very rare classes, small disjuncts"
    ),
    replace(_BALANCED_SVM, threshold=TUNED).named(
        "svm_balanced_tuned",
        "Balanced SVM, tuned threshold",
        "rare classes, few rows, smooth boundaries",
    ),
    _EXTRA_TREES.named(
        "extra_trees_tuned", "Extra trees, tuned threshold", "rare classes, a strong default"
    ),
    replace(_EXTRA_TREES, threshold=_BY_PRIOR).named(
        "extra_trees_prior", "Extra trees, prior threshold", "rare classes, nothing tuned"
    ),
    _RANDOM_FOREST.named(
        "random_forest_tuned",
        "Random forest, tuned threshold",
        "rare classes, many columns without influence",
    ),
    replace(_RANDOM_FOREST, threshold=_BY_PRIOR).named(
        "random_forest_prior", "Random forest, prior threshold", "rare classes, nothing tuned"
    ),
    _GRADIENT_BOOSTING.named("gradient_boosting", "Gradient boosting", "common classes, many rows"),
    replace(_GRADIENT_BOOSTING, threshold=TUNED).named(
        "gradient_boosting_tuned", "Gradient boosting, tuned threshold", "many rows"
    ),
    replace(
        _OF_OTHER_PACKAGES,
        estimator="lightgbm.LGBMClassifier",
        grids={
            "quick": over({"min_child_samples": (5, 20)}),
            "paper": over({"learning_rate": (0.03, 0.1, 0.3), "min_child_samples": (2, 5, 20)}),
        },
        fixed={"verbose": -1, "n_jobs": 1},
        threshold=TUNED,
    ).named("lightgbm_tuned", "LightGBM, tuned threshold", "many rows"),
    replace(
        _OF_OTHER_PACKAGES,
        estimator="xgboost.XGBClassifier",
        grids={
            "quick": over({"max_depth": (3, 6)}),
            "paper": over({"learning_rate": (0.03, 0.1, 0.3), "max_depth": (3, 6, 9)}),
        },
        fixed={"n_jobs": 1},
        coded_labels=True,
        threshold=TUNED,
    ).named("xgboost_tuned", "XGBoost, tuned threshold", "many rows"),
    _GRADIENT_BOOSTING.fixing(_BALANCED).named(
        "gradient_boosting_balanced", "Balanced gradient boosting", "rare classes, many rows"
    ),
    replace(
        _OF_OTHER_PACKAGES,
        estimator="imblearn.ensemble.BalancedRandomForestClassifier",
        grids={
            "quick": over({"max_features": ("sqrt",)}),
            "paper": over({"n_estimators": (100, 300), "max_features": ("sqrt", 0.5, 1.0)}),
        },
        # Breiman's sampling, which the library is moving to: a bootstrap of equal class sizes.
        fixed={"sampling_strategy": "all", "replacement": True, "bootstrap": False},
    ).named("balanced_forest", "Balanced random forest", "rare classes, a strong default"),
    replace(
        _OF_OTHER_PACKAGES,
        estimator="imblearn.ensemble.EasyEnsembleClassifier",
        grids={
            "quick": over({"n_estimators": (10,)}),
            "paper": over({"n_estimators": (10, 30, 100)}),
        },
    ).named("easy_ensemble", "EasyEnsemble", "rare classes, boosting on balanced samples"),
    replace(
        _OF_OTHER_PACKAGES,
        estimator="imblearn.ensemble.RUSBoostClassifier",
        grids={
            "quick": over({"n_estimators": (50,)}),
            "paper": over({"n_estimators": (50, 200), "learning_rate": (0.1, 1.0)}),
        },
    ).named(
        "rusboost_imblearn",
        "RUSBoost of imbalanced-learn",
        "rare classes, boosting with undersampling",
    ),
)

# The serious ones of every kind: what `compare` takes and an audit tries by itself.
DEFAULT_METHODS = (
    "rare_class",
    "extra_trees_tuned",
    "balanced_forest",
    "gradient_boosting_tuned",
    "svm_balanced",
    "kpboost",
)
METHODS: Mapping[str, Method] = {method.name: method for method in _ALL}

# Names of earlier versions, as stores and model files have them.
FORMER_NAMES: Mapping[str, str] = {
    "brf": "balanced_forest",
    "hgb": "gradient_boosting",
    "hgb_balanced": "gradient_boosting_balanced",
    "svm_tuned": "svm",
}


def current_name(name: str) -> str:
    """Return what a method is called now, for names in files of earlier versions."""
    return FORMER_NAMES.get(name, name)


def check_methods(names: Iterable[str]) -> None:
    """Refuse a name that is not in the registry, by name and with those that are."""
    for name in names:
        if name in FORMER_NAMES:
            raise ValueError(f"The method {name!r} is called {FORMER_NAMES[name]!r} now.")
        if name not in METHODS:
            hint = did_you_mean(str(name), METHODS) or "the command kpboost methods lists them all."
            raise ValueError(f"There is no method {name!r}; {hint}")


def method_of(name: str) -> Method:
    """Return the method of a name, ready to be built; or say what is wrong or missing."""
    check_methods([name])
    METHODS[name].estimator_class()
    return METHODS[name]
