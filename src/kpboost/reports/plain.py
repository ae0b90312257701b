"""A comparison as plain data, for other programs."""

from typing import Any

from .comparison import MEASURES, Comparison
from .score_tables import summary_table
from .verdict import verdict

# Names of the summary's columns for programs; they stay as they are.
KEYS = ("title", "average_rank", *MEASURES, "best_on", "seconds")


def plain_summary(comparison: Comparison) -> dict[str, Any]:
    """Gather verdict, summary and scores as dicts, lists and numbers.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    dict
        With the keys ``verdict``, ``methods`` (best ranked first) and ``results`` (one entry per
        data set and method).
    """
    words = verdict(comparison)
    names = {comparison.title(name): name for name in comparison.methods}
    rows = [dict(zip(KEYS, row, strict=True)) for row in summary_table(comparison).rows]
    return {
        "verdict": {"heading": words.heading, "sentences": list(words.sentences)},
        "methods": [{"method": names[str(row["title"])], **row} for row in rows],
        "results": [
            {
                "dataset": each.dataset,
                "method": each.method,
                "status": each.status,
                **{measure: getattr(each, measure) for measure in MEASURES},
                "seconds": each.seconds,
                "error": each.error,
            }
            for each in comparison.outcomes
        ],
    }
