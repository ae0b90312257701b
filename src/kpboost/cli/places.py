"""Where results and reports go when the user does not say."""

from pathlib import Path

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
    >>> from kpboost.cli.places import variant_of
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
