"""The whole audit, step by step."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kpboost import _validation as parameters
from kpboost._typing import IndexArray
from kpboost.datasets import ColumnChoices
from kpboost.disjuncts import Rows
from kpboost.methods import METHODS, MethodClassifier, sample_sentence

from ._boxes import COLUMNS_WITHOUT_BOXES, describe, missed_boxes
from ._data import Material, Parts, data_facts, material_of, neighbours_of, parts_of, readings
from ._models import (
    Fold,
    OutOfFold,
    Subject,
    are_equal,
    checked_remedies,
    make_folds,
    out_of_fold,
    remedies_for,
    snippet_of,
    subjects_of,
)
from ._projection import box_map_of, check_projection, map_of
from ._records import Audit, Description, DisjunctFinding
from ._remedies import Candidate, ask_all, question_of, try_remedies
from ._scoring import box_findings, class_findings, disjunct_findings, in_order, scores_of
from ._significance import (
    LEVEL,
    Answers,
    as_if_best,
    joint_probabilities,
    missed_p_values,
    smooth_model,
)
from ._verdict import verdict_of


def null_hypothesis(
    neighbours: Rows, answers: OutOfFold, material: Material, folds: list[Fold]
) -> Answers:
    """Put the answers beside probabilities under which they are the best possible ones."""
    codes, numbers = material.codes, list(range(len(material.classes)))
    with np.errstate(invalid="ignore"):  # shares of no variance at all, where all rows are equal
        smooth = out_of_fold(
            smooth_model(*material.points.shape), material.points, codes, numbers, folds
        )
    likely = joint_probabilities([answers.scores, smooth.scores], codes)
    return Answers(neighbours, answers.predicted, as_if_best(likely, answers.predicted))


def all_findings(
    null: Answers, parts: Parts, material: Material, seed: int
) -> tuple[DisjunctFinding, ...]:
    """Search among disjuncts and, in more than a few columns, among boxes: half the level each."""
    codes, table, names = material.codes, material.columns, material.names
    n_searches = 1 if len(table.names) <= COLUMNS_WITHOUT_BOXES else 2
    p_values = np.minimum(1.0, n_searches * missed_p_values(null, codes, parts, seed=seed))
    found = disjunct_findings(null.predicted, codes, parts, p_values, names)
    if n_searches == 1:
        return tuple(_described(each, material, null) for each in found)
    taken = np.array([row for each in found if each.missed for row in each.rows], dtype=np.intp)
    boxes = missed_boxes(table, null, codes, taken, level=LEVEL / n_searches, seed=seed)
    more = box_findings(boxes, null.predicted, codes, names, n_searches)
    return tuple(_described(each, material, null) for each in in_order([*found, *more]))


def _described(finding: DisjunctFinding, material: Material, answers: Answers) -> DisjunctFinding:
    if not finding.missed:
        return finding
    rows = np.array(finding.rows)
    words = describe(
        rows, material.columns, material.points, material.codes, answers.predicted, material.names
    )
    return replace(finding, description=words)


Progress = Callable[[str, int, int], None]

# Larger tables are sampled: the search for neighbours grows with the square of the rows.
MAX_ROWS = 20_000
# Added to the seed for the folds of the remedies, so that they differ from the first ones.
NEW_FOLDS = 1


def audit(
    X: Any,
    y: ArrayLike,
    estimator: Any = None,
    cv: Any = 5,
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
        The table; missing values and columns of text are welcome. In a frame, identifiers are
        recognised and left out, and dates and numbers with a decimal comma are read. An estimator
        of your own gets the table as it is.
    y : array-like of shape (n_rows,)
        Labels. Rows without one, and classes of one row, are left out.
    estimator : classifier, str or None, default=None
        A scikit-learn classifier, the name of a method (see ``kpboost.methods.METHODS``), or None:
        gradient boosting and an SVM, of which the one with the better balanced accuracy is audited.
    cv : int, splitter or iterable of splits, default=5
        Folds that test every row once. A number means stratified folds, of which there are no more
        than the largest class has rows; remedies are then tried on new ones. Other folds are
        yours to vary: a list, or a splitter that always splits alike, serves both times.
    remedies : {"auto", "always", "never"} or sequence of str, default="auto"
        Whether to try other methods, those for rare classes: if something is missed, anyhow, or
        not at all; or the names of methods to try if something is missed.
    projection : {"pca", "umap"}, default="pca"
        How the map of the data is made.
    drop : sequence of str, default=()
        Columns to leave out.
    id_columns : sequence of str, default=()
        Columns of identifiers, which are left out too, beside those that are recognised.
    keep : sequence of str or "all", default=()
        Columns of a frame that stay features as they are, whatever they look like.
    many_classes : bool, default=False
        Whether labels of more than 50 different numbers are meant.
    max_rows : int, default=20000
        Larger tables are sampled; rare classes keep their rows.
    random_state : int, default=0
        Seed of folds, draws and models.
    n_jobs : int or None, default=None
        How many remedies are tried at the same time, each in a process of its own; None for one,
        in this process. Findings do not depend on it.
    on_progress : callable, optional
        Called with what is being done, how many steps are over, and of how many.

    Returns
    -------
    Audit

    Notes
    -----
    A disjunct is flagged if at most half of it is recognised and it is more striking than what
    chance produces in 95 % of the draws under the hypothesis that the model's answers are the best
    possible ones; see ``docs/audit.md``.

    Examples
    --------
    >>> from kpboost.auditing import audit
    >>> from kpboost.datasets import make_disjuncts
    >>> X, y, _ = make_disjuncts([[150], [60]], random_state=0)
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
    material = material_of(X, y, max_rows, random_state, choices)
    subjects = subjects_of(estimator, material, random_state)
    steps = _Steps(on_progress, 2 + len(subjects))
    codes = material.codes
    folds = make_folds(codes, cv, random_state)

    steps.begin("finding disjuncts")
    neighbours = neighbours_of(material.points)
    parts = parts_of(neighbours, codes)
    kinds, curve = readings(material.points, codes, parts)

    scored = []
    for subject in subjects:
        steps.begin(f"predicting out of fold: {subject.title}")
        answers = subject.answer(material, folds)
        scores = scores_of(subject.name, subject.title, answers, codes, parts, material.names)
        scored.append((scores, subject, answers))
    scored.sort(key=lambda each: -each[0].balanced_accuracy)
    scores, subject, answers = scored[0]

    steps.begin("telling missed disjuncts from chance")
    null = null_hypothesis(neighbours, answers, material, folds)
    disjuncts = all_findings(null, parts, material, random_state)
    classes = class_findings(answers.predicted, codes, material.names)

    question = question_of(disjuncts, classes, codes)
    if remedies == "always" and not question[0]:
        question = (("all rows",), np.arange(codes.size))
    tried = None
    if names and question[0]:
        new_folds = _folds_again(codes, cv, random_state + NEW_FOLDS, folds)
        others = remedies_for(subject, names, material, random_state)
        steps.add(1 + len(others))
        asked = [_candidate(each, material, new_folds) for each in (subject, *others)]
        answered = ask_all(
            asked, n_jobs, lambda one: steps.begin(f"trying on new folds: {one.title}")
        )
        first, *rest = zip(asked, answered, strict=True)
        tried = try_remedies(
            _audited(*first), rest, codes, parts, material.names, question, disjuncts
        )
        tried = replace(tried, new_folds=not are_equal(folds, new_folds))
        if isinstance(remedies, str):  # all remedies were meant
            tried = replace(tried, failed=tried.failed | _not_installed())
    steps.end()
    used = [subject.name for subject in subjects] + (list(names) if tried else [])
    sampled = sample_sentence(used, max(train.size for train, _ in folds))
    left_out = [*material.left_out, *([sampled] if sampled else [])]
    data = data_facts(material.columns, codes, material.names, left_out)
    n_scattered = codes.size - len({row for each in disjuncts for row in each.rows})
    return Audit(
        verdict=verdict_of(data, scores, classes, disjuncts, n_scattered, tried),
        data=data,
        readings=kinds,
        curve=curve,
        models=tuple(each for each, _, _ in scored),
        classes=classes,
        disjuncts=tuple(_in_given_rows(each, material.rows) for each in disjuncts),
        n_scattered=n_scattered,
        remedies=tried,
        map=map_of(material, disjuncts, answers.predicted, projection, random_state),
        box_map=box_map_of(material, disjuncts, answers.predicted, random_state),
        snippet=snippet_of(subject, tried, y, random_state, choices),
        seconds=perf_counter() - start,
    )


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


def _folds_again(codes: IndexArray, cv: Any, seed: int, folds: list[Fold]) -> list[Fold]:
    """Folds for the remedies; splits that were given one by one are there once."""
    is_rule = isinstance(cv, int | np.integer) or hasattr(cv, "split")
    return make_folds(codes, cv, seed) if is_rule else folds


def _candidate(subject: Subject, material: Material, folds: list[Fold]) -> Candidate:
    return Candidate(subject.name, subject.title, lambda: subject.answer(material, folds))


def _audited(candidate: Candidate, answer: OutOfFold | ValueError) -> tuple[Candidate, OutOfFold]:
    if isinstance(answer, ValueError):
        raise answer
    return candidate, answer


def _not_installed() -> dict[str, str]:
    """Tell which remedies are missing, and what brings them."""
    return {
        name: f"It is not installed: {method.advice}."
        for name, method in METHODS.items()
        if method.is_remedy and not method.is_available
    }


def _in_given_rows(finding: DisjunctFinding, rows: IndexArray) -> DisjunctFinding:
    """Translate row numbers of the audit's sample into those of the user's table."""
    own = tuple(rows[list(finding.rows)].tolist())
    words = finding.description
    if words is None:
        return replace(finding, rows=own)
    return replace(finding, rows=own, description=_translated(words, rows))


def _translated(words: Description, rows: IndexArray) -> Description:
    wrong = tuple(replace(each, row=int(rows[each.row])) for each in words.wrong_neighbours)
    return replace(words, medoid=int(rows[words.medoid]), wrong_neighbours=wrong)
