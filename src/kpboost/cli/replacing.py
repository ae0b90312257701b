"""What a command may replace: files that a command of ours has made, and no others."""

from pathlib import Path

# The page of an audit, and the file beside it that a page of somebody else's does not have.
PAGE, RECORD = "index.html", "audit.json"


def check_file(option: str, file: Path, *, is_ours: bool, kind: str) -> None:
    """Refuse to write where something else is, before any work.

    Parameters
    ----------
    option : str
        The option that has named the file, or what it is.
    file : Path
        Where to write.
    is_ours : bool
        Whether the file that is there, if there is one, may be replaced.
    kind : str
        What it would have to be, for the message.
    """
    if file.is_dir() or not file.absolute().parent.is_dir():
        raise ValueError(f"{option} {file} must be a file in a folder that exists.")
    if file.is_file() and file.stat().st_size and not is_ours:  # an empty one is no loss
        raise ValueError(
            f"{option} {file} is there already and is not {kind}; name another file or remove it."
        )


def check_folder(folder: Path) -> None:
    """Refuse a folder whose page is not that of an audit."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; a folder is needed there.")
    if (folder / PAGE).exists() and not (folder / RECORD).exists():
        raise ValueError(
            f"{folder} holds a page {PAGE} that is not an audit's; name another folder (--report)."
        )
