"""What pages promise: links lead somewhere, commands are understood, notebooks are notebooks."""

import re
from pathlib import Path
from types import ModuleType

import pytest

from support.docs_pages import PAGES, ROOT, commands, words_of
from support.docs_scripts import docs_script

TUTORIALS = [page for page in PAGES if "{code-cell}" in page.read_text(encoding="utf-8")]
# Pages that are written when the documentation is built; `make docs` sees that links to them work.
GENERATED = (ROOT / "docs" / "gallery", ROOT / "docs" / "api")

FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
TARGET = re.compile(r"^\(([\w-]+)\)=$|<a (?:id|name)=\"([^\"]+)\"", re.MULTILINE)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors(page: Path) -> set[str]:
    """Anchors as code hosts and the documentation make them from headings, and explicit ones."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in HEADING.findall(text)]
    slugs = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}
    return slugs | {name for pair in TARGET.findall(text) for name in pair if name}


def dead_links(page: Path) -> list[str]:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return [link for link in LINK.findall(text) if not leads_somewhere(page, link)]


def leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if target.is_relative_to(GENERATED[0]) or target.with_suffix("") == GENERATED[1]:
        return True
    if not anchor or target.suffix != ".md":
        return target.exists()
    return target.exists() and anchor in anchors(target)


INSTALLERS = (["--install-completion"], ["--show-completion"])


def refusal(command: str) -> str:
    """Say what the command line would refuse before it reads any file; "" if nothing."""
    typer = pytest.importorskip("typer")
    from kpboost.cli.commands import app

    words = words_of(command)
    if words[:1] in INSTALLERS:  # they would change the shell of whoever runs the tests
        return ""
    group = typer.main.get_command(app)
    try:
        with group.make_context("kpboost", words[:]) as context:
            _, called, rest = group.resolve_command(context, words)
            called.make_context(called.name, rest, parent=context)
    except Exception as error:
        if not hasattr(error, "exit_code"):  # of click's errors, or of typer's own copy of them
            raise
        return "" if error.exit_code == 0 else str(error)  # --help answers and leaves with 0
    return ""


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    assert dead_links(page) == []


def test_dead_links_would_be_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# One `thing`, two\n[a](#one-thing-two) [b](page.md#nothing) [c](gone.md) [d](https://x.y)\n"
        "```\n[e](in-code.md)\n```\n"
    )
    assert dead_links(page) == ["page.md#nothing", "gone.md"]


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=name_of)
def test_commands_on_the_page_are_understood(page):
    refused = {command: refusal(command) for command in commands(page)}
    assert {command: why for command, why in refused.items() if why} == {}


def test_many_commands_are_looked_at():
    assert sum(len(commands(page)) for page in PAGES) > 40


@pytest.mark.parametrize(
    "command",
    [
        "kpboost fit a.csv --out b.skops --no-such-option 1",
        "kpboost fit a.csv",
        "kpboost audit a.csv --folds many",
        "kpboost no-such-command",
    ],
)
def test_a_wrong_command_would_be_found(command):
    assert refusal(command)


def test_there_are_tutorials():
    assert len(TUTORIALS) >= 3


@pytest.mark.parametrize("page", TUTORIALS, ids=name_of)
def test_tutorial_is_a_notebook_that_can_be_downloaded_and_must_not_fail(page):
    text = page.read_text(encoding="utf-8")
    assert text.startswith("---\n")
    assert "kernelspec:" in text.split("---\n")[1]
    assert f"<{page.stem}.ipynb>" in text
    assert "raises-exception" not in text
    assert "skip-execution" not in text


@pytest.fixture(scope="module")
def built() -> ModuleType:
    return docs_script("dead_links")


def test_dead_links_of_built_pages_are_found(built, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.html").write_text(
        '<h1 id="top-of-a">A</h1><a href="sub/b.html#here"></a><a href="sub/b.html#gone"></a>'
        '<a href="#top-of-a"></a><a href="#none"></a><img src="no.png"><a href="https://x.y/z">'
    )
    (tmp_path / "sub" / "b.html").write_text('<p id="here"><a href="../a.html">back</a></p>')
    assert built.dead_links(tmp_path) == [
        "a.html: #none",
        "a.html: no.png",
        "a.html: sub/b.html#gone",
    ]


def test_links_that_became_plain_text_are_found(built, tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="a.html"><span class="xref myst">good</span></a> <p class="myst">text</p>'
        '<span class="xref myst">CHANGES.md</span> and more'
    )
    assert built.dead_links(tmp_path) == ['a.html: "CHANGES.md", which is not a link']


@pytest.fixture(scope="module")
def outside() -> ModuleType:
    return docs_script("outside_pages")


def test_links_of_outside_pages_are_turned(outside):
    text = (
        "[a](docs/audit.md#how) [b](SECURITY.md) [c](LICENSE) [d](#here) [e](https://x.y/z.md)\n"
        "```\n[f](SECURITY.md)\n```\n"
    )
    source = ROOT / "CHANGELOG.md"
    assert outside.with_links(text, source, outside.COPIES[source]) == (
        "[a](../audit.md#how) [b](security.md) [c](path:../../LICENSE) [d](#here) "
        "[e](https://x.y/z.md)\n```\n[f](SECURITY.md)\n```\n"
    )


def test_links_of_pages_to_the_outside_are_turned(outside):
    page = ROOT / "docs" / "tutorials" / "page.md"
    text = "[a](../audit.md) [b](../../CONTRIBUTING.md#map) [c](flights.md)"
    turned = "[a](../audit.md) [b](../project/contributing.md#map) [c](flights.md)"
    assert outside.with_links(text, page, page) == turned


def test_outside_pages_exist(outside):
    assert [page for page in outside.COPIES if not page.is_file()] == []
