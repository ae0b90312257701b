"""`kpboost predict`: labels for the rows of a file, by a saved model."""

import csv
import io
from os.path import realpath
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from kpboost._files import replace_file
from kpboost._parameters import check_choice
from kpboost.datasets import read_table
from kpboost.model_files import load_model

from . import options
from .output import out
from .replacing import check_file

COLUMN = "prediction"


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
    trust: options.Trust = None,
) -> None:
    """Predict the class of every row of a file.

    The columns must be those that the model was trained on; the class column may be there and is
    not looked at. The result has one line per row, in the same order. An earlier file of
    predictions is replaced; any other file is not.
    """
    if realpath(out_file) in (realpath(model), realpath(data)):
        raise ValueError(f"--out {out_file} is a file that is read; name another one.")
    ours = out_file.is_file() and _is_predictions(out_file)
    check_file("--out", out_file, is_ours=ours, kind="a file of predictions")
    check_choice("--extra-columns", extra, ("refuse", "ignore"))
    check_choice("--unseen", unseen, ("refuse", "missing"))
    saved = load_model(model, trusted=trust or ())
    labels = saved.predict(read_table(data), extra=extra, unseen=unseen)
    replace_file(out_file, _csv(labels.tolist()))
    out().print(Text(f"{_counted(labels.size)}  {out_file}"), soft_wrap=True)


def _csv(labels: list[str]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([COLUMN])
    writer.writerows([label] for label in labels)
    return text.getvalue().encode()


def _is_predictions(file: Path) -> bool:
    with file.open("rb") as stream:
        return stream.readline(len(COLUMN) + 2).strip() == COLUMN.encode()


def _counted(number: int) -> str:
    return f"{number} prediction" + ("" if number == 1 else "s")
