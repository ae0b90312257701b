"""All contenders on one problem and one kernel width, each in a process of its own."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial

import report
from problems import load
from timing import interleaved_minima
from worker import Worker

# Above this size the Gram matrices of all contenders do not fit into memory side by side; they
# then run one after the other, each in its turn alone, instead of taking turns.
MOST_POINTS_SIDE_BY_SIDE = 5000

Measured = dict[str, report.Measurement]


def contenders_of(comparisons: Sequence[report.Comparison]) -> list[str]:
    """Names of all that take part, each once."""
    return list(dict.fromkeys(name for each in comparisons for name in (each.ours, each.peer)))


def measure(
    name: str, Cs: Sequence[float], length_scale: float, contenders: Sequence[str], cap: float
) -> Iterator[report.Cell]:
    """Time all contenders on one problem and one kernel width; yields a cell for each C."""
    n = load(name).n
    together = n <= MOST_POINTS_SIDE_BY_SIDE
    groups = [contenders] if together else [[contender] for contender in contenders]
    measured: dict[float, Measured] = {C: {} for C in Cs}
    for group in groups:
        for C, of_group in measure_group(group, name, Cs, length_scale, cap).items():
            measured[C].update(of_group)
    for C in Cs:
        yield report.Cell(name, n, C, length_scale, cap, measured[C])


def measure_group(
    contenders: Sequence[str], name: str, Cs: Sequence[float], length_scale: float, cap: float
) -> dict[float, Measured]:
    """Time contenders that live side by side and take turns, for every C."""
    with ExitStack() as stack:
        workers: dict[str, Worker] = {}
        measured: dict[float, Measured] = {}
        for C in Cs:
            for contender in contenders:
                if contender not in workers:
                    workers[contender] = Worker(contender, name, length_scale)
                    stack.callback(workers[contender].close)
                workers[contender].prepare(C)
            measured[C] = take_turns(workers, C, cap)
            for contender in [c for c, m in measured[C].items() if m.seconds is None]:
                workers.pop(contender).close()
        return measured


def take_turns(workers: dict[str, Worker], C: float, cap: float) -> Measured:
    minima = interleaved_minima(
        {name: partial(worker.fit, C, cap) for name, worker in workers.items()}
    )
    return {name: _measurement(workers[name], seconds) for name, seconds in minima.items()}


def _measurement(worker: Worker, seconds: float | None) -> report.Measurement:
    if seconds is None:
        return report.Measurement(None, None, None)
    return report.Measurement(seconds, worker.objective(), worker.memory_mb)
