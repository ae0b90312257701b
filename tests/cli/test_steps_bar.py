"""Steps as a bar in a terminal, as lines in a log, as nothing when quiet."""

from io import StringIO

import pytest

pytest.importorskip("rich")

from rich.console import Console

from kpboost.cli._terminal import StepsBar


def shown(*, terminal=False, quiet=False):
    out = StringIO()
    console = Console(file=out, force_terminal=terminal, width=80, no_color=True)
    with StepsBar(console, quiet=quiet) as bar:
        bar("reading [bold] columns", 0, 2)
        bar("done", 2, 2)
    return out.getvalue()


def test_a_log_gets_a_line_for_each_step():
    assert shown() == "0/2 reading [bold] columns\n2/2 done\n"


def test_a_terminal_gets_a_bar_that_goes_away():
    text = shown(terminal=True)
    assert "2/2" in text
    assert "done" in text
    assert text.endswith("\x1b[2K")  # the line is wiped


def test_quiet_is_quiet():
    assert shown(quiet=True) == shown(quiet=True, terminal=True) == ""
