r"""Text of a file as it may be shown: nothing in it moves the cursor, hides or reorders words.

Labels, names of columns and names of files come from elsewhere. A terminal obeys some of their
characters, and a reader is fooled by others; here they become their escapes, such as ``\x1b``.
"""

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

# Categories of Unicode that are obeyed and not shown: controls, formats such as the marks that
# reverse text, halves of pairs, and separators of lines and paragraphs.
UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
# Formats that some languages cannot be written without: they join letters, or keep them apart.
JOINERS = "\u200c\u200d"


def visible(text: str, *, keep: str = "") -> str:
    r"""Return text in which every character shows.

    Parameters
    ----------
    text : str
        Any text.
    keep : str, default=""
        Characters to leave as they are, such as the end of a line.

    Returns
    -------
    str
        The same text where nothing in it is unseen.

    Examples
    --------
    >>> from kpboost._text import visible
    >>> print(visible("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    if text.isascii() and text.isprintable():
        return text
    kept = JOINERS + keep
    return "".join(each if each in kept or _shows(each) else _escaped(each) for each in text)


def some_of(words: Sequence[Any], most: int, written: Callable[[Any], str] = str) -> str:
    """Put commas between the first few of many words, and say how many more there are.

    Only those that are shown are written.

    Examples
    --------
    >>> from kpboost._text import some_of
    >>> some_of(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = len(words) - most
    return ", ".join(map(written, words[:most])) + (f" and {more} more" if more > 0 else "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Ask for the known word that is nearest to a misspelt one; "" if none is near.

    Examples
    --------
    >>> from kpboost._text import did_you_mean
    >>> did_you_mean("kpbost", ["svm", "kpboost"])
    "did you mean 'kpboost'?"
    """
    from difflib import get_close_matches

    by_small = {each.lower(): each for each in known}
    near = get_close_matches(word.lower(), by_small, n=1)
    return f"did you mean {by_small[near[0]]!r}?" if near else ""


def _shows(character: str) -> bool:
    return unicodedata.category(character) not in UNSEEN


def _escaped(character: str) -> str:
    """Return one character as Python writes it."""
    return character.encode("unicode_escape").decode("ascii")
