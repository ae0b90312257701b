"""A bar over named steps: which one is under way, and how many are over."""

from rich.text import Text

from .terminal_bar import TerminalBar


class StepsBar(TerminalBar):
    """Show steps in a terminal as a bar, elsewhere as a line each; call it as a step begins."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show that a step begins."""
        if not self._show(what, done, total) and not self._quiet:
            self._console.print(Text(f"{done}/{total} {what}"), soft_wrap=True)
