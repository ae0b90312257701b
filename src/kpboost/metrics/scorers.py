"""Scorers for grid searches and cross-validation that need to know disjuncts.

The other metrics of this package need no help: ``make_scorer(geometric_mean_score)`` will do.
"""

from typing import Any

from sklearn import get_config
from sklearn.metrics import make_scorer

from .disjunct_sizes import Sizes
from .gsdi import gsdi_score


def gsdi_scorer(disjunct_sizes: Sizes, *, size_weighting: str = "exp") -> Any:
    """Scorer of the GSDI that asks for ``disjuncts`` by metadata routing.

    Pass the disjunct of every row to ``fit`` of a search (``search.fit(X, y, disjuncts=...)``) or
    to ``cross_validate(..., params={"disjuncts": ...})``; each fold gets its own part of them.
    Routing must be switched on with ``sklearn.set_config(enable_metadata_routing=True)``.

    Parameters
    ----------
    disjunct_sizes : mapping, pandas series or array-like
        Sizes of all disjuncts over the whole data set, as in :func:`gsdi_score`. A fold cannot
        know them, so they are not optional here.
    size_weighting : {"exp", "scaled_exp"}, default="exp"
        Weight of a disjunct, as in :func:`gsdi_score`.

    Returns
    -------
    scorer
        Called as ``scorer(estimator, X, y, disjuncts=...)``.
    """
    if not get_config()["enable_metadata_routing"]:
        raise RuntimeError(
            "gsdi_scorer gets its disjuncts by metadata routing, which is switched off; call "
            "sklearn.set_config(enable_metadata_routing=True) first."
        )
    scorer = make_scorer(gsdi_score, disjunct_sizes=disjunct_sizes, size_weighting=size_weighting)
    return scorer.set_score_request(disjuncts=True)
