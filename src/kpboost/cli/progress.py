"""How far a run is: a bar in a terminal, a line now and then in a log."""

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.progress import Progress as RichProgress

from kpboost.experiments import Progress

# Seconds between two lines of a log: often enough to see that it lives.
LOG_PERIOD = 30.0


class ProgressBar:
    """Show jobs done, their rate and the time left; call it with every Progress.

    Parameters
    ----------
    console : Console
        Where to show it.
    quiet : bool, default=False
        Show nothing at all.
    """

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        self._console = console
        self._quiet = quiet
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._before: int | None = None
        self._last_line = 0.0

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._quiet:
            text = TextColumn("{task.description}")
            self._bar = RichProgress(
                BarColumn(), MofNCompleteColumn(), text, console=self._console, transient=True
            )
            self._task = self._bar.add_task("starting", total=None)
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        """Show where a run stands."""
        over = progress.done + progress.failed
        if self._before is None:
            self._before = over
        words = in_words(progress, over - self._before)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=over, total=progress.total, description=words)
        elif not self._quiet and progress.seconds - self._last_line >= LOG_PERIOD:
            self._last_line = progress.seconds
            print(f"{over}/{progress.total} {words}", file=sys.stderr, flush=True)


def in_words(progress: Progress, done_now: int) -> str:
    """Say rate, time left and failures, as far as they are known.

    Examples
    --------
    >>> from kpboost.cli.progress import in_words
    >>> from kpboost.experiments import Progress
    >>> in_words(Progress(done=30, failed=0, total=90, running=(), seconds=10.0), 20)
    'jobs, 2.0/s, about 0:30 left'
    """
    parts = ["jobs"]
    if done_now > 0 and progress.seconds > 0:
        rate = done_now / progress.seconds
        left = (progress.total - progress.done - progress.failed) / rate
        parts += [f"{rate:.1f}/s", f"about {clock(left)} left"]
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    return ", ".join(parts)


def clock(seconds: float) -> str:
    """Write a time as minutes and seconds, with hours where there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
