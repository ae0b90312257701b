"""`kpboost status`: how far an experiment is, and what failed."""

from collections import Counter
from typing import Any

from rich.text import Text

from kpboost.cli import _options as options
from kpboost.experiments import (
    COMPLETE,
    FAILED,
    PARTIAL,
    WAITING,
    Outcome,
    StoreInfo,
    describe,
    outcomes,
)
from kpboost.methods import METHODS
from kpboost.reports import Column, Table, terminal_table

from ._terminal import out, print_json

STATUSES = (COMPLETE, PARTIAL, FAILED, WAITING)
# Of many failures the first few tell the story; --json has them all.
MOST_FAILURES = 10


def status(store: options.StoreArgument, as_json: options.Json = False) -> None:
    """Say how far an experiment is, method by method, and what failed."""
    info, found = describe(store), outcomes(store)
    if as_json:
        print_json(_as_data(info, found))
        return
    console = out()
    console.print(terminal_table(status_table(found)))
    spec = info.spec
    lines = [
        f"{info.counts.get('done', 0)} jobs done, {info.counts.get('failed', 0)} failed; begun "
        f"{info.created}, {spec.grid} grid, protocol {spec.protocol}, seed {spec.seed}.",
        *(f"Not to be had: {each.error}" for each in info.datasets if each.error),
        *_failures(found),
    ]
    console.print(Text("\n".join(lines)))


def status_table(found: list[Outcome]) -> Table:
    """Count data sets by method and status."""
    counts = {name: Counter[str]() for name in dict.fromkeys(each.method for each in found)}
    for each in found:
        counts[each.method][each.status] += 1
    rows: tuple[tuple[str | int, ...], ...] = tuple(
        (_title(name), *(count[word] for word in STATUSES)) for name, count in counts.items()
    )
    columns = (Column("Method"), *(Column(word) for word in STATUSES))
    return Table("status", "Data sets by method", columns, rows)


def _failures(found: list[Outcome]) -> list[str]:
    failed = [each for each in found if each.status == FAILED]
    lines = [f"{each.dataset}, {_title(each.method)}: {' '.join(each.error.split())}"
             for each in failed[:MOST_FAILURES]]  # fmt: skip
    more = len(failed) - len(lines)
    return [*lines, f"... and {more} more, see --json."] if more else lines


def _title(name: str) -> str:
    return METHODS[name].title if name in METHODS else name


def _as_data(info: StoreInfo, found: list[Outcome]) -> dict[str, Any]:
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
                    for each in found],
    }  # fmt: skip
