"""A comparison in the terminal: the short table, what it means, and how to read on."""

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from kpboost._visible import visible

from .comparison import Comparison
from .score_tables import summary_table
from .table import Table
from .verdict import verdict


def terminal_table(table: Table, *, note: bool = True) -> RenderableType:
    """Show a table in the terminal; best cells are bold."""
    shown = RichTable(
        title=escape(visible(table.title)),
        caption=escape(visible(table.note)) if note and table.note else None,
        title_justify="left",
        caption_justify="left",
        box=SIMPLE_HEAD,
        title_style="bold",
        caption_style="dim",
    )
    for number, column in enumerate(table.columns):
        justify = "right" if table.is_number(number) else "left"
        shown.add_column(escape(visible(column.name)), justify=justify, overflow="fold")  # type: ignore[arg-type]
    for row in range(len(table.rows)):
        shown.add_row(*(_cell(table, row, column) for column in range(len(table.columns))))
    return shown


def terminal_summary(comparison: Comparison) -> RenderableType:
    """Show the result of a comparison: who is the best, what that means, and the short table.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    renderable
        For a ``rich.console.Console``.
    """
    words = verdict(comparison)
    sentences = Text(visible(" ".join(words.sentences)))
    heading = Text(visible(words.heading), style="bold green" if words.mood == "good" else "bold")
    table = summary_table(comparison)
    shown = [terminal_table(table)] if table.rows else []
    return Group(*shown, heading, Padding(sentences, (0, 0, 1, 0)))


def print_summary(comparison: Comparison, console: Console | None = None) -> None:
    """Print the result of a comparison."""
    (console or Console()).print(terminal_summary(comparison))


def _cell(table: Table, row: int, column: int) -> Text:
    style = "bold" if (row, column) in table.best else ""
    return Text(visible(table.text(row, column)), style=style)
