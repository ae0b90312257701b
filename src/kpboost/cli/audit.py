"""`kpboost audit`: what a classifier misses in a data set, and what would help."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from numpy.typing import NDArray
from rich.text import Text

from kpboost._validation import check_choice
from kpboost.auditing import Audit, audit as run_audit, weight_parameter
from kpboost.cli import _options as options
from kpboost.datasets import ColumnChoices, Dataset, find_chosen
from kpboost.methods import METHODS, Columns, MethodClassifier
from kpboost.model_files import SavedModel, load_estimator, rows_for
from kpboost.reports import Table, disjunct_table, remedy_table, terminal_table, write_audit

from ._options import folds_for
from ._paths import check_folder
from ._running import NextSteps
from ._terminal import StepsBar, as_remarks, err, out, print_json


@dataclass(frozen=True, slots=True, eq=False)
class Audited:
    """What the audit takes.

    Attributes
    ----------
    X : Columns or frame
        The table, as the model takes it.
    y : ndarray
        Labels.
    estimator : classifier, str or None
        The model.
    steps : NextSteps
        The model and its data as the user has named them.
    remarks : tuple of str
        Sentences for the verdict.
    choices : ColumnChoices
        What is still to be done about the columns of ``X``.
    """

    X: Any
    y: NDArray[Any]
    estimator: Any
    steps: NextSteps
    remarks: tuple[str, ...] = ()
    choices: ColumnChoices = field(default_factory=ColumnChoices)


def audited_model(
    data: str,
    target: str | None,
    choices: ColumnChoices | None = None,
    *,
    data_dir: Path | None,
    seed: int,
    method: str | None,
    model: Path | None,
    trust: Sequence[str],
) -> Audited:
    """Read the data and, if one is named, the model.

    Parameters
    ----------
    data, target, data_dir
        As on the command line.
    choices : ColumnChoices or None, default=None
        What the user says about columns.
    seed : int
        Seed of the audit.
    method : str or None
        Name of a method.
    model : Path or None
        File of a model.
    trust : sequence of str
        Types that the file may hold.

    Returns
    -------
    Audited
    """
    choices = choices or ColumnChoices()
    if model is None:
        read = find_chosen(data, target, data_dir, choices)
        steps = NextSteps(data, read, seed, data_dir, model_seed=seed, choices=choices)
        return Audited(_table(read), read.y, method, steps)
    held = load_estimator(model, trusted=trust)
    if isinstance(held, SavedModel):
        _refuse_choices(choices)
        read = find_chosen(data, target or held.target, data_dir, held.choices)
        X, y = rows_for(held, read)
        settings = MethodClassifier(held.method, tune=held.tune, random_state=held.random_state)
        steps = NextSteps(
            data, read, seed, data_dir, model, held.tune, held.random_state, choices=held.asked
        )
        return Audited(X, y, settings, steps, (_remark(model, held.tune),))
    # A stranger's model gets every column; what is no feature is left out of the audit's own look.
    as_is = replace(choices, id_columns=(), keep="all")
    read = find_chosen(data, target, data_dir, as_is)
    X, y = rows_for(held, read)
    weights = weight_parameter(held)
    steps = NextSteps(
        data, read, seed, data_dir, model, weights=weights, trusted=tuple(trust), choices=choices
    )
    return Audited(X, y, held, steps, (_remark(model),), replace(choices, drop=()))


def _refuse_choices(choices: ColumnChoices) -> None:
    if choices.named or choices.keeps_all:
        raise ValueError(
            "--drop, --id and --keep were chosen when the model was trained; leave them out."
        )


def _remark(model: Path, tune: bool = False) -> str:
    chosen = (
        " Its parameters were chosen anew, from the paper's grid, in every fold." if tune else ""
    )
    return (
        f"Audited are the settings of {model.name}, not the trained model in it: they were trained "
        "anew on folds of the data, as rows that a model was trained on would flatter it."
        f"{chosen}"
    )


def _table(read: Dataset) -> Columns:
    return Columns(read.feature_names, read.X, read.nominal, read.categories, read.roles)


# Lines of a table on the screen, and the columns that it has room for; the page has all.
MOST_LINES = 12
ON_PAGE_ONLY = {"class", "recognised", "gained", "lost", "p", "accuracy", "Gmean", "GSDI"}


def audit(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A file, or the name of a data set.")],
    target: options.Target = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", help="Audit the settings of a saved model (skops)."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", help=f"Audit this method: {', '.join(METHODS)}."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Folder for the page; otherwise DATA-audit.")
    ] = None,
    remedies: Annotated[
        str, typer.Option("--remedies", help="auto, always, never, or methods with commas between.")
    ] = "auto",
    folds: Annotated[int, typer.Option("--folds", help="Number of folds.")] = 5,
    projection: Annotated[str, typer.Option("--map", help="Map of the data: pca or umap.")] = "pca",
    trust: options.Trust = None,
    drop: options.Drop = None,
    id_columns: options.IdColumns = None,
    keep: options.Keep = None,
    many_classes: options.ManyClasses = False,
    seed: options.Seed = 0,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Find the classes and sub-concepts that a classifier misses, and try what helps.

    Without --model and --method, gradient boosting and an SVM are tried and the better one
    is audited. Of a saved model, made by kpboost fit or any scikit-learn classifier, the settings
    are audited: they are trained again on folds, as its own training rows would flatter it.
    """
    if model is not None and method is not None:
        raise ValueError("--model and --method exclude each other; give one of them.")
    check_choice("--map", projection, ("pca", "umap"))
    choices = options.column_choices(drop, id_columns, keep, many_classes)
    audited = audited_model(
        data, target, choices, data_dir=data_dir, seed=seed, method=method, model=model,
        trust=trust or (),
    )  # fmt: skip
    read = audited.steps.read
    folder = report if report is not None else Path(f"{read.name}-audit")
    check_folder(folder)
    n_folds, remarks = folds_for(folds, read.y)
    console = err()
    with as_remarks(console, quiet=as_json), StepsBar(console, quiet=as_json) as bar:
        found = run_audit(
            audited.X, audited.y, audited.estimator, n_folds, remedies=_remedies(remedies),
            projection=projection, random_state=seed, on_progress=bar, drop=audited.choices.drop,
            id_columns=audited.choices.id_columns, keep=audited.choices.keep, many_classes=True,
        )  # fmt: skip
    found = _with_remarks(found, (*audited.remarks, *remarks))
    found = replace(found, snippet=audited.steps.python(found))
    page = write_audit(found, folder, title=read.name, command=audited.steps.command(found))
    if as_json:
        print_json({"report": str(page), **found.to_dict()})
    else:
        _show(found, page)


def _with_remarks(found: Audit, remarks: tuple[str, ...]) -> Audit:
    sentences = (*found.verdict.sentences, *remarks)
    return replace(found, verdict=replace(found.verdict, sentences=sentences))


def _remedies(text: str) -> str | list[str]:
    if text in ("auto", "always", "never"):
        return text
    return [word.strip() for word in text.split(",") if word.strip()]


def _show(found: Audit, page: Path) -> None:
    console = out()
    console.print(Text(found.verdict.headline, style="bold"))
    for sentence in found.verdict.sentences:
        console.print(Text(sentence))
    console.print(terminal_table(_first_lines(_narrow(disjunct_table(found)))))
    tried = remedy_table(found)
    if tried is not None:
        console.print(terminal_table(_first_lines(_narrow(tried))))
    console.print(Text(f"Report  {page}"), soft_wrap=True)


def _first_lines(table: Table) -> Table:
    more = len(table.rows) - MOST_LINES
    note = f"{more} more are in the report." if more > 0 else table.note
    return Table(table.name, table.title, table.columns, table.rows[:MOST_LINES], table.best, note)


def _narrow(table: Table) -> Table:
    """Return the columns that a terminal has room for."""
    kept = [i for i, column in enumerate(table.columns) if column.name not in ON_PAGE_ONLY]
    rows = tuple(tuple(row[i] for i in kept) for row in table.rows)
    columns = tuple(table.columns[i] for i in kept)
    return Table(table.name, table.title, columns, rows, table.best, table.note)
