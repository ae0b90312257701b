"""Errors as one line of text that a record can keep."""

# Enough for a sentence; some libraries print whole arrays.
MOST_LETTERS = 500


def in_words(error: BaseException) -> str:
    """Return the kind of an error and what it says, on one line."""
    text = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {text}"[:MOST_LETTERS] if text else name
