"""An audit as one HTML page: the verdict, a card for each finding, then the evidence."""

import os
import sys
import webbrowser
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from kpboost._files import replace_file
from kpboost.auditing import (
    LEAST_SIZE,
    Answer,
    Audit,
    AuditComparison,
    ClassFinding,
    DisjunctFinding,
    ModelScores,
    Question,
    Remedies,
    ScoreCurves,
    change_sentence,
    place_words,
    price_words,
    why_no_help,
)

from ._audit_pictures import (
    box_picture,
    curve_picture,
    map_picture,
    precision_picture,
    recall_picture,
    reliability_picture,
    remedy_picture,
    roc_picture,
)
from ._page import render_page
from ._table import ReportColumn, ReportTable

# How sure a finding is, by the largest p-value of each grade.
GRADES = ((0.01, "Very sure"), (0.03, "Sure"), (0.05, "Fairly sure"), (0.15, "A hint, not more"))


def how_sure(p_value: float) -> str:
    """Say a p-value as how sure one can be.

    Examples
    --------
    >>> from kpboost.reports._audit_page import how_sure
    >>> how_sure(0.01)
    'Very sure (p = 0.010)'
    """
    words = next((grade for most, grade in GRADES if p_value <= most), "May be chance")
    return f"{words} (p {'< 0.001' if p_value < 0.001 else f'= {p_value:.3f}'})"


@dataclass(frozen=True, slots=True)
class Help:
    """What would help a finding.

    Attributes
    ----------
    words, cost : str
        What helps, or why nothing does, and what it costs; the latter may be "".
    helps : bool
        Whether something helps.
    before, after : float
        Share recognised by the audited model, and with what helps (as before where nothing does).
    code : str
        Lines to run; "" where nothing helps.
    """

    words: str
    cost: str
    helps: bool
    before: float
    after: float
    code: str


@dataclass(frozen=True, slots=True)
class Card:
    """One finding in a few lines.

    Attributes
    ----------
    name : str
        Of the finding.
    is_part : bool
        Whether it is a part of a class, rather than a class.
    who : str
        Whose rows are missed.
    count : str
        How many of how many.
    sure, why_sure : str
        How sure that is, and what this means.
    help : Help
        What would help.
    found : DisjunctFinding or None
        The part, for details.
    """

    name: str
    is_part: bool
    who: str
    count: str
    sure: str
    why_sure: str
    help: Help
    found: DisjunctFinding | None = None

    @property
    def grade(self) -> str:
        """How sure it is, without the number."""
        return self.sure.partition(" (")[0]


def cards_of(audit: Audit, command: str = "") -> tuple[Card, ...]:
    """Make a card for each missed part and each class of low recall.

    Parameters
    ----------
    audit : Audit
        What was found.
    command : str, default=""
        A command that trains what is recommended overall.

    Returns
    -------
    tuple of Card
        Missed parts first.
    """
    low = [each for each in audit.classes if each.status != "fine"]
    parts = [_part_card(each, audit, command) for each in audit.missed]
    return (*parts, *(_class_card(each, audit, command) for each in low))


def _part_card(found: DisjunctFinding, audit: Audit, command: str) -> Card:
    size = audit.data.class_sizes[found.label]
    whole = "All rows" if found.size == size else "Rows"
    place = place_words(found)
    near = "between these limits" if found.where else "in the same place"
    words = found.description
    wrong = words.mistaken_for if words is not None else {}
    mistaken = ", ".join(f"“{name}” ({count})" for name, count in wrong.items())
    return Card(
        name=found.name,
        is_part=True,
        who=f"{whole} of the class “{found.label}”"
        + (f" with {place}." if place else "; no single column sets them apart."),
        count=f"{_recognised(found)}"
        + (f" {found.n_region:,} rows of all classes lie {near}." if found.n_region else "")
        + (f" Mistaken for {mistaken}." if mistaken else ""),
        sure=how_sure(found.p_value),
        why_sure="chance alone makes a group as striking, anywhere in such data, in about "
        f"{found.p_value:.1%} of the cases",
        help=_help_of(found.name, audit, command, found.recall),
        found=found,
    )


def _class_card(found: ClassFinding, audit: Audit, command: str) -> Card:
    name = f"class {found.label}"
    low = "most of it is missed" if found.status == "missed" else "less than of the other classes"
    return Card(
        name=name,
        is_part=False,
        who=f"The class “{found.label}” as a whole: {low}.",
        count=_recognised(found),
        sure=how_sure(found.p_value),
        why_sure="corrected for the number of classes",
        help=_help_of(name, audit, command, found.recall),
    )


def _recognised(found: DisjunctFinding | ClassFinding) -> str:
    right = {0: "None", 1: "One"}.get(found.n_correct, f"{found.n_correct:,}")
    verb = "is" if found.n_correct < 2 else "are"
    return (
        f"{right} of {found.size:,} {verb} recognised: {found.recall:.0%} (95% confidence "
        f"interval {found.low:.0%} to {found.high:.0%})."
    )


def _help_of(name: str, audit: Audit, command: str, recall: float) -> Help:
    remedies = audit.remedies
    question = remedies.question(name) if remedies is not None else None
    if remedies is None or question is None:
        return _no_help("No remedies were tried.", recall)
    best = question.best
    if best is None:
        return _no_help("No other model could be tried.", recall)
    if not question.recommended:
        why = f"{_lifts(best, question, remedies)}; {why_no_help(best, question)}"
        return _no_help(f"Nothing that was tried. The best is {best.title}: {why}.", recall)
    price = ", ".join(price_words(best, question, remedies))
    return Help(
        words=f"{best.title}: {_lifts(best, question, remedies)}.",
        cost=f"{price[:1].upper()}{price[1:]}.",
        helps=True,
        before=question.recall_before,
        after=best.recall,
        code=command if command and best.name == remedies.recommended else question.snippet,
    )


def _no_help(words: str, recall: float) -> Help:
    return Help(words, cost="", helps=False, before=recall, after=recall, code="")


def _lifts(answer: Answer, question: Question, remedies: Remedies) -> str:
    folds = "both on new folds" if remedies.new_folds else "both on the same folds"
    return (
        f"{answer.recall:.0%} recognised instead of {question.recall_before:.0%}, {folds} "
        f"({100 * answer.gain:+.0f} points, 95% confidence interval "
        f"{100 * answer.gain_low:+.0f} to {100 * answer.gain_high:+.0f})"
    )


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
# Cards before the reader has to ask for more.
MOST_CARDS = 6


def audit_page(
    audit: Audit,
    *,
    title: str = "Audit",
    command: str = "",
    changes: AuditComparison | None = None,
    embedded: bool = False,
) -> str:
    """Render an audit.

    Parameters
    ----------
    audit : Audit
        What was found.
    title : str, default="Audit"
        Heading, such as the name of the data.
    command : str, default=""
        A command that trains the recommended model, shown beside the Python lines.
    changes : AuditComparison or None, default=None
        What has changed since an earlier audit.
    embedded : bool, default=False
        Whether the page goes into the ``srcdoc`` of a frame, where links within it need a base.

    Returns
    -------
    str
        A self-contained page.
    """
    curves = audit.curves
    return render_page(
        "audit.html.j2",
        {
            "title": title,
            "embedded": embedded,
            "audit": audit,
            "cards": cards_of(audit, command),
            "changes": changes,
            "change_lines": [change_sentence(each) for each in changes.findings] if changes else [],
            "scores": change_table(changes) if changes else None,
            "command": command,
            "tiles": _tiles(audit),
            "map": map_picture(audit),
            "box": box_picture(audit),
            "curves": curves,
            "roc": roc_picture(curves) if curves else None,
            "precision": precision_picture(curves) if curves else None,
            "reliability": reliability_picture(curves) if curves else None,
            "points": point_table(curves) if curves else None,
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
            "most_cards": MOST_CARDS,
        },
    )


def write_audit(
    audit: Audit,
    folder: str | PathLike[str],
    *,
    title: str = "Audit",
    command: str = "",
    changes: AuditComparison | None = None,
) -> Path:
    """Write ``index.html`` and ``audit.json`` into a folder and return the page's path."""
    path = Path(folder)
    html = audit_page(audit, title=title, command=command, changes=changes)
    record = audit.to_json()
    path.mkdir(parents=True, exist_ok=True)
    replace_file(path / "index.html", html.encode())
    replace_file(path / "audit.json", record.encode())
    return path / "index.html"


# Of the frame in a notebook; the page scrolls in it.
FRAME_HEIGHT = "46rem"


def notebook_frame(audit: Audit) -> str:
    """Return the page in a frame of its own, so that a notebook's styles do not reach it."""
    page = escape(audit_page(audit, embedded=True))
    return (
        f'<iframe srcdoc="{page}" title="Audit" sandbox="allow-scripts" '
        f'style="width: 100%; height: {FRAME_HEIGHT}; border: 1px solid #8888; '
        'border-radius: 8px"></iframe>'
    )


def show_audit(audit: Audit, title: str = "Audit") -> Path | None:
    """Show an audit in the notebook that asks, or else write a page, print its path and open it.

    A browser is opened only where there is a graphical one: a text browser would take the terminal.

    Parameters
    ----------
    audit : Audit
        What was found.
    title : str, default="Audit"
        Heading of the page.

    Returns
    -------
    Path or None
        The page, if one was written.
    """
    shell = _notebook()
    if shell is not None:
        sys.modules["IPython"].display.display(audit)
        return None
    page = write_audit(audit, mkdtemp(prefix="kpboost-audit-"), title=title)
    print(page)
    if _has_window():
        webbrowser.open(page.as_uri())
    return page


def _has_window() -> bool:
    """Tell whether the browser of this machine would open a window."""
    try:
        is_text = type(webbrowser.get()) is webbrowser.GenericBrowser
    except webbrowser.Error:
        return False
    has_screen = sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    return has_screen and not is_text


def _notebook() -> Any:
    """Return IPython's shell if a kernel runs it, as in a notebook; None otherwise."""
    package = sys.modules.get("IPython")
    shell = package.get_ipython() if package is not None else None
    return shell if hasattr(shell, "kernel") else None


def _tiles(audit: Audit) -> list[tuple[str, str]]:
    model = audit.models[0]
    worst = min(audit.classes, key=lambda each: each.recall)
    return [
        (f"{audit.data.n_rows:,}", "rows"),
        (f"{audit.data.imbalance_ratio:.1f} : 1", "largest to smallest class"),
        (f"{model.accuracy:.1%}", "accuracy, out of fold"),
        (f"{worst.recall:.1%}", f"recall of the worst class, “{worst.label}”"),
        (str(len(audit.missed)), _plural(len(audit.missed), "missed part")),
    ]


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"


def disjunct_table(audit: Audit) -> ReportTable:
    """Return the table of disjuncts; flagged ones are emphasised."""
    rows: list[tuple[Any, ...]] = []
    for each in audit.disjuncts:
        recall = (each.recall, each.low, each.high, None if each.told_in else each.p_value)
        finding = "missed" if each.missed else f"in {each.told_in}" if each.told_in else None
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
        ReportColumn("elsewhere", 3, "change of recall of the class that loses most"),
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


def point_table(curves: ScoreCurves) -> ReportTable:
    """Return the operating points of the curves."""
    rows = []
    for number, each in enumerate(curves.points, 1):
        called = each.n_hits + each.n_alarms
        precision = each.n_hits / called if called else None
        title = f"{each.title} (audited)" if number == 1 else each.title
        recall = each.n_hits / curves.n_class
        rows.append((number, title, recall, precision, each.n_hits, each.n_alarms))
    columns = (
        ReportColumn("no."),
        ReportColumn("model"),
        ReportColumn("recall", 2, f"share of the rows of “{curves.label}” that it recognises"),
        ReportColumn("precision", 2, "share of the rows so called that are of the class"),
        ReportColumn("found", note="rows of the class that it recognises"),
        ReportColumn("false alarms", note="rows of other classes that it takes for this one"),
    )
    return ReportTable("points", "Operating points", columns, tuple(rows))


def change_table(changes: AuditComparison) -> ReportTable:
    """Return the scores of two audits side by side."""
    words = {"worse": "clearly worse", "better": "clearly better"}
    rows = tuple(
        (each.name, each.baseline, each.now, each.now - each.baseline, words.get(each.status))
        for each in changes.scores
    )
    columns = (
        ReportColumn("score"),
        ReportColumn("baseline", 3),
        ReportColumn("now", 3),
        ReportColumn("change", 3),
        ReportColumn("finding", note="beyond chance, by Fisher's exact test at 5 %"),
    )
    return ReportTable("changes", "Since the baseline", columns, rows)


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
