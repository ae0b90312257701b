"""What helps a finding: every missed part and every weak class is asked on its own.

The rows of a finding were chosen because the audited model failed on them under certain folds. By
luck alone another model, or the same one under other folds, would do better there. So the audited
model and all remedies predict again under new folds. The first remedy, and the control for every
other, is the audited model itself with its threshold (two classes) or its class offsets (several)
moved to the balanced decision: that costs no training, and much of what a new model seems to bring
it brings too.

A remedy is worth what it gains on the finding's rows, less what it costs elsewhere, in recall:

    worth = gain + change of the class that loses most outside of the finding,

where the rest of the finding's own class counts as a class, and classes of fewer than five rows do
not. Shares of classes are compared, not rows, however common a class is: so a common class is not
given up for a rare one. And gains of one class do not pay for losses of another: otherwise calling
everything by the name of the class would be a remedy for a part of it.

Remedies are compared by swapping. If two are equally good, then on each row where they differ
either could have been the right one with equal chance; the lead in worth is compared with the leads
that 10,000 random swaps give. On the rows of one stratum alone this is the sign test, but for the
luck of these draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from kpboost._typing import BoolArray, FloatArray, IndexArray
from kpboost.metrics import clopper_pearson
from kpboost.model_selection import OutOfFold, Split, make_wish

from ._data import AuditData
from ._findings import scores_of
from ._models import AuditedModel, Reply
from ._parts import Parts
from ._records import (
    THRESHOLD,
    Answer,
    ClassFinding,
    DisjunctFinding,
    ModelScores,
    Question,
    Remedies,
)
from ._significance import LEAST_SIZE, LEVEL
from ._words import kpboost_sentence

ALL_ROWS = "all rows"
# The rule by which the threshold moves; the default of OperatingPointClassifier.
RULE = "balanced"
# Of the normal distribution, for 95 % intervals.
Z = float(norm.ppf(1 - LEVEL / 2))
# Draws of swaps, and their seed: p-values are told from 0.05 with an error of 0.002.
N_SWAPS, SWAP_SEED = 10_000, 0
# Leads that differ by less are equal; they are sums of fractions.
ROUNDING = 1e-9
# The squares of larger scores, and infinite ones, are no numbers to calculate with.
LARGEST_SCORE = 1e100
NO_SCORES = "The audited model gives no usable scores, so that there is no threshold to move."


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A finding to be improved: its name, the number of its class (-1 for all), its rows."""

    name: str
    code: int
    rows: IndexArray


def asked_of(
    disjuncts: Sequence[DisjunctFinding], classes: Sequence[ClassFinding], codes: IndexArray
) -> list[Asked]:
    """List what is to be improved: flagged disjuncts, then missed classes, then weak ones."""
    flagged = [each for each in disjuncts if each.missed]
    parts = [np.asarray(each.rows, dtype=np.intp) for each in flagged]
    found = [
        Asked(each.name, int(codes[rows[0]]), rows)
        for each, rows in zip(flagged, parts, strict=True)
    ]
    for status in ("missed", "weak"):
        found += [
            Asked(f"class {each.label}", code, np.flatnonzero(codes == code))
            for code, each in enumerate(classes)
            if each.status == status
        ]
    return found


def everything(codes: IndexArray) -> Asked:
    """Ask about all rows, where nothing is missed."""
    return Asked(ALL_ROWS, -1, np.arange(codes.size))


def moved_model(model: AuditedModel, n_classes: int) -> AuditedModel:
    """Return the control by its name."""
    moved = "threshold" if n_classes == 2 else "class offsets"
    return AuditedModel(THRESHOLD, f"{model.title}, {moved} moved", model.estimator)


def moved_threshold(before: OutOfFold, codes: IndexArray, folds: Sequence[Split]) -> Reply:
    """Predict again with a balanced threshold, or balanced class offsets.

    Those of each fold are chosen on the out-of-fold scores of the others, so that no row's own
    score or fold has a part in the choice of its threshold.

    Parameters
    ----------
    before : OutOfFold
        Predictions and scores of the audited model.
    codes : ndarray of shape (n_rows,)
        Numbers of the classes.
    folds : sequence of (train, test)
        The folds of these predictions.

    Returns
    -------
    OutOfFold or ValueError
    """
    start = perf_counter()
    n_classes = before.scores.shape[1]
    are_labels = np.array_equal(before.scores, np.eye(n_classes)[before.predicted])
    if are_labels or not np.all(np.abs(before.scores) < LARGEST_SCORE):  # NaN is not smaller
        return ValueError(NO_SCORES)
    scores = before.scores if n_classes > 2 else before.scores[:, 1] - before.scores[:, 0]
    predicted = before.predicted.copy()
    for _, test in folds:
        others = np.delete(np.arange(codes.size), test)
        sizes = np.bincount(codes[others], minlength=n_classes)
        if sizes.min() > 0:  # otherwise nothing is known of a class, and the model's own word stays
            wish = make_wish(RULE, None, None, None, int(sizes.argmin()), n_classes)
            tune = wish.is_tuned(sizes)
            decision = wish.decide(scores[others], codes[others], tune=tune, probabilities=False)
            predicted[test] = decision.codes(scores[test])
    return OutOfFold(predicted, before.scores, before.seconds + perf_counter() - start)


def with_control(
    replies: Sequence[tuple[AuditedModel, Reply]], codes: IndexArray, folds: Sequence[Split]
) -> list[tuple[AuditedModel, Reply]]:
    """Put the control after the audited model, whose answers it shares; without these, raise why.

    Parameters
    ----------
    replies : sequence of (AuditedModel, OutOfFold or ValueError)
        The audited model and then the remedies, with their predictions under the same folds, or why
        there are none.
    codes : ndarray of shape (n_rows,)
        Numbers of the classes.
    folds : sequence of (train, test)
        The folds of the predictions.

    Returns
    -------
    list of (AuditedModel, OutOfFold or ValueError)
    """
    (model, before), *others = replies
    if isinstance(before, ValueError):
        raise before
    control = moved_model(model, before.scores.shape[1]), moved_threshold(before, codes, folds)
    return [(model, before), control, *others]


def compare_remedies(
    replies: Sequence[tuple[AuditedModel, Reply]],
    data: AuditData,
    parts: Parts,
    asked: Sequence[Asked],
) -> Remedies:
    """Ask for every finding which remedy lifts it, at what cost, and whether a threshold does.

    Parameters
    ----------
    replies : sequence of (AuditedModel, OutOfFold or ValueError)
        The audited model, the control and then the remedies, as of :func:`with_control`.
    data : AuditData
    parts : Parts
        The disjuncts.
    asked : sequence of Asked
        What is to be improved.

    Returns
    -------
    Remedies
    """
    (model, before), *everyone = replies
    assert isinstance(before, OutOfFold)  # or there would be no control
    known = [(one, after) for one, after in everyone if isinstance(after, OutOfFold)]
    models = [scores_of(one.name, one.title, after, data, parts) for one, after in known]
    hits = [after.predicted == data.codes for _, after in known]
    was = before.predicted == data.codes
    questions = [_question(each, models, hits, was, data) for each in asked]
    return Remedies(
        before=scores_of(model.name, model.title, before, data, parts),
        models=tuple(models),
        questions=tuple(questions),
        failed={one.name: str(why) for one, why in everyone if isinstance(why, ValueError)},
        recommended=_overall(questions),
        kpboost=kpboost_sentence(questions[0]) if questions else "",
    )


def _overall(questions: Sequence[Question]) -> str:
    """Return what is recommended most often; of equals, what the first finding wants."""
    named = [each.recommended for each in questions if each.recommended]
    return max(named, key=named.count, default="")


def _question(
    asked: Asked,
    models: Sequence[ModelScores],
    hits: Sequence[BoolArray],
    was: BoolArray,
    data: AuditData,
) -> Question:
    strata = Strata.of(asked, data.codes)
    named = list(zip(models, hits, strict=True))
    first = [hit for one, hit in named if one.name == THRESHOLD]
    compared = [
        _answer(
            one, hit, was if one.name == THRESHOLD or not first else first[0], was, strata, data
        )
        for one, hit in named
    ]
    control = next((each for each in compared if each.name == THRESHOLD), None)
    rest = [each for each in compared if each.name != THRESHOLD]
    chances = holm([each.p_value for each in rest])
    tried = [_judged(each, p_value) for each, p_value in zip(rest, chances, strict=True)]
    tried.sort(key=lambda each: each.rank)
    control = None if control is None else _judged(control, control.p_value)
    return Question(
        finding=asked.name,
        label=data.names[asked.code] if asked.code >= 0 else "",
        n_rows=int(asked.rows.size),
        recall_before=float(was[asked.rows].mean()),
        control=control,
        tried=tuple(tried),
        recommended=next((e.name for e in (*tried[:1], control) if e is not None and e.helps), ""),
    )


def _judged(answer: Answer, p_value: float) -> Answer:
    """Say whether it helps: surely lifts the finding, beats the control, and no class pays more."""
    helps = p_value <= LEVEL and answer.gain_low > 0 and answer.worth > ROUNDING
    return replace(answer, p_value=p_value, helps=helps)


def _answer(
    scores: ModelScores,
    hit: BoolArray,
    rival: BoolArray,
    was: BoolArray,
    strata: "Strata",
    data: AuditData,
) -> Answer:
    """Compare a remedy with its rival, the control or the audited model; all are told by rows."""
    now, then, before = (strata.recalls(each) for each in (hit, rival, was))
    n_right, n_rows = int(hit[strata.number == 0].sum()), int(strata.sizes[0])
    low, high = clopper_pearson(n_right, n_rows)
    gained, lost = strata.changes(hit, was)
    gain_low, gain_high = paired_interval(int(gained[0]), int(lost[0]), n_rows)
    up, down = strata.changes(hit, rival)
    lead = float(strata.worth(now - before) - strata.worth(then - before))
    error = Z * strata.lead_error(up, down, now - before)
    code = strata.worst(now - before)
    return Answer(
        name=scores.name,
        title=scores.title,
        recall=n_right / n_rows,
        low=float(low),
        high=float(high),
        gain=float(now[0] - before[0]),
        gain_low=gain_low,
        gain_high=gain_high,
        elsewhere=float(strata.elsewhere(now - before)),
        worst_class="" if code < 0 else data.names[code],
        worst=float(strata.elsewhere(now - before)),
        lead=lead,
        lead_low=lead - error,
        lead_high=lead + error,
        n_gained=int(gained[0]),
        n_lost=int(lost[0]),
        p_value=swap_test(strata, now - before, then - before, up + down),
        helps=False,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """The rows of a finding (stratum 0), and what is left of each class.

    Attributes
    ----------
    number : ndarray of shape (n_rows,)
        Stratum of every row.
    sizes : ndarray of shape (n_strata,)
        Rows of each.
    codes : ndarray of shape (n_strata,)
        Number of the class of each.
    """

    number: IndexArray
    sizes: IndexArray
    codes: IndexArray

    @classmethod
    def of(cls, asked: Asked, codes: IndexArray) -> "Strata":
        """Divide the rows; a class without rows outside of the finding has no stratum."""
        place = codes + 1
        place[asked.rows] = 0
        kept, number = np.unique(place, return_inverse=True)
        sizes = np.bincount(number)
        return cls(number, sizes, np.where(kept == 0, asked.code, kept - 1))

    def recalls(self, hit: BoolArray) -> FloatArray:
        """Recall of every stratum."""
        return np.bincount(self.number, hit) / self.sizes

    def changes(self, now: BoolArray, was: BoolArray) -> tuple[IndexArray, IndexArray]:
        """Count the rows that are right now and were not, and the reverse, by stratum."""
        n_strata = self.sizes.size
        gained = np.bincount(self.number[now & ~was], minlength=n_strata)
        return gained, np.bincount(self.number[was & ~now], minlength=n_strata)

    def elsewhere(self, changes: FloatArray) -> FloatArray:
        """Change of what loses most outside of the finding; of recalls (..., n_strata)."""
        large = self._large()
        return changes[..., large].min(axis=-1) if large.size else np.zeros(changes.shape[:-1])

    def worth(self, changes: FloatArray) -> FloatArray:
        """Gain on the finding, less the cost elsewhere."""
        return np.asarray(changes[..., 0] + self.elsewhere(changes))

    def worst(self, changes: FloatArray) -> int:
        """Class that loses most outside of the finding; -1 where nothing can be told."""
        large = self._large()
        return int(self.codes[large[changes[large].argmin()]]) if large.size else -1

    def lead_error(self, gained: IndexArray, lost: IndexArray, changes: FloatArray) -> float:
        """Return the standard error of a lead, from the rows that two models differ on."""
        large = self._large()
        places = [0, *([int(large[changes[large].argmin()])] if large.size else [])]
        errors = [paired_error(int(gained[i]), int(lost[i]), int(self.sizes[i])) for i in places]
        return sqrt(sum(each**2 for each in errors))

    def _large(self) -> IndexArray:
        """Strata outside of the finding with rows enough to tell a loss."""
        return 1 + np.flatnonzero(self.sizes[1:] >= LEAST_SIZE)


def swap_test(
    strata: Strata, changes: FloatArray, rival: FloatArray, n_different: IndexArray
) -> float:
    """Chance of such a lead in worth if two models are equally good.

    Parameters
    ----------
    strata : Strata
    changes, rival : ndarray of shape (n_strata,)
        Changes of the recalls by the model and by its rival.
    n_different : ndarray of shape (n_strata,)
        Rows where just one of them is right.

    Returns
    -------
    float
    """
    lead = strata.worth(changes) - strata.worth(rival)
    if lead <= ROUNDING:
        return 1.0
    random = np.random.default_rng(SWAP_SEED)
    wins = random.binomial(n_different, 0.5, size=(N_SWAPS, n_different.size))
    half = (wins - n_different / 2) / strata.sizes  # of the difference between the two
    middle = (changes + rival) / 2
    leads = strata.worth(middle + half) - strata.worth(middle - half)
    return float((1 + np.sum(leads >= lead - ROUNDING)) / (1 + N_SWAPS))


def paired_error(n_gained: int, n_lost: int, n_rows: int) -> float:
    """Return the standard error of a change of recall; each of the four cells gets half a row."""
    n, gained, lost = n_rows + 2, n_gained + 0.5, n_lost + 0.5
    return sqrt(gained + lost - (gained - lost) ** 2 / n) / n


def paired_interval(n_gained: int, n_lost: int, n_rows: int) -> tuple[float, float]:
    """95 % interval of a change of recall on the same rows, by Agresti and Min (2005)."""
    middle = (n_gained - n_lost) / (n_rows + 2)
    reach = Z * paired_error(n_gained, n_lost, n_rows)
    return max(-1.0, middle - reach), min(1.0, middle + reach)


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number by Holm's method."""
    order = np.argsort(p_values, kind="stable")
    steps = np.array(p_values)[order] * np.arange(len(order), 0, -1)
    corrected: NDArray[np.float64] = np.empty(len(order))
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return [float(each) for each in corrected]
