"""`kpboost predict`: labels for the rows of a file, by a saved model."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from kpboost._files import replace_file
from kpboost._parameters import check_choice
from kpboost.datasets import Table
from kpboost.model_files import load_model
from kpboost.reports.csv_table import csv_text, is_formula, safe_text

from . import options
from .output import err, out
from .replacing import check_file

COLUMN = "prediction"
# A first line longer than this is not one of ours.
LONGEST_HEADER = 100_000


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file made by kpboost fit.")],
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A file of rows.")],
    out_file: Annotated[Path, typer.Option("--out", help="CSV file for the predictions.")],
    extra: Annotated[
        str,
        typer.Option("--extra-columns", help="Columns that were not trained on: refuse or ignore."),
    ] = "refuse",
    unseen: Annotated[
        str,
        typer.Option("--unseen", help="Categories that were not trained on: refuse, or missing."),
    ] = "refuse",
    raw: options.Raw = False,
    trust: options.Trust = None,
) -> None:
    """Predict the class of every row of a file.

    The columns must be those that the model was trained on; the class column may be there and is
    not looked at. The result has one line per row, in the same order: identifiers first, as far as
    the file has them, then the prediction. An earlier file of predictions is replaced; any other
    file is not.
    """
    if out_file.resolve() in (model.resolve(), data.resolve()):
        raise ValueError(f"--out {out_file} is a file that is read; name another one.")
    check_choice("--extra-columns", extra, ("refuse", "ignore"))
    check_choice("--unseen", unseen, ("refuse", "missing"))
    saved = load_model(model, trusted=trust or ())
    ours = out_file.is_file() and _is_predictions(out_file, saved.id_columns)
    check_file("--out", out_file, is_ours=ours, kind="a file of predictions")
    table = saved.read(data)
    labels = saved.predict(table, extra=extra, unseen=unseen).tolist()
    columns = {**_identifiers(table, saved.id_columns), COLUMN: labels}
    text = csv_text(list(columns), zip(*columns.values(), strict=True), raw=raw)
    replace_file(out_file, text.encode())
    out().print(Text(f"{_counted(len(labels))}  {out_file}"), soft_wrap=True)
    if not raw and (guarded := _guarded(columns.values())):
        err().print(Text(guarded), soft_wrap=True)


def _identifiers(table: Table, names: Sequence[str]) -> dict[str, list[str]]:
    """Cells of the identifiers that the file has, as they are written there."""
    return {name: table.column(name).labels().tolist() for name in names if name in table.names}


def _guarded(columns: Iterable[Sequence[str]]) -> str:
    """Say how many cells have got an apostrophe, if any."""
    count = sum(is_formula(cell) for column in columns for cell in column)
    if not count:
        return ""
    cells = "One cell begins" if count == 1 else f"{count} cells begin"
    return f"Note: {cells} like a formula and got an apostrophe in front; --raw leaves them alone."


def _is_predictions(file: Path, id_columns: Sequence[str]) -> bool:
    """Tell whether the first line names nothing but identifiers of the model and predictions."""
    with file.open("rb") as stream:
        line = stream.readline(LONGEST_HEADER).decode(errors="replace")
    names = next(csv.reader([line.rstrip("\r\n")]), [])
    return names[-1:] == [COLUMN] and {*names[:-1]} <= {*map(safe_text, id_columns), *id_columns}


def _counted(number: int) -> str:
    return f"{number} prediction" + ("" if number == 1 else "s")
