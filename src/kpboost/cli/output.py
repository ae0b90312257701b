"""Where the command line writes: results to stdout, everything about them to stderr.

Labels and names come from files. Whatever a terminal would obey in them is written out, at this one
place, for texts, tables and bars alike.
"""

import json
import math
import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from kpboost._visible import visible


class VisibleConsole(Console):
    """A console that obeys its own styles and bars, and nothing that stands in a text."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield pieces of text in which every character shows, and rich's own controls."""
        for piece in super().render(renderable, options):
            shown = piece.text if piece.control else visible(piece.text, keep="\n")
            yield piece if shown == piece.text else Segment(shown, piece.style)


def out() -> Console:
    """Return the console for results."""
    return VisibleConsole(soft_wrap=False)


def err() -> Console:
    """Return the console for progress and remarks."""
    return VisibleConsole(stderr=True)


def say(sentence: str) -> None:
    """Print a line to stderr, without any style."""
    print(visible(sentence), file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    """Print one JSON document; what is not a number becomes null."""
    json.dump(_plain(value), sys.stdout, indent=2, allow_nan=False, default=str)
    sys.stdout.write("\n")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
