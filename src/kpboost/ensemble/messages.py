"""What the user should know about the rounds, once for all problems of a fit."""

import math
import warnings
from collections.abc import Sequence

from .gather import ProblemRecord
from .rounds import HALF_OF_LARGEST


class NoVotingRoundWarning(UserWarning):
    """No round of a two-class problem met the conditions for voting, or their vote is poor.

    A category of its own, so that a search over many candidates can be told to keep quiet:
    ``warnings.simplefilter("ignore", NoVotingRoundWarning)``.
    """


def warn_of(records: Sequence[ProblemRecord]) -> None:
    """Warn of an interruption, and of problems without a round that may vote or a good vote."""
    if any(each.interrupted for each in records):
        done = min(each.n_rounds for each in records)
        warnings.warn(
            f"fit was interrupted; the ensemble has its first rounds only, at least {done} "
            "of every problem.",
            stacklevel=3,
        )
    words = _of_poor_rounds(records) or _of_poor_votes(records)
    if words:
        advice = "another C, gamma or class_weight may help."
        warnings.warn(f"{words}; {advice}", NoVotingRoundWarning, stacklevel=3)


def _of_poor_rounds(records: Sequence[ProblemRecord]) -> str:
    """Say that there is no round that may vote; nothing if there is one everywhere."""
    poor = [each for each in records if each.rule == "best_only"]
    if not poor:
        return ""
    return (
        f"No round met the conditions for voting in {len(poor)} of {len(records)} two-class "
        "problem(s): already the plain SVM errs by more than half of what is possible. The single "
        f"best round is used, {_worst_rates(poor)}"
    )


def _of_poor_votes(records: Sequence[ProblemRecord]) -> str:
    """Say that rounds which are good alone are not so together; nothing if they are."""
    poor = [each for each in records if _vote_error(each) > HALF_OF_LARGEST]
    if not poor:
        return ""
    return (
        f"The rounds that vote outvote each other in {len(poor)} of {len(records)} two-class "
        f"problem(s): together they err by more than half of what is possible, {_worst_rates(poor)}"
    )


def _worst_rates(poor: Sequence[ProblemRecord]) -> str:
    worst = max(poor, key=_vote_error)
    rates = f"with tpr {worst.vote_tpr:.2f} and tnr {worst.vote_tnr:.2f} on the training points"
    return rates if len(poor) == 1 else f"{rates} in the worst of them"


def _vote_error(record: ProblemRecord) -> float:
    return math.hypot(1.0 - record.vote_tpr, 1.0 - record.vote_tnr)
