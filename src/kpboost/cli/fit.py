"""`kpboost fit`: train a model on a file and save it with the columns it expects."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kpboost.cli import _options as options

from ._help import HelpPage
from ._options import check_file
from ._terminal import (
    RowsBar,
    StepsBar,
    err,
    out,
    print_json,
    show,
    show_command,
    warnings_as_notes,
)

if TYPE_CHECKING:
    from kpboost.datasets import ColumnChoices, Dataset
    from kpboost.model_files import SavedModel

# In place of .skops: the name of the card beside a model.
CARD = ".card.md"
# With fewer rows a training is over before a log needs a line for each step.
MANY_ROWS = 10_000
# Classes in one line.
MOST_CLASSES = 10


HELP_PAGE = HelpPage(
    examples=(
        "kpboost fit churn.csv --target churn --out churn.skops",
        "kpboost fit churn.csv --target churn --out churn.skops --drop closed",
        "kpboost fit churn.csv --target churn --out churn.skops --recall 0.9",
        "kpboost fit churn.csv --target churn --out churn.skops --method svm_balanced",
    ),
    usual=("--out", "--target", "--drop", "--method", "--recall"),
)


def fit(
    data: options.TableArgument,
    out_file: Annotated[
        Path,
        typer.Option("--out", metavar="FILE", help="File for the model, such as model.skops."),
    ],
    target: options.Target = None,
    method: options.Method = "rare_class",
    tune: Annotated[
        bool,
        typer.Option(
            "--tune",
            help="Choose parameters from the paper's grid; takes much longer.",
            rich_help_panel=options.RUNS,
        ),
    ] = False,
    costs: options.Costs = None,
    recall: options.Recall = None,
    alarms: options.Alarms = None,
    drop: options.Drop = None,
    id_columns: options.IdColumns = None,
    keep: options.Keep = None,
    many_classes: options.ManyClasses = False,
    seed: options.Seed = 0,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Train a model on a table and save it, with a model card beside it.

    The model includes the imputation of missing values, encoding and scaling. The card says how
    good the model is, measured by cross-validation. --recall, --alarms or --costs sets an operating
    point (a decision threshold), which kpboost predict can change later without training. From a
    Parquet file of more than 100,000 rows, rare_class and the kernel methods use a sample of
    100,000, rare classes first. An earlier model of the same name is replaced.
    """
    from kpboost._files import replace_file
    from kpboost.model_files import model_card, predict_command, save_model, types_to_trust

    card = _checked_files(out_file)
    choices = options.column_choices(drop, id_columns, keep, many_classes)
    read, sizes = _read(data, target, data_dir, choices, method, seed, quiet=as_json)
    wish = options.operating_wish(read.classes, costs, recall, alarms)
    saved = _trained(read, sizes, method, tune, seed, wish, quiet=as_json)
    save_model(saved, out_file)
    trust = types_to_trust(out_file)
    text = model_card(saved, file=out_file.name, data=Path(data).name, trust=trust)
    replace_file(card, text.encode())
    if as_json:
        print_json({"model": out_file, "card": card, "trust": trust, **_facts(saved)})
    else:
        show(
            out(),
            *options.class_note(data, target, read),
            *options.spelling_note(read),
            *options.constant_note(data, read),
            *_lines(saved, out_file, card),
        )
        compare = ["kpboost", "compare", data, "--target", read.target_name]
        others = shlex.join([*compare, *options.choice_words(choices)])
        use = predict_command(str(out_file), trust)
        show_command(out(), "Next   ", others if saved.weakness else use)


def _read(
    data: str,
    target: str | None,
    data_dir: Path | None,
    choices: ColumnChoices,
    method: str,
    seed: int,
    *,
    quiet: bool,
) -> tuple[Dataset, dict[str, int] | None]:
    """Read all rows; or draw some of a large Parquet file, with the sizes of its classes."""
    from kpboost.datasets import DRAWN_ROWS, draw_parquet, find_chosen, is_larger_than_draw
    from kpboost.methods import method_of

    takes_draw = method_of(method).takes_draws
    if not (takes_draw and Path(data).is_file() and is_larger_than_draw(data, DRAWN_ROWS)):
        return find_chosen(data, target, data_dir, choices), None
    with RowsBar(err(), quiet=quiet) as bar:
        draw = draw_parquet(data, target, choices, max_rows=DRAWN_ROWS, seed=seed, on_rows=bar)
    return draw.data, draw.class_sizes


def _trained(
    read: Dataset,
    sizes: dict[str, int] | None,
    method: str,
    tune: bool,
    seed: int,
    wish: dict[str, Any],
    *,
    quiet: bool,
) -> SavedModel:
    from kpboost.model_files import train

    console = err()
    with warnings_as_notes(console, quiet=quiet), StepsBar(console, quiet=quiet) as bar:
        return train(
            read,
            method,
            tune=tune,
            class_sizes=sizes,
            random_state=seed,
            on_progress=bar if console.is_terminal or read.n_samples > MANY_ROWS else None,
            **wish,
        )


def _facts(saved: SavedModel) -> dict[str, Any]:
    from kpboost.model_files import figures

    names = ("method", "tune", "n_rows", "class_sizes", "recalls", "n_folds", "left_out", "notes")
    point = saved.operating_point
    return {
        **{name: getattr(saved, name) for name in names},
        **figures(saved),
        "operating_point": None if point is None else point.as_dict(),
        "weakness": saved.weakness,
    }


def _lines(saved: SavedModel, file: Path, card: Path) -> list[str]:
    from kpboost.model_files import summary

    left_out = ", ".join(saved.left_out)
    return [
        *summary(saved),
        *([f"Left out, because they have only one row: {left_out}."] if left_out else []),
        *saved.notes,
        *_sample(saved),
        *_never_found(saved),
        f"Model  {file}",
        f"Card   {card}",
    ]


def _never_found(saved: SavedModel) -> list[str]:
    """Name the classes of which no row was recognised out of fold."""
    if saved.operating_point is not None:
        return []
    names = [name for name, recall in saved.recalls.items() if recall == 0.0]
    if not names:
        return []
    shown = ", ".join(names[:MOST_CLASSES]) + (" and others" if len(names) > MOST_CLASSES else "")
    return [f"Never recognised in cross-validation: {shown}. kpboost audit shows what helps."]


def _sample(saved: SavedModel) -> list[str]:
    from kpboost.model_files import low_rank_sentence

    low_rank = [sentence] if (sentence := low_rank_sentence(saved)) else []
    if saved.n_rows == saved.n_samples:
        return low_rank
    return [
        *low_rank,
        f"Trained on a sample of {saved.n_rows:,} of {saved.n_samples:,} rows, rare classes first.",
    ]


def _checked_files(file: Path) -> Path:
    """Refuse what would fail only after the work, or destroy something; return the card's path."""
    from kpboost.model_files import is_card, is_model_file

    if file.suffix.lower() != ".skops":
        raise ValueError(f"--out {file} must end in .skops.")
    card = file.with_suffix(CARD)
    ours = file.is_file() and is_model_file(file)
    check_file("--out", file, is_ours=ours, kind="a model of kpboost fit")
    check_file("The card", card, is_ours=card.is_file() and is_card(card), kind="a model card")
    return card
