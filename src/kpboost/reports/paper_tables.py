"""Tables with our figures beside the paper's: average ranks and mean scores."""

from collections.abc import Callable, Mapping

import numpy as np

from .beside_paper import BesidePaper, beside_paper
from .comparison import MEASURES, Comparison
from .published import ONE_VS_ALL, ONE_VS_ONE
from .table import RANK_DIGITS, Column, Table, Value

MEAN_DIGITS = 3
GROUPS = {
    "two-class-low": "two classes, few dimensions",
    "two-class-high": "two classes, many dimensions",
    "multi-class-low": "many classes, few dimensions",
    "multi-class-high": "many classes, many dimensions",
}
CHOSEN_OTHERWISE = (
    "The paper chose settings on its test folds; ours were chosen inside the training folds, and "
    "score lower for that alone."
)
OTHER_GRID = "The settings that were tried are fewer than the paper's."
Parts = Mapping[str, BesidePaper]
Cells = Callable[[BesidePaper, int], tuple[Value, ...]]


def paper_tables(comparison: Comparison) -> tuple[Table, ...]:
    """Build two tables for every group and scheme of the paper that the comparison touches."""
    tables: list[Table] = []
    for group in GROUPS:
        for scheme in _schemes(group):
            parts = _parts(comparison, group, scheme)
            if parts:
                tables += [_ranks(comparison, parts, group, scheme),
                           _means(comparison, parts, group, scheme)]  # fmt: skip
    return tuple(tables)


def _parts(comparison: Comparison, group: str, scheme: str) -> dict[str, BesidePaper]:
    found = {name: beside_paper(comparison, name, group, scheme=scheme) for name in MEASURES}
    return {name: part for name, part in found.items() if part is not None}


def _ranks(comparison: Comparison, parts: Parts, group: str, scheme: str) -> Table:
    def cells(part: BesidePaper, place: int) -> tuple[Value, ...]:
        return float(part.our_ranks[place]), float(part.paper_ranks[place]), part.printed[place]

    columns = [Column(f"{MEASURES[name]} {whose}", RANK_DIGITS)
               for name in parts for whose in ("ours", "paper", "printed")]  # fmt: skip
    return Table(
        f"paper-{_file_part(group, scheme)}",
        f"Ranks beside the paper: {_words(group, scheme)}",
        (Column("Method"), *columns),
        _rows(comparison, parts, cells, n_cells=3),
        note=_note(parts) + _difference(comparison),
    )


def _means(comparison: Comparison, parts: Parts, group: str, scheme: str) -> Table:
    def cells(part: BesidePaper, place: int) -> tuple[Value, ...]:
        return float(part.our_means[place]), float(part.paper_means[place])

    columns = [Column(f"{MEASURES[name]} {whose}", MEAN_DIGITS)
               for name in parts for whose in ("ours", "paper")]  # fmt: skip
    return Table(
        f"paper-means-{_file_part(group, scheme)}",
        f"Means beside the paper: {_words(group, scheme)}",
        (Column("Method"), *columns),
        _rows(comparison, parts, cells, n_cells=2),
        note=f"Mean scores over the same {_count(parts)} data sets.",
    )


def _rows(
    comparison: Comparison, parts: Parts, cells: Cells, *, n_cells: int
) -> tuple[tuple[Value, ...], ...]:
    """Build a row per method, the best of our first column's ranks first."""
    first = next(iter(parts.values()))
    order = [first.methods[k] for k in np.argsort(first.our_ranks, kind="stable")]
    methods = dict.fromkeys([*order, *(name for part in parts.values() for name in part.methods)])
    nothing: tuple[Value, ...] = (None,) * n_cells

    def of(part: BesidePaper, name: str) -> tuple[Value, ...]:
        return cells(part, part.methods.index(name)) if name in part.methods else nothing

    return tuple(
        (comparison.title(name), *(value for part in parts.values() for value in of(part, name)))
        for name in methods
    )


def _note(parts: Parts) -> str:
    numbers = [f"{MEASURES[name]} {part.agreement:.2f}"
               for name, part in parts.items() if not np.isnan(part.agreement)]  # fmt: skip
    order = f" Agreement of the two orders (Spearman): {', '.join(numbers)}." if numbers else ""
    return (
        f"Average ranks over {_count(parts)} of the paper's data sets; 'paper' ranks its published "
        "scores over the same data sets and methods, 'printed' is what it prints over all of its "
        f"own.{order}"
    )


def _difference(comparison: Comparison) -> str:
    """Say what keeps the two from being alike, where the protocol is not the paper's."""
    first = comparison.outcomes[0]
    apart = [CHOSEN_OTHERWISE] if first.protocol == "nested" else []
    apart += [OTHER_GRID] if first.grid != "paper" else []
    return "".join(f" {sentence}" for sentence in apart)


def _count(parts: Parts) -> int:
    return max(len(part.datasets) for part in parts.values())


def _schemes(group: str) -> tuple[str, ...]:
    return (ONE_VS_ONE, ONE_VS_ALL) if group.startswith("multi") else (ONE_VS_ONE,)


def _file_part(group: str, scheme: str) -> str:
    return f"{group}-{scheme.lower()}" if group.startswith("multi") else group


def _words(group: str, scheme: str) -> str:
    return f"{GROUPS[group]}, {scheme}" if group.startswith("multi") else GROUPS[group]
