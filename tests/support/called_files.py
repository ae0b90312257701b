"""How many of our files a reader has to open: those whose functions are called in a run.

    cd tests; python -m support.called_files compare DATA --backend threads --jobs 1

runs a command of kpboost in this process and prints the files, one per line. Functions that are
called while a module is imported do not count, nor do class bodies: they build what is there.
"""

import os
import sys
import threading
from contextlib import contextmanager, redirect_stdout
from types import FrameType

import kpboost
from kpboost.cli._errors import run_app
from kpboost.cli.commands import app

SOURCE = os.path.dirname(kpboost.__file__) + os.sep


@contextmanager
def called_files():
    """Yield a set that gets the files of ours in which a block calls a function.

    Threads that begin in the block are watched, too; other processes are not.
    """
    found: set[str] = set()
    known: set[str] = set()  # found, or not ours: decided at the first call, for speed

    def note(frame: FrameType, *_) -> None:
        """Called at each call; as it returns None, lines and returns are not traced."""
        file = frame.f_code.co_filename
        if file in known:
            return
        if not is_ours(file):
            known.add(file)
        elif not at_import(frame):
            known.add(file)
            found.add(file)

    before = sys.gettrace()
    threading.settrace(note)
    sys.settrace(note)
    try:
        yield found
    finally:
        sys.settrace(before)
        threading.settrace(before)


def is_ours(file: str) -> bool:
    """Tell whether it is a module of kpboost; compiled templates are not."""
    return file.startswith(SOURCE) and file.endswith(".py")


def at_import(frame: FrameType | None) -> bool:
    """Tell whether a call comes from the top level of one of our modules."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and is_ours(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


def main(words: list[str]) -> int:
    """Run a command; its own output goes to stderr."""
    with called_files() as found, redirect_stdout(sys.stderr):
        code = run_app(app, words)
    print(*sorted(file.removeprefix(SOURCE) for file in found), sep="\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
