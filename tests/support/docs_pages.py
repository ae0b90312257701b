"""Pages of the documentation, and the calls of kpboost in their shell blocks."""

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs" / "tutorials").glob("*.md"),
        *(ROOT / "benchmarks").glob("*.md"),
        ROOT / "results" / "README.md",
    ]
)

COMMAND = re.compile(r"^(?:\$ )?(kpboost .*)$", re.MULTILINE)
SHELL_BLOCK = re.compile(r"^```(?:console|\{code-cell\} ipython3\n%%sh)\n(.*?)^```$", re.M | re.S)


def commands(page: Path) -> list[str]:
    """All calls of kpboost in the shell blocks of a page."""
    blocks = SHELL_BLOCK.findall(page.read_text(encoding="utf-8"))
    lines = [block.replace("\\\n", " ") for block in blocks]  # a backslash goes on in the next line
    return [command for block in lines for command in COMMAND.findall(block)]


def words_of(command: str) -> list[str]:
    """Return the words after kpboost, without what is meant for the shell and its reader."""
    return shlex.split(command.split("||")[0].replace("2>&1", ""), comments=True)[1:]
