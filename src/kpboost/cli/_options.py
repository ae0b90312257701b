"""Options that several commands share."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kpboost.datasets import ColumnChoices, Dataset

# For completion in the shell, which must not import the registry; a test compares the two.
METHOD_NAMES = (
    "rare_class",
    *("svm", "kpboost", "kpboost_roi", "adaboost_svm", "c45_ib1", "d_svm", "aks", "aks_chi2"),
    *(
        "rusboost",
        "adaboost_mlp",
        "kba",
        "act",
        "ks",
        "svm_ovr",
        "kpboost_ovr",
        "kpboost_roi_ovr",
        "nystroem_kpboost",
    ),
    *("svm_balanced", "kpboost_balanced", "svm_balanced_tuned", "extra_trees_tuned"),
    *("extra_trees_prior", "random_forest_tuned", "random_forest_prior", "gradient_boosting"),
    *("gradient_boosting_tuned", "lightgbm_tuned", "xgboost_tuned", "gradient_boosting_balanced"),
    *("balanced_forest", "easy_ensemble", "rusboost_imblearn"),
)
# The ending of files that say themselves which column is the class.
KEEL = ".dat"
# A file of costs is a small matrix.
LARGEST_COSTS = 1 << 20
# Classes in a message.
MOST_NAMES = 10

# Headings of a help text, below the usual options of a command.
COLUMNS = "Columns of the table"
POINT = "Operating point"
RUNS = "How it runs"
PLACES = "Files and output"


def completed_by(*words: str) -> Callable[[str], list[str]]:
    """Return what completes an option in the shell: one of some words, also after a comma.

    Examples
    --------
    >>> from kpboost.cli._options import completed_by
    >>> completed_by("svm", "svm_balanced", "kpboost")("kpboost,svm")
    ['kpboost,svm', 'kpboost,svm_balanced']
    """

    def complete(incomplete: str) -> list[str]:
        before, comma, start = incomplete.rpartition(",")
        return [f"{before}{comma}{word}" for word in words if word.startswith(start)]

    return complete


TableArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A table: CSV, Excel, Parquet, Feather, ARFF or KEEL file; or the name of a known "
        "data set.",
    ),
]
Method: TypeAlias = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="NAME",
        help="Method to train; see kpboost methods.",
        autocompletion=completed_by(*METHOD_NAMES),
    ),
]
Methods: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--methods",
        "-m",
        metavar="NAME,NAME",
        help="Methods to compare; see kpboost methods. 'paper' means all methods of the paper, "
        "'all' means all methods.",
        autocompletion=completed_by(*METHOD_NAMES, "paper", "all"),
    ),
]
Grid: TypeAlias = Annotated[
    str,
    typer.Option(
        "--grid",
        metavar="quick|paper",
        help="Parameter grid: a small one, or the full one of the paper.",
        autocompletion=completed_by("quick", "paper"),
        rich_help_panel=RUNS,
    ),
]
Protocol: TypeAlias = Annotated[
    str,
    typer.Option(
        "--protocol",
        metavar="NAME",
        help="nested chooses parameters inside the training folds. stated and published choose "
        "them on the test folds, as the paper did.",
        autocompletion=completed_by("nested", "stated", "published"),
        rich_help_panel=RUNS,
    ),
]
Folds: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--folds",
        metavar="N",
        help="Number of cross-validation folds; by default that of the protocol.",
        rich_help_panel=RUNS,
    ),
]
Trust: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--trust",
        metavar="TYPE",
        help="A Python type that the model file may contain; only for files that you made. "
        "Repeatable.",
    ),
]
Seed: TypeAlias = Annotated[
    int,
    typer.Option(
        "--seed", metavar="N", help="Random seed; same seed, same result.", rich_help_panel=RUNS
    ),
]
Seeds: TypeAlias = Annotated[
    int,
    typer.Option(
        "--seeds",
        metavar="N",
        help="Repeat everything with N seeds, starting from --seed.",
        rich_help_panel=RUNS,
    ),
]
Jobs: TypeAlias = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        help="Number of parallel jobs; -1 uses all processors.",
        rich_help_panel=RUNS,
    ),
]
Store: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--store",
        metavar="FILE",
        help="SQLite file for the results. A stopped run continues from it.",
        rich_help_panel=PLACES,
    ),
]
ReportFolder: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--report", metavar="FOLDER", help="Folder for the report.", rich_help_panel=PLACES
    ),
]
Backend: TypeAlias = Annotated[
    str,
    typer.Option(
        "--backend",
        metavar="NAME",
        help="Where jobs run: processes, threads, dask or ray.",
        autocompletion=completed_by("processes", "threads", "dask", "ray"),
        rich_help_panel=RUNS,
    ),
]
Scheduler: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Address of a running dask or ray cluster.",
        rich_help_panel=RUNS,
    ),
]
DataDir: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        metavar="FOLDER",
        help="Folder with files of the paper's data sets.",
        envvar="KPBOOST_DATA",
        rich_help_panel=PLACES,
    ),
]
Target: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--target", metavar="NAME", help="Column with the classes; by default the last column."
    ),
]
Drop: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--drop", metavar="NAME,NAME", help="Columns to leave out.", rich_help_panel=COLUMNS
    ),
]
IdColumns: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--id",
        metavar="NAME,NAME",
        help="Columns of identifiers: never features, but copied into predictions.",
        rich_help_panel=COLUMNS,
    ),
]
Keep: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--keep",
        metavar="NAME,NAME",
        help="Columns to use as features even if they look like identifiers, free text or dates; "
        "'all' means all columns.",
        rich_help_panel=COLUMNS,
    ),
]
ManyClasses: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--many-classes",
        help="Allow a class column with more than 50 different numbers.",
        rich_help_panel=COLUMNS,
    ),
]
Raw: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--raw",
        help="Write text unchanged. By default, text that a spreadsheet would run as a formula "
        "gets an apostrophe in front.",
    ),
]
Costs: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--costs",
        metavar="TRUE:PREDICTED=COST,...",
        help="Choose the labels of lowest cost. Other errors cost 1. Or a CSV file with the cost "
        "matrix, true classes in rows.",
        rich_help_panel=POINT,
    ),
]
Recall: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--recall",
        metavar="SHARE[:CLASS]",
        help="Set the threshold to find about this share of the rarest class (or of CLASS): "
        "0.9 or 0.9:sick.",
        rich_help_panel=POINT,
    ),
]
Alarms: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--alarms",
        metavar="SHARE[:CLASS]",
        help="Set the threshold to predict the rarest class (or CLASS) for about this share of "
        "the rows at most: 0.05.",
        rich_help_panel=POINT,
    ),
]
RetryFailed: TypeAlias = Annotated[
    bool,
    typer.Option("--retry-failed", help="Run jobs again that failed before.", rich_help_panel=RUNS),
]
DryRun: TypeAlias = Annotated[
    bool, typer.Option("--dry-run", help="Only say what would be done.", rich_help_panel=RUNS)
]
Json: TypeAlias = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document instead of text.", rich_help_panel=PLACES),
]
StoreArgument: TypeAlias = Annotated[
    Path,
    typer.Argument(metavar="STORE", help="A file of results, made by kpboost compare or paper."),
]


def spelling_note(read: Dataset) -> list[str]:
    """Name classes that differ in nothing but capital letters and blanks."""
    spelt: dict[str, list[str]] = {}
    for label in read.classes:
        spelt.setdefault(" ".join(label.split()).casefold(), []).append(label)
    alike = [", ".join(map(repr, labels)) for labels in spelt.values() if len(labels) > 1]
    if not alike:
        return []
    return [f"Written in several ways, and taken for different classes: {'; '.join(alike)}."]


def constant_note(given: str, read: Dataset) -> list[str]:
    """Name the columns of a file that do not vary."""
    from kpboost.datasets import constant_sentences

    return [*constant_sentences(read.table.constant)] if Path(given).is_file() else []


def class_note(given: str, target: str | None, read: Dataset) -> list[str]:
    """Say which column of a file is the class, where nobody has named it."""
    if target is not None or not Path(given).is_file() or Path(given).suffix.lower() == KEEL:
        return []
    return [f"Class: {read.target_name!r}, the last column. --target NAME takes another."]


def column_choices(
    drop: list[str] | None, id_columns: list[str] | None, keep: list[str] | None, many: bool = False
) -> ColumnChoices:
    """Gather what the options say about columns; a name with a comma stands in double quotes."""
    from kpboost.datasets import ColumnChoices

    dropped, named, kept = (
        names_in(option, given)
        for option, given in (("--drop", drop), ("--id", id_columns), ("--keep", keep))
    )
    return ColumnChoices(dropped, named, "all" if kept == ("all",) else kept, many)


def choice_words(choices: ColumnChoices) -> list[str]:
    """Write what a user has said about columns as options again.

    Examples
    --------
    >>> from kpboost.cli._options import choice_words
    >>> from kpboost.datasets import ColumnChoices
    >>> choice_words(ColumnChoices(drop=["a", "b, c"], keep="all"))
    ['--drop', 'a,"b, c"', '--keep', 'all']
    """
    from kpboost.reports import csv_text

    kept = ["all"] if choices.keeps_all else choices.keep
    options = {"--drop": choices.drop, "--id": choices.id_columns, "--keep": kept}
    given = {option: csv_text(names, (), raw=True) for option, names in options.items() if names}
    words = [word for option, text in given.items() for word in (option, text.rstrip("\n"))]
    return words + (["--many-classes"] if choices.many_classes else [])


def names_in(option: str, given: list[str] | None) -> tuple[str, ...]:
    """Names from an option that may be given several times and hold several each time.

    Examples
    --------
    >>> from kpboost.cli._options import names_in
    >>> names_in("--drop", ["a, b", '"c, d"'])
    ('a', 'b', 'c, d')
    """
    words = (word.strip() for text in given or () for word in _split(option, text))
    return tuple(word for word in words if word)


def _split(option: str, text: str) -> list[str]:
    """Split at commas, but not within double quotes."""
    try:
        return next(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error:
        raise ValueError(
            f"{option} {text!r} is no list of names; put commas between names, and double quotes "
            "around a name with a comma or a line break."
        ) from None


def operating_wish(
    classes: Sequence[str], costs: str | None, recall: str | None, alarms: str | None
) -> dict[str, Any]:
    """Gather what the options say about the operating point, as ``train`` takes it.

    Examples
    --------
    >>> from kpboost.cli._options import operating_wish
    >>> operating_wish(["sick", "well"], None, "0.9:sick", None)
    {'recall': 0.9, 'pos_label': 'sick'}
    >>> operating_wish(["sick", "well"], "sick:well=5", None, None)
    {'costs': {('sick', 'well'): 5.0}}
    """
    options = {"--costs": costs, "--recall": recall, "--alarms": alarms}
    given = [option for option, text in options.items() if text is not None]
    if len(given) > 1:
        raise ValueError(f"{given[0]} and {given[1]} are given; one of them is allowed.")
    if costs is not None:
        return {"costs": _costs(costs, classes)}
    for name, text in (("recall", recall), ("alarms", alarms)):
        if text is not None:
            return _share_of(name, text, classes)
    return {}


def _share_of(name: str, text: str, classes: Sequence[str]) -> dict[str, Any]:
    """Read 0.9 or 0.9:CLASS."""
    number, colon, label = text.partition(":")
    share = _number(number)
    if share is None or not 0.0 < share <= 1.0:
        raise ValueError(
            f"--{name} {text!r} is not allowed; it must be a number above 0 and up to 1, such as "
            "0.9, or 0.9:CLASS."
        )
    if colon and label not in classes:
        raise ValueError(f"--{name} {text!r} names no class; {_there_are(classes)}.")
    return {name: share, **({"pos_label": label} if colon else {})}


def _costs(text: str, classes: Sequence[str]) -> dict[tuple[str, str], float]:
    if Path(text).is_file():
        return _cost_table(Path(text), classes)
    pairs = {}
    for item in names_in("--costs", [text]):
        names, _, number = item.rpartition("=")
        cost = _number(number)
        places = [place for place, sign in enumerate(names) if sign == ":"]
        found = [(names[:place], names[place + 1 :]) for place in places]
        known = [pair for pair in found if {*pair} <= {*classes}]
        if len(known) != 1 or cost is None:
            raise ValueError(
                f"--costs {item!r} is neither a file nor TRUE:PREDICTED=COST; "
                f"{_there_are(classes)}."
            )
        pairs[known[0]] = cost
    if not pairs:
        raise ValueError("--costs is empty; TRUE:PREDICTED=COST, or a file, is needed.")
    return pairs


def _cost_table(file: Path, classes: Sequence[str]) -> dict[tuple[str, str], float]:
    """Read a matrix with a header of predicted classes, and true classes in the first column."""
    if file.stat().st_size > LARGEST_COSTS:
        raise ValueError(f"--costs {file} has more than {LARGEST_COSTS:,} bytes.")
    with file.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        header, *rows = [row for row in csv.reader(stream) if row] or [[]]
    names = header[1:]
    whole = sorted(names) == sorted(row[0] for row in rows) == sorted(classes)
    if not whole or any(len(row) != len(header) for row in rows):
        raise ValueError(
            f"--costs {file} is no matrix of costs, with the predicted classes above and the true "
            f"classes on the left; {_there_are(classes)}."
        )
    cells = {
        (row[0], name): cell for row in rows for name, cell in zip(names, row[1:], strict=True)
    }
    numbers = {pair: 0.0 if not cell.strip() else _number(cell) for pair, cell in cells.items()}
    for pair, number in numbers.items():
        if number is None:
            raise ValueError(f"--costs {file} has {cells[pair]!r}, which is no number.")
    return {pair: number for pair, number in numbers.items() if number is not None}


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def _there_are(classes: Sequence[str]) -> str:
    from kpboost._text import some_of

    return "the classes are " + some_of([repr(name) for name in classes], MOST_NAMES)


def folds_for(wanted: int, y: NDArray[np.str_]) -> tuple[int, tuple[str, ...]]:
    """Folds to use, and what to say if they are not those that were wanted.

    Parameters
    ----------
    wanted : int
        As on the command line.
    y : ndarray of shape (n_rows,)
        Labels.

    Returns
    -------
    n_folds : int
        No more than the largest class has rows: further folds would test nothing of any class
        evenly.
    notes : tuple of str
        One sentence on fewer folds, or on classes with fewer rows than folds; mostly none.

    Raises
    ------
    ValueError
        If fewer than two are wanted.
    """
    import numpy as np

    from kpboost.datasets import FEWEST_MEMBERS

    if wanted < 2:
        raise ValueError(f"--folds {wanted} is not allowed; it must be 2 or more.")
    classes, sizes = np.unique(y, return_counts=True)
    largest = int(sizes.max())
    if wanted > largest:
        why = f"The largest class has {largest} rows"
        return largest, (f"{why}, so there were {largest} folds and not {wanted}.",)
    rare = [str(name) for name in classes[(sizes >= FEWEST_MEMBERS) & (sizes < wanted)]]
    return wanted, (_few_rows(rare, wanted),) if rare else ()


def _few_rows(names: list[str], n_folds: int) -> str:
    """Say that nothing is wrong with a class in fewer folds than there are."""
    subject = f"Class “{names[0]}” has" if len(names) == 1 else f"{len(names)} classes have"
    return (
        f"{subject} fewer rows than the {n_folds} folds; each of these rows is still tested "
        "once, by a model that was trained on the others."
    )


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
    >>> from kpboost.cli._options import variant_of
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
    >>> from kpboost.cli._options import report_beside
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
