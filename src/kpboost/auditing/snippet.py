"""Python that trains the recommended model, or the audited one if nothing better was found."""

import json
from collections.abc import Sequence

from numpy.typing import ArrayLike

from kpboost.datasets import ColumnChoices
from kpboost.recipes import trainable_rows

from .records import Remedies
from .subjects import OWN, Subject, weight_parameter

IMPORT = "from kpboost.recipes import trainable\n\n"
DROP_ROWS = "X, y = trainable(X, y)  # without rows that have no label, and classes of one row\n"


def snippet_of(
    subject: Subject,
    remedies: Remedies | None,
    y: ArrayLike,
    seed: int = 0,
    choices: ColumnChoices | None = None,
) -> str:
    """Lines to copy.

    Parameters
    ----------
    subject : Subject
        The audited model, which is built if nothing better is recommended.
    remedies : Remedies or None
        What was tried.
    y : array-like of shape (n_rows,)
        Labels as given, of which some may be missing.
    seed : int, default=0
        Seed of the audit, and so of its remedies.
    choices : ColumnChoices or None, default=None
        What the user has said about columns.

    Returns
    -------
    str
        A complete program but for the table ``X`` and the labels ``y`` that were audited.
    """
    name = (remedies.recommended if remedies is not None else "") or subject.name
    complete = trainable_rows(y).size == len(y)  # type: ignore[arg-type]  # it was checked
    if name.startswith(OWN):
        return _own(subject, name, complete)
    tune, seed = (subject.tune, subject.seed) if name == subject.name else (False, seed)
    arguments = ", ".join([recipe_arguments(name, tune, seed), *choice_arguments(choices)])
    return (
        f"from kpboost.recipes import RecipeClassifier{'' if complete else ', trainable'}\n"
        "\n"
        f"{'' if complete else DROP_ROWS}"
        f"model = RecipeClassifier({arguments}).fit(X, y)\n"
    )


def recipe_arguments(name: str, tune: bool, seed: int) -> str:
    """Arguments as one would write them: those that are not the default."""
    chosen = {f'"{name}"': True, "tune=True": tune, f"random_state={seed}": seed != 0}
    return ", ".join(words for words, is_needed in chosen.items() if is_needed)


def choice_arguments(choices: ColumnChoices | None) -> list[str]:
    """Arguments for what the user has said about columns, as one would write them."""
    if choices is None:
        return []
    given = {name: getattr(choices, name) for name in ("drop", "id_columns", "keep")}
    words = [f"{name}={_literal(names)}" for name, names in given.items() if names]
    return words + (["many_classes=True"] if choices.many_classes else [])


def _literal(names: Sequence[str]) -> str:
    return json.dumps(names if isinstance(names, str) else list(names), ensure_ascii=False)


def _own(subject: Subject, name: str, complete: bool) -> str:
    if name == OWN:
        return "# Keep the model that you have.\n"
    return (
        f"{'' if complete else IMPORT + DROP_ROWS}"
        "# model: your own; with balanced class weights it recognises more of what was missed\n"
        f'model.set_params({weight_parameter(subject.estimator)}="balanced")\n'
        "model.fit(X, y)\n"
    )
