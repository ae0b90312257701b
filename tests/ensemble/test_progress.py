"""Progress over rounds and problems, with rich and without it."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from kpboost.ensemble.progress import PLAIN_LINES, round_progress


@pytest.fixture
def without_rich(monkeypatch):
    for name in ("rich", "rich.console", "rich.progress"):
        monkeypatch.setitem(sys.modules, name, None)


def run(verbose, n_problems, n_rounds):
    with round_progress(verbose, n_problems, n_rounds) as after_round:
        for _ in range(n_problems * n_rounds):
            after_round()


def test_silent_by_default(capfd):
    run(0, 2, 3)
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("without_rich")
def test_plain_lines(capfd):
    run(1, 1, 4)
    out, err = capfd.readouterr()
    assert out == ""
    title = "KPBoost: 1 problem, 4 rounds: "
    assert err.splitlines() == [f"{title}{done} of 4 done" for done in (1, 2, 3, 4)]


@pytest.mark.usefixtures("without_rich")
@pytest.mark.parametrize(("n_problems", "n_rounds"), [(1, 10), (1, 11), (1, 19), (3, 7), (45, 10)])
def test_few_lines_and_the_last_is_the_end(capfd, n_problems, n_rounds):
    run(1, n_problems, n_rounds)
    lines = capfd.readouterr().err.splitlines()
    total = n_problems * n_rounds
    assert 5 <= len(lines) <= PLAIN_LINES
    assert lines[-1].endswith(f"{total} of {total} done")


@pytest.mark.usefixtures("without_rich")
def test_threads_lose_no_round(capfd):
    with round_progress(1, 8, 500) as after_round, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: after_round(), range(8 * 500)))
    assert "4000 of 4000 done" in capfd.readouterr().err


def test_a_bar_where_rich_is_installed(capfd):
    pytest.importorskip("rich")
    run(1, 3, 4)
    out, err = capfd.readouterr()
    assert out == ""
    assert "KPBoost: 3 problems, 4 rounds" in err
    assert re.search(r"100\s*%", err)


def test_the_bar_ends_with_an_interruption(capfd):
    pytest.importorskip("rich")

    def interrupted():
        with round_progress(1, 1, 4):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    run(1, 1, 2)  # rich allows one live bar at a time
    assert "2 rounds" in capfd.readouterr().err
