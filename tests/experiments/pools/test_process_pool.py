import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

# Prints the children of a run with two workers, then stands still.
SCRIPT = """
import sys
from pathlib import Path
from time import sleep
from kpboost.experiments import ExperimentSpec, run

def tell(progress):
    if progress.done:
        lists = Path("/proc/self/task").glob("*/children")
        print(*[pid for own in lists for pid in own.read_text().split()], flush=True)
        sleep(1000)

spec = ExperimentSpec([sys.argv[1]], ["c45_ib1"])
run(spec, sys.argv[2], n_jobs=2, backend="processes", on_progress=tell)
"""
# Seconds for workers to see that they are alone, on a busy machine.
PATIENCE = 60


def lives(pid):
    """Tell whether a process is there and not only waits to be buried."""
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for workers in /proc")
def test_workers_end_with_a_run_that_is_killed(two_classes, tmp_path):
    command = [sys.executable, "-c", SCRIPT, str(two_classes), str(tmp_path / "store.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        pids = process.stdout.readline().split()
        assert len(pids) >= 2
        assert all(map(lives, pids))
        process.send_signal(signal.SIGKILL)
    end = monotonic() + PATIENCE
    while any(map(lives, pids)) and monotonic() < end:
        sleep(0.1)
    assert not any(map(lives, pids))
