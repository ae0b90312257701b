"""Calling the command line as a user does, in this process or in its own."""

import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import typer.main

from kpboost.cli._errors import run_app
from kpboost.cli.commands import app
from support.patience import HANG

# Built once: typer would read the signatures of all commands again at each call.
KPBOOST = typer.main.get_command(app)


class Answer(NamedTuple):
    """What a command leaves behind."""

    code: int
    out: str
    err: str


def call(capsys, *words):
    """Run a command in this process, through the same door as the real one."""
    capsys.readouterr()
    code = run_app(KPBOOST, [str(word) for word in words])
    captured = capsys.readouterr()
    return Answer(code, captured.out, captured.err)


def do(*words):
    """Run a command in this process that must succeed, for fixtures that tests share."""
    assert run_app(KPBOOST, [str(word) for word in words]) == 0


def call_process(*words, cwd, env=None):
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "kpboost.cli.app", *map(str, words)]
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=HANG)
    return Answer(done.returncode, done.stdout, done.stderr)


def is_one_sentence(text):
    """Whether an error is what it should be: one line, one sentence, no traceback."""
    return (
        text.startswith("kpboost: ")
        and text.count("\n") == 1
        and text.rstrip().endswith(".")
        and "Traceback" not in text
    )


def page_in(folder):
    """Return the page of a report without the marks that keep options in one line."""
    page = (Path(folder) / "index.html").read_text(encoding="utf-8")
    return re.sub(r'<span class="option">(.*?)</span>', r"\1", page)
