"""Where results and reports go when the user does not say."""

from pathlib import Path

RESULTS = "results.sqlite"
# Folders that commands make for a store and its report together.
OWN_FOLDERS = "kpboost-"


def report_beside(store: Path) -> Path:
    """Choose the folder of a report: the store's own if a command made it, one of its name if not.

    Examples
    --------
    >>> from pathlib import Path
    >>> from kpboost.cli.places import report_beside
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
