"""Every command over every file of the hostile corpus: no crash, no hang, no traceback."""

import os
import subprocess
import sys

import pytest

from support.patience import HANG, with_support

pytest.importorskip("openpyxl")
pytest.importorskip("pyarrow")
pytest.importorskip("skops")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the corpus needs pipes and devices")
def test_every_command_ends_well_on_every_hostile_file(tmp_path):
    environment = with_support(COLUMNS="1000", OMP_NUM_THREADS="1")
    environment.pop("KPBOOST_DATA", None)
    done = subprocess.run(
        [sys.executable, "-m", "support.hostile_files", str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0, "\n".join(lines[-2:]) + done.stderr[-3000:]
    assert lines[-1] == "done"
    assert len(lines) > 1000
    refused = sum(line.endswith((" 1", " 2")) for line in lines)
    assert refused > 0.9 * len(lines)
