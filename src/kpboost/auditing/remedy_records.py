"""What was found about remedies: each beside the audited model, and the one to take."""

from dataclasses import dataclass

from .findings import Scores


@dataclass(frozen=True, slots=True)
class Remedy:
    """A model tried on the rows in question.

    Attributes
    ----------
    scores : Scores
        Of all rows.
    recall, low, high : float
        Share of the rows in question that it recognises, with its exact 95 % interval.
    n_gained, n_lost : int
        Rows in question that it recognises and the audited model does not, and the reverse.
    p_value : float
        Of the exact sign test of the two, corrected for the number of remedies (Holm).
    helps : bool
        Whether that is at most 5 %, and the share of the rows in question that is gained is larger
        than the share of all other rows that is lost.
    elsewhere : float
        Change of the recall on all other rows.
    disjunct_recalls : dict
        Recall of each flagged disjunct by name.
    family : str
        As in the recipe.
    """

    scores: Scores
    recall: float
    low: float
    high: float
    n_gained: int
    n_lost: int
    p_value: float
    helps: bool
    elsewhere: float
    disjunct_recalls: dict[str, float]
    family: str


@dataclass(frozen=True, slots=True)
class Remedies:
    """The remedies, the audited model under the same folds, and what to do.

    Attributes
    ----------
    question : tuple of str
        Names of the disjuncts and classes that were to be improved.
    n_rows : int
        Rows in question.
    before : Scores
        The audited model on the folds of the remedies.
    recall_before : float
        Its recall of the rows in question there.
    tried : tuple of Remedy
        From the best to the worst.
    failed : dict
        Why a remedy has no answer, by name: it failed, or its package is not installed.
    recommended : str
        Name of the recipe, or "" if nothing helps.
    kpboost : str
        How KPBoost did beside the others, a sentence.
    new_folds : bool
        Whether these folds are others than those that the rows in question were found on.
    """

    question: tuple[str, ...]
    n_rows: int
    before: Scores
    recall_before: float
    tried: tuple[Remedy, ...]
    failed: dict[str, str]
    recommended: str
    kpboost: str
    new_folds: bool = True
