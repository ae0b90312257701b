"""The audit of an estimator that is trained on folds, and of models already trained."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.frozen import FrozenEstimator

from kpboost import _validation as parameters
from kpboost._typing import IndexArray
from kpboost.datasets import ColumnChoices, CopiedRows, copied_rows
from kpboost.methods import MethodClassifier, sample_sentence
from kpboost.model_selection import (
    OutOfFold,
    Split,
    make_folds,
    out_of_fold,
    same_folds,
    together,
)

from ._data import AuditData, audit_data_of, data_facts, fingerprint
from ._doubts import with_doubts
from ._findings import (
    class_findings,
    disjunct_findings,
    in_given_rows,
    low_classes,
    scores_of,
    untested_rows,
    weakest_class,
)
from ._models import (
    AuditedModel,
    Reply,
    checked_remedies,
    models_of,
    not_installed,
    remedies_for,
    run_all,
    snippet_of,
)
from ._parts import Parts, parts_of, places_of, readings
from ._projection import box_map_of, check_projection, curves_of, map_of
from ._records import Audit, DisjunctFinding, ModelScores, Remedies, ScoreCurves
from ._remedies import asked_of, compare_remedies, everything, with_control
from ._words import verdict_of

Progress = Callable[[str, int, int], None]

# Larger tables are sampled: the search for neighbours grows with the square of the rows.
MAX_ROWS = 20_000
# Folds, unless others are asked for.
N_FOLDS = 5
# Added to the seed for the folds of the remedies, so that they differ from the first ones.
NEW_FOLDS = 1


def audit(
    X: Any,
    y: ArrayLike,
    estimator: Any = None,
    cv: Any = N_FOLDS,
    *,
    remedies: str | Sequence[str] = "auto",
    projection: str = "pca",
    drop: Sequence[str] = (),
    id_columns: Sequence[str] = (),
    keep: Sequence[str] = (),
    many_classes: bool = False,
    max_rows: int = MAX_ROWS,
    random_state: int = 0,
    n_jobs: int | None = None,
    on_progress: Progress | None = None,
) -> Audit:
    """Find out which classes and which parts of classes a classifier misses, and what helps.

    Parameters
    ----------
    X : array-like, pandas or polars frame
        The table; missing values and columns of text are allowed. In a frame, identifiers and
        free text are recognised and left out, and dates and numbers with a decimal comma are read.
        An estimator of your own gets the table as it is.
    y : array-like of shape (n_rows,)
        Labels. Rows without one, and classes of one row, are left out.
    estimator : classifier, str or None, default=None
        A scikit-learn classifier, the name of a method (see ``kpboost.methods.METHODS``), or None:
        gradient boosting and an SVM, of which the one with the better balanced accuracy is audited.
    cv : int, splitter or iterable of splits, default=5
        Folds that test every row once. A number means stratified folds, of which there are no more
        than the largest class has rows; remedies are then tried on new ones. A list of splits, or a
        splitter without randomness, gives the same folds both times.
    remedies : {"auto", "always", "never"} or sequence of str, default="auto"
        When to try other models: if something is missed, always, or never; or the names of the
        methods to try if something is missed.
    projection : {"pca", "umap"}, default="pca"
        How the map of the data is made.
    drop : sequence of str, default=()
        Columns to leave out.
    id_columns : sequence of str, default=()
        Columns of identifiers, which are left out too, beside those that are recognised.
    keep : sequence of str or "all", default=()
        Columns of a frame that stay features as they are, whatever they look like.
    many_classes : bool, default=False
        Whether more than 50 different numbers in ``y`` are meant as class labels.
    max_rows : int, default=20000
        Larger tables are sampled; rare classes keep their rows.
    random_state : int, default=0
        Seed of folds, draws and models.
    n_jobs : int or None, default=None
        How many remedies are tried at the same time, each in a process of its own; None for one,
        in this process. Findings do not depend on it.
    on_progress : callable, optional
        Called with the current step in words, the number of finished steps, and that of all steps.

    Returns
    -------
    Audit

    Notes
    -----
    A disjunct is flagged if at most half of it is recognised and it is more striking than what
    chance produces in 95 % of the draws under the hypothesis that its predictions are the best
    possible ones; see ``docs/audit.md``.

    Examples
    --------
    >>> from kpboost.auditing import audit
    >>> from kpboost.datasets import make_disjuncts
    >>> X, y, _ = make_disjuncts([[150], [60]], overlap=0.4, random_state=0)
    >>> audit(X, y, "svm").verdict.headline
    'Nothing is clearly missed.'
    """
    start = perf_counter()
    parameters.check_count("max_rows", max_rows)
    parameters.check_n_jobs(n_jobs)
    parameters.check_seed("random_state", random_state)
    check_projection(projection)
    names = checked_remedies(remedies)
    choices = _choices(ColumnChoices(drop, id_columns, keep, many_classes), estimator)
    named = estimator.categorical_features if isinstance(estimator, MethodClassifier) else None
    data = audit_data_of(X, y, max_rows, random_state, choices, named)
    models = models_of(estimator, data, random_state)
    steps = _Steps(on_progress, 2 + len(models))
    copies = copied_rows(data.table.values, data.codes)
    folds = _folds_of(data, copies, cv, random_state)

    steps.begin("finding disjuncts")
    places = places_of(data.points)
    parts = parts_of(places, data.codes)
    given = np.argsort(data.rows)  # the paper's rule depends on the order of rows: the user's
    as_given = replace(parts, labels=parts.labels[given])
    kinds, curve = readings(data.points[given], data.codes[given], as_given)

    scored = _scored(models, data, folds, parts, steps)
    scores, model, predictions = scored[0]

    steps.begin("telling missed disjuncts from chance")
    disjuncts = disjunct_findings(data, places, parts, predictions, folds, random_state)
    classes = class_findings(predictions.predicted, data)

    tried = None
    replies: list[tuple[AuditedModel, Reply]] = [(model, predictions)]
    new_folds = folds
    asked = asked_of(disjuncts, classes, data.codes)
    if remedies == "always" and not asked:
        asked = [everything(data.codes)]
    program = partial(
        snippet_of, model, y=y, seed=random_state, choices=choices, categorical=data.categorical
    )
    if names and asked:
        others = remedies_for(model, names, data, random_state)
        new_folds = _folds_again(data, copies, cv, random_state + NEW_FOLDS, folds)
        replies = _replies((model, *others), data, new_folds, n_jobs, steps)
        tried = with_snippets(compare_remedies(replies, data, parts, asked), program)
        failed = tried.failed | (not_installed() if isinstance(remedies, str) else {})
        tried = replace(tried, new_folds=not same_folds(folds, new_folds), failed=failed)
    steps.end()
    used = [each.name for each in models] + (list(names) if tried else [])
    sampled = sample_sentence(used, max(train.size for train, _ in folds))
    left_out = [*data.left_out, *([sampled] if sampled else [])]
    facts = data_facts(data.table, data.codes, data.names, left_out)
    facts = with_doubts(facts, data, copies, folds, model.takes_given)
    facts = replace(facts, fingerprint=fingerprint(data))
    scattered = untested_rows(disjuncts, data.codes.size)
    predicted = predictions.predicted
    n_wrong = int((predicted != data.codes)[scattered].sum())
    return Audit(
        verdict=verdict_of(facts, scores, classes, disjuncts, scattered.size, tried, n_wrong),
        data=facts,
        readings=kinds,
        curve=curve,
        models=tuple(each for each, _, _ in scored),
        classes=classes,
        disjuncts=tuple(in_given_rows(each, data.rows) for each in disjuncts),
        n_scattered=scattered.size,
        remedies=tried,
        map=map_of(data, disjuncts, predicted, projection, random_state),
        box_map=box_map_of(data, disjuncts, predicted, random_state, low_classes(classes)),
        snippet=program(tried.recommended if tried is not None else ""),
        seconds=perf_counter() - start,
        n_scattered_wrong=n_wrong,
        curves=_curves(data, weakest_class(disjuncts, classes), predicted, replies),
    )


def _scored(
    models: Sequence[AuditedModel],
    data: AuditData,
    folds: list[Split],
    parts: Parts,
    steps: "_Steps",
) -> list[tuple[ModelScores, AuditedModel, OutOfFold]]:
    """Predict by all models to be audited, and put the best first."""
    scored = []
    for each in models:
        steps.begin(f"predicting out of fold: {each.title}")
        predictions = each.out_of_fold(data, folds)
        scores = scores_of(each.name, each.title, predictions, data, parts)
        scored.append((scores, each, predictions))
    return sorted(scored, key=lambda each: -each[0].balanced_accuracy)


def _curves(
    data: AuditData,
    label: str,
    predicted: IndexArray,
    replies: Sequence[tuple[AuditedModel, Reply]],
) -> ScoreCurves:
    """Curves of one class by the audited model, and all that was tried as points on them."""
    shown = replies[0][1]
    assert isinstance(shown, OutOfFold)  # otherwise there would be no audit
    points = [
        (one.name, one.title, reply.predicted)
        for one, reply in replies
        if isinstance(reply, OutOfFold)
    ]
    return curves_of(data, data.names.index(label), shown, points, predicted)


def _replies(
    compared: Sequence[AuditedModel],
    data: AuditData,
    folds: list[Split],
    n_jobs: int | None,
    steps: "_Steps",
) -> list[tuple[AuditedModel, Reply]]:
    """Predictions of the audited model, the control and all remedies under the same folds."""
    steps.add(len(compared))
    replies = run_all(
        [partial(each.out_of_fold, data, folds) for each in compared],
        n_jobs,
        lambda number: steps.begin(f"trying on new folds: {compared[number].title}"),
    )
    return with_control(list(zip(compared, replies, strict=True)), data.codes, folds)


def with_snippets(remedies: Remedies, program: Callable[[str], str]) -> Remedies:
    """Give every question the program of what is recommended for it."""
    questions = tuple(
        replace(each, snippet=program(each.recommended) if each.recommended else "")
        for each in remedies.questions
    )
    return replace(remedies, questions=questions)


def missed_disjuncts(
    X: Any, y: ArrayLike, models: Sequence[Any], owners: IndexArray, *, random_state: int = 0
) -> tuple[DisjunctFinding, ...]:
    """Find the parts of classes that trained models miss among rows they have not seen.

    Parameters
    ----------
    X : array-like, pandas or polars frame
        Rows that the models have not seen.
    y : array-like of shape (n_rows,)
        Their labels. Rows without one, and classes of one row, are left out.
    models : sequence of fitted classifiers
        A single one, or one for each fold; they are not trained again.
    owners : ndarray of shape (n_rows,)
        Number of the model that predicts each row.
    random_state : int, default=0
        Seed of folds and draws.

    Returns
    -------
    tuple of DisjunctFinding
        The missed ones, the lowest recall first; row numbers are those of `X`.
    """
    data = _with_classes_of(models, audit_data_of(X, y, MAX_ROWS, random_state))
    owners = owners[data.rows]
    numbers = np.unique(owners).tolist()
    frozen = [FrozenEstimator(models[number]) for number in numbers]
    own_rows = [np.flatnonzero(owners == number) for number in numbers]
    predictions = out_of_fold(
        frozen, data.given, data.labels, data.classes, [(rows, rows) for rows in own_rows]
    )
    places = places_of(data.points)
    parts = parts_of(places, data.codes)
    folds = make_folds(data.codes, N_FOLDS, random_state)
    found = disjunct_findings(data, places, parts, predictions, folds, random_state)
    return tuple(in_given_rows(each, data.rows) for each in found if each.missed)


def _with_classes_of(models: Sequence[Any], data: AuditData) -> AuditData:
    """Add the labels that a model knows and the rows lack; it may predict any of them."""
    known = [data.classes, *(np.asarray(model.classes_).tolist() for model in models)]
    classes = sorted(set().union(*known))
    codes = np.array([classes.index(label) for label in data.labels.tolist()])
    return replace(data, classes=classes, codes=codes)


def _choices(given: ColumnChoices, estimator: Any) -> ColumnChoices:
    """Return what the user says about columns; a MethodClassifier has been told already."""
    if given != ColumnChoices() or not isinstance(estimator, MethodClassifier):
        return given
    told = estimator.drop, estimator.id_columns, estimator.keep, estimator.many_classes
    return ColumnChoices(*told)


class _Steps:
    """Tell the caller what is being done."""

    def __init__(self, report: Progress | None, total: int) -> None:
        self._report, self._total, self._begun = report, total, 0

    def add(self, n_steps: int) -> None:
        self._total += n_steps

    def begin(self, what: str) -> None:
        if self._report is not None:
            self._report(what, self._begun, self._total)
        self._begun = min(self._begun + 1, self._total)  # some may be begun twice

    def end(self) -> None:
        if self._report is not None:
            self._report("done", self._total, self._total)


def _folds_of(data: AuditData, copies: CopiedRows, cv: Any, seed: int) -> list[Split]:
    """Folds of the audit's rows, which keep copies together if they are a number.

    Other folds are told in the user's order, and are the user's to choose.
    """
    if isinstance(cv, int | np.integer):
        records = np.arange(data.codes.size) if copies.records is None else copies.records
        return together(records, data.codes, lambda own: make_folds(own, cv, seed))
    given = np.argsort(data.rows)
    folds = make_folds(data.codes[given], cv, seed)
    return [(given[train], given[test]) for train, test in folds]


def _folds_again(
    data: AuditData, copies: CopiedRows, cv: Any, seed: int, folds: list[Split]
) -> list[Split]:
    """Folds for the remedies; splits that were given one by one are there once."""
    is_rule = isinstance(cv, int | np.integer) or hasattr(cv, "split")
    return _folds_of(data, copies, cv, seed) if is_rule else folds
