"""Missed disjuncts of models that are trained already: the audit's test without its training.

A model is asked about rows that it has not seen. The rest is as in :mod:`kpboost.auditing`: parts
of the classes among these rows, and the chance of finding parts so clearly missed if the models'
answers were the best possible.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.frozen import FrozenEstimator

from kpboost.auditing.chance import Answers, missed_p_values
from kpboost.auditing.description import describe
from kpboost.auditing.material import Material, material_of
from kpboost.auditing.out_of_fold import OutOfFold, make_folds, out_of_fold
from kpboost.auditing.parts import Parts, neighbours_of, parts_of
from kpboost.auditing.probabilities import as_if_best, joint_probabilities, smooth_model
from kpboost.auditing.records import DisjunctFinding
from kpboost.auditing.scoring import disjunct_findings
from kpboost.auditing.whole_audit import MAX_ROWS

IndexArray = NDArray[np.intp]

# Folds of the smooth model that says how likely the classes are.
N_FOLDS = 5


def missed_disjuncts(
    X: Any,
    y: ArrayLike,
    models: Sequence[Any],
    owners: IndexArray,
    *,
    random_state: int = 0,
) -> tuple[DisjunctFinding, ...]:
    """Find the parts of classes that trained models miss among rows they have not seen.

    Parameters
    ----------
    X : array-like, pandas or polars frame
        Rows that the models have not seen.
    y : array-like of shape (n_rows,)
        Their labels. Rows without one, and classes of one row, are left out.
    models : sequence of fitted classifiers
        A single one, or one for each fold.
    owners : ndarray of shape (n_rows,)
        Number of the model that answers for each row.
    random_state : int, default=0
        Seed of folds and draws.

    Returns
    -------
    tuple of DisjunctFinding
        The missed ones, the lowest recall first; row numbers are those of `X`.
    """
    material = material_of(X, y, MAX_ROWS, random_state)
    classes = _all_classes(material, models)
    codes = np.array([classes.index(label) for label in material.labels.tolist()])
    answers = _asked(models, owners[material.rows], material, classes)
    neighbours = neighbours_of(material.points)
    parts = parts_of(neighbours, codes)
    smooth = out_of_fold(
        smooth_model(*material.points.shape),
        material.points,
        codes,
        range(len(classes)),
        make_folds(codes, N_FOLDS, random_state),
    )
    likely = as_if_best(
        joint_probabilities([answers.scores, smooth.scores], codes), answers.predicted
    )
    null = Answers(neighbours, answers.predicted, likely)
    p_values = missed_p_values(null, codes, parts, seed=random_state)
    return _described(material, codes, answers, parts, p_values, classes)


def _all_classes(material: Material, models: Sequence[Any]) -> list[Any]:
    """Labels that occur or that a model knows; a model may answer with any of them."""
    known = [material.classes, *(np.asarray(model.classes_).tolist() for model in models)]
    return sorted(set().union(*known))


def _asked(
    models: Sequence[Any], owners: IndexArray, material: Material, classes: Sequence[Any]
) -> OutOfFold:
    """Answers of all models, each for its own rows."""
    parts = [
        (rows, _asked_one(model, rows, material, classes))
        for number, model in enumerate(models)
        if (rows := np.flatnonzero(owners == number)).size
    ]
    predicted = np.zeros(owners.size, dtype=np.intp)
    scores = np.zeros((owners.size, len(classes)))
    for rows, answers in parts:
        predicted[rows], scores[rows] = answers.predicted[rows], answers.scores[rows]
    return OutOfFold(predicted, scores, sum(answers.seconds for _, answers in parts))


def _asked_one(
    model: Any, rows: IndexArray, material: Material, classes: Sequence[Any]
) -> OutOfFold:
    # A frozen model is not trained again: its "training rows" are of no account.
    fold = (rows, rows)
    return out_of_fold(FrozenEstimator(model), material.given, material.labels, classes, [fold])


def _described(
    material: Material,
    codes: IndexArray,
    answers: OutOfFold,
    parts: Parts,
    p_values: NDArray[np.float64],
    classes: Sequence[Any],
) -> tuple[DisjunctFinding, ...]:
    names = [str(label) for label in classes]
    predicted, points = answers.predicted, material.points
    missed = []
    for each in disjunct_findings(predicted, codes, parts, p_values, names):
        if each.missed:
            rows = np.array(each.rows)
            words = describe(rows, material.columns, points, codes, predicted, names)
            missed.append(_in_given_rows(replace(each, description=words), material.rows))
    return tuple(missed)


def _in_given_rows(finding: DisjunctFinding, rows: IndexArray) -> DisjunctFinding:
    """Translate row numbers of the material into those of the table that was given."""
    words = finding.description
    assert words is not None
    wrong = tuple(replace(each, row=int(rows[each.row])) for each in words.wrong_neighbours)
    words = replace(words, medoid=int(rows[words.medoid]), wrong_neighbours=wrong)
    return replace(finding, rows=tuple(rows[list(finding.rows)].tolist()), description=words)
