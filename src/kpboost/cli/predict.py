"""`kpboost predict`: labels for the rows of a file, by a saved model."""

import csv
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from kpboost.datasets import read_table
from kpboost.model_files import load_model

from . import options
from .output import out

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
    not looked at. The result has one line per row, in the same order.
    """
    if not out_file.absolute().parent.is_dir() or out_file.is_dir():
        raise ValueError(f"--out {out_file} must be a file in a folder that exists.")
    if out_file.resolve() in (model.resolve(), data.resolve()):
        raise ValueError(f"--out {out_file} is a file that is read; name another one.")
    saved = load_model(model, trusted=trust or ())
    labels = saved.predict(read_table(data), extra=extra, unseen=unseen)
    with out_file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([COLUMN])
        writer.writerows([[label] for label in labels.tolist()])
    out().print(Text(f"{labels.size} predictions  {out_file}"), soft_wrap=True)
