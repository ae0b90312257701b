"""A page of Markdown that goes with a saved model: what it is, what it was trained on, how good."""

from kpboost.recipes import RECIPES

from .saved_model import SavedModel

# Categories and columns of a card; the model file knows all of them.
MOST_CATEGORIES = 10
MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|&!"})


def model_card(saved: SavedModel, *, file: str, data: str) -> str:
    """Write the card.

    Parameters
    ----------
    saved : SavedModel
        The model.
    file : str
        Name of its file.
    data : str
        Name of the file that it was trained on.

    Returns
    -------
    str
        Markdown; whatever comes from the data is escaped.
    """
    recipe = RECIPES.get(saved.method)
    title = recipe.title if recipe else saved.method
    lines = [
        f"# {_plain(file)}",
        "",
        f"A classifier of “{_plain(saved.target)}”: {title}, trained by kpboost {saved.version} "
        f"on {sum(saved.class_sizes.values())} rows of {_plain(data)}.",
        "",
        "## How good it is",
        "",
        "Recall by class: the share of its rows that were predicted correctly by models that had "
        "not seen them (5 folds).",
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
        *(f"| {_plain(each.name)} | {_values(each.categories)} |" for each in saved.features),
        "",
        "Missing values are filled: numbers by the median of the training rows, categories by a "
        "category of their own.",
        "",
        "## Use",
        "",
        "```console",
        f"kpboost predict {_code(file)} NEW.csv --out predictions.csv",
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


def _values(categories: tuple[str, ...] | None) -> str:
    if categories is None:
        return "numbers"
    shown = ", ".join(_plain(word) for word in categories[:MOST_CATEGORIES])
    more = len(categories) - MOST_CATEGORIES
    return f"{shown} and {more} more" if more > 0 else shown


def _plain(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return " ".join(text.split()).translate(MARKS)


def _code(text: str) -> str:
    return " ".join(text.split()).replace("`", "'")
