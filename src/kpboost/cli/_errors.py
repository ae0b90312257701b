"""Errors for people: one sentence on stderr and an exit code; `--debug` shows the rest.

Exit codes: 0 all is well; 1 a run failed, wholly or in part; 2 bad input or usage; 3 an audit is
worse than its baseline; 130 Ctrl-C.
"""

import os
import sys
from collections.abc import Sequence
from typing import Any

import typer

from kpboost._text import did_you_mean

from ._terminal import err, say, warnings_as_notes
from .app import extra_advice

FAILED, BAD_INPUT, WORSE, STOPPED = 1, 2, 3, 130
# The base of all refusals of an option: click's, or typer's own copy of it in newer versions.
USAGE_ERROR: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)
DEBUG = "--debug"
QUOTE = "'"
# The commands that keep every finished job in a file.
RESUMING = {"compare", "paper"}


class RunFailedError(Exception):
    """A run that ended with failures; the message says which."""


def run_app(app: Any, arguments: Sequence[str]) -> int:
    """Run a typer app.

    Parameters
    ----------
    app : typer.Typer
    arguments : sequence of str
        Without the name of the program. ``--debug`` may stand anywhere before ``--``.

    Returns
    -------
    int
        The exit code.
    """
    debug, rest = _without_debug(arguments)
    try:
        with warnings_as_notes(err()):  # of reading a file, say; commands show those of training
            code = app(rest, prog_name="kpboost", standalone_mode=False)
        sys.stdout.flush()
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        if debug:
            raise
        return _explain(error, rest)
    return _tell_stopped(rest) if code == STOPPED else code if isinstance(code, int) else 0


def one_sentence(error: BaseException) -> str:
    """Write what an error says on one line; of a file, which and why; of a package, the extra."""
    if isinstance(error, ModuleNotFoundError) and (advice := extra_advice(error)):
        return advice
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}."
    text = " ".join(str(error).split()) or type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _explain(error: BaseException, arguments: Sequence[str]) -> int:
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return _tell_stopped(arguments)
    if isinstance(error, BrokenPipeError):  # kpboost datasets | head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    if isinstance(error, USAGE_ERROR):
        _say(_usage(error))
        return BAD_INPUT
    if isinstance(error, RunFailedError | MemoryError):
        _say(one_sentence(error))
        return FAILED
    if isinstance(error, ValueError | OSError | ImportError):
        _say(one_sentence(error))
        return BAD_INPUT
    what = one_sentence(error).rstrip(".")
    _say(f"Unexpected error: {type(error).__name__}: {what}; {DEBUG} shows the traceback.")
    return FAILED


def _usage(error: Any) -> str:
    """Write what is wrong with the words on the command line, and where they are explained."""
    context = getattr(error, "ctx", None)
    message = _no_option(error, context) or _no_number(error)
    message = message or " ".join(error.format_message().split())
    ended = message if message.endswith((".", "?", "!")) else f"{message}."
    return f"{ended} See {context.command_path if context else 'kpboost'} --help."


def _no_option(error: Any, context: Any) -> str:
    """Say that there is no such option, and which may be meant; "" of another error."""
    if type(error).__name__ != "NoSuchOption" or context is None:
        return ""
    known = {name for each in context.command.get_params(context) for name in each.opts}
    hint = did_you_mean(error.option_name, sorted(known)).replace(QUOTE, "")
    return f"There is no option {error.option_name}" + (f"; {hint}" if hint else "")


def _no_number(error: Any) -> str:
    """Say that an option takes a whole number; "" of another error."""
    param: Any = getattr(error, "param", None)
    if type(error).__name__ != "BadParameter" or getattr(param, "metavar", None) != "N":
        return ""
    return f"{max(param.opts, key=len)} must be a whole number"


def _tell_stopped(arguments: Sequence[str]) -> int:
    command = next((each for each in arguments if not each.startswith("-")), "")
    kept = "; finished jobs are kept, and the same command continues from there"
    _say(f"Stopped{kept if command in RESUMING else ''}.")
    return STOPPED


def _say(sentence: str) -> None:
    say(f"kpboost: {sentence}")


def _without_debug(arguments: Sequence[str]) -> tuple[bool, list[str]]:
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    options, rest = list(arguments[:end]), list(arguments[end:])
    return DEBUG in options, [word for word in options if word != DEBUG] + rest
