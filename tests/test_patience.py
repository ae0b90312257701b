"""The suite itself: it hears Ctrl-C where its parent ignores it, and waits for conditions."""

import math
import os
import signal
import subprocess
import sys

import pytest

from support.patience import HANG, TESTS, CtrlC, run_python, wait_until, worked

# Whether Ctrl-C is ignored, in this process and in a child of it, before and after.
IGNORED = """
import signal, subprocess, sys
from support.patience import hear_ctrl_c

ASK = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"

def told():
    own = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    child = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True).stdout
    return [str(own), child.strip()]

before = told()
hear_ctrl_c()
print(*before, *told())
"""

posix = pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another thing on Windows")


def ignore_ctrl_c():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@posix
def test_ctrl_c_is_heard_in_the_background_and_by_children():
    """As in a background job of a script."""
    command = [sys.executable, "-c", IGNORED]
    done = subprocess.run(
        command,
        cwd=TESTS,
        capture_output=True,
        text=True,
        timeout=HANG,
        preexec_fn=ignore_ctrl_c,
    )
    assert done.stdout.split() == ["True", "True", "False", "False"], done.stderr


def test_this_very_process_hears_it():
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def go_on_for_ever(seen):
    while True:
        seen.append(1)


@posix
def test_ctrl_c_comes_when_the_condition_holds():
    seen = []
    press = CtrlC(lambda: len(seen) > 1000)
    with pytest.raises(KeyboardInterrupt), press:
        go_on_for_ever(seen)
    assert len(seen) > 1000
    assert press.work_after < 5


def test_no_ctrl_c_after_the_block():
    with CtrlC(lambda: False) as press:
        pass
    assert math.isnan(press.work_after)


def test_work_is_not_time():
    """Who sleeps does not work."""
    enough = worked(1.0)
    with pytest.raises(AssertionError, match="did not happen"):
        wait_until_soon(enough)
    assert not enough()


def wait_until_soon(condition):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("support.patience.HANG", 0.05)
        wait_until(condition)


def test_the_words_of_a_failed_child():
    assert run_python("print('well', end='')") == "well"
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        run_python("1 / 0")
