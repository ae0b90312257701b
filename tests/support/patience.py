"""Wait for conditions and press Ctrl-C at the right moment, on a machine however busy.

Nothing here counts seconds on the wall: a condition is a file, a line, a number of calls, or an
amount of work in CPU seconds, which are the same on a busy machine. The only limit is one against
tests that never end. Child processes of ``run_python`` may import this module, too.
"""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic, process_time, sleep

# On the path of every test, and of every Python that a test starts here.
TESTS = Path(__file__).parents[1]
# Seconds after which something hangs; what is waited for takes a few on a quiet machine.
HANG = 600.0
# Seconds between two looks at a condition.
PERIOD = 0.005


def wait_until(condition):
    """Wait as long as it takes until a function says True."""
    end = monotonic() + HANG
    while not condition():
        assert monotonic() < end, f"it did not happen in {HANG:g} seconds"
        sleep(PERIOD)


def worked(seconds):
    """Return a condition: that this process has worked so many CPU seconds from now on."""
    end = process_time() + seconds
    return lambda: process_time() >= end


def with_support(**variables):
    """Return an environment in which a child process finds the package ``support``."""
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path.rstrip(os.pathsep), **variables}


def run_python(script, *arguments):
    """Run a script in a process of its own, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=HANG,
        env=with_support(),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def hear_ctrl_c():
    """Take Ctrl-C seriously although this process was told to ignore it.

    Shells that are no terminal tell so to what they start in the background, and a process hands it
    on to its children. What is handled is not handed on: they begin with the usual behaviour.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class CtrlC:
    """Press Ctrl-C in this process once a condition holds, unless the block is over before.

    Parameters
    ----------
    when : callable
        Asked in a thread of its own, without arguments.

    Attributes
    ----------
    work_after : float
        CPU seconds that the process worked from the signal to the end of the block; NaN if there
        was no signal.
    """

    def __init__(self, when):
        self._when = when
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch)
        self._pressed = self.work_after = float("nan")

    def __enter__(self):
        self._watcher.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self.work_after = process_time() - self._pressed
        self._watcher.join()  # a signal at the very end comes here, still inside of the block

    def _watch(self):
        while not self._over.wait(PERIOD):
            if self._when():
                self._pressed = process_time()
                os.kill(os.getpid(), signal.SIGINT)
                return
