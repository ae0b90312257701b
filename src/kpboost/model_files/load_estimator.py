"""Classifiers from skops files that other people's programs have written.

Nothing here predicts by a loaded model: an audit trains its settings anew. So records that a fitted
estimator keeps, such as a search's scorer, are accepted where they are plain data.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sklearn.base import is_classifier

from .saved_model import TRUSTED, checked_model, is_saved_model
from .trusted import ModelFileError, load_trusted

# All classifiers of ours, what fitted ones are made of, and plain records of scikit-learn's.
TRUSTED_SETTINGS = (
    *TRUSTED,
    "kpboost.ensemble.adaboost_mlp.AdaBoostMLPClassifier",
    "kpboost.ensemble.adaboost_svc.AdaBoostSVC",
    "kpboost.ensemble.rusboost_m2.RUSBoostM2Classifier",
    "kpboost.model_selection.asymmetric_kernel_scaling_svc_cv.AsymmetricKernelScalingSVCCV",
    "kpboost.model_selection.rare_class_kfold.RareClassKFold",
    "kpboost.recipes.recipe_classifier.RecipeClassifier",
    "kpboost.svm.asymmetric_kernel_scaling_svc.AsymmetricKernelScalingSVC",
    "kpboost.svm.base_kernel.BaseKernel",
    "kpboost.svm.boundary_alignment_svc.BoundaryAlignmentSVC",
    "kpboost.svm.boundary_rule.BoundaryBumps",
    "kpboost.svm.bumps.Bumps",
    "kpboost.svm.chi_square_kernel_scaling_svc.ChiSquareKernelScalingSVC",
    "kpboost.svm.conformal_svc.ConformalSVC",
    "kpboost.svm.decay_rules.Decay",
    "kpboost.svm.dissimilarities.Dissimilarities",
    "kpboost.svm.dissimilarity_svc.DissimilaritySVC",
    "kpboost.svm.kernel_scaling_svc.KernelScalingSVC",
    "kpboost.svm.perturbation.Step",
    "kpboost.svm.perturbed_machines.Chain",
    "kpboost.svm.perturbed_machines.PerturbedMachines",
    "kpboost.tree.c45_classifier.C45Classifier",
    "kpboost.tree.c45_ib1_classifier.C45IB1Classifier",
    "sklearn.metrics._classification.balanced_accuracy_score",
    "sklearn.metrics._scorer._PassthroughScorer",
    "sklearn.metrics._scorer._Scorer",
    "sklearn.model_selection._split.KFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
)
ADVICE = (
    "if it is your own file, name the types as trusted (--trust on the command line), or save the "
    "classifier before it is fitted"
)


def load_estimator(path: str | Path, *, trusted: Sequence[str] = ()) -> Any:
    """Read a classifier, or a model of ours, from a skops file.

    Parameters
    ----------
    path : str or Path
        A file of ``skops.io.dump``: a scikit-learn classifier or pipeline, fitted or not; or a file
        of ``kpboost fit``.
    trusted : sequence of str, default=()
        Types to accept beyond skops' list and our own, by their full names.

    Returns
    -------
    classifier or SavedModel
        What the file holds.

    Raises
    ------
    ModelFileError
        If it holds something else, or types that are not trusted; the message names them.
    """
    content = load_trusted(path, {*TRUSTED_SETTINGS, *trusted}, ADVICE)
    if is_saved_model(content):
        return checked_model(content, path)
    if isinstance(content, type) or not (hasattr(content, "fit") and is_classifier(content)):
        raise ModelFileError(
            f"{path}: holds a {type(content).__name__}; a classifier, a pipeline that ends in one, "
            "or a model of kpboost fit is needed."
        )
    return content
