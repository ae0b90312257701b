"""Progress, with rich and without it."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from kpboost.ensemble._kpboost_svc import PLAIN_LINES, progress


@pytest.fixture
def without_rich(monkeypatch):
    for name in ("rich", "rich.console", "rich.progress"):
        monkeypatch.setitem(sys.modules, name, None)


TITLE = "KPBoost: 4 rounds"


def run(verbose, total):
    with progress(verbose, TITLE, total) as after_step:
        for _ in range(total):
            after_step()


def test_silent_by_default(capfd):
    run(0, 6)
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("without_rich")
def test_plain_lines(capfd):
    run(1, 4)
    out, err = capfd.readouterr()
    assert out == ""
    assert err.splitlines() == [f"{TITLE}: {done} of 4 done" for done in (1, 2, 3, 4)]


@pytest.mark.usefixtures("without_rich")
@pytest.mark.parametrize("total", [10, 11, 19, 21, 450])
def test_few_lines_and_the_last_is_the_end(capfd, total):
    run(1, total)
    lines = capfd.readouterr().err.splitlines()
    assert 5 <= len(lines) <= PLAIN_LINES
    assert lines[-1].endswith(f"{total} of {total} done")


@pytest.mark.usefixtures("without_rich")
def test_threads_lose_no_round(capfd):
    with progress(1, TITLE, 4000) as after_step, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: after_step(), range(4000)))
    assert "4000 of 4000 done" in capfd.readouterr().err


def test_a_bar_where_rich_is_installed(capfd):
    pytest.importorskip("rich")
    run(1, 12)
    out, err = capfd.readouterr()
    assert out == ""
    assert TITLE in err
    assert re.search(r"100\s*%", err)


def test_the_bar_ends_with_an_interruption(capfd):
    pytest.importorskip("rich")

    def interrupted():
        with progress(1, TITLE, 4):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    run(1, 2)  # rich allows one live bar at a time
    assert TITLE in capfd.readouterr().err
