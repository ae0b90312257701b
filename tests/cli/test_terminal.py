import json
import shlex
import warnings
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from kpboost.cli._terminal import (
    LOG_PERIOD,
    ProgressBar,
    clock,
    err,
    in_words,
    print_json,
    show_command,
    warnings_as_notes,
)
from kpboost.experiments import Progress


def test_what_is_not_a_number_becomes_null(capsys):
    print_json({"a": [float("nan"), 1.5, (float("inf"), None)], 2: "x"})
    assert json.loads(capsys.readouterr().out) == {"a": [None, 1.5, [None, None]], "2": "x"}


def at(done, seconds, failed=0, total=100):
    return Progress(done=done, failed=failed, total=total, running=(), seconds=seconds)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (3599, "59:59"), (3661, "1:01:01")]
)
def test_clock(seconds, text):
    assert clock(seconds) == text


def test_words_grow_with_what_is_known():
    assert in_words(at(0, 0.0), at(0, 0.0)) == "jobs"
    assert in_words(at(20, 5.0), at(60, 25.0)) == "jobs, 2.0/s, about 0:20 left"
    failing = in_words(at(0, 0.0), at(50, 10.0, failed=10))
    assert failing == "jobs, 6.0/s, about 0:07 left, 10 failed"


def test_the_rate_is_that_of_the_last_minute(capsys):
    with ProgressBar(Console(file=StringIO())) as bar:
        for second in range(0, 121):
            bar(at(second if second <= 60 else 60 + 5 * (second - 60), float(second), total=900))
    assert "360/900 jobs, 5.0/s" in capsys.readouterr().err.splitlines()[-1]


def test_a_log_gets_a_line_now_and_then(capsys):
    with ProgressBar(Console(file=StringIO())) as bar:
        for second in range(0, 61):
            bar(at(second, float(second)))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 60 // LOG_PERIOD
    assert lines[0] == "30/100 jobs, 1.0/s, about 1:10 left"


def test_earlier_jobs_do_not_count_for_the_rate(capsys):
    with ProgressBar(Console(file=StringIO())) as bar:
        bar(at(90, 0.0))
        bar(at(93, 30.0))
    assert "0.1/s" in capsys.readouterr().err


def test_a_note_is_shown_once_and_at_once():
    file = StringIO()
    with ProgressBar(Console(file=file)) as bar:
        for notes in ((), ("A clock is ahead.",), ("A clock is ahead.",)):
            bar(replace(at(1, 1.0), notes=notes))
    assert file.getvalue() == "Note: A clock is ahead.\n"


def test_a_terminal_gets_a_bar():
    file = StringIO()
    with ProgressBar(Console(file=file, force_terminal=True, width=100)) as bar:
        bar(at(40, 4.0))
        bar(at(50, 10.0))
    assert "50/100" in file.getvalue()


def test_quiet_is_quiet(capsys):
    file = StringIO()
    with ProgressBar(Console(file=file, force_terminal=True), quiet=True) as bar:
        bar(at(40, 100.0))
    assert file.getvalue() == capsys.readouterr().err == ""


def shown(*messages, quiet=False, width=1000):
    console = Console(width=width)
    with console.capture() as capture, warnings_as_notes(console, quiet=quiet):
        for category, message in messages:
            warnings.warn(message, category, stacklevel=1)
    return capture.get()


def test_a_warning_is_one_line():
    assert (
        shown((UserWarning, "one\n[two] three " * 5))
        == f"Note: {'one [two] three ' * 4}one [two] three\n"
    )


def test_a_warning_is_folded_between_words():
    assert (
        shown((UserWarning, "one [two] three " * 2), width=20)
        == "Note: one [two]\n  three one [two]\n  three\n"
    )


def test_each_kind_is_said_once_and_plain_ones_by_their_text():
    kinds = [RuntimeWarning, RuntimeWarning, UserWarning, UserWarning, UserWarning]
    assert shown(*zip(kinds, "abcdc", strict=True)) == "Note: a\nNote: c\nNote: d\n"


def warn_and_fail():
    warnings.warn("only the first sheet is read", stacklevel=1)
    raise KeyError("x")


def test_warnings_are_shown_after_an_error_too(capsys):
    with pytest.raises(KeyError), warnings_as_notes(Console()):
        warn_and_fail()
    assert capsys.readouterr().out == "Note: only the first sheet is read\n"


def test_what_is_quoted_in_a_command_is_not_broken():
    console, name = Console(width=40), "a table with a very long name indeed.csv"
    with console.capture() as capture:
        show_command(console, "Next  ", f"kpboost audit '{name}' --target kind")
    command = capture.get().removeprefix("Next  ").replace("\\\n", "")
    assert shlex.split(command) == ["kpboost", "audit", name, "--target", "kind"]


def test_nothing_is_said_of_nothing_or_in_quiet():
    assert shown() == ""
    assert shown((UserWarning, "a"), quiet=True) == ""


def test_errors_go_through():
    with pytest.raises(KeyError), warnings_as_notes(Console()):
        raise KeyError("x")


def test_forced_colours_make_no_terminal_of_a_file(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("sys.stderr", StringIO())
    assert not err().is_terminal
