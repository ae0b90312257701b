"""A bar that is there in a terminal, and nowhere else."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn


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
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._quiet:
            text = TextColumn("{task.description}", markup=False)
            self._bar = Progress(
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

    def _show(self, words: str, done: int, total: int) -> bool:
        """Show where things stand; False if there is no bar to show it."""
        if self._bar is None or self._task is None:
            return False
        self._bar.update(self._task, description=words, completed=done, total=total)
        return True
