import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.patience import HANG, wait_until

# Prints the children of a run with two workers, then stands still.
SCRIPT = """
import sys
from pathlib import Path
from time import sleep
from kpboost.experiments import ExperimentSpec, run

told = []

def tell(progress):
    if progress.done and not told:  # jobs that end meanwhile are told of after Ctrl-C
        told.append(progress)
        lists = Path("/proc/self/task").glob("*/children")
        print(*[pid for own in lists for pid in own.read_text().split()], flush=True)
        sleep(1000)

spec = ExperimentSpec([sys.argv[1]], ["c45_ib1"])
run(spec, sys.argv[2], n_jobs=2, backend="processes", on_progress=tell)
"""


def lives(pid):
    """Tell whether a process is there and not only waits to be buried."""
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return False


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="looks for workers in /proc"
)


@pytest.fixture
def started(two_classes, tmp_path):
    """Start a run with a group of its own."""
    command = [sys.executable, "-c", SCRIPT, str(two_classes), str(tmp_path / "store.db")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, text=True, start_new_session=True) as process:
        yield process
        process.kill()


def hears_ctrl_c(pid):
    """Tell whether a process neither blocks nor ignores the signal; masks are in hexadecimal."""
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    masks = [int(line.split()[1], 16) for line in status if line.startswith(("SigBlk", "SigIgn"))]
    return not any(mask >> (signal.SIGINT - 1) & 1 for mask in masks)


@needs_proc
def test_ctrl_c_is_left_to_the_owner(started):
    pids = started.stdout.readline().split()
    assert len(pids) >= 2
    assert not any(map(hears_ctrl_c, pids))
    assert hears_ctrl_c(started.pid)
    os.killpg(started.pid, signal.SIGINT)
    _, errors = started.communicate(timeout=HANG)
    assert errors.count("Traceback") == 1  # its own: the script does not catch it
    assert errors.strip().endswith("KeyboardInterrupt")
    assert not any(map(lives, pids))


@needs_proc
def test_workers_end_with_a_run_that_is_killed(started):
    pids = started.stdout.readline().split()
    assert len(pids) >= 2
    assert all(map(lives, pids))
    started.kill()
    wait_until(lambda: not any(map(lives, pids)))
