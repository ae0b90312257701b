"""`kpboost status`: how far an experiment is, and what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kpboost.cli import _options as options

from ._help import HelpPage
from ._terminal import out, print_json, show

if TYPE_CHECKING:
    from kpboost.experiments import Outcome, StoreInfo
    from kpboost.reports import ReportTable

# Of many failures the first few tell the story; --json has them all.
MOST_FAILURES = 10


HELP_PAGE = HelpPage(examples=("kpboost status kpboost-compare/results.sqlite",))


def status(store: options.StoreArgument, as_json: options.Json = False) -> None:
    """Show the progress of an experiment, and what failed."""
    from kpboost.experiments import describe
    from kpboost.reports import terminal_table

    info = describe(store)
    found = info.outcomes
    if as_json:
        print_json(_as_data(info))
        return
    console = out()
    console.print(terminal_table(status_table(found)))
    spec = info.spec
    lines = [
        f"{info.counts.get('done', 0)} jobs done, {info.counts.get('failed', 0)} failed. Started "
        f"{info.created}; {spec.grid} grid, {spec.protocol} protocol, {spec.seeds_in_words}.",
        *(f"Not available: {each.error}" for each in info.datasets if each.error),
        *_failures(found),
    ]
    show(console, *lines)


def status_table(found: Sequence[Outcome]) -> ReportTable:
    """Count data sets by method and status, but for those that are not available."""
    from kpboost.experiments import COMPLETE, FAILED, PARTIAL, UNAVAILABLE, WAITING
    from kpboost.reports import ReportColumn, ReportTable

    statuses = (COMPLETE, PARTIAL, FAILED, WAITING)
    there = [each for each in found if each.status != UNAVAILABLE]
    counts = {name: Counter[str]() for name in dict.fromkeys(each.method for each in there)}
    for each in there:
        counts[each.method][each.status] += 1
    rows: tuple[tuple[str | int, ...], ...] = tuple(
        (_title(name), *(count[word] for word in statuses)) for name, count in counts.items()
    )
    columns = (ReportColumn("Method"), *(ReportColumn(word) for word in statuses))
    return ReportTable("status", "Data sets by method", columns, rows)


def _failures(found: Sequence[Outcome]) -> list[str]:
    from kpboost.experiments import FAILED

    failed = [each for each in found if each.status == FAILED]
    lines = [f"{each.dataset}, {_title(each.method)}: {' '.join(each.error.split())}"
             for each in failed[:MOST_FAILURES]]  # fmt: skip
    more = len(failed) - len(lines)
    return [*lines, f"... and {more} more, see --json."] if more else lines


def _title(name: str) -> str:
    from kpboost.methods import METHODS

    return METHODS[name].title if name in METHODS else name


def _as_data(info: StoreInfo) -> dict[str, Any]:
    return {
        "created": info.created,
        "versions": info.versions,
        "schema_version": info.schema_version,
        "protocol": info.spec.protocol,
        "grid": info.spec.grid,
        "seed": info.spec.seed,
        "jobs": info.counts,
        "datasets": [{"name": each.name, "status": each.status, "error": each.error}
                     for each in info.datasets],
        "results": [{"dataset": each.dataset, "method": each.method, "status": each.status,
                     "folds_done": len(each.folds), "folds": each.n_folds, "error": each.error}
                    for each in info.outcomes],
    }  # fmt: skip
