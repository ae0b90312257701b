"""A solve that never ends is a failed test, not a suite that never ends."""

import os
import signal

import pytest

# Seconds; the slowest test here takes fifteen. `make sanitize` gives more.
PATIENCE = int(os.environ.get("KPBOOST_TEST_PATIENCE", "20"))


@pytest.fixture(autouse=True)
def no_hangs():
    """Raise in the middle of a solve, the way Ctrl-C does."""
    if not hasattr(signal, "SIGALRM"):  # Windows
        yield
        return

    def give_up(number, frame):
        raise TimeoutError(f"still running after {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
