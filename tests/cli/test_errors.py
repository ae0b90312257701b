import os
import subprocess
import sys

import pytest
import typer

from kpboost.cli._errors import RunFailedError, one_sentence, run_app
from kpboost.datasets import DataError
from kpboost.experiments import StoreError
from support.calls import is_one_sentence


def app_that_raises(error):
    app = typer.Typer(pretty_exceptions_enable=False)

    @app.command()
    def fail(number: int = 0):
        raise error

    return app


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ValueError("Bad thing."), 2),
        (DataError("has no rows.", "a.csv", 3), 2),
        (StoreError("a.sqlite is damaged."), 2),
        (FileNotFoundError(2, "No such file", "a.csv"), 2),
        (ImportError("Needs pandas."), 2),
        (RunFailedError("3 of 9 jobs failed."), 1),
        (MemoryError("No room."), 1),
        (KeyError("odd"), 1),
        (KeyboardInterrupt(), 130),
        (typer.Abort(), 130),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_is_a_sentence_and_a_code(capsys, error, code):
    assert run_app(app_that_raises(error), []) == code
    text = capsys.readouterr().err
    assert text.startswith("kpboost: ")
    assert text.count("\n") == 1
    assert "Traceback" not in text


def test_debug_lets_the_error_through_wherever_it_stands():
    app = app_that_raises(ValueError("inside"))
    for words in (["--debug"], ["--number", "1", "--debug"]):
        with pytest.raises(ValueError, match="inside"):
            run_app(app, words)


def test_debug_after_a_double_dash_is_a_word():
    app = typer.Typer()
    seen = []

    @app.command()
    def take(words: list[str]):
        seen.extend(words)

    assert run_app(app, ["--", "--debug"]) == 0
    assert seen == ["--debug"]


@pytest.mark.parametrize(
    "words", [["--nmber", "1"], ["--number", "x"], ["superfluous"]], ids=["option", "value", "word"]
)
def test_wrong_usage_names_the_help(capsys, words):
    assert run_app(app_that_raises(ValueError()), words) == 2
    text = capsys.readouterr().err
    assert is_one_sentence(text)
    assert "See kpboost --help." in text


def test_the_code_of_a_command_is_handed_on():
    assert run_app(app_that_raises(typer.Exit(3)), []) == 3


def test_sentences_have_one_line():
    assert one_sentence(ValueError("a\n  b")) == "a b."
    assert one_sentence(ValueError()) == "ValueError."


@pytest.mark.skipif(os.name == "nt", reason="there are no such pipes on Windows")
def test_a_closed_pipe_is_no_error():
    command = f"{sys.executable} -m kpboost.cli.app datasets --only embedded | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stderr == ""
