"""Reading skops files without trusting them.

A file may hold what is on a list of ours and nothing else: skops' own list of harmless types is not
used, as a type that runs no code can still crash the program by its arrays. There are two lists,
for two ways to use a file. To predict, exactly what our methods are made of is restored, and the
fitted state is checked before it is used. To train anew, as an audit does, only the settings are
restored: any estimator of scikit-learn or of ours, without anything that a fit has left behind.
Who vouches for more types can name them.
"""

import sys
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED

from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: F401  # loads its losses
from sklearn.utils import all_estimators

from ._archive import Archive, Rules, loads_again, refusal
from ._fitted_state import add_later_parameters, check_fitted_state


def names_of_loss(loss: str) -> list[str]:
    """Return the full names of a compiled loss; before scikit-learn 1.8 its module has two."""
    name, short = "sklearn._loss._loss", "_loss"
    is_its_own = getattr(sys.modules.get(short), "__name__", "") == name
    return [f"{module}.{loss}" for module in ([name, short] if is_its_own else [name])]


# Parts of fitted machines of ours, restored from lists of their attributes.
RECORDS = (
    "kpboost.svm.BaseKernel",
    "kpboost.svm.BoundaryBumps",
    "kpboost.svm.Bumps",
    "kpboost.svm.Chain",
    "kpboost.svm.Decay",
    "kpboost.svm.Dissimilarities",
    "kpboost.svm.PerturbedMachines",
    "kpboost.svm.Step",
)
# Classifiers of ours that methods by name are.
METHOD_ESTIMATORS = (
    "kpboost.ensemble.AdaBoostMLPClassifier",
    "kpboost.ensemble.AdaBoostSVC",
    "kpboost.ensemble.KPBoostSVC",
    "kpboost.ensemble.RUSBoostM2Classifier",
    "kpboost.ensemble.RareClassClassifier",
    "kpboost.ensemble.NystroemKPBoostSVC",
    "kpboost.model_selection.NystroemKPBoostSVCCV",
    "kpboost.model_selection.OperatingPointClassifier",
    "kpboost.svm.AsymmetricKernelScalingSVC",
    "kpboost.svm.BoundaryAlignmentSVC",
    "kpboost.svm.ChiSquareKernelScalingSVC",
    "kpboost.svm.ConformalSVC",
    "kpboost.svm.DissimilaritySVC",
    "kpboost.svm.KernelSVC",
    "kpboost.svm.KernelScalingSVC",
    "kpboost.tree.C45Classifier",
    "kpboost.tree.C45IB1Classifier",
)
# Exactly what models of our methods are made of, by the loaders of skops.
MODEL_TYPES: Mapping[str, Collection[str]] = {
    "ObjectNode": (
        *names_of_loss("CyHalfMultinomialLoss"),  # by early versions of skops; it has no state
        "imblearn.ensemble._easy_ensemble.EasyEnsembleClassifier",
        "imblearn.ensemble._forest.BalancedRandomForestClassifier",
        "imblearn.ensemble._weight_boosting.RUSBoostClassifier",
        "imblearn.pipeline.Pipeline",
        "imblearn.under_sampling._prototype_selection._random_under_sampler.RandomUnderSampler",
        *METHOD_ESTIMATORS,
        *RECORDS,
        "kpboost.ensemble.CalibratedMember",
        "kpboost.ensemble.KernelBank",
        "kpboost.ensemble.RankMetric",
        "sklearn._loss.link.Interval",
        "sklearn._loss.link.LogitLink",
        "sklearn._loss.link.MultinomialLogit",
        "sklearn._loss.loss.HalfBinomialLoss",
        "sklearn._loss.loss.HalfMultinomialLoss",
        "sklearn.compose._column_transformer.ColumnTransformer",
        "sklearn.ensemble._forest.ExtraTreesClassifier",
        "sklearn.ensemble._forest.RandomForestClassifier",
        "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
        "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.ensemble._weight_boosting.AdaBoostClassifier",
        "sklearn.impute._base.SimpleImputer",
        "sklearn.neural_network._multilayer_perceptron.MLPClassifier",
        "sklearn.pipeline.Pipeline",
        "sklearn.preprocessing._data.StandardScaler",
        "sklearn.preprocessing._encoders.OneHotEncoder",
        "sklearn.preprocessing._label.LabelBinarizer",
        "sklearn.preprocessing._label.LabelEncoder",
        "sklearn.tree._classes.DecisionTreeClassifier",
        "sklearn.tree._classes.ExtraTreeClassifier",
    ),
    "LossNode": (*names_of_loss("CyHalfBinomialLoss"), *names_of_loss("CyHalfMultinomialLoss")),
    "TreeNode": ("sklearn.tree._tree.Tree",),
}
# What a fit leaves in our models and no prediction reads: sources of random numbers, tables of
# searches, and what networks remember of their training.
NEVER_READ = frozenset(
    (
        *("_feature_subsample_rng", "_random_state", "_optimizer", "_best_coefs"),
        *("_best_intercepts", "loss_curve_", "best_loss_", "loss_", "cv_results_"),
    )
)
# Settings that are no estimators: splitters and scorers, which hold plain data.
OTHER_SETTINGS = (
    "kpboost.model_selection.RareClassKFold",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.metrics._scorer._Scorer",
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.StratifiedKFold",
)
SETTINGS_FUNCTIONS = ("sklearn.metrics._classification.balanced_accuracy_score",)
# All classifiers of ours.
OWN_ESTIMATORS = (
    *METHOD_ESTIMATORS,
    "kpboost.methods.MethodClassifier",
    "kpboost.model_selection.AsymmetricKernelScalingSVCCV",
    "kpboost.model_selection.KPBoostSVCCV",
)
# What a fitted estimator tells of its training table; the best one of a search tells it for it.
REMEMBERED = frozenset(
    ("_sklearn_version", "best_estimator_", "classes_", "feature_names_in_", "n_features_in_")
)


def load_to_predict(path: str | Path, trusted: Collection[str], advice: str) -> Any:
    """Build a fitted model of our methods from a file.

    Parameters
    ----------
    path : str or Path
        The file.
    trusted : collection of str
        More types to accept, by their full names.
    advice : str
        What to do about a type that is refused; it ends the sentence that names it.

    Returns
    -------
    object
        What the file holds. The fitted state of each estimator that we know is consistent.

    Raises
    ------
    ModelFileError
        If it is no skops file, is too large, is damaged, or holds other types.
    """
    return _load(path, _to_predict(trusted), advice, check_fitted_state)


def load_to_train(path: str | Path, trusted: Collection[str], advice: str) -> Any:
    """Build estimators from a file with their settings only.

    Parameters and errors are those of :func:`load_to_predict`. Fitted attributes are left out, but
    for the classes and the columns that an estimator was trained on; of types that are named as
    trusted nothing is left out.
    """
    return _load(path, _to_train(trusted), advice, lambda content: None)


def unknown_types(path: str | Path) -> list[str]:
    """Return the types in a file that must be named as trusted before it predicts, sorted."""
    return Archive(path, _to_predict(())).strangers()


def _load(path: str | Path, rules: Rules, advice: str, check: Callable[[Any], None]) -> Any:
    skops = skops_io()
    try:
        archive = Archive(path, rules)
        strangers = archive.strangers()
    except OSError:
        raise
    except Exception as error:  # whatever a forged archive can provoke means the same
        raise refusal(path, f"is not a model file ({_said(error)})") from error
    if strangers:
        what = f"holds {', '.join(strangers)}, which a file must not bring along; {advice}"
        raise refusal(path, what)
    try:
        allowed = {name for types in rules.types.values() for name in types} | {*rules.trusted}
        with archive.rebuilt() as rebuilt:
            content = skops.load(rebuilt, trusted=sorted({*allowed, "numpy.dtype"}))
        add_later_parameters(content)
        check(content)
    except Exception as error:
        raise refusal(path, f"is a damaged model file ({_said(error)})") from error
    return content


def _said(error: BaseException) -> str:
    """Return what an error says: its name, where it says nothing or only a key."""
    text = str(error).rstrip(".")
    return text if text and not isinstance(error, KeyError) else type(error).__name__ + " " + text


def _to_predict(trusted: Collection[str]) -> Rules:
    return Rules(
        MODEL_TYPES, frozenset(trusted), RECORDS, lambda owner, name: name not in NEVER_READ
    )


def _to_train(trusted: Collection[str]) -> Rules:
    estimators = _estimators()
    types = {
        "FunctionNode": SETTINGS_FUNCTIONS,
        "ObjectNode": {*estimators, *OTHER_SETTINGS},
        "ConstructorFromReduceNode": ("sklearn.metrics._scorer._PassthroughScorer",),
    }
    return Rules(
        types,
        frozenset(trusted),
        (),
        lambda owner, name: owner not in estimators or name in REMEMBERED or not _is_fitted(name),
    )


@cache
def _estimators() -> frozenset[str]:
    """Full names of all public estimators of scikit-learn, of ours and of our methods."""
    public = (f"{kind.__module__}.{kind.__name__}" for _, kind in all_estimators())
    imblearn = (name for name in MODEL_TYPES["ObjectNode"] if name.startswith("imblearn."))
    return frozenset((*public, *imblearn, *OWN_ESTIMATORS))


def _is_fitted(name: str) -> bool:
    """Tell whether an attribute of an estimator is none of its parameters, by its name."""
    return name.startswith("_") or name.endswith("_")


def dumped(content: Any) -> bytes:
    """Return a skops file: packed, unless that would look like a trap to whoever loads it."""
    packed: bytes = skops_io().dumps(content, compression=ZIP_DEFLATED)
    return packed if loads_again(packed) else bytes(skops_io().dumps(content))


def skops_io() -> Any:
    """Return the module that reads and writes, or say what to install."""
    try:
        return import_module("skops.io")
    except ImportError as error:
        raise ImportError(
            "Model files need skops, which is not installed: pip install skops."
        ) from error
