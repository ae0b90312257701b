"""Measurements, as lines of a table and as a JSON file."""

import json
import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

PACKAGES = ("kpboost", "numpy", "scipy", "scikit-learn", "scikit-learn-intelex")

# Ours stops at a violation of 1e-6, which leaves the objective about this close to its minimum,
# relatively; a peer that is lower by less has not found a better solution.
OBJECTIVE_SLACK = 2e-6


class Comparison(NamedTuple):
    """Two contenders that solve the same problem, and the heading of their ratio."""

    ours: str
    peer: str
    heading: str


@dataclass(frozen=True)
class Measurement:
    """One contender on one cell; None throughout if it was stopped at the cap."""

    seconds: float | None
    objective: float | None
    memory_mb: float | None


@dataclass(frozen=True)
class Cell:
    """Everything measured for one problem, one C and one kernel width."""

    problem: str
    n: int
    C: float
    length_scale: float
    cap: float
    measured: Mapping[str, Measurement]

    def ratio(self, comparison: Comparison) -> float | None:
        """Peer's time over ours (a lower bound if the peer was stopped), None if unknown."""
        ours, peer = self._pair(comparison)
        if ours is None or peer is None or ours.seconds is None:
            return None
        return (peer.seconds or self.cap) / ours.seconds

    def is_lower_bound(self, comparison: Comparison) -> bool:
        """Whether the peer was stopped."""
        _, peer = self._pair(comparison)
        return peer is not None and peer.seconds is None

    def worse(self, comparisons: Sequence[Comparison]) -> list[str]:
        """Headings under which the peer reached a clearly lower objective than ours."""
        return [c.heading for c in comparisons if _clearly_above(*self._pair(c))]

    def _pair(self, comparison: Comparison) -> tuple[Measurement | None, Measurement | None]:
        return self.measured.get(comparison.ours), self.measured.get(comparison.peer)


def header(comparisons: Sequence[Comparison]) -> str:
    """Headings of the table."""
    times = "".join(f"{name.removeprefix('ours_') + ' ms':>11}" for name in _ours(comparisons))
    ratios = "".join(f"{comparison.heading:>15}" for comparison in comparisons)
    return f"{'problem':<16}{'n':>6}{'C':>6}{'sigma':>6}{times}{ratios}{'objective':>11}"


def line(cell: Cell, comparisons: Sequence[Comparison]) -> str:
    """One line of the table: our times, the peers' times over ours, the check of the objective."""
    ours = (cell.measured.get(name) for name in _ours(comparisons))
    times = "".join(f"{_milliseconds(measurement):>11}" for measurement in ours)
    ratios = "".join(f"{_ratio_text(cell, comparison):>15}" for comparison in comparisons)
    check = "WORSE" if cell.worse(comparisons) else "ok"
    place = f"{cell.problem:<16}{cell.n:>6}{cell.C:>6g}{cell.length_scale:>6g}"
    return f"{place}{times}{ratios}{check:>11}"


def summary(cells: Sequence[Cell], comparisons: Sequence[Comparison]) -> str:
    """Geometric mean and extremes of every ratio, the objectives, then peak memory by problem."""
    worse = sum(1 for cell in cells if cell.worse(comparisons))
    check = f"objective worse than a peer's in {worse} of {len(cells)} cells"
    return "\n".join(["", ratio_table(cells, comparisons), "", check, "", *_memory_lines(cells)])


def ratio_table(cells: Sequence[Cell], comparisons: Sequence[Comparison]) -> str:
    """Geometric mean and extremes of every ratio."""
    title = f"{'time over ours':<16}{'geo. mean':>10}{'smallest':>10}{'largest':>10}{'cells':>7}"
    return "\n".join([title, *(_ratio_summary(cells, each) for each in comparisons)])


def write_cells(path: Path, cells: Sequence[Cell], comparisons: Sequence[Comparison]) -> None:
    """Write everything that was measured, with the versions it was measured with."""
    write_json(path, {"cells": [_as_json(cell, comparisons) for cell in cells]})


def write_json(path: Path, content: Mapping[str, object]) -> None:
    """Write measurements, with the versions they were measured with."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": describe_machine(), **content}, indent=1) + "\n")


def geometric_mean(ratios: Sequence[float]) -> float:
    """Mean of positive numbers in which 2 and 1/2 cancel."""
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


def describe_machine() -> dict[str, str]:
    """Versions, and the kind of processor."""
    versions = {name: _version(name) for name in PACKAGES}
    return {"python": platform.python_version(), "architecture": platform.machine(), **versions}


def _ours(comparisons: Sequence[Comparison]) -> list[str]:
    return list(dict.fromkeys(comparison.ours for comparison in comparisons))


def _as_json(cell: Cell, comparisons: Sequence[Comparison]) -> dict[str, object]:
    ratios = {c.heading: cell.ratio(c) for c in comparisons}
    bounds = [c.heading for c in comparisons if cell.is_lower_bound(c)]
    return {**asdict(cell), "ratios": ratios, "lower_bounds": bounds}


def _ratio_summary(cells: Sequence[Cell], comparison: Comparison) -> str:
    ratios = [ratio for cell in cells if (ratio := cell.ratio(comparison)) is not None]
    if not ratios:
        return f"{comparison.heading:<16}{'-':>10}"
    mean = geometric_mean(ratios)
    extremes = f"{min(ratios):>10.1f}{max(ratios):>10.1f}"
    return f"{comparison.heading:<16}{mean:>10.1f}{extremes}{len(ratios):>7}"


def _memory_lines(cells: Sequence[Cell]) -> list[str]:
    """Largest peak of each contender on each problem, over all C and kernel widths."""
    names = list(dict.fromkeys(name for cell in cells for name in cell.measured))
    lines = [f"{'peak MB added':<16}{'n':>6}" + "".join(f"{name:>13}" for name in names)]
    for problem, n in dict.fromkeys((cell.problem, cell.n) for cell in cells):
        same = [cell.measured for cell in cells if cell.problem == problem]
        lines.append(f"{problem:<16}{n:>6}" + "".join(f"{_peak(same, name):>13}" for name in names))
    return lines


def _peak(cells: Sequence[Mapping[str, Measurement]], name: str) -> str:
    measured = [cell[name].memory_mb for cell in cells if name in cell]
    peaks = [peak for peak in measured if peak is not None]
    return f"{max(peaks):.0f}" if peaks else "-"


def _milliseconds(measurement: Measurement | None) -> str:
    if measurement is None:
        return "-"
    return "> cap" if measurement.seconds is None else f"{1e3 * measurement.seconds:.1f}"


def _ratio_text(cell: Cell, comparison: Comparison) -> str:
    ratio = cell.ratio(comparison)
    if ratio is None:
        return "-"
    return f"{'>' if cell.is_lower_bound(comparison) else ''}{ratio:.1f}"


def _clearly_above(ours: Measurement | None, peer: Measurement | None) -> bool:
    if ours is None or peer is None or ours.objective is None or peer.objective is None:
        return False
    return ours.objective > peer.objective + OBJECTIVE_SLACK * abs(peer.objective)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
