"""The cells of benchmarks/large.py as Markdown: planted, real, growth, and the ratios aimed at."""

from collections.abc import Mapping, Sequence

import numpy as np

from large_methods import EXACT, LIGHTGBM, LOW_RANK, METHODS, REAL_METHODS, TUNED

Cell = Mapping[str, str]

PLANTED_HEADS = (
    "rows", "method", "fit CPU s", "predict CPU s", "peak MB", "Gmean", "3 smallest", "tiniest",
)  # fmt: skip


def markdown(cells: Sequence[Cell]) -> str:
    """Return all tables that there are cells for."""
    planted = [cell for cell in cells if cell["data"] == "planted"]
    real = [cell for cell in cells if cell["data"] != "planted"]
    parts = [planted_table(planted)] if planted else []
    parts += [growth_table(planted)] if len({cell["rows"] for cell in planted}) > 1 else []
    parts += [real_table(real)] if real else []
    parts += ["\n".join(f"- {line}" for line in ratios(planted) + real_notes(real))]
    return "\n\n".join(part for part in parts if part)


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rows = [heads, ["---"] * len(heads), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _in_order(cells: Sequence[Cell]) -> list[Cell]:
    order = [*METHODS]
    return sorted(cells, key=lambda cell: (int(cell["rows"]), order.index(cell["method"])))


def planted_table(cells: Sequence[Cell]) -> str:
    """Return one line per cell."""
    lines = [
        [
            f"{int(cell['rows']):,}",
            cell["method"],
            _short(cell["fit_s"]),
            f"{float(cell['predict_s']):.2f}",
            f"{float(cell['peak_mb']):.0f}",
            f"{float(cell['gmean']):.4f}",
            f"{float(cell['small']):.2f}",
            f"{float(cell['tiniest']):.2f}",
        ]
        for cell in _in_order(cells)
    ]
    return _table(PLANTED_HEADS, lines)


def _short(seconds: str) -> str:
    value = float(seconds)
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def growth_table(cells: Sequence[Cell]) -> str:
    """Return the slope of log fit time over log rows, and between which sizes."""
    lines = []
    for method in METHODS:
        own = [cell for cell in _in_order(cells) if cell["method"] == method]
        if len(own) > 1:
            rows = np.log([float(cell["rows"]) for cell in own])
            slope = np.polyfit(rows, np.log([float(cell["fit_s"]) for cell in own]), 1)[0]
            span = f"{int(own[0]['rows']):,} to {int(own[-1]['rows']):,}"
            lines.append([method, f"{abs(slope) if abs(slope) < 0.005 else slope:.2f}", span])
    return _table(("method", "fit time grows with rows to the power of", "over"), lines)


def real_table(cells: Sequence[Cell]) -> str:
    """Return Gmean, and CPU seconds of a fit, by set and method; the best Gmean is bold."""
    lines = []
    for data in dict.fromkeys(cell["data"] for cell in cells):
        own = {cell["method"]: cell for cell in cells if cell["data"] == data}
        best = max(float(cell["gmean"]) for cell in own.values()) if len(own) > 1 else np.inf
        texts = [_score(own.get(method), best) for method in REAL_METHODS]
        lines.append([data, f"{int(next(iter(own.values()))['rows']):,}", *texts])
    return _table(("data", "rows", *REAL_METHODS), lines)


def _score(cell: Cell | None, best: float) -> str:
    if cell is None:
        return ""
    value = f"{float(cell['gmean']):.4f}"
    shown = f"**{value}**" if float(cell["gmean"]) == best else value
    return f"{shown} ({_short(cell['fit_s'])} s)"


def ratios(cells: Sequence[Cell]) -> list[str]:
    """Return the ratios and differences to LightGBM that are aimed at, where both are there."""
    known = {(int(cell["rows"]), cell["method"]): cell for cell in cells}
    lines = []
    for method in (LOW_RANK, "low rank, m=200"):
        ours, theirs = known.get((10**6, method)), known.get((10**6, LIGHTGBM))
        if ours and theirs:
            fit, predict = (_over(ours, theirs, key) for key in ("fit_s", "predict_s"))
            more = float(ours["small"]) - float(theirs["small"])
            lines.append(
                f"{method} over LightGBM at 1,000,000 rows: fit {fit:.2f} (at most 0.5), predict "
                f"{predict:.2f} (at most 0.4), recall of the three smallest {more:+.2f} "
                "(at least +0.08)"
            )
        most = known.get((10**7, method))
        if most and theirs:
            lines.append(
                f"{method} at 10,000,000 rows over ten times LightGBM at 1,000,000: "
                f"{_over(most, theirs, 'fit_s') / 10:.2f} (at most 0.25), peak "
                f"{float(most['peak_mb']) / 1000:.2f} GB (at most 1)"
            )
    return lines


def _over(ours: Cell, theirs: Cell, key: str) -> float:
    return float(ours[key]) / float(theirs[key])


def real_notes(cells: Sequence[Cell]) -> list[str]:
    """Return how far the low-rank machine is from the exact one with the same C and gamma."""
    known = {(cell["data"], cell["method"]): float(cell["gmean"]) for cell in cells}
    return [
        f"{data}: low rank minus exact {known[data, TUNED] - known[data, EXACT]:+.4f} Gmean "
        "(at least -0.005)"
        for data in dict.fromkeys(cell["data"] for cell in cells)
        if (data, TUNED) in known and (data, EXACT) in known
    ]
