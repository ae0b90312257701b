"""The models under audit: the user's own, one by name, or two baselines."""

import json
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from kpboost._typing import FloatArray, IndexArray
from kpboost.datasets import ColumnChoices
from kpboost.methods import (
    METHODS,
    MethodClassifier,
    check_methods,
    method_of,
    take_rows,
    trainable_rows,
)

from ._data import Material
from ._records import Remedies

Fold = tuple[IndexArray, IndexArray]

# Probabilities below this are as good as 0; their logarithm stays a number.
LEAST_PROBABILITY = 1e-6
# Below this number of rows a second thread of a library gains little, and on a busy machine it
# waits many times longer than it works.
ROWS_FOR_THREADS = 50_000


@dataclass(frozen=True, slots=True, eq=False)
class OutOfFold:
    """Answers for all rows.

    Attributes
    ----------
    predicted : ndarray of shape (n_rows,)
        Number of the predicted class.
    scores : ndarray of shape (n_rows, n_classes)
        What the model thinks of each class: logarithms of probabilities, decision values, or 1 for
        the answer of a model that has neither.
    seconds : float
        Time for all folds.
    """

    predicted: IndexArray
    scores: FloatArray
    seconds: float


def make_folds(codes: IndexArray, cv: Any, seed: int) -> list[Fold]:
    """Disjoint test sets that cover all rows.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        Numbers of the classes.
    cv : int, splitter or iterable of (train, test)
        A number means shuffled stratified folds; rare classes are in as many as they have rows.
    seed : int
        Seed of the shuffling; a splitter has its own.

    Returns
    -------
    list of (train, test)
    """
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        return _stratified(codes, int(cv), seed)
    if isinstance(cv, str) or not (hasattr(cv, "split") or isinstance(cv, Iterable)):
        allowed = "a whole number of at least 2, a splitter or a list of (train, test)"
        raise ValueError(f"cv={cv!r} is not allowed; it must be {allowed}.")
    splits: Iterable[Any] = cv.split(codes.reshape(-1, 1), codes) if hasattr(cv, "split") else cv
    folds = [(np.asarray(train), np.asarray(test)) for train, test in splits]
    nobody = np.zeros(0, dtype=np.intp)  # there may be no folds
    tested = np.bincount(np.concatenate([nobody, *(test for _, test in folds)]), None, codes.size)
    if tested.size != codes.size or not np.all(tested == 1):
        raise ValueError("cv must test every row exactly once; stratified or plain folds do.")
    return folds


def are_equal(some: Sequence[Fold], others: Sequence[Fold]) -> bool:
    """Tell whether two lists of folds test the same rows together."""
    tests = zip(some, others, strict=False)
    return len(some) == len(others) and all(np.array_equal(a[1], b[1]) for a, b in tests)


def _stratified(codes: IndexArray, n_splits: int, seed: int) -> list[Fold]:
    if n_splits < 2:
        raise ValueError(f"cv={n_splits} is not allowed; it must be a whole number of at least 2.")
    n_folds = min(n_splits, int(np.bincount(codes).max()))
    with warnings.catch_warnings():  # a class with fewer rows than folds is what we are here for
        warnings.simplefilter("ignore", UserWarning)
        splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        return list(splitter.split(codes, codes))


def out_of_fold(
    model: Any,
    X: Any,
    labels: NDArray[Any],
    classes: Sequence[Any],
    folds: Sequence[Fold],
) -> OutOfFold:
    """Train a clone on each fold's training rows and answer for its test rows.

    Parameters
    ----------
    model : classifier
        Unfitted or fitted; only clones are trained.
    X : array, frame or sparse matrix of n_rows rows
        As the model takes it.
    labels : ndarray of shape (n_rows,)
        Labels as the model takes them.
    classes : sequence
        All labels, in the order of the codes.
    folds : sequence of (train, test)
        Test sets are disjoint and cover all rows.

    Returns
    -------
    OutOfFold
    """
    place = {label: code for code, label in enumerate(classes)}
    predicted = np.zeros(labels.size, dtype=np.intp)
    scores = np.zeros((labels.size, len(classes)))
    start = perf_counter()
    n_threads = 1 if labels.size < ROWS_FOR_THREADS else None
    for number, (train, test) in enumerate(folds, 1):
        try:
            with threadpool_limits(n_threads):
                fitted = clone(model).fit(take_rows(X, train), labels[train])
                here = take_rows(X, test)
                answers = np.asarray(fitted.predict(here)).tolist()
                predicted[test] = [place[answer] for answer in answers]
                scores[test] = _scores(fitted, here, predicted[test], place)
        except (ValueError, TypeError, KeyError, AttributeError, RuntimeError) as error:
            name = type(model).__name__
            raise ValueError(f"{name} failed on fold {number} of the audit: {error}") from error
    return OutOfFold(predicted, scores, perf_counter() - start)


def _scores(fitted: Any, X: Any, predicted: IndexArray, place: dict[Any, int]) -> FloatArray:
    """Scores over all classes; those that the training rows lacked get the lowest."""
    if hasattr(fitted, "predict_proba"):
        raw = np.log(np.clip(fitted.predict_proba(X), LEAST_PROBABILITY, 1.0))
    elif hasattr(fitted, "decision_function"):
        raw = np.asarray(fitted.decision_function(X), dtype=np.float64)
        raw = np.column_stack([-raw / 2, raw / 2]) if raw.ndim == 1 else raw
    else:
        return np.eye(len(place))[predicted]
    known = [place[label] for label in np.asarray(fitted.classes_).tolist()]
    if raw.shape[1] != len(known):  # one column per pair of classes: votes say enough
        return np.eye(len(place))[predicted]
    scores = np.full((raw.shape[0], len(place)), raw.min(initial=0.0))
    scores[:, known] = raw
    return scores


# A strong default that needs no tuning, and the machine that KPBoost starts from.
BASELINES = ("gradient_boosting", "svm")
OWN = "own"


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A model to question.

    Attributes
    ----------
    name, title : str
        As of a method; "own" and the class's name for a user's model.
    estimator : classifier
        Unfitted.
    takes_given : bool
        Whether it takes the user's table and labels, rather than the audit's.
    tune : bool
        Of a method, whether its parameters come from the paper's grid.
    seed : int
        Of a method, its seed.
    """

    name: str
    title: str
    estimator: Any
    takes_given: bool = False
    tune: bool = False
    seed: int = 0

    def answer(self, material: Material, folds: Sequence[Fold]) -> OutOfFold:
        """Out-of-fold answers for all rows."""
        if self.takes_given:
            return out_of_fold(
                self.estimator, material.given, material.labels, material.classes, folds
            )
        numbers = np.arange(len(material.classes)).tolist()
        return out_of_fold(self.estimator, material.columns.values, material.codes, numbers, folds)


def subjects_of(estimator: Any, material: Material, seed: int) -> list[Subject]:
    """Models to audit.

    Parameters
    ----------
    estimator : classifier, str or None
        The user's, the name of a method, or None for the baselines. A ``MethodClassifier`` is
        audited as its method.
    material : Material
        The data.
    seed : int
        Seed of methods.

    Returns
    -------
    list of Subject
    """
    if estimator is None:
        return [method_subject(name, material, seed) for name in BASELINES]
    if isinstance(estimator, str):
        return [method_subject(estimator, material, seed)]
    if isinstance(estimator, MethodClassifier):
        chosen = estimator.method, material, estimator.random_state, estimator.tune
        return [method_subject(*chosen)]
    if isinstance(estimator, type) or not (hasattr(estimator, "fit") and is_classifier(estimator)):
        raise ValueError(
            f"estimator={estimator!r} is not allowed; it must be a scikit-learn classifier, the "
            "name of a method, or None."
        )
    return [Subject(OWN, _title(estimator), estimator, takes_given=True)]


def _title(estimator: Any) -> str:
    """Name a user's model; a pipeline by what it ends in."""
    if isinstance(estimator, Pipeline):
        return f"{type(estimator.steps[-1][1]).__name__} in a pipeline"
    return type(estimator).__name__


def method_subject(name: str, material: Material, seed: int, tune: bool = False) -> Subject:
    """Return the model of a method."""
    title = method_of(name).title
    model = MethodClassifier(
        name,
        tune=tune,
        categorical_features=material.columns.nominal,
        many_classes=True,
        random_state=seed,
    )
    return Subject(name, f"{title}, paper's grid" if tune else title, model, tune=tune, seed=seed)


def remedies_for(
    subject: Subject, names: Sequence[str], material: Material, seed: int
) -> list[Subject]:
    """Models to try in place of the audited one: its own with class weights, and methods."""
    others = [method_subject(name, material, seed) for name in names if name != subject.name]
    return [*_reweighted(subject), *others]


def _reweighted(subject: Subject) -> list[Subject]:
    """Return the user's own model with balanced class weights, if it knows them and has none."""
    if not subject.takes_given:
        return []
    parameter = weight_parameter(subject.estimator)
    if not parameter:
        return []
    model = clone(subject.estimator).set_params(**{parameter: "balanced"})
    return [Subject(f"{OWN}_balanced", f"{subject.title}, balanced class weights", model, True)]


def weight_parameter(estimator: Any) -> str:
    """Name of the parameter with a model's class weights if it has none set, or ""."""
    known = estimator.get_params()
    unset = [name for name in known if name.split("__")[-1] == "class_weight" and not known[name]]
    return unset[-1] if unset else ""


def checked_remedies(remedies: Any) -> tuple[str, ...]:
    """Names of the methods to try; none for "never"."""
    if isinstance(remedies, str) and remedies in ("auto", "always", "never"):
        known = () if remedies == "never" else METHODS.values()
        return tuple(each.name for each in known if each.is_remedy and each.is_available)
    if isinstance(remedies, str) or not isinstance(remedies, Sequence):
        raise ValueError(
            f"remedies={remedies!r} is not allowed; it must be 'auto', 'always', 'never' or a list "
            f"of methods among {', '.join(METHODS)}."
        )
    check_methods(remedies)
    return tuple(remedies)


IMPORT = "from kpboost.methods import trainable\n\n"
DROP_ROWS = "X, y = trainable(X, y)  # without rows that have no label, and classes of one row\n"


def snippet_of(
    subject: Subject,
    remedies: Remedies | None,
    y: ArrayLike,
    seed: int = 0,
    choices: ColumnChoices | None = None,
) -> str:
    """Lines to copy.

    Parameters
    ----------
    subject : Subject
        The audited model, which is built if nothing better is recommended.
    remedies : Remedies or None
        What was tried.
    y : array-like of shape (n_rows,)
        Labels as given, of which some may be missing.
    seed : int, default=0
        Seed of the audit, and so of its remedies.
    choices : ColumnChoices or None, default=None
        What the user has said about columns.

    Returns
    -------
    str
        A complete program but for the table ``X`` and the labels ``y`` that were audited.
    """
    name = (remedies.recommended if remedies is not None else "") or subject.name
    complete = trainable_rows(y).size == len(y)  # type: ignore[arg-type]  # it was checked
    if name.startswith(OWN):
        return _own(subject, name, complete)
    tune, seed = (subject.tune, subject.seed) if name == subject.name else (False, seed)
    arguments = ", ".join([method_arguments(name, tune, seed), *choice_arguments(choices)])
    return (
        f"from kpboost.methods import MethodClassifier{'' if complete else ', trainable'}\n"
        "\n"
        f"{'' if complete else DROP_ROWS}"
        f"model = MethodClassifier({arguments}).fit(X, y)\n"
    )


def method_arguments(name: str, tune: bool, seed: int) -> str:
    """Arguments as one would write them: those that are not the default."""
    chosen = {f'"{name}"': True, "tune=True": tune, f"random_state={seed}": seed != 0}
    return ", ".join(words for words, is_needed in chosen.items() if is_needed)


def choice_arguments(choices: ColumnChoices | None) -> list[str]:
    """Arguments for what the user has said about columns, as one would write them."""
    if choices is None:
        return []
    given = {name: getattr(choices, name) for name in ("drop", "id_columns", "keep")}
    words = [f"{name}={_literal(names)}" for name, names in given.items() if names]
    return words + (["many_classes=True"] if choices.many_classes else [])


def _literal(names: Sequence[str]) -> str:
    return json.dumps(names if isinstance(names, str) else list(names), ensure_ascii=False)


def _own(subject: Subject, name: str, complete: bool) -> str:
    if name == OWN:
        return "# Keep the model that you have.\n"
    return (
        f"{'' if complete else IMPORT + DROP_ROWS}"
        "# model: your own; with balanced class weights it recognises more of what was missed\n"
        f'model.set_params({weight_parameter(subject.estimator)}="balanced")\n'
        "model.fit(X, y)\n"
    )
