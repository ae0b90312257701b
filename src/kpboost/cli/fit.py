"""`kpboost fit`: train a model on a file and save it with the columns it expects."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from kpboost.model_files import model_card, save_model, train

from . import options
from .data import find_data
from .output import out, print_json


def fit(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A file, or the name of a data set.")],
    out_file: Annotated[
        Path, typer.Option("--out", help="File for the model, such as model.skops.")
    ],
    target: options.Target = None,
    method: Annotated[str, typer.Option("--method", help="Name of a recipe.")] = "kpboost",
    tune: Annotated[
        bool, typer.Option("--tune", help="Choose parameters from a finer grid; takes longer.")
    ] = False,
    seed: options.Seed = 0,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Train a model on a file and save it, with a model card beside it.

    Filling of missing values, encoding, scaling and the classifier are saved together. The card
    tells the recall of each class, measured out of fold.
    """
    _check_place(out_file)
    read = find_data(data, target=target, data_dir=data_dir)
    saved = train(read, method, tune=tune, random_state=seed)
    save_model(saved, out_file)
    card = out_file.with_suffix(".md")
    card.write_text(model_card(saved, file=out_file.name, data=read.name), encoding="utf-8")
    if as_json:
        print_json(
            {"model": str(out_file), "card": str(card), "method": method,
             "class_sizes": saved.class_sizes, "recalls": saved.recalls}
        )  # fmt: skip
        return
    lines = [
        *(f"Recall of {name}: {recall:.3f}" for name, recall in saved.recalls.items()),
        f"Model  {out_file}",
        f"Card   {card}",
        f"Next   kpboost predict {out_file} NEW.csv --out predictions.csv",
    ]
    out().print(Text("\n".join(lines)), soft_wrap=True)


def _check_place(file: Path) -> None:
    """Refuse what would fail only after the work."""
    if file.suffix.lower() != ".skops":
        raise ValueError(f"--out {file} must end in .skops.")
    if file.is_dir() or not file.absolute().parent.is_dir():
        raise ValueError(f"--out {file} must be a file in a folder that exists.")
