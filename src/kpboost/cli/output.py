"""Where the command line writes: results to stdout, everything about them to stderr."""

import json
import math
import sys
from typing import Any

from rich.console import Console


def out() -> Console:
    """Return the console for results."""
    return Console(soft_wrap=False)


def err() -> Console:
    """Return the console for progress and remarks."""
    return Console(stderr=True)


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
