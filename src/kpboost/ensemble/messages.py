"""What the user should know about the rounds, once for all problems of a fit."""

import warnings
from collections.abc import Sequence

from .gather import ProblemRecord


class NoVotingRoundWarning(UserWarning):
    """No round of a two-class problem met the conditions for voting.

    A category of its own, so that a search over many candidates can be told to keep quiet:
    ``warnings.simplefilter("ignore", NoVotingRoundWarning)``.
    """


def warn_of(records: Sequence[ProblemRecord]) -> None:
    """Warn of an interruption, and of problems without a round that may vote."""
    if any(each.interrupted for each in records):
        done = min(each.n_rounds for each in records)
        warnings.warn(
            f"fit was interrupted; the ensemble has its first rounds only, at least {done} "
            "of every problem.",
            stacklevel=3,
        )
    poor = sum(each.rule == "best_only" for each in records)
    if poor:
        warnings.warn(
            f"No round met the conditions for voting in {poor} of {len(records)} two-class "
            "problem(s): already the plain SVM errs by more than half of what is possible. The "
            "single best round is used; another C, gamma or class_weight may help.",
            NoVotingRoundWarning,
            stacklevel=3,
        )
