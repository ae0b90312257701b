"""Where results and reports go when the user does not say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kpboost.experiments import ExperimentSpec

RESULTS = "results.sqlite"
# Folders that commands make for a store and its report together.
OWN_FOLDERS = "kpboost-"


def variant_of(spec: ExperimentSpec, *, protocol: str, grid: str) -> list[str]:
    """Name what differs from a command's own settings, so that different runs do not meet.

    Parameters
    ----------
    spec : ExperimentSpec
    protocol, grid : str
        The command's own.

    Examples
    --------
    >>> from kpboost.cli._paths import variant_of
    >>> from kpboost.experiments import ExperimentSpec
    >>> spec = ExperimentSpec(["wine"], ["svm"], protocol="stated", n_folds=3)
    >>> variant_of(spec, protocol="nested", grid="quick")
    ['stated', '3-fold']
    """
    words = {
        spec.protocol: spec.protocol != protocol,
        spec.grid: spec.grid != grid,
        f"{spec.n_folds}-fold": spec.n_folds is not None,
        f"seed-{spec.seed}": spec.seed != 0,
    }
    return [word for word, differs in words.items() if differs]


def report_beside(store: Path) -> Path:
    """Choose the folder of a report: the store's own if a command made it, one of its name if not.

    Examples
    --------
    >>> from pathlib import Path
    >>> from kpboost.cli._paths import report_beside
    >>> report_beside(Path("kpboost-compare/results.sqlite")).name
    'kpboost-compare'
    >>> report_beside(Path("my.sqlite")).name
    'my'
    >>> report_beside(Path("my")).name
    'my-report'
    """
    folder = store.absolute().parent
    if store.name == RESULTS and folder.name.startswith(OWN_FOLDERS):
        return store.parent
    return store.with_suffix("") if store.suffix else store.with_name(f"{store.name}-report")


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
