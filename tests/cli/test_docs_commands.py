"""The commands of the pages run, one after the other, on a small table of the name they use.

Tutorials run when the documentation is built. An audit tries no remedies here, and a comparison
is only planned: both are run elsewhere, and take longer than all the rest.
"""

import numpy as np
import pytest

from support.calls import call
from support.docs_pages import PAGES, commands, words_of

# Words of calls that need a store of results, data of the paper, a model of another program, or
# that would change somebody's shell.
NOT_HERE = {
    *("paper", "report", "status", "mine.skops"),
    *("--install-completion", "--show-completion"),
}
QUICKER = {"audit": ("--remedies", "never"), "compare": ("--dry-run",)}


def runs(command):
    """Return the words to call kpboost with, or none."""
    words = words_of(command)
    return () if NOT_HERE & {*words} else (*words, *QUICKER.get(words[0], ()))


def calls(page):
    """Return the calls of a page, in their order; of a notebook none."""
    if "{code-cell}" in page.read_text(encoding="utf-8"):
        return []
    return [words for command in commands(page) if (words := runs(command))]


@pytest.fixture
def data(here):
    """The files that pages speak of; the last column is the class."""
    rng = np.random.default_rng(0)
    sick = np.arange(60) % 5 == 0
    cells = rng.normal(2.0 * sick[:, None], size=(60, 2))
    rows = [f"{a:.4f},{b:.4f}" for a, b in cells]
    labelled = [f"{row},{'sick' if each else 'well'}" for row, each in zip(rows, sick, strict=True)]
    for name in ("mydata", "january", "february"):
        (here / f"{name}.csv").write_text("\n".join(["length,width,label", *labelled]))
    (here / "new.csv").write_text("\n".join(["length,width", *rows]))
    (here / "costs.csv").write_text(",sick,well\nsick,0,10\nwell,1,0\n")
    return here


def test_commands_of_pages_run(data, capsys):
    """Each of them once, though several pages have it."""
    done = set()
    for page in PAGES:
        for words in calls(page):
            if words not in done:
                assert call(capsys, *words).code == 0, f"{page.name}: kpboost {' '.join(words)}"
            done.add(words)
    assert len(done) >= 20
