"""How far a run is: a bar in a terminal, a line now and then in a log."""

from collections import deque

from rich.console import Console
from rich.text import Text

from kpboost.experiments import Progress

from .output import say
from .terminal_bar import TerminalBar

# Seconds between two lines of a log: often enough to see that it lives.
LOG_PERIOD = 30.0
# Seconds that the rate looks back: data sets differ, and the last minute tells most of the next.
WINDOW = 60.0


class ProgressBar(TerminalBar):
    """Show jobs done, their rate and the time left; call it with every Progress.

    Parameters
    ----------
    console : Console
        Where to show it.
    quiet : bool, default=False
        Show nothing at all.
    """

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        super().__init__(console, quiet=quiet)
        self._recent: deque[Progress] = deque()
        self._last_line = 0.0
        self._n_notes = 0

    def __call__(self, progress: Progress) -> None:
        """Show where a run stands."""
        for note in () if self._quiet else progress.notes[self._n_notes :]:
            self._console.print(Text(f"Note: {note}"), soft_wrap=True)
        self._n_notes = len(progress.notes)
        over = progress.done + progress.failed
        self._recent.append(progress)
        while len(self._recent) > 2 and progress.seconds - self._recent[1].seconds >= WINDOW:
            self._recent.popleft()
        words = in_words(self._recent[0], progress)
        if self._show(words, over, progress.total) or self._quiet:
            return
        if progress.seconds - self._last_line >= LOG_PERIOD:
            self._last_line = progress.seconds
            say(f"{over}/{progress.total} {words}")


def in_words(earlier: Progress, now: Progress) -> str:
    """Say rate, time left and failures, as far as they are known.

    Parameters
    ----------
    earlier, now : Progress
        Where the run stood a while ago, and where it stands.

    Returns
    -------
    str

    Examples
    --------
    >>> from kpboost.cli.progress import in_words
    >>> from kpboost.experiments import Progress
    >>> start = Progress(done=10, failed=0, total=90, running=(), seconds=0.0)
    >>> in_words(start, Progress(done=30, failed=0, total=90, running=(), seconds=10.0))
    'jobs, 2.0/s, about 0:30 left'
    """
    parts = ["jobs"]
    over, seconds = now.done + now.failed, now.seconds - earlier.seconds
    gained = over - earlier.done - earlier.failed
    if gained > 0 and seconds > 0:
        left = (now.total - over) * seconds / gained
        parts += [f"{gained / seconds:.1f}/s", f"about {clock(left)} left"]
    if now.failed:
        parts.append(f"{now.failed} failed")
    return ", ".join(parts)


def clock(seconds: float) -> str:
    """Write a time as minutes and seconds, with hours where there are any."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
