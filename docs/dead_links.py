"""Find links of built pages that lead nowhere: ``python docs/dead_links.py build/docs``.

Sphinx looks at the links that it resolves itself. This reads what a browser would: every ``href``
and ``src`` of every page that points into the documentation, its anchor included. Addresses of
other hosts are not asked. A link that Sphinx could not resolve has become plain text, marked
as such; it is dead, too.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes that hold an address, and those that make an anchor.
ADDRESSES, ANCHORS = ("href", "src"), ("id", "name")
# Classes of the text of a link that was not resolved.
UNRESOLVED = {"xref", "myst"}


class Page(HTMLParser):
    """The addresses on one page, the anchors that others may link to, and links that are none."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = {"", "top"}  # a browser knows these two on every page
        self.unresolved: list[str] = []
        self._in_link = self._in_unresolved = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep what is an address or an anchor."""
        self.links.update(value for name, value in attrs if name in ADDRESSES and value)
        self.anchors.update(value for name, value in attrs if name in ANCHORS and value)
        classes = (dict(attrs).get("class") or "").split()
        self._in_link = self._in_link or tag == "a"
        self._in_unresolved = not self._in_link and set(classes) >= UNRESOLVED

    def handle_endtag(self, tag: str) -> None:
        """Notice the end of a link."""
        self._in_link = self._in_link and tag != "a"

    def handle_data(self, data: str) -> None:
        """Keep the words of a link that was not resolved."""
        if self._in_unresolved:
            self.unresolved.append(data)
        self._in_unresolved = False


def dead_links(folder: Path) -> list[str]:
    """Return one line for each link that leads nowhere: the page, and the link on it."""
    folder = folder.resolve()
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    return [
        f"{path.relative_to(folder)}: {link}" for path in pages for link in dead_on(path, pages)
    ]


def dead_on(path: Path, pages: dict[Path, Page]) -> list[str]:
    """Return the dead addresses on one page, and the words of links without an address."""
    page = pages[path]
    dead = [link for link in sorted(page.links) if not leads_somewhere(link, path, pages)]
    return dead + [f'"{words}", which is not a link' for words in page.unresolved]


def leads_somewhere(link: str, source: Path, pages: dict[Path, Page]) -> bool:
    """Tell whether a file, and the anchor in it, exist; other hosts are believed."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (source.parent / unquote(parts.path)).resolve() if parts.path else source
    if target not in pages:
        return target.is_file()
    return unquote(parts.fragment) in pages[target].anchors


if __name__ == "__main__":
    dead = dead_links(Path(sys.argv[1]))
    print("\n".join(dead), end="\n" if dead else "", file=sys.stderr)
    sys.exit(f"{len(dead)} dead links in {sys.argv[1]}." if dead else 0)
