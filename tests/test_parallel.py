"""Worker processes end with their owner, also on a machine without any system tool."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
from kpboost._parallel import WorkerProcesses

if __name__ == "__main__":
    with WorkerProcesses(2) as pool:
        print(pool.submit(abs, -1).result())
"""


def test_processes_end_where_path_has_nothing_but_python(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = os.environ | {"PATH": str(Path(sys.executable).parent)}
    done = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
