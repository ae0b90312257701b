"""The answer on top: what is missed, how sure that is, and what helps."""

from collections.abc import Sequence

from .chance import LEVEL
from .records import ClassFinding, DataFacts, DisjunctFinding, Remedies, Remedy, Scores, Verdict

# Names in one sentence; the tables have the rest.
MOST_NAMES = 3
# Costs below this are not worth a warning.
SMALL_COST = 0.005


def verdict_of(
    data: DataFacts,
    audited: Scores,
    classes: Sequence[ClassFinding],
    disjuncts: Sequence[DisjunctFinding],
    remedies: Remedies | None,
) -> Verdict:
    """Sum up an audit.

    Parameters
    ----------
    data : DataFacts
        The table.
    audited : Scores
        The audited model.
    classes : sequence of ClassFinding
        Recall by class.
    disjuncts : sequence of DisjunctFinding
        Recall by disjunct.
    remedies : Remedies or None
        What was tried.

    Returns
    -------
    Verdict
    """
    missed = [each for each in disjuncts if each.missed]
    low = [each for each in classes if each.status != "fine"]
    sentences = [_accuracy(audited)]
    if missed:
        sentences.append(_missed(missed))
    if low:
        sentences.append(_low(low))
    if not missed and not low:
        sentences.append(
            "No class is clearly worse off than the rest, and no group of missed rows is tighter "
            "than chance makes them."
        )
    if remedies is not None:
        sentences += _remedies(remedies)
    sentences += _warnings(data)
    return Verdict(_mood(missed, low, remedies), _headline(missed, low), tuple(sentences))


def _mood(
    missed: Sequence[DisjunctFinding], low: Sequence[ClassFinding], remedies: Remedies | None
) -> str:
    if not missed and not low:
        return "good"
    helped = remedies is not None and bool(remedies.recommended)
    lost = bool(missed) or any(each.status == "missed" for each in low)
    return "bad" if lost and not helped else "mixed"


def _headline(missed: Sequence[DisjunctFinding], low: Sequence[ClassFinding]) -> str:
    if missed:
        count = "One sub-concept is" if len(missed) == 1 else f"{len(missed)} sub-concepts are"
        return f"{count} missed."
    if low:
        count = "One class is" if len(low) == 1 else f"{len(low)} classes are"
        return f"{count} recognised clearly less often than the rest; no single part stands out."
    return "Nothing is clearly missed."


def _accuracy(audited: Scores) -> str:
    label, recall = min(audited.class_recalls.items(), key=lambda each: each[1])
    return (
        f"{_capital(audited.title)} predicts {audited.accuracy:.1%} of the rows correctly that it "
        f"was not trained on; of the class “{label}”, {recall:.1%}."
    )


def _missed(missed: Sequence[DisjunctFinding]) -> str:
    shown = "; ".join(
        f"{each.name}, {each.size} rows of the class “{each.label}”, of which "
        f"{each.n_correct} recognised (p = {each.p_value:.3f})"
        for each in missed[:MOST_NAMES]
    )
    more = len(missed) - MOST_NAMES
    return f"Missed: {shown}{f'; and {more} more' if more > 0 else ''}."


def _low(low: Sequence[ClassFinding]) -> str:
    shown = "; ".join(
        f"“{each.label}” has {each.recall:.1%} (95 % interval {each.low:.0%} to {each.high:.0%})"
        for each in low[:MOST_NAMES]
    )
    return f"Classes with a clearly low recall: {shown}."


def _remedies(remedies: Remedies) -> list[str]:
    if not remedies.tried:
        return ["No remedy could be tried."]
    best = remedies.tried[0]
    if not best.helps:
        return [
            f"Nothing that was tried helps beyond chance and is worth its cost: of the "
            f"{remedies.n_rows} rows in question the audited model recognises "
            f"{remedies.recall_before:.0%} and the best remedy, {best.scores.title}, "
            f"{best.recall:.0%}, {_but(best)}.",
            *([remedies.kpboost] if remedies.kpboost else []),
        ]
    return [_help(best, remedies), *([remedies.kpboost] if remedies.kpboost else [])]


def _but(best: Remedy) -> str:
    if best.p_value <= LEVEL:
        return f"but at the cost of {-best.elsewhere:.1%} of all other rows"
    return "which may be luck"


def _help(best: Remedy, remedies: Remedies) -> str:
    cost = -best.elsewhere
    price = (
        f"at the cost of {cost:.1%} of all other rows"
        if cost > SMALL_COST
        else "at no cost to the other rows"
    )
    return (
        f"{_capital(best.scores.title)} helps: on new folds it recognises {best.recall:.0%} of the "
        f"{remedies.n_rows} rows in question instead of {remedies.recall_before:.0%}, {price}."
    )


def _warnings(data: DataFacts) -> list[str]:
    found = list(data.left_out)
    if data.n_contradictions:
        found.append(
            f"{data.n_contradictions} rows agree in every column with a row of another class; no "
            "model can get all of them right."
        )
    if data.n_duplicates:
        found.append(
            f"{data.n_duplicates} rows repeat an earlier one; scores may look too good, because "
            "copies are both learnt and tested."
        )
    return found


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
