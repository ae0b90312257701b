"""`kpboost predict`: labels for the rows of a file, by a saved model."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import count
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from kpboost.cli import _options as options

from ._options import check_file
from ._terminal import err, out

if TYPE_CHECKING:
    from kpboost.datasets import Table

# The last column of the file; it gets a number where an identifier has that name.
COLUMN = "prediction"
# A header longer than this, in characters, is not one of ours.
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
    the file has them, then the prediction (prediction_2 if an identifier has that name). An earlier
    file of predictions is replaced; any other file is not.
    """
    from kpboost._files import replace_file
    from kpboost._validation import check_choice
    from kpboost.model_files import load_model
    from kpboost.reports import csv_text

    if realpath(out_file) in (realpath(model), realpath(data)):
        raise ValueError(f"--out {out_file} is a file that is read; name another one.")
    check_choice("--extra-columns", extra, ("refuse", "ignore"))
    check_choice("--unseen", unseen, ("refuse", "missing"))
    saved = load_model(model, trusted=trust or ())
    ours = out_file.is_file() and _is_predictions(out_file, saved.id_columns)
    check_file("--out", out_file, is_ours=ours, kind="a file of this model's predictions")
    table = saved.read(data)
    labels = saved.predict(table, extra=extra, unseen=unseen).tolist()
    columns = {
        **_identifiers(table, saved.id_columns),
        _result_column(saved.id_columns): labels,
    }
    text = csv_text(list(columns), zip(*columns.values(), strict=True), raw=raw)
    replace_file(out_file, text.encode())
    out().print(Text(f"{_counted(len(labels))}  {out_file}"), soft_wrap=True)
    if not raw and (guarded := _guarded(columns.values())):
        err().print(Text(guarded), soft_wrap=True)


def _result_column(id_columns: Sequence[str]) -> str:
    """Name the column of the predictions, other than every identifier."""
    names = (COLUMN if number == 1 else f"{COLUMN}_{number}" for number in count(1))
    return next(name for name in names if name not in id_columns)


def _identifiers(table: Table, names: Sequence[str]) -> dict[str, list[str]]:
    """Cells of the identifiers that the file has, as they are written there."""
    return {name: table.column(name).labels().tolist() for name in names if name in table.names}


def _guarded(columns: Iterable[Sequence[str]]) -> str:
    """Say how many cells have got an apostrophe, if any."""
    from kpboost.reports import is_formula

    count = sum(is_formula(cell) for column in columns for cell in column)
    if not count:
        return ""
    cells = "One cell begins" if count == 1 else f"{count} cells begin"
    return f"Note: {cells} like a formula and got an apostrophe in front; --raw leaves them alone."


def _is_predictions(file: Path, id_columns: Sequence[str]) -> bool:
    """Tell whether the header names nothing but identifiers of the model and predictions."""
    from kpboost.reports import safe_text

    with file.open(encoding="utf-8", errors="replace", newline="") as stream:
        start = StringIO(stream.read(LONGEST_HEADER), newline="")
    try:
        names = next(csv.reader(start), [])
    except csv.Error:
        return False
    ours = {*map(safe_text, id_columns), *id_columns}
    return names[-1:] == [_result_column(id_columns)] and {*names[:-1]} <= ours


def _counted(number: int) -> str:
    return f"{number} prediction" + ("" if number == 1 else "s")
