"""What is said about a model: a summary for the terminal, and its card in Markdown.

Tables and no pictures: an image inside of a Markdown file is not shown by most viewers.
"""

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from kpboost._text import some_of, visible
from kpboost._typing import FloatArray, IndexArray
from kpboost.datasets import ColumnRole
from kpboost.methods import METHODS
from kpboost.metrics import clopper_pearson
from kpboost.model_selection import Estimate

from ._evaluation import (
    BASELINES,
    balanced_accuracy,
    brier,
    calibration_bins,
    confusion,
    log_loss,
    rankings,
    rivals,
)
from ._held_out import HeldOutScores
from ._saved_model import SavedModel

# Categories and columns of a card; the model file knows all of them.
MOST_CATEGORIES = 10
# Classes of a confusion matrix; more would not fit on a page.
MOST_CLASSES = 12
# Recalls of the curve.
CURVE = (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)
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
        *([f"**{_plain(saved.weakness)}**", ""] if saved.weakness else []),
        *_goodness(saved),
        "## Columns it takes",
        "",
        *_table(["column", "values"], _columns(saved).items(), left=2),
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
        *_ways_to_use(saved),
        "## Limits",
        "",
        "- All figures hold for rows drawn like the training rows, and for no others.",
        "- A part of a class may be recognised much worse than the rest; see `kpboost audit`.",
        *_limits(saved),
        "",
    ]
    return "\n".join(lines)


def summary(saved: SavedModel) -> list[str]:
    """Say how good a model is in a few lines, for a terminal."""
    point, held_out = saved.operating_point, saved.held_out
    if point is None:
        told = [f"Recall of {name}: {rate}" for name, rate in _recalls(saved).items()]
    else:
        told = str(point).splitlines()
    if held_out is None:
        return told
    code = [*saved.class_sizes].index(saved.pos_label)
    overall = balanced_accuracy(held_out.codes, saved.decided, held_out.n_classes)
    ranking = rankings(held_out)[code]
    return [
        *told,
        f"Balanced accuracy: {overall}",
        f"Ranking of {saved.pos_label}: ROC-AUC {ranking.roc_auc:.3f}, average precision "
        f"{ranking.average_precision:.3f}",
        *([saved.weakness] if saved.weakness else []),
    ]


def figures(saved: SavedModel) -> dict[str, Any]:
    """Return what the card measures as plain data."""
    held_out = saved.held_out
    if held_out is None:
        return {}
    predicted = saved.decided
    ranked = dict(zip(saved.class_sizes, rankings(held_out), strict=True))
    tried = rivals(held_out, predicted)
    return {
        "balanced_accuracy": balanced_accuracy(held_out.codes, predicted, held_out.n_classes),
        "roc_auc": {name: each.roc_auc for name, each in ranked.items()},
        "average_precision": {name: each.average_precision for name, each in ranked.items()},
        "log_loss": log_loss(held_out)[0],
        "brier": brier(held_out)[0],
        "confusion": whole_numbers(confusion(held_out, predicted)),
        "baselines": {rival.name: rival.balanced_accuracy.value for rival in tried},
    }


def _recalls(saved: SavedModel) -> dict[str, Estimate]:
    """Recalls of all classes: at the operating point, or by the method itself."""
    if saved.operating_point is not None:
        pairs = zip(saved.operating_point.classes, saved.operating_point.recalls, strict=True)
        found = dict(pairs)
        return {name: found[name] for name in saved.class_sizes}
    sizes = [saved.n_tested[name] for name in saved.class_sizes]
    values = [saved.recalls[name] for name in saved.class_sizes]
    hits = [round(value * size) for value, size in zip(values, sizes, strict=True)]
    low, high = clopper_pearson(hits, sizes)
    rates = map(Estimate, values, low.tolist(), high.tolist())
    return dict(zip(saved.class_sizes, rates, strict=True))


def _goodness(saved: SavedModel) -> list[str]:
    """Write the section on figures."""
    recalls, held_out = _recalls(saved), saved.held_out
    start = [
        "## How good it is",
        "",
        "Measured on training rows, by models that had not seen them "
        f"({saved.n_folds} folds); intervals are of 95%.",
        "",
        *_point_words(saved),
    ]
    if held_out is None:
        known = [(_plain(name), size, recalls[name]) for name, size in saved.class_sizes.items()]
        return [*start, *_table(["class", "rows", "recall"], known)]
    predicted = saved.decided
    matrix = confusion(held_out, predicted)
    called = zip(matrix.diagonal().tolist(), matrix.sum(axis=0).tolist(), strict=True)
    precision = [f"{right / n:.3f}" if n else "none" for right, n in called]
    classes = zip(saved.class_sizes.items(), precision, rankings(held_out), strict=True)
    rows = [
        (_plain(name), size, recalls[name], exact, *(f"{figure:.3f}" for figure in ranking))
        for (name, size), exact, ranking in classes
    ]
    header = ["class", "rows", "recall", "precision", "ROC-AUC", "average precision"]
    return [
        *start,
        *_table(header, rows),
        *_beside_baselines(held_out, predicted),
        *_confusion(saved, matrix),
        *_curve(saved, held_out),
        *_calibration(saved, held_out),
    ]


def _point_words(saved: SavedModel) -> list[str]:
    if saved.operating_point is None:
        return []
    return [*(f"- {_plain(line)}" for line in str(saved.operating_point).splitlines()), ""]


def _beside_baselines(held_out: HeldOutScores, predicted: IndexArray) -> list[str]:
    own = balanced_accuracy(held_out.codes, predicted, held_out.n_classes)
    rows = [("this model", own)]
    rows += [(BASELINES[each.name], each.balanced_accuracy) for each in rivals(held_out, predicted)]
    return [
        f"The mean of the recalls, beside three quick classifiers on the same folds; chance is "
        f"{1 / held_out.n_classes:.3f}:",
        "",
        *_table(["classifier", "balanced accuracy"], rows),
    ]


def whole_numbers(matrix: FloatArray) -> list[list[int]]:
    """Return rows of a matrix as whole numbers; weighted rows do not add up to such."""
    return [[round(value) for value in row] for row in matrix.tolist()]


def _confusion(saved: SavedModel, matrix: FloatArray) -> list[str]:
    if len(matrix) > MOST_CLASSES:
        return []
    names = [_plain(name) for name in saved.class_sizes]
    rows = [(name, *own) for name, own in zip(names, whole_numbers(matrix), strict=True)]
    total = round(matrix.sum())
    sample = "" if total == saved.n_samples else f", for a sample of {total} rows"
    return [
        f"True classes in rows, predicted classes in columns{sample}:",
        "",
        *_table(["", *names], rows),
    ]


def _curve(saved: SavedModel, held_out: HeldOutScores) -> list[str]:
    """Write a precision-recall curve as a table of operating points."""
    classes, own = [*saved.class_sizes], saved.pos_label
    points = [held_out.choose(classes, {"recall": target, "pos_label": own})[0] for target in CURVE]
    rows = [
        (f"{target:g}", point.recall, point.alarms, point.precision)
        for target, point in zip(CURVE, points, strict=True)
    ]
    return [
        f"What other operating points give for “{_plain(own)}”, without another training "
        "(`--recall` of `kpboost predict`):",
        "",
        *_table(["recall aimed at", "recall", "share of alarms", "precision"], rows),
    ]


def _calibration(saved: SavedModel, held_out: HeldOutScores) -> list[str]:
    own = saved.pos_label
    rows = [
        (f"{low:g} to {high:g}", n_rows, f"{predicted:.3f}", f"{observed:.3f}")
        for low, high, n_rows, predicted, observed in calibration_bins(
            held_out, [*saved.class_sizes].index(own)
        )
    ]
    squares, loss = brier(held_out), log_loss(held_out)
    poor = " Its probabilities are worse than the bare shares: do not use them."
    return [
        f"Probabilities of “{_plain(own)}”, and how often it came true:",
        "",
        *_table(["probability", "rows", "mean", "came true"], rows),
        f"Brier score {squares[0]:.4f} and log-loss {loss[0]:.4f}; the bare shares of the classes "
        f"have {squares[1]:.4f} and {loss[1]:.4f}.{poor if loss[0] > loss[1] else ''}",
        "",
    ]


def _ways_to_use(saved: SavedModel) -> list[str]:
    if saved.held_out is None:
        return []
    return [
        "`--scores` writes scores and probabilities; `--recall`, `--alarms` and `--costs` change "
        "the operating point.",
        "",
    ]


def _limits(saved: SavedModel) -> list[str]:
    if hasattr(saved.model, "predict_proba"):
        return ["- Its probabilities are the classifier's own; compare them with what came true."]
    if saved.held_out is None:
        return ["- Its decision values are not probabilities."]
    return [
        "- Its probabilities come from its scores, by a shrunken logistic regression on those that "
        "training rows got out of fold."
    ]


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]], *, left: int = 1) -> list[str]:
    """Write a table whose first columns are text; its cells are escaped already."""
    rules = ["---"] * left + ["---:"] * (len(header) - left)
    return [f"| {' | '.join(map(str, row))} |" for row in (header, rules, *rows)] + [""]


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
    """Sentences on columns that are not features as they are, and on possible leaks."""
    if not saved.notes:
        return []
    return [*(f"- {_plain(note)}" for note in saved.notes), ""]


def _rows(saved: SavedModel) -> str:
    """Rows that were learnt from, and of how many."""
    if saved.n_rows == saved.n_samples:
        return f"{saved.n_samples} rows"
    return f"a sample of {saved.n_rows} of the {saved.n_samples} rows"


def low_rank_sentence(saved: SavedModel) -> str:
    """Say how a machine with a kernel of low rank was trained; "" of any other model."""
    machine = saved.model[-1]
    machine = getattr(machine, "estimator_", machine)  # inside of a threshold
    machine = getattr(machine, "best_estimator_", machine)
    if not hasattr(machine, "n_samples_solved_"):
        return ""
    return (
        f"Its kernel is of low rank, of {len(machine.landmarks_):,} landmarks: machines were "
        f"solved on {machine.n_samples_solved_:,} rows, rare classes first, and judged on "
        f"{machine.n_samples_seen_:,}."
    )


def _settings(saved: SavedModel) -> list[str]:
    """Sentences on what is not the default."""
    sentences = [low_rank_sentence(saved)] if low_rank_sentence(saved) else []
    if saved.is_of_draw:
        sentences.append(
            "Columns, leaks and copies were judged by the sample. Figures are of it, too, weighted "
            "so that the classes have their shares of the file."
        )
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
            columns[_plain(name)] = _values(categories)
        else:
            columns[_plain(role.name)] = _written(role)
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
