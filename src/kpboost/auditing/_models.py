"""The models under audit, and remedies: models that may recognise what these miss.

Whatever a remedy chooses, it chooses inside the training rows.
"""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from pickle import PicklingError
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline

from kpboost._parallel import WorkerProcesses
from kpboost.datasets import ColumnChoices, trainable_rows
from kpboost.methods import DEFAULT_METHODS, METHODS, MethodClassifier, check_methods, method_of
from kpboost.model_selection import OutOfFold, Split, out_of_fold

from ._data import AuditData
from ._records import THRESHOLD

# A strong default, and the machine that KPBoost starts from.
BASELINES = ("gradient_boosting", "svm")
# The name of a user's own model; with balanced class weights it is "own_balanced".
OWN = "own"

# Predictions, or why there are none.
Reply = OutOfFold | ValueError


@dataclass(frozen=True, slots=True, eq=False)
class AuditedModel:
    """A model under audit, or a remedy.

    Attributes
    ----------
    name, title : str
        As of a method; "own", the class's name and "" for a user's model.
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

    def out_of_fold(self, data: AuditData, folds: Sequence[Split]) -> OutOfFold:
        """Predict all rows, each by a model that has not seen it."""
        if self.takes_given:
            return out_of_fold(self.estimator, data.given, data.labels, data.classes, folds)
        numbers = np.arange(len(data.classes)).tolist()
        return out_of_fold(self.estimator, data.table.values, data.codes, numbers, folds)


def models_of(estimator: Any, data: AuditData, seed: int) -> list[AuditedModel]:
    """Models to audit.

    Parameters
    ----------
    estimator : classifier, str or None
        The user's, the name of a method, or None for the baselines. A ``MethodClassifier`` is
        audited as its method.
    data : AuditData
    seed : int
        Seed of methods.

    Returns
    -------
    list of AuditedModel
    """
    if estimator is None:
        return [_of_method(name, data, seed) for name in BASELINES]
    if isinstance(estimator, str):
        return [_of_method(estimator, data, seed)]
    if isinstance(estimator, MethodClassifier):
        return [_of_method(estimator.method, data, estimator.random_state, estimator.tune)]
    if isinstance(estimator, type) or not (hasattr(estimator, "fit") and is_classifier(estimator)):
        raise ValueError(
            f"estimator={estimator!r} is not allowed; it must be a scikit-learn classifier, the "
            "name of a method, or None."
        )
    title = type(estimator).__name__
    if isinstance(estimator, Pipeline):
        title = f"{type(estimator.steps[-1][1]).__name__} in a pipeline"
    return [AuditedModel(OWN, title, estimator, takes_given=True)]


def _of_method(name: str, data: AuditData, seed: int, tune: bool = False) -> AuditedModel:
    title = method_of(name).title
    estimator = MethodClassifier(
        name,
        tune=tune,
        categorical_features=data.table.nominal,
        many_classes=True,
        random_state=seed,
    )
    title = f"{title}, paper's grid" if tune else title
    return AuditedModel(name, title, estimator, tune=tune, seed=seed)


def remedies_for(
    model: AuditedModel, names: Sequence[str], data: AuditData, seed: int
) -> list[AuditedModel]:
    """Models to try in place of the audited one: its own with class weights, and methods."""
    others = [_of_method(name, data, seed) for name in names if name != model.name]
    parameter = weight_parameter(model.estimator) if model.takes_given else ""
    if not parameter:
        return others
    own = clone(model.estimator).set_params(**{parameter: "balanced"})
    title = f"{model.title}, balanced class weights"
    return [AuditedModel(f"{OWN}_balanced", title, own, takes_given=True), *others]


def weight_parameter(estimator: Any) -> str:
    """Name of the parameter with a model's class weights if it has none set, or ""."""
    known = estimator.get_params()
    unset = [name for name in known if name.split("__")[-1] == "class_weight" and not known[name]]
    return unset[-1] if unset else ""


def checked_remedies(remedies: Any) -> tuple[str, ...]:
    """Names of the methods to try; none for "never"."""
    if isinstance(remedies, str) and remedies in ("auto", "always", "never"):
        known = () if remedies == "never" else DEFAULT_METHODS
        return tuple(name for name in known if METHODS[name].is_available)
    if isinstance(remedies, str) or not isinstance(remedies, Sequence):
        raise ValueError(
            f"remedies={remedies!r} is not allowed; it must be 'auto', 'always', 'never' or a list "
            f"of methods among {', '.join(METHODS)}."
        )
    check_methods(remedies)
    return tuple(remedies)


def not_installed() -> dict[str, str]:
    """Tell which remedies are missing, and what brings them."""
    return {
        name: f"It is not installed: {METHODS[name].advice}."
        for name in DEFAULT_METHODS
        if not METHODS[name].is_available
    }


# Seconds until Ctrl-C is noticed at the latest. Some packages, polars among them, handle signals
# in a way that does not end an endless wait.
PATIENCE = 0.5


def run_all(
    tasks: Sequence[Callable[[], OutOfFold]], n_jobs: int | None, begin: Callable[[int], None]
) -> list[Reply]:
    """Predictions of several models, or why one has none.

    Parameters
    ----------
    tasks : sequence of callables
        They train and predict.
    n_jobs : int or None
        How many at the same time; None for one.
    begin : callable
        Told the number of each task, the last one first, when all after it are done; told again
        where all have to be done again.

    Returns
    -------
    list of OutOfFold or ValueError
    """
    n_workers = 1 if n_jobs is None else min(int(effective_n_jobs(n_jobs)), len(tasks))
    if n_workers > 1:
        try:
            return _in_processes(tasks, n_workers, begin)
        except (PicklingError, BrokenExecutor):
            pass  # a user's model that cannot be sent, or a process that was killed
    replies: list[Reply] = []
    for number in reversed(range(len(tasks))):
        begin(number)
        replies.insert(0, _reply(tasks[number]))
    return replies


def _in_processes(
    tasks: Sequence[Callable[[], OutOfFold]], n_workers: int, begin: Callable[[int], None]
) -> list[Reply]:
    futures: list[Future[Reply]] = []
    last_first = tasks[::-1]
    with WorkerProcesses(n_workers) as pool:
        for number in range(len(tasks)):
            begin(len(tasks) - 1 - number)
            while number >= len(futures) or not futures[number].done():
                running = [each for each in futures if not each.done()]
                # No more than there are processes: on Ctrl-C nothing must be left in a queue.
                begun = last_first[len(futures) :][: n_workers - len(running)]
                new = [pool.submit(_reply, each) for each in begun]
                futures += new
                wait([*running, *new], PATIENCE, FIRST_COMPLETED)
        return [future.result() for future in reversed(futures)]


def _reply(task: Callable[[], OutOfFold]) -> Reply:
    try:
        return task()
    except ValueError as error:  # a model that cannot learn these data is a finding too
        return error


IMPORT = "from kpboost.datasets import trainable\n"
OPERATING_POINT = "from kpboost.model_selection import OperatingPointClassifier\n"
DROP_ROWS = "X, y = trainable(X, y)  # without rows that have no label, and classes of one row\n"


def snippet_of(
    model: AuditedModel,
    recommended: str,
    y: ArrayLike,
    seed: int = 0,
    choices: ColumnChoices | None = None,
    categorical: Sequence[str] = (),
) -> str:
    """Lines to copy.

    Parameters
    ----------
    model : AuditedModel
        The audited model, which is built if nothing better is recommended.
    recommended : str
        Name of a remedy, or "".
    y : array-like of shape (n_rows,)
        Labels as given, of which some may be missing.
    seed : int, default=0
        Seed of the audit, and so of its remedies.
    choices : ColumnChoices or None, default=None
        What the user has said about columns.
    categorical : sequence of str, default=()
        Columns that the user has called categories.

    Returns
    -------
    str
        A complete program but for the table ``X`` and the labels ``y`` that were audited; and for
        the ``model``, where it is one's own.
    """
    name = recommended or model.name
    complete = trainable_rows(y).size == len(y)  # type: ignore[arg-type]  # it was checked
    if name.startswith(OWN) or (name == THRESHOLD and model.takes_given):
        return _own(model, name, seed, complete)
    moves, name = name == THRESHOLD, model.name if name == THRESHOLD else name
    tune, own_seed = (model.tune, model.seed) if name == model.name else (False, seed)
    named = [f"categorical_features={_literal(categorical)}"] if categorical else []
    arguments = [method_arguments(name, tune, own_seed), *named, *choice_arguments(choices)]
    built = f"MethodClassifier({', '.join(arguments)})"
    return (
        f"{'' if complete else IMPORT}"
        "from kpboost.methods import MethodClassifier\n"
        f"{OPERATING_POINT if moves else ''}"
        "\n"
        f"{'' if complete else DROP_ROWS}"
        f"model = {_moved(built, seed) if moves else built}.fit(X, y)\n"
    )


def _moved(built: str, seed: int) -> str:
    return f"OperatingPointClassifier({built}, random_state={seed})"


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


def _own(model: AuditedModel, name: str, seed: int, complete: bool) -> str:
    if name == OWN:
        return "# Keep the model that you have.\n"
    drop = "" if complete else DROP_ROWS
    start = "" if complete else IMPORT
    if name == THRESHOLD:
        return (
            f"{start}{OPERATING_POINT}\n{drop}"
            "# model: your own; its threshold is chosen on rows that it has not seen\n"
            f"model = {_moved('model', seed)}.fit(X, y)\n"
        )
    return ("" if complete else f"{start}\n{drop}") + (
        "# model: your own; with balanced class weights it recognises more of what was missed\n"
        f'model.set_params({weight_parameter(model.estimator)}="balanced")\n'
        "model.fit(X, y)\n"
    )
