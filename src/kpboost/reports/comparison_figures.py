"""Pictures of a comparison: who wins where, who can be told apart, and what it costs."""

from typing import Any

import numpy as np
from matplotlib.ticker import NullFormatter

from kpboost.metrics import average_ranks

from .comparison import CONTROL, MAIN_MEASURE, MEASURES, Comparison, Shared
from .figure import FAINT, INK, LINE, PAPER, SERIES, Figure, drawing, inline_svg, label
from .friedman import can_compare, draw_critical_difference, friedman_test
from .signed_rank import LEVEL

WIDTH = 4.9  # inches; readable on a phone without turning it
ROW = 0.27  # inches per data set: a line of text
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
# More than these would be a cloud: the control and the best ranked get a colour, the others a dot.
MOST_COLORED = 5


def dot_plot(comparison: Comparison, measure: str) -> Figure | None:
    """Draw a row per data set and a mark per method, the hardest data set at the bottom.

    Parameters
    ----------
    comparison : Comparison
    measure : {"gmean", "auc", "gsdi"}

    Returns
    -------
    Figure or None
        None if there is nothing to compare.
    """
    shared = comparison.shared(measure)
    if shared.is_empty:
        return None
    title = MEASURES[measure]
    order = np.argsort(shared.scores.mean(axis=1), kind="stable")
    with drawing(WIDTH, 1.3 + ROW * len(order)) as canvas:
        axes = canvas.subplots()
        _ranges(axes, shared.scores[order])
        for name, style in styles(comparison, shared).items():
            values = shared.scores[order, shared.methods.index(name)]
            axes.plot(values, np.arange(len(order)), **style)
        axes.set_yticks(np.arange(len(order)), [label(shared.datasets[row]) for row in order])
        axes.set_ylim(-0.6, len(order) - 0.4)
        axes.set_xlabel(f"{title} (right is better)")
        axes.grid(visible=False, axis="y")
        canvas.legend(loc="outside upper left", ncols=2, handletextpad=0.1, columnspacing=1.2)
        svg = inline_svg(canvas, f"dots-{measure}")
    caption = (
        f"{title} of every method on every data set. A short grey line means that the choice of "
        "method hardly matters there; a long one that it does."
    )
    return Figure(svg, f"{title}: who wins where", caption)


def rank_diagram(comparison: Comparison, measure: str) -> Figure | None:
    """Draw the critical difference diagram of one measure; None if there is too little for it."""
    shared = comparison.shared(measure)
    if shared.is_empty or not can_compare(shared.scores):
        return None
    title = MEASURES[measure]
    result = friedman_test(shared.scores)
    names = _distinct([label(comparison.title(name)) for name in shared.methods])
    colors = {name: _color(method) for name, method in zip(names, shared.methods, strict=True)}
    with drawing(WIDTH, 0.9 + 0.15 * len(names)) as canvas:
        axes = canvas.subplots()
        axes.grid(visible=False)
        draw_critical_difference(result, names, axes, colors, SERIES[1])
        svg = inline_svg(canvas, f"ranks-{measure}")
    verdict = "differ" if result.p_value < LEVEL else "cannot be told apart"
    caption = (
        f"Average ranks in {title}, best on the left; a bar joins methods that Nemenyi's test "
        f"cannot tell apart. Friedman's test: the methods {verdict} (p = {result.p_value:.3g}, "
        f"{result.n_datasets} data sets); ranks differ if {result.critical_difference:.2f} apart."
    )
    return Figure(svg, f"Ranks in {title}", caption)


def cost_plot(comparison: Comparison) -> Figure | None:
    """Draw average rank against time: the lower left corner is good and cheap."""
    shared = comparison.shared(MAIN_MEASURE)
    if shared.is_empty:
        return None
    ranks = average_ranks(shared.scores)
    seconds = np.maximum(comparison.total_seconds(shared), np.finfo(np.float64).tiny)
    with drawing(WIDTH, 1.1 + ROW * len(ranks)) as canvas:
        axes = canvas.subplots()
        order = np.argsort(-ranks, kind="stable")
        axes.barh(np.arange(len(order)), seconds[order], height=0.55,
                  color=[_color(shared.methods[place]) for place in order])  # fmt: skip
        titles = [f"{label(comparison.title(shared.methods[k]))}  {ranks[k]:.2f}" for k in order]
        axes.set_yticks(np.arange(len(order)), titles)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda seconds, _: f"{seconds:g}")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("processor seconds (logarithmic)")
        axes.grid(visible=False, axis="y")
        svg = inline_svg(canvas, "cost")
    caption = "What each method cost, search included; the best average rank (the number) on top."
    return Figure(svg, "What it costs", caption)


def styles(comparison: Comparison, shared: Shared) -> dict[str, dict[str, Any]]:
    """Choose marks: small dots for most; colour and shape for the control and the best ranked.

    The ranks are those of the main measure, so that a method looks the same in all pictures.
    """
    ranked = [name for name in _ranked(comparison) if name in shared.methods]
    first = [name for name in (CONTROL,) if name in ranked]
    chosen = [*first, *(name for name in ranked if name not in first)][:MOST_COLORED]
    others = [name for name in ranked if name not in chosen]
    return {
        **{name: _colored(place, comparison.title(name)) for place, name in enumerate(chosen)},
        # One line of the legend stands for all dots; matplotlib leaves out labels with "_".
        **{name: _dot("the others" if name == others[0] else "_") for name in others},
    }


def _ranked(comparison: Comparison) -> list[str]:
    """All methods, best ranked first; those that are not compared come last."""
    main = comparison.shared(MAIN_MEASURE)
    if main.is_empty:
        return list(comparison.methods)
    order = np.argsort(average_ranks(main.scores), kind="stable")
    return list(dict.fromkeys([*(main.methods[k] for k in order), *comparison.methods]))


def _colored(place: int, title: str) -> dict[str, Any]:
    return {
        "linestyle": "none",
        "marker": MARKERS[place],
        "color": SERIES[place],
        "markersize": 7.5,
        "markeredgecolor": PAPER,
        "markeredgewidth": 0.8,
        "zorder": 4 - 0.1 * place,
        "label": label(title),
    }


def _dot(text: str) -> dict[str, Any]:
    shape = {"linestyle": "none", "marker": ".", "color": FAINT, "markersize": 5, "alpha": 0.8}
    return {**shape, "zorder": 2, "label": text}


def _ranges(axes: Any, scores: Any) -> None:
    rows = np.arange(len(scores))
    axes.hlines(rows, scores.min(axis=1), scores.max(axis=1), color=LINE, linewidth=5, zorder=0)


def _color(method: str) -> str:
    return SERIES[0] if method == CONTROL else INK


def _distinct(names: list[str]) -> list[str]:
    """Tell apart names that shortening has made equal: the diagram is keyed by name."""
    return [f"{name} ({k})" if names.index(name) != k else name for k, name in enumerate(names)]
