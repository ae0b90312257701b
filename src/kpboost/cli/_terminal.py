"""Where the command line writes: results to stdout, everything about them to stderr.

Labels and names come from files. Whatever a terminal would obey in them is written out, at this one
place, for texts, tables and bars alike. Lines are folded between words to the width of the
terminal, or to the COLUMNS of the environment; words, paths and commands are never broken.
"""

from __future__ import annotations

import json
import math
import shlex
import sys
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress as RichProgress,
    TaskID,
    TextColumn,
)
from rich.segment import Segment
from rich.text import Text

from kpboost._text import visible

if TYPE_CHECKING:
    from kpboost.experiments import Progress


class VisibleConsole(Console):
    """A console that obeys its own styles and bars, and nothing that stands in a text."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield pieces of text in which every character shows, and rich's own controls."""
        for piece in super().render(renderable, options):
            shown = piece.text if piece.control else visible(piece.text, keep="\n")
            yield piece if shown == piece.text else Segment(shown, piece.style)


START = """\
kpboost: classification when classes, or parts of classes, are rare.

What does a classifier miss in my table?
  kpboost audit table.csv --target LABEL

Which classifier is best on my table?
  kpboost compare table.csv --target LABEL

Train a model, then predict new rows:
  kpboost fit table.csv --target LABEL --out model.skops
  kpboost predict model.skops new.csv --out predictions.csv

LABEL is the column with the classes. No table at hand? Try this one:
  kpboost audit payments

All commands: kpboost --help. One command: kpboost COMMAND --help."""


def out() -> Console:
    """Return the console for results."""
    return VisibleConsole(soft_wrap=False)


def err() -> Console:
    """Return the console for progress and notes.

    FORCE_COLOR, which notebooks set, does not make a terminal of a file: a bar would be written
    there line by line.
    """
    return VisibleConsole(stderr=True, force_terminal=None if sys.stderr.isatty() else False)


def start(
    context: typer.Context,
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; works in any place.")
    ] = False,
) -> None:
    """Say hello, the version, or hand on to a command."""
    if show_version:
        from kpboost import __version__

        out().print(f"kpboost {__version__}", highlight=False)
    elif context.invoked_subcommand is None:
        typer.echo(START)


def folded(line: str, width: int, indent: str = "") -> str:
    """Break a line between words, so that it fits; a word that is longer stays whole.

    Parameters
    ----------
    line : str
        Without line breaks; blanks at its start and doubled blanks stay.
    width : int
        Columns of the terminal.
    indent : str, default=""
        What the second line and those after it begin with.

    Returns
    -------
    str

    Examples
    --------
    >>> from kpboost.cli._terminal import folded
    >>> print(folded("Note: three scikit-learn words", 20, indent="  "))
    Note: three
      scikit-learn words
    """
    return _fold(line.split(" "), width, indent)


def _fold(words: Sequence[str], width: int, indent: str) -> str:
    lines, is_started = [words[0]], bool(words[0])
    for word in words[1:]:
        if is_started and cell_len(f"{lines[-1]} {word}") > width:
            lines.append(indent + word)
        else:
            lines[-1] += f" {word}"
        is_started = is_started or bool(word)
    return "\n".join(each.rstrip(" ") for each in lines)


def show(console: Console, *lines: str, style: str = "") -> None:
    """Print lines, folded between words; what continues a line is indented."""
    for line in lines:
        text = folded(visible(line), console.width, indent="  ")
        console.print(Text(text, style=style), soft_wrap=True)


def show_command(console: Console, label: str, command: str) -> None:
    r"""Print a command to copy; a long one is continued as shells do, with a backslash.

    What is quoted stays in one piece.
    """
    words = [shlex.quote(word) for word in shlex.split(command)]
    text = _fold([label + words[0], *words[1:]], console.width - 2, indent=" " * len(label))
    console.print(Text(visible(text.replace("\n", " \\\n"), keep="\n")), soft_wrap=True)


def say(sentence: str) -> None:
    """Print a line to stderr, without any style."""
    print(folded(visible(sentence), err().width, indent="  "), file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    """Print one JSON document; what is not a number becomes null."""
    json.dump(_plain(value), sys.stdout, indent=2, allow_nan=False, default=str)
    sys.stdout.write("\n")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


class TerminalBar:
    """Start and end a bar; what it shows, and what a log gets instead, is up to who has it.

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

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._quiet:
            text = TextColumn("{task.description}", markup=False)
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

    def _show(self, words: str, done: int, total: int | None) -> bool:
        """Show where things stand; False if there is no bar to show it."""
        if self._bar is None or self._task is None:
            return False
        self._bar.update(self._task, description=words, completed=done, total=total)
        return True


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
            show(self._console, f"Note: {note}")
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
    >>> from kpboost.cli._terminal import in_words
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


class StepsBar(TerminalBar):
    """Show steps in a terminal as a bar, elsewhere as a line each; call it as a step begins."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show that a step begins."""
        if not self._show(what, done, total) and not self._quiet:
            show(self._console, f"{done}/{total} {what}")


class RowsBar(TerminalBar):
    """Show rows that have been read: in a terminal as a bar, elsewhere a line now and then."""

    def __init__(self, console: Console, *, quiet: bool = False) -> None:
        super().__init__(console, quiet=quiet)
        self._last_line = perf_counter()

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Show how many rows are over, of how many, where that is known."""
        if self._show(what, done, total) or self._quiet:
            return
        if perf_counter() - self._last_line >= LOG_PERIOD:
            self._last_line = perf_counter()
            of = "" if total is None else f" of {total:,}"
            say(f"{what}: {done:,}{of} rows")


@contextmanager
def warnings_as_notes(console: Console, *, quiet: bool = False) -> Iterator[None]:
    """Collect the warnings of a block and show them after it, also after an error.

    Of a kind of its own, as scikit-learn's of convergence, the first one is enough.

    Parameters
    ----------
    console : Console
        Where to show them.
    quiet : bool, default=False
        Show none.
    """
    try:
        with warnings.catch_warnings(record=True) as caught:
            yield
    finally:
        first: dict[type[Warning] | str, str] = {}
        for each in caught:
            message = " ".join(str(each.message).split())
            first.setdefault(message if each.category is UserWarning else each.category, message)
        for message in () if quiet else dict.fromkeys(first.values()):
            show(console, f"Note: {message}")
