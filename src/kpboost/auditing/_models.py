"""The models under audit, and remedies: models that may recognise what these miss.

The rows in question were chosen because the audited model failed on them under certain folds. By
luck alone another model, or the same one under other folds, would do better there. So the audited
model and all remedies predict again under new folds, and a remedy counts as help only if an exact
sign test on the rows in question says so after correction for the number of remedies. Whatever a
remedy chooses, it chooses inside the training rows.
"""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from pickle import PicklingError
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom
from sklearn.base import clone, is_classifier
from sklearn.pipeline import Pipeline

from kpboost._parallel import WorkerProcesses
from kpboost._typing import IndexArray
from kpboost.datasets import ColumnChoices, trainable_rows
from kpboost.methods import DEFAULT_METHODS, METHODS, MethodClassifier, check_methods, method_of
from kpboost.metrics import clopper_pearson
from kpboost.model_selection import OutOfFold, Split, out_of_fold

from ._data import AuditData
from ._findings import scores_of
from ._parts import Parts
from ._records import ClassFinding, DisjunctFinding, Remedies, Remedy
from ._significance import LEVEL
from ._words import kpboost_sentence

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


def question_of(
    disjuncts: Sequence[DisjunctFinding], classes: Sequence[ClassFinding], codes: IndexArray
) -> tuple[tuple[str, ...], IndexArray]:
    """Names and rows of what is to be improved: flagged disjuncts, missed and weak classes."""
    names: list[str] = []
    in_question = np.zeros(codes.size, dtype=np.bool_)
    for disjunct in disjuncts:
        if disjunct.missed:
            names.append(disjunct.name)
            in_question[list(disjunct.rows)] = True
    for code, finding in enumerate(classes):
        if finding.status != "fine":
            names.append(f"class {finding.label}")
            in_question[codes == code] = True
    return tuple(names), np.flatnonzero(in_question)


def compare_remedies(
    replies: Sequence[tuple[AuditedModel, Reply]],
    data: AuditData,
    parts: Parts,
    question: tuple[tuple[str, ...], IndexArray],
    disjuncts: Sequence[DisjunctFinding],
) -> Remedies:
    """Compare all remedies with the audited model on the rows in question.

    Parameters
    ----------
    replies : sequence of (AuditedModel, OutOfFold or ValueError)
        The audited model and then the remedies, with their predictions under the same folds, or why
        there are none.
    data : AuditData
    parts : Parts
        The disjuncts.
    question : tuple of (names, rows)
        What is to be improved.
    disjuncts : sequence of DisjunctFinding
        Flagged ones get a recall of their own.

    Returns
    -------
    Remedies
    """
    what, rows = question
    (model, before), *others = replies
    if isinstance(before, ValueError):
        raise before
    was = before.predicted == data.codes
    known = [(one, after) for one, after in others if isinstance(after, OutOfFold)]
    hits = [after.predicted == data.codes for _, after in known]
    chances = holm([sign_test(*_changes(hit[rows], was[rows])) for hit in hits])
    tried = []
    for (one, after), hit, p_value in zip(known, hits, chances, strict=True):
        recall, elsewhere = float(hit[rows].mean()), _elsewhere(hit, was, rows)
        low, high = clopper_pearson(int(hit[rows].sum()), rows.size)
        gained, lost = _changes(hit[rows], was[rows])
        tried.append(
            Remedy(
                scores=scores_of(one.name, one.title, after, data, parts),
                recall=recall,
                low=float(low),
                high=float(high),
                n_gained=gained,
                n_lost=lost,
                p_value=p_value,
                # A gain that costs a larger share of the other rows is no help.
                helps=p_value <= LEVEL and recall + elsewhere > float(was[rows].mean()),
                elsewhere=elsewhere,
                disjunct_recalls={
                    each.name: float(hit[list(each.rows)].mean())
                    for each in disjuncts
                    if each.missed
                },
            )
        )
    tried.sort(key=lambda each: each.rank)
    return Remedies(
        question=what,
        n_rows=int(rows.size),
        before=scores_of(model.name, model.title, before, data, parts),
        recall_before=float(was[rows].mean()),
        tried=tuple(tried),
        failed={one.name: str(why) for one, why in others if isinstance(why, ValueError)},
        recommended=tried[0].scores.name if tried and tried[0].helps else "",
        kpboost=kpboost_sentence(tried),
    )


def sign_test(n_gained: int, n_lost: int) -> float:
    """Chance of at least so many gains among the changes if gains and losses are equally likely."""
    return float(binom.sf(n_gained - 1, n_gained + n_lost, 0.5)) if n_gained else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number by Holm's method."""
    order = np.argsort(p_values, kind="stable")
    steps = np.array(p_values)[order] * np.arange(len(order), 0, -1)
    corrected = np.empty(len(order))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return [float(each) for each in corrected]


def _changes(now: NDArray[np.bool_], was: NDArray[np.bool_]) -> tuple[int, int]:
    return int((now & ~was).sum()), int((was & ~now).sum())


def _elsewhere(hit: NDArray[np.bool_], was: NDArray[np.bool_], rows: IndexArray) -> float:
    other = np.delete(np.arange(hit.size), rows)
    return float(hit[other].mean() - was[other].mean()) if other.size else 0.0


IMPORT = "from kpboost.datasets import trainable\n"
DROP_ROWS = "X, y = trainable(X, y)  # without rows that have no label, and classes of one row\n"


def snippet_of(
    model: AuditedModel,
    remedies: Remedies | None,
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
    remedies : Remedies or None
        What was tried.
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
        A complete program but for the table ``X`` and the labels ``y`` that were audited.
    """
    name = (remedies.recommended if remedies is not None else "") or model.name
    complete = trainable_rows(y).size == len(y)  # type: ignore[arg-type]  # it was checked
    if name.startswith(OWN):
        return _own(model, name, complete)
    tune, seed = (model.tune, model.seed) if name == model.name else (False, seed)
    named = [f"categorical_features={_literal(categorical)}"] if categorical else []
    arguments = ", ".join([method_arguments(name, tune, seed), *named, *choice_arguments(choices)])
    return (
        f"{'' if complete else IMPORT}"
        "from kpboost.methods import MethodClassifier\n"
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


def _own(model: AuditedModel, name: str, complete: bool) -> str:
    if name == OWN:
        return "# Keep the model that you have.\n"
    start = "" if complete else f"{IMPORT}\n{DROP_ROWS}"
    return start + (
        "# model: your own; with balanced class weights it recognises more of what was missed\n"
        f'model.set_params({weight_parameter(model.estimator)}="balanced")\n'
        "model.fit(X, y)\n"
    )
