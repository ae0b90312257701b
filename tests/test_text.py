"""Text from files: what a terminal would obey is written out, wherever it is shown."""

import io

import pytest
from hypothesis import given, strategies as st
from rich.progress import Progress
from rich.table import Table as RichTable
from rich.text import Text

from kpboost._text import visible
from kpboost.cli._terminal import VisibleConsole
from kpboost.reports._page import render_page
from kpboost.reports._table import ReportColumn, ReportTable, markdown_text, terminal_table

HOSTILE = "a\x1b[2J\x07\x9b31m\r\u202eb\u2028c"
SHOWN = "a\\x1b[2J\\x07\\x9b31m\\r\\u202eb\\u2028c"


def test_controls_are_written_out():
    assert visible(HOSTILE) == SHOWN
    assert visible("a\nb\tc", keep="\n") == "a\nb\\tc"
    assert visible("\ud800") == "\\ud800"


@pytest.mark.parametrize(
    "text", ["", "plain", "naïve café", "日本語", "नमस्ते", "\u0645\u06cc\u200c\u062e", "👩\u200d🔬"]
)
def test_words_of_all_languages_stay(text):
    assert visible(text) == text


@given(st.text())
def test_nothing_unseen_is_left(text):
    shown = visible(text)
    assert visible(shown) == shown
    assert "\x1b" not in shown
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in shown)


def printed(show):
    stream = io.StringIO()
    console = VisibleConsole(file=stream, force_terminal=True, width=100, color_system="truecolor")
    show(console)
    return stream.getvalue()


def table_of(cell):
    table = RichTable("name", title=cell)
    table.add_row(cell)
    return table


@pytest.mark.parametrize(
    "make",
    [lambda text: text, Text, lambda text: Text(text, style="bold red"), table_of],
    ids=["str", "text", "styled", "table"],
)
def test_a_console_obeys_its_own_styles_only(make):
    shown = printed(
        lambda console: console.print(make("a\x1b]0;title\x07b\x1b[2J"), highlight=False)
    )
    assert "\\x1b]0;title" in shown
    assert "\x1b]0" not in shown
    assert "\x1b[2J" not in shown


def test_a_bar_still_moves_the_cursor_and_its_words_do_not():
    def show(console):
        with Progress(console=console, transient=True) as bar:
            bar.add_task("x\x1b[31;1mred", total=3)

    shown = printed(show)
    assert "\\x1b" in shown
    assert "\x1b[31;1m" not in shown
    assert "\x1b[?25l" in shown  # rich's own: the cursor is hidden while the bar is there


def test_tables_and_pages_show_every_character():
    table = ReportTable("t", HOSTILE, (ReportColumn(HOSTILE),), ((HOSTILE,),), note=HOSTILE)
    stream = io.StringIO()
    VisibleConsole(file=stream, width=200).print(terminal_table(table))
    assert stream.getvalue().count("\\x9b31m") == 4
    assert "\\\\x1b" in markdown_text(HOSTILE)
    assert markdown_text(HOSTILE).isprintable()
    page = render_page("base.html.j2", {"title": HOSTILE})
    assert "<title>a\\x1b[2J" in page
    assert "\x1b" not in page
