"""Names in a sentence."""

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """Put commas between names, and a word before the last.

    Parameters
    ----------
    names : sequence of str

    Returns
    -------
    str

    Examples
    --------
    >>> from kpboost.reports.listed import listed
    >>> listed(["SVM", "AKS", "KBA"])
    'SVM, AKS and KBA'
    """
    if len(names) < 2:
        return "".join(names) or "nothing"
    return f"{', '.join(names[:-1])} and {names[-1]}"
