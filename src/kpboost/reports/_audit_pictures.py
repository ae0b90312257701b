"""The pictures of an audit: maps, recalls, remedies, and the curves of a class."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

import numpy as np
from markupsafe import Markup

from kpboost.auditing import Audit, Map, ScoreCurves

from ._page import (
    FAINT,
    INK,
    LINE,
    PAPER,
    SERIES,
    Figure,
    calm_limits,
    drawing,
    inline_svg,
    label,
)

MARKERS = "os^DvpP*h"
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
    """Rows on a flat map: colours and shapes tell classes, crosses errors, rings what is missed."""
    picture, n_outside = _drawn_map(audit.map, {found.name for found in audit.missed})
    words = " ".join(_map_words(audit, audit.map, n_outside))
    return Figure(picture, "Map of the data", words)


def box_picture(audit: Audit) -> Figure | None:
    """Rows in the two columns that show a missed part best."""
    shown = audit.box_map
    if shown is None:
        return None
    here = {found.name for found in audit.missed} & {*shown.disjuncts}
    picture, n_outside = _drawn_map(shown, here)
    first = f"Of {audit.data.n_columns} columns, {shown.axes[0]} and {shown.axes[1]} show it best."
    words = " ".join([first, *_map_words(audit, shown, n_outside)])
    return Figure(picture, "Where it shows", words)


def _drawn_map(shown: Map, missed: set[str]) -> tuple[Markup, int]:
    """Draw a map, and count the rows that lie outside of it."""
    positions = np.array(shown.positions).reshape(-1, 2)
    classes, disjuncts = np.array(shown.classes), np.array(shown.disjuncts)
    groups = [positions[classes == each] for each in np.unique(classes)]
    groups += [positions[disjuncts == each] for each in missed]
    limits = np.array([calm_limits(positions[:, k], (g[:, k] for g in groups)) for k in (0, 1)])
    outside = ((positions < limits[:, 0]) | (positions > limits[:, 1])).any(axis=1)
    with drawing(4.8, 4.3) as canvas:
        axes = canvas.subplots()
        _draw_classes(axes, positions, classes, np.array(shown.correct), ~outside)
        _draw_edge(axes, positions[outside], limits)
        _draw_rings(axes, positions, disjuncts, missed, ~outside)
        axes.set(xlim=limits[0], ylim=limits[1])
        axes.set(xlabel=label(shown.axes[0]), ylabel=label(shown.axes[1]))
        if shown.method != COLUMNS:  # numbers along directions that nobody knows say nothing
            axes.set(xticks=[], yticks=[])
        canvas.legend(
            loc="outside lower center",
            ncols=3,
            columnspacing=1.2,
            handletextpad=0.3,
            markerscale=1.4,
        )
        return inline_svg(canvas, "-".join(shown.axes)), int(outside.sum())


def _map_words(audit: Audit, shown: Map, n_outside: int) -> Iterator[str]:
    """Sentences under a map, each only where it is true."""
    if audit.missed:
        yield "Rings mark what is missed."
    wrong = "" if all(shown.correct) else "; crosses are predicted wrongly"
    yield f"Every point is a row, every colour and shape a class{wrong}."
    if len({*shown.classes}) > len(SERIES):
        yield "There are more classes than colours, so some are used again."
    if n_outside:
        rows = "One row lies" if n_outside == 1 else f"{n_outside:,} rows lie"
        yield f"{rows} outside of the picture; small triangles at the edge point there."
    if len(shown.rows) < audit.data.n_rows:
        which = "of those with both values" if shown.method == COLUMNS else "missed ones first"
        yield f"{len(shown.rows):,} of {audit.data.n_rows:,} rows are shown, {which}."
    if shown.method != COLUMNS and audit.data.n_columns > 1:
        yield f"{shown.method} squeezes {audit.data.n_columns} columns into two directions:"
        yield SQUEEZED[shown.method]


def _draw_classes(axes: Any, positions: Any, classes: Any, correct: Any, inside: Any) -> None:
    names, sizes = np.unique(classes, return_counts=True)
    for number, place in enumerate(np.argsort(-sizes, kind="stable")):
        own = inside & (classes == names[place])
        color = SERIES[number % len(SERIES)]
        axes.scatter(
            *positions[own & correct].T,
            s=POINT_AREA,
            c=color,
            marker=MARKERS[number % len(MARKERS)],
            linewidths=0,
            alpha=0.6,
            label=label(str(names[place])) if number < MOST_LEGEND else None,
        )
        axes.scatter(*positions[own & ~correct].T, s=20, c=color, marker="x", linewidths=1.1)
    if names.size > MOST_LEGEND:
        axes.scatter([], [], s=0, label=f"and {names.size - MOST_LEGEND} more")
    if not correct.all():
        axes.scatter([], [], s=20, c=INK, marker="x", linewidths=1.1, label="predicted wrongly")


def _draw_edge(axes: Any, positions: Any, limits: Any) -> None:
    """Show rows outside of the limits as triangles that point to them."""
    if not positions.size:
        return
    (left, right), (bottom, top) = limits
    x, y = positions.T
    between = (x >= left) & (x <= right)
    kinds = {"<": x < left, ">": x > right, "v": (y < bottom) & between, "^": (y > top) & between}
    for marker, here in kinds.items():
        at = np.clip(positions[here], limits[:, 0], limits[:, 1])
        axes.scatter(*at.T, s=26, c=FAINT, marker=marker, linewidths=0, clip_on=False, zorder=4)
    axes.scatter([], [], s=26, c=FAINT, marker=">", linewidths=0, label="outside")


def _draw_rings(axes: Any, positions: Any, disjuncts: Any, missed: set[str], inside: Any) -> None:
    own = inside & np.isin(disjuncts, list(missed))
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
        here = positions[own & (disjuncts == name)]
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


def roc_picture(curves: ScoreCurves) -> Figure:
    """Recall over false alarms, with the operating points of all models."""
    places = [
        (each.n_alarms / curves.n_others, each.n_hits / curves.n_class) for each in curves.points
    ]
    axes = "false alarms (share of other rows)", "recall"
    return Figure(
        _drawn_curve(curves.roc, places, axes, ((0, 1), (0, 1))),
        "ROC curve",
        f"How many rows of “{curves.label}” are found at how many false alarms, for every "
        f"threshold on the audited model's scores; area under the curve {curves.roc_area:.3f}. "
        "Numbers are the models of the table; the dotted line is guessing.",
    )


def precision_picture(curves: ScoreCurves) -> Figure:
    """Precision over recall, with the operating points of all models."""
    places = [
        (each.n_hits / curves.n_class, each.n_hits / (each.n_hits + each.n_alarms))
        if each.n_hits
        else (0.0, float("nan"))
        for each in curves.points
    ]
    share = curves.n_class / (curves.n_class + curves.n_others)
    axes = "recall", "precision"
    return Figure(
        _drawn_curve(curves.precision_recall, places, axes, ((0, 1), (share, share))),
        "Precision and recall",
        f"Of the rows that are called “{curves.label}”, the share that is right, for every "
        f"threshold; average precision {curves.average_precision:.3f}. The dotted line is guessing "
        f"({share:.1%}).",
    )


def _drawn_curve(
    curve: Sequence[tuple[float, float]],
    places: Sequence[tuple[float, float]],
    names: tuple[str, str],
    guess: tuple[tuple[float, float], tuple[float, float]],
) -> Markup:
    with drawing(4.6, 3.9) as canvas:
        axes = canvas.subplots()
        axes.plot(*guess, color=FAINT, lw=1, ls=":")
        axes.plot(*zip(*curve, strict=True), color=SERIES[0], lw=1.8)
        for number, (x, y) in reversed(list(enumerate(places))):  # the audited model on top
            if np.isfinite(y):
                color = RED if number else INK
                axes.plot(x, y, "o", color=color, ms=11, mec=PAPER, clip_on=False, zorder=4)
                axes.annotate(
                    str(number + 1), (x, y), ha="center", va="center_baseline", fontsize=7.5,
                    color=PAPER, weight="bold", zorder=5,
                )  # fmt: skip
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04), xlabel=names[0], ylabel=names[1])
        return inline_svg(canvas, names[0])


def reliability_picture(curves: ScoreCurves) -> Figure | None:
    """Predicted probabilities against shares."""
    bins = curves.reliability
    if not bins:
        return None
    with drawing(4.6, 3.9) as canvas:
        axes = canvas.subplots()
        axes.plot((0, 1), (0, 1), color=FAINT, lw=1, ls=":")
        predicted = [each.predicted for each in bins]
        axes.vlines(predicted, [b.low for b in bins], [b.high for b in bins], color=SERIES[0],
                    lw=2, alpha=0.5)  # fmt: skip
        axes.plot(predicted, [each.observed for each in bins], "o", color=SERIES[0], ms=6)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04))
        axes.set(xlabel=f"predicted probability of {label(curves.label)}", ylabel="share")
        picture = inline_svg(canvas)
    total = sum(each.n_rows for each in bins)
    gap = sum(each.n_rows * abs(each.predicted - each.observed) for each in bins) / total
    return Figure(
        picture,
        "Calibration",
        f"Can its probabilities be trusted? Of rows with about the same predicted probability of "
        f"“{curves.label}”, the share that is of this class, with exact 95 % intervals: on the "
        f"dotted line it is what was predicted. On average the two differ by {gap:.3f}.",
    )


def recall_picture(audit: Audit) -> Figure:
    """Recall of the disjuncts with exact intervals, the lowest on top."""
    found = audit.disjuncts[:MOST_LINES]
    with drawing(4.8, 0.9 + 0.29 * len(found)) as canvas:
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
    missed = " Diamonds are missed parts." if audit.missed else ""
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
    with drawing(4.8, 1.1 + 0.42 * len(tried)) as canvas:
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
