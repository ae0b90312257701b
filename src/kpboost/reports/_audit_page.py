"""An audit as one HTML page: the verdict first, then the evidence."""

from collections import Counter
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
from markupsafe import Markup

from kpboost._files import replace_file
from kpboost.auditing import LEAST_SIZE, Audit, Map, ModelScores, Question

from ._page import FAINT, INK, LINE, PAPER, SERIES, Figure, drawing, inline_svg, label, render_page
from ._table import ReportColumn, ReportTable

MARKERS = "os^Dv<>pP*Xh"
POINT_AREA, RING_AREA = 13.0, 70.0
# More rings than this would cover what they mark: thin and narrow ones then.
MOST_WIDE_RINGS, NARROW_RING_AREA = 40, 24.0
# More rows of a picture than this are no longer read.
MOST_LINES = 14
MOST_LEGEND = 8
LINE_LENGTH = 24  # of a title beside a picture
# What is lost on a flat map, by its method.
SQUEEZED = {
    "PCA": "groups that lie apart in the data may overlap here.",
    "UMAP": "it keeps neighbours together, and distances between groups mean little.",
}
COLUMNS = "columns"  # a map whose directions are columns of the table
RED = SERIES[1]


def map_picture(audit: Audit) -> Figure:
    """Rows on a flat map: colours tell disjuncts apart, markers classes, rings what is missed."""
    picture = _drawn_map(audit.map, {found.name for found in audit.missed})
    return Figure(picture, "Map of the data", " ".join(_map_words(audit)))


def box_picture(audit: Audit) -> Figure | None:
    """Rows in the two columns in which a missed box shows."""
    shown = audit.box_map
    if shown is None:
        return None
    here = {found.name for found in audit.missed if set(found.columns) == set(shown.axes)}
    names = " and ".join(sorted(here))
    verb = "shows" if len(here) == 1 else "show"
    return Figure(
        _drawn_map(shown, here),
        "Where it shows",
        f"{names} {verb} in these two columns of {audit.data.n_columns}; rings mark the rows.",
    )


def _drawn_map(shown: Map, missed: set[str]) -> Markup:
    positions = np.array(shown.positions).reshape(-1, 2)
    disjuncts, classes = np.array(shown.disjuncts), np.array(shown.classes)
    with drawing(6.2, 4.6) as canvas:
        axes = canvas.subplots()
        _draw_scattered(axes, positions[disjuncts == ""])
        _draw_disjuncts(axes, positions, disjuncts, classes)
        _draw_rings(axes, positions, disjuncts, missed)
        axes.set(xlabel=label(shown.axes[0]), ylabel=label(shown.axes[1]))
        if shown.method != COLUMNS:  # numbers along directions that nobody knows say nothing
            axes.set(xticks=[], yticks=[])
        canvas.legend(loc="outside right upper", fontsize=8.5)
        return inline_svg(canvas)


def _map_words(audit: Audit) -> Iterator[str]:
    """Sentences under the map, each only where it is true."""
    shown = audit.map
    if audit.missed:
        yield "Rings mark what is missed."
    yield "Every point is a row, every shape a class, every colour a disjunct."
    if len(set(shown.classes)) > len(MARKERS) or len(set(shown.disjuncts) - {""}) > len(SERIES):
        yield "There are more of them than shapes or colours, so some are used again."
    if "" in shown.disjuncts:
        yield "Small grey dots are rows in groups too small to be tested."
    if len(shown.rows) < audit.data.n_rows:
        yield f"{len(shown.rows):,} of {audit.data.n_rows:,} rows are shown, missed ones first."
    if shown.method != COLUMNS and audit.data.n_columns > 1:
        yield f"{shown.method} squeezes {audit.data.n_columns} columns into two directions:"
        yield SQUEEZED[shown.method]


def _draw_scattered(axes: Any, positions: Any) -> None:
    if positions.size:
        axes.scatter(*positions.T, s=4, c=FAINT, linewidths=0, label="too small to test")


def _draw_disjuncts(axes: Any, positions: Any, disjuncts: Any, classes: Any) -> None:
    kinds = sorted(set(classes.tolist()))
    sizes = Counter(name for name in disjuncts.tolist() if name)
    names = [name for name, _ in sorted(sizes.items(), key=lambda each: (-each[1], each[0]))]
    for number, name in enumerate(names):
        own = disjuncts == name
        axes.scatter(
            *positions[own].T,
            s=POINT_AREA,
            c=SERIES[number % len(SERIES)],
            marker=MARKERS[kinds.index(classes[own][0]) % len(MARKERS)],
            linewidths=0,
            alpha=0.75,
            label=label(name) if number < MOST_LEGEND else None,
        )
    if len(names) > MOST_LEGEND:
        axes.scatter([], [], s=0, label=f"and {len(names) - MOST_LEGEND} more")


def _draw_rings(axes: Any, positions: Any, disjuncts: Any, missed: set[str]) -> None:
    own = np.isin(disjuncts, list(missed))
    if not own.any():
        return
    wide = own.sum() <= MOST_WIDE_RINGS
    axes.scatter(
        *positions[own].T,
        s=RING_AREA if wide else NARROW_RING_AREA,
        facecolors="none",
        edgecolors=INK,
        linewidths=1.1 if wide else 0.5,
        label="missed",
    )
    for name in sorted(missed):
        here = positions[disjuncts == name]
        if here.size:
            axes.annotate(
                label(name),
                (here[:, 0].mean(), here[:, 1].max()),
                xytext=(0, 9),
                textcoords="offset points",
                ha="center",
                weight="bold",
                bbox={"facecolor": PAPER, "edgecolor": LINE, "boxstyle": "round,pad=0.2"},
            )


def recall_picture(audit: Audit) -> Figure:
    """Recall of the disjuncts with exact intervals, the lowest on top."""
    found = audit.disjuncts[:MOST_LINES]
    with drawing(6.2, 0.9 + 0.29 * len(found)) as canvas:
        axes = canvas.subplots()
        axes.axvline(0.5, color=FAINT, lw=1, ls=":")
        for line, each in enumerate(reversed(found)):
            color = RED if each.missed else SERIES[0]
            axes.plot([each.low, each.high], [line, line], color=color, lw=2, alpha=0.55)
            axes.plot(each.recall, line, "D" if each.missed else "o", color=color, ms=6)
        axes.set_yticks(
            range(len(found)), [f"{label(each.name)} ({each.size})" for each in reversed(found)]
        )
        axes.set(xlim=(-0.02, 1.02), xlabel="share of rows recognised")
        axes.grid(False, axis="y")
        picture = inline_svg(canvas)
    more = len(audit.disjuncts) - len(found)
    missed = " Diamonds are missed sub-concepts." if audit.missed else ""
    rest = f" The other {more} are in the table." if more > 1 else " One more is in the table."
    return Figure(
        picture,
        "Recall by disjunct",
        "Points are recalls out of fold, bars exact 95 % intervals, numbers in brackets rows."
        f"{missed}{rest if more > 0 else ''}",
    )


def remedy_picture(audit: Audit) -> Figure | None:
    """Draw what each remedy gains on the rows of the first finding."""
    remedies = audit.remedies
    if remedies is None or not remedies.models or not remedies.questions:
        return None
    question = remedies.questions[0]
    tried = question.answers[:MOST_LINES]
    with drawing(6.2, 1.1 + 0.4 * len(tried)) as canvas:
        axes = canvas.subplots()
        before = question.recall_before
        axes.axvline(before, color=INK, lw=1.2, ls="--")
        for line, each in enumerate(reversed(tried)):
            color = SERIES[2] if each.helps else FAINT
            axes.plot([before, each.recall], [line, line], color=color, lw=1.5)
            axes.plot(each.recall, line, "D" if each.helps else "o", color=color, ms=6)
        names = [_two_lines(each.title) for each in reversed(tried)]
        axes.set_yticks(range(len(tried)), names)
        axes.set(xlim=(-0.02, 1.02), xlabel=f"share of the rows of {label(question.finding)}")
        axes.grid(False, axis="y")
        picture = inline_svg(canvas)
    return Figure(
        picture,
        f"Remedies for {question.finding}",
        f"Dashed line: the audited model ({before:.0%} of the {question.n_rows} rows). Diamonds "
        "are remedies that help (beyond chance, more than they cost elsewhere, and more than a "
        "moved threshold), dots those that do not.",
    )


def _two_lines(title: str) -> str:
    """Break a title into lines, as a long one would leave no room for the picture."""
    return "\n".join(label(line) for line in wrap(title, LINE_LENGTH, max_lines=2, placeholder="…"))


def curve_picture(audit: Audit) -> Figure:
    """Draw the kappa-delta curve and its knee."""
    curve = audit.curve
    with drawing(5.0, 2.8) as canvas:
        axes = canvas.subplots()
        axes.plot(curve.n_neighbors, curve.n_disjuncts, color=SERIES[0], lw=1.8)
        knee = curve.n_neighbors.index(curve.knee)
        axes.plot(curve.knee, curve.n_disjuncts[knee], "D", color=RED, ms=7, label="knee")
        axes.set(xlabel="neighbours linked (kappa)", ylabel="disjuncts (delta)")
        axes.legend()
        picture = inline_svg(canvas)
    return Figure(
        picture,
        "How many disjuncts?",
        "The more neighbours each row is linked to, the fewer disjuncts remain. Algorithm 2 of the "
        f"paper takes the knee, {_neighbours(curve.knee)}.",
    )


def _neighbours(count: int) -> str:
    return "one neighbour" if count == 1 else f"{count} neighbours"


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
    path = Path(folder)
    html, record = audit_page(audit, title=title, command=command), audit.to_json()
    path.mkdir(parents=True, exist_ok=True)
    replace_file(path / "index.html", html.encode())
    replace_file(path / "audit.json", record.encode())
    return path / "index.html"


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


def disjunct_table(audit: Audit) -> ReportTable:
    """Return the table of disjuncts; flagged ones are emphasised."""
    rows: list[tuple[Any, ...]] = []
    for each in audit.disjuncts:
        recall = (each.recall, each.low, each.high, each.p_value)
        finding = "missed" if each.missed else None
        rows.append((each.name, each.label, each.size, each.n_correct, *recall, finding))
    best = frozenset((i, 0) for i, each in enumerate(audit.disjuncts) if each.missed)
    return ReportTable(
        "disjuncts",
        "Disjuncts",
        (
            ReportColumn("disjunct", note="class and number, the largest of a class first"),
            ReportColumn("class"),
            ReportColumn("rows"),
            ReportColumn(
                "recognised", note="rows predicted correctly by models that had not seen them"
            ),
            *_RECALL,
            ReportColumn("p", 3, "chance of a group as striking as this if errors are unavoidable"),
            ReportColumn("finding"),
        ),
        tuple(rows),
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


def class_table(audit: Audit) -> ReportTable:
    """Return the table of classes."""
    words = {"missed": "most of it is missed", "weak": "clearly below the others", "fine": None}
    rows = tuple(
        (each.label, each.size, each.recall, each.low, each.high, words[each.status])
        for each in audit.classes
    )
    columns = (ReportColumn("class"), ReportColumn("rows"), *_RECALL, ReportColumn("finding"))
    return ReportTable("classes", "Classes", columns, rows)


def model_table(audit: Audit) -> ReportTable:
    """Return the scores of the audited model and of the other baseline."""
    rows: tuple[tuple[Any, ...], ...] = tuple((each.title, *_scores(each)) for each in audit.models)
    return ReportTable("models", "Models", (ReportColumn("model"), *_SCORES), rows)


def _scores(model: ModelScores) -> tuple[float, ...]:
    return model.accuracy, model.balanced_accuracy, model.gmean, model.gsdi


_RECALL = (
    ReportColumn("recall", 2),
    ReportColumn("from", 2, "lower end of the exact 95 % interval"),
    ReportColumn("to", 2, "upper end of the exact 95 % interval"),
)
_SCORES = (
    ReportColumn("accuracy", 3, "share of all rows predicted correctly"),
    ReportColumn(
        "balanced accuracy", 3, "mean of the classes' recalls; with two classes, the paper's AUC"
    ),
    ReportColumn("Gmean", 3, "geometric mean of the classes' recalls; 0 if a class is lost"),
    ReportColumn("GSDI", 3, "like Gmean, but the smallest disjuncts decide"),
)


def remedy_table(audit: Audit) -> ReportTable | None:
    """Return what was tried for every finding."""
    remedies = audit.remedies
    if remedies is None:
        return None
    scores = {each.name: each for each in remedies.models}
    rows: list[tuple[Any, ...]] = []
    for question in remedies.questions:
        before, nothing = remedies.before, (None,) * 6
        audited = (f"{before.title} (audited)", None, question.recall_before)
        rows.append((question.finding, *audited, *nothing, before.balanced_accuracy))
        for each in question.answers:
            change = (each.gain, each.elsewhere, each.lead, each.n_gained, each.n_lost)
            more = (each.p_value, scores[each.name].balanced_accuracy)
            result = (each.title, _result(each.name, each.helps, question), each.recall)
            rows.append((question.finding, *result, *change, *more))
    best = frozenset((i, 1) for i, row in enumerate(rows) if row[2] is not None)
    columns = (
        ReportColumn("finding"),
        ReportColumn("model"),
        ReportColumn("result"),
        ReportColumn("recall", 2, "share of the finding's rows that it recognises"),
        ReportColumn("gain", 2, "the same less that of the audited model"),
        ReportColumn("elsewhere", 3, "change of recall elsewhere, every class counting the same"),
        ReportColumn("lead", 2, "gain less cost, compared with a moved threshold"),
        ReportColumn("gained", note="rows of the finding recognised now and not before"),
        ReportColumn("lost", note="rows of the finding recognised before and not now"),
        ReportColumn("p", 3, "chance of such a lead, corrected for the number of remedies"),
        ReportColumn("balanced accuracy", 3, "mean of the classes' recalls over all rows"),
    )
    return ReportTable("remedies", "Remedies", columns, tuple(rows), best)


def _result(name: str, helps: bool, question: Question) -> str | None:
    if name == question.recommended:
        return "best"
    return "helps" if helps else None


def reading_table(audit: Audit) -> ReportTable:
    """Return the three readings of the disjuncts."""
    rows = tuple(
        (READING_TITLES[each.name], each.n_neighbors, each.n_disjuncts, each.agreement)
        for each in audit.readings
    )
    columns = (
        ReportColumn("reading"),
        ReportColumn("neighbours"),
        ReportColumn("disjuncts"),
        ReportColumn("agreement", 2, "adjusted Rand index with the reading in use; 1 is perfect"),
    )
    return ReportTable("readings", "Readings", columns, rows)


def column_table(audit: Audit) -> ReportTable | None:
    """Return the columns that need a look."""
    if not audit.data.columns:
        return None
    rows = tuple((each.column, each.problem, each.n_rows) for each in audit.data.columns)
    return ReportTable(
        "columns",
        "Columns",
        (ReportColumn("column"), ReportColumn("problem"), ReportColumn("rows")),
        rows,
    )
