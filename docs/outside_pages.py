"""Pages of the documentation that stand outside of its folder, such as the changelog.

They are copied into ``docs/project`` when the documentation is built. Links between them and other
pages are turned to the copies; links to other files of the repository become downloads. So one text
serves readers of the repository and of the documentation.
"""

import re
from os.path import relpath
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
COPIES = {
    ROOT / "CHANGELOG.md": DOCS / "project" / "changelog.md",
    ROOT / "CONTRIBUTING.md": DOCS / "project" / "contributing.md",
    ROOT / "SECURITY.md": DOCS / "project" / "security.md",
    ROOT / "benchmarks" / "README.md": DOCS / "project" / "benchmarks.md",
    ROOT / "results" / "README.md": DOCS / "project" / "results.md",
}
# A fenced block, which is left alone, or the address of a link into the repository and its anchor.
FENCE_OR_LINK = re.compile(
    r"^ *```.*?^ *```$|(?<=\]\()(?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?(?=\))", re.MULTILINE | re.DOTALL
)


def write_outside_pages() -> None:
    """Copy the pages; an unchanged one is not written, and so not built again."""
    for source, target in COPIES.items():
        page = with_links(source.read_text(encoding="utf-8"), source, target)
        target.parent.mkdir(exist_ok=True)
        if not target.exists() or target.read_text(encoding="utf-8") != page:
            target.write_text(page, encoding="utf-8")


def with_links(text: str, source: Path, target: Path) -> str:
    """Return a page with links for another place; they were written for that of its source."""

    def turned(match: re.Match[str]) -> str:
        path, anchor = match.groups()
        if path is None:
            return match.group()
        return address((source.parent / path).resolve(), target) + (anchor or "")

    return FENCE_OR_LINK.sub(turned, text)


def address(linked: Path, page: Path) -> str:
    """Return how a page inside links to a file: to its copy, to it, or as a download."""
    place = COPIES.get(linked, linked)
    scheme = "" if place.is_relative_to(DOCS) else "path:"
    return scheme + relpath(place, page.parent)
