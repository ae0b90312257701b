import warnings

import pytest
from rich.console import Console

from kpboost.cli._terminal import as_remarks


def shown(*messages, quiet=False):
    console = Console(width=30)
    with console.capture() as capture, as_remarks(console, quiet=quiet):
        for category, message in messages:
            warnings.warn(message, category, stacklevel=1)
    return capture.get()


def test_a_warning_is_one_line():
    assert (
        shown((UserWarning, "one\n[two] three " * 5))
        == f"Note: {'one [two] three ' * 4}one [two] three\n"
    )


def test_each_kind_is_said_once():
    text = shown((UserWarning, "a"), (UserWarning, "b"), (RuntimeWarning, "c"), (UserWarning, "a"))
    assert text == "Note: a\nNote: c\n"


def test_nothing_is_said_of_nothing_or_in_quiet():
    assert shown() == ""
    assert shown((UserWarning, "a"), quiet=True) == ""


def test_errors_go_through():
    with pytest.raises(KeyError), as_remarks(Console()):
        raise KeyError("x")
