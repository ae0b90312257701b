"""An audit as one HTML page: the verdict first, then the evidence."""

from os import PathLike
from pathlib import Path
from typing import Any

from kpboost._files import replace_file
from kpboost.auditing import Audit
from kpboost.auditing.chance import LEAST_SIZE
from kpboost.auditing.records import Remedies, Remedy

from .audit_pictures import (
    box_picture,
    curve_picture,
    map_picture,
    recall_picture,
    remedy_picture,
)
from .page import render_page
from .table import Column, Table

READING_TITLES = {
    "audit": "ten neighbours, links there and back (used here)",
    "algorithm": "the paper's Algorithm 2, at the knee",
    "prose": "the paper's prose (neighbours within the class), at the knee",
}
# Readings with a lower adjusted Rand index tell different stories about the same data.
AGREEMENT = 0.9
# Values of the medoid row shown in the page; the JSON file has all.
MOST_VALUES = 12
MOST_CLASSES = 30


def audit_page(audit: Audit, *, title: str = "Audit", command: str = "") -> str:
    """Render an audit.

    Parameters
    ----------
    audit : Audit
        What was found.
    title : str, default="Audit"
        Heading, such as the name of the data.
    command : str, default=""
        A command that trains the recommended model, shown beside the Python lines.

    Returns
    -------
    str
        A self-contained page.
    """
    return render_page(
        "audit.html.j2",
        {
            "title": title,
            "audit": audit,
            "command": command,
            "tiles": _tiles(audit),
            "map": map_picture(audit),
            "box": box_picture(audit),
            "recalls": recall_picture(audit) if audit.disjuncts else None,
            "remedy_picture": remedy_picture(audit),
            "curve": curve_picture(audit),
            "disjuncts": disjunct_table(audit),
            "classes": class_table(audit),
            "models": model_table(audit),
            "remedies": remedy_table(audit),
            "readings": reading_table(audit),
            "columns": column_table(audit),
            "disagree": any(each.agreement < AGREEMENT for each in audit.readings),
            "most_values": MOST_VALUES,
            "most_classes": MOST_CLASSES,
        },
    )


def write_audit(
    audit: Audit, folder: str | PathLike[str], *, title: str = "Audit", command: str = ""
) -> Path:
    """Write ``index.html`` and ``audit.json`` into a folder and return the page's path."""
    place = Path(folder)
    html, record = audit_page(audit, title=title, command=command), audit.to_json()
    place.mkdir(parents=True, exist_ok=True)
    replace_file(place / "index.html", html.encode())
    replace_file(place / "audit.json", record.encode())
    return place / "index.html"


def _tiles(audit: Audit) -> list[tuple[str, str]]:
    model = audit.models[0]
    worst = min(audit.classes, key=lambda each: each.recall)
    return [
        (f"{audit.data.n_rows:,}", "rows"),
        (f"{audit.data.imbalance_ratio:.1f} : 1", "largest to smallest class"),
        (f"{model.accuracy:.1%}", "accuracy, out of fold"),
        (f"{worst.recall:.1%}", f"recall of the worst class, “{worst.label}”"),
        (str(len(audit.missed)), _plural(len(audit.missed), "missed sub-concept")),
    ]


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"


def disjunct_table(audit: Audit) -> Table:
    """Return the table of disjuncts; flagged ones are emphasised."""
    rows = tuple(
        (
            each.name,
            each.label,
            each.size,
            each.n_correct,
            each.recall,
            each.low,
            each.high,
            each.p_value,
            "missed" if each.missed else None,
        )
        for each in audit.disjuncts
    )
    best = frozenset((i, 0) for i, each in enumerate(audit.disjuncts) if each.missed)
    return Table(
        "disjuncts",
        "Disjuncts",
        (
            Column("disjunct", note="class and number, the largest of a class first"),
            Column("class"),
            Column("rows"),
            Column("recognised", note="rows predicted correctly by models that had not seen them"),
            Column("recall", 2),
            Column("from", 2, "lower end of the exact 95 % interval"),
            Column("to", 2, "upper end of the exact 95 % interval"),
            Column("p", 3, "chance of a group as striking as this if errors are unavoidable"),
            Column("finding"),
        ),
        rows,
        best,
        note=_disjunct_note(audit),
    )


def _disjunct_note(audit: Audit) -> str:
    untested = f"Rows in parts of fewer than {LEAST_SIZE} rows, too small to be tested: "
    share = f" ({audit.n_scattered / audit.data.n_rows:.1%})" if audit.n_scattered else ""
    boxes = (
        " A box is a group of rows of one class between limits of one or two columns; its rows are "
        "in disjuncts, too."
        if any(each.where for each in audit.disjuncts)
        else ""
    )
    return f"{untested}{audit.n_scattered:,}{share}.{boxes}"


def class_table(audit: Audit) -> Table:
    """Return the table of classes."""
    words = {"missed": "most of it is missed", "weak": "clearly below the others", "fine": None}
    rows = tuple(
        (each.label, each.size, each.recall, each.low, each.high, words[each.status])
        for each in audit.classes
    )
    columns = (
        Column("class"),
        Column("rows"),
        Column("recall", 2),
        Column("from", 2, "lower end of the exact 95 % interval"),
        Column("to", 2, "upper end of the exact 95 % interval"),
        Column("finding"),
    )
    return Table("classes", "Classes", columns, rows)


def model_table(audit: Audit) -> Table:
    """Return the scores of the audited model and of the other baseline."""
    rows = tuple(
        (each.title, each.accuracy, each.balanced_accuracy, each.gmean, each.gsdi)
        for each in audit.models
    )
    return Table("models", "Models", (Column("model"), *_SCORES), rows)


_SCORES = (
    Column("accuracy", 3, "share of all rows predicted correctly"),
    Column(
        "balanced accuracy", 3, "mean of the classes' recalls; with two classes, the paper's AUC"
    ),
    Column("Gmean", 3, "geometric mean of the classes' recalls; 0 if a class is lost"),
    Column("GSDI", 3, "like Gmean, but the smallest disjuncts decide"),
)


def remedy_table(audit: Audit) -> Table | None:
    """Return what was tried."""
    remedies = audit.remedies
    if remedies is None:
        return None
    before = remedies.before
    others = remedies.n_rows < audit.data.n_rows  # otherwise there is no elsewhere
    first: tuple[Any, ...] = (
        f"{before.title} (audited)",
        None,
        remedies.recall_before,
        *(None, None, None, None),
        *(before.accuracy, before.balanced_accuracy, before.gmean, before.gsdi),
    )
    rows = (
        first,
        *(
            (
                each.scores.title,
                _finding(each, remedies),
                each.recall,
                each.elsewhere if others else None,
                each.n_gained,
                each.n_lost,
                each.p_value,
                each.scores.accuracy,
                each.scores.balanced_accuracy,
                each.scores.gmean,
                each.scores.gsdi,
            )
            for each in remedies.tried
        ),
    )
    best = frozenset((i, 0) for i, each in enumerate(remedies.tried, 1) if each.helps)
    columns = (
        Column("model"),
        Column("finding"),
        Column("in question", 2, "share of the rows in question that it recognises"),
        Column("elsewhere", 3, "change of the recall on all other rows"),
        Column("gained", note="rows in question recognised now and not before"),
        Column("lost", note="rows in question recognised before and not now"),
        Column("p", 3, "exact sign test of gained and lost, corrected for all remedies"),
        *_SCORES,
    )
    return Table("remedies", "Remedies", columns, rows, best)


def _finding(remedy: Remedy, remedies: Remedies) -> str | None:
    if remedy.scores.name == remedies.recommended:
        return "best"
    return "helps" if remedy.helps else None


def reading_table(audit: Audit) -> Table:
    """Return the three readings of the disjuncts."""
    rows = tuple(
        (READING_TITLES[each.name], each.n_neighbors, each.n_disjuncts, each.agreement)
        for each in audit.readings
    )
    columns = (
        Column("reading"),
        Column("neighbours"),
        Column("disjuncts"),
        Column("agreement", 2, "adjusted Rand index with the reading in use; 1 is perfect"),
    )
    return Table("readings", "Readings", columns, rows)


def column_table(audit: Audit) -> Table | None:
    """Return the columns that need a look."""
    if not audit.data.columns:
        return None
    rows = tuple((each.column, each.problem, each.n_rows) for each in audit.data.columns)
    return Table("columns", "Columns", (Column("column"), Column("problem"), Column("rows")), rows)
