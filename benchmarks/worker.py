"""One contender in a process of its own, so that it can be stopped and its memory is its own.

SVC ignores signals while it fits: the only way to bound its time is to end its process.
"""

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from timing import peak_memory_mb, seconds_of

# Loading data and computing a Gram matrix is not timed, but may not hang either.
PREPARATION_SECONDS = 600.0
# A contender's first fit pays for lazy imports; it happens here, on a problem this small.
WARM_UP_PROBLEM = "generated-50"

_CONTEXT = multiprocessing.get_context("spawn")


class Worker:
    """A contender made ready for one problem and one kernel width in a fresh process."""

    def __init__(self, contender: str, problem: str, length_scale: float) -> None:
        self.connection, theirs = _CONTEXT.Pipe()
        self.process = _CONTEXT.Process(
            target=_serve, args=(theirs, contender, problem, length_scale), daemon=True
        )
        self.process.start()
        theirs.close()
        self.memory_mb = float("nan")
        self._answer(PREPARATION_SECONDS)

    def prepare(self, C: float) -> None:
        """Do what this C needs before the clock starts."""
        self._ask("prepare", C, PREPARATION_SECONDS)

    def fit(self, C: float, cap: float) -> float | None:
        """Seconds of one fit, or None if it took more than `cap` of them."""
        answer = self._ask("fit", C, cap)
        if answer is None:
            return None
        seconds, self.memory_mb = answer
        return float(seconds)

    def objective(self) -> float:
        """Objective that the last fit reached."""
        return float(self._ask("objective", 0.0, PREPARATION_SECONDS))

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        self.process.join()
        self.connection.close()

    def _ask(self, question: str, C: float, limit: float) -> Any:
        self.connection.send((question, C))
        return self._answer(limit)

    def _answer(self, limit: float) -> Any:
        if not self.connection.poll(limit):
            return None
        try:
            return self.connection.recv()
        except EOFError:
            raise RuntimeError("A contender's process ended; see its message above.") from None


def _serve(connection: Connection, contender: str, problem: str, length_scale: float) -> None:
    """Answer questions until the process is ended."""
    # Imported here: the peak memory of a new process begins at the size of the one that started
    # it, which therefore loads as little as it can.
    from threadpoolctl import threadpool_limits

    from contenders import Contender
    from problems import load
    from registry import CONTENDERS

    def timed_fit(C: float) -> tuple[float, float]:
        return seconds_of(lambda: machine.fit(C)), peak_memory_mb() - at_start

    with threadpool_limits(1):
        _warm_up(CONTENDERS[contender](load(WARM_UP_PROBLEM), length_scale))
        at_start = peak_memory_mb()
        machine: Contender = CONTENDERS[contender](load(problem), length_scale)
        answers: dict[str, Callable[[float], object]] = {
            "prepare": machine.prepare,
            "fit": timed_fit,
            "objective": lambda _: machine.objective(),
        }
        connection.send("ready")
        while True:
            question, C = connection.recv()
            answer = answers[question](C)
            connection.send("done" if answer is None else answer)


def _warm_up(machine: Any) -> None:
    machine.prepare(1.0)
    machine.fit(1.0)
    machine.objective()
