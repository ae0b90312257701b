"""From a data set to a trained model with its scores."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kpboost import _validation as parameters
from kpboost._text import some_of, visible
from kpboost.datasets import ColumnRole, Dataset, Table, possible_leaks, trainable_rows
from kpboost.methods import METHODS, MethodClassifier, method_of
from kpboost.metrics import class_recalls
from kpboost.model_selection import limited_threads, make_folds, out_of_fold

from ._saved_model import SavedModel

# Folds of the scores on the card; they cost this many trainings more.
N_FOLDS = 5
# Classes in a message.
MOST_NAMES = 5


def train(
    data: Dataset, method: str = "rare_class", *, tune: bool = False, random_state: int = 0
) -> SavedModel:
    """Train a method on all rows, and measure it out of fold.

    Parameters
    ----------
    data : Dataset
        The rows. Classes of one row are left out, as they cannot be both learnt and tested. What is
        dropped, kept or an identifier is said where it is read, see ``read_dataset``.
    method : str, default="rare_class"
        Name of a method.
    tune : bool, default=False
        Whether to choose parameters from the paper's grid.
    random_state : int, default=0
        Seed.

    Returns
    -------
    SavedModel
    """
    parameters.check_seed("random_state", random_state)
    method_of(method)
    model = MethodClassifier(
        method,
        tune=tune,
        categorical_features=data.nominal,
        many_classes=True,
        random_state=random_state,
    )
    data.table.check_magnitude()
    used, left_out = without_single_rows(data)
    classes, codes, sizes = np.unique(used.y, return_inverse=True, return_counts=True)
    folds = make_folds(codes, N_FOLDS, random_state)
    answers = out_of_fold(model, used.X, used.y, classes.tolist(), folds)
    with limited_threads(codes.size):
        model.fit(used.X, used.y)
    names = [str(label) for label in classes]
    return SavedModel(
        model=model.model_,
        method=method,
        target=data.target_name,
        features=Table.without_rows(data.feature_names, data.categories, data.roles),
        class_sizes=dict(zip(names, sizes.tolist(), strict=True)),
        recalls=dict(zip(names, class_recalls(codes, answers.predicted).tolist(), strict=True)),
        n_rows=model.n_rows_,
        tune=tune,
        random_state=random_state,
        n_folds=len(folds),
        left_out=left_out,
        asked=data.asked,
        leaks=possible_leaks(used.X, used.nominal, used.feature_names, used.y),
    )


def without_single_rows(data: Dataset) -> tuple[Dataset, tuple[str, ...]]:
    """Return the data set without classes of one row, and the names of these.

    Raises
    ------
    ValueError
        If fewer than two classes are left.
    """
    rows = trainable_rows(data.y)
    used = data.take(rows)
    left_out = tuple(sorted({*data.classes} - {*used.classes}))
    if len(used.classes) < 2:
        shown = some_of([repr(name) for name in left_out], MOST_NAMES)
        raise ValueError(
            f"A model needs two classes of at least two rows each; of one row are {shown}."
        )
    return used, left_out


# Categories and columns of a card; the model file knows all of them.
MOST_CATEGORIES = 10
# The first line of every card; a file without it is somebody else's and is never overwritten.
SIGN = "<!-- a model card by kpboost -->"
MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|&!"})


def model_card(saved: SavedModel, *, file: str, data: str, trust: Sequence[str] = ()) -> str:
    """Write the card.

    Parameters
    ----------
    saved : SavedModel
        The model.
    file : str
        Name of its file.
    data : str
        Name of the file that it was trained on.
    trust : sequence of str, default=()
        Types that whoever loads the file must name as trusted (see ``types_to_trust``).

    Returns
    -------
    str
        Markdown; whatever comes from the data is escaped.
    """
    method = METHODS.get(saved.method)
    title = method.title if method else saved.method
    lines = [
        SIGN,
        f"# {_plain(file)}",
        "",
        f"A classifier of “{_plain(saved.target)}”: {_plain(title)}, trained by kpboost "
        f"{_plain(saved.version)} on {_rows(saved)} of {_plain(data)}.",
        *_settings(saved),
        "",
        "## How good it is",
        "",
        "Recall by class: the share of its rows that were predicted correctly by models that had "
        f"not seen them ({saved.n_folds} folds).",
        "",
        "| class | rows | recall |",
        "| --- | ---: | ---: |",
        *(
            f"| {_plain(name)} | {size} | {saved.recalls[name]:.3f} |"
            for name, size in saved.class_sizes.items()
        ),
        "",
        "## Columns it takes",
        "",
        "| column | values |",
        "| --- | --- |",
        *(f"| {_plain(name)} | {values} |" for name, values in _columns(saved).items()),
        "",
        *_others(saved),
        "Missing values are filled: numbers by the median of the training rows, categories by a "
        "category of their own.",
        "",
        "## Use",
        "",
        "```console",
        predict_command(file, trust),
        "```",
        "",
        "## Limits",
        "",
        "- The recalls hold for rows drawn like the training rows, and for no others.",
        "- A part of a class may be recognised much worse than the rest; see `kpboost audit`.",
        "- Its decision values are no probabilities.",
        "",
    ]
    return "\n".join(lines)


def predict_command(file: str, trust: Sequence[str]) -> str:
    """Write the command that predicts by a model, on one line, as a shell takes it.

    Parameters
    ----------
    file : str
        The model's file.
    trust : sequence of str
        Types to name as trusted.

    Returns
    -------
    str
    """
    name = f"./{file}" if file.startswith("-") else file
    options = "".join(f" --trust {shlex.quote(each)}" for each in trust)
    return visible(f"kpboost predict {shlex.quote(name)} NEW.csv --out predictions.csv{options}")


def is_card(path: Path) -> bool:
    """Tell whether a file is a card of ours."""
    with path.open("rb") as stream:
        return stream.read(len(SIGN)) == SIGN.encode()


def _others(saved: SavedModel) -> list[str]:
    """Sentences on columns that are no features as they stand, and on possible leaks."""
    if not saved.notes:
        return []
    return [*(f"- {_plain(note)}" for note in saved.notes), ""]


def _rows(saved: SavedModel) -> str:
    """Rows that were learnt from, and of how many."""
    if saved.n_rows == saved.n_samples:
        return f"{saved.n_samples} rows"
    return f"a sample of {saved.n_rows} of the {saved.n_samples} rows"


def _settings(saved: SavedModel) -> list[str]:
    """Sentences on what is not the default."""
    sentences = []
    if saved.n_rows < saved.n_samples:
        sentences.append(
            "Rare classes are in the sample whole, as far as they fit; its rows are weighted so "
            "that the classes have their true shares."
        )
    if saved.tune:
        sentences.append("Its parameters were chosen from the paper's grid (`--tune`).")
    if saved.random_state:
        sentences.append(f"Its seed was {saved.random_state}.")
    if saved.left_out:
        names = some_of([_plain(name) for name in saved.left_out], MOST_CATEGORIES)
        sentences.append(f"It does not know these classes, which had one row: {names}.")
    return sentences


def _columns(saved: SavedModel) -> dict[str, str]:
    """Columns of a file of new rows, and what they hold; several features may be of one date."""
    source = {name: role for role in saved.roles for name in role.made}
    columns = {}
    for name, categories in zip(saved.features.names, saved.features.categories, strict=True):
        role = source.get(name)
        if role is None:
            columns[name] = _values(categories)
        else:
            columns[role.name] = _written(role)
    return columns


def _written(role: ColumnRole) -> str:
    noun = "dates" if role.kind == "date" else "numbers"
    return f"{noun}, {_plain(role.reason)}" if role.reason else noun


def _values(categories: tuple[str, ...] | None) -> str:
    if categories is None:
        return "numbers"
    return some_of([_plain(word) for word in categories], MOST_CATEGORIES)


def _plain(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return visible(" ".join(text.split())).translate(MARKS)
