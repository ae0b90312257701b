"""Python that builds the recommended model again."""

from .columns import Columns
from .records import Remedies
from .subjects import OWN, Subject


def snippet_of(subject: Subject, remedies: Remedies | None, columns: Columns, seed: int = 0) -> str:
    """Lines to copy.

    Parameters
    ----------
    subject : Subject
        The audited model, which is built if nothing better is recommended.
    remedies : Remedies or None
        What was tried.
    columns : Columns
        The table, for its nominal columns.
    seed : int, default=0
        Seed of the audit, and so of its models.

    Returns
    -------
    str
        A complete program but for the table ``X`` and the labels ``y``.
    """
    name = (remedies.recommended if remedies is not None else "") or subject.name
    if name.startswith(OWN):
        return _own(subject, name)
    nominal = [i for i, is_nominal in enumerate(columns.nominal.tolist()) if is_nominal]
    return (
        "import numpy as np\n"
        "from kpboost.recipes import build\n"
        "\n"
        "# X: a float table of "
        f"{len(columns.names)} columns, NaN where a value is missing; y: the labels\n"
        f"nominal = np.isin(np.arange({len(columns.names)}), {nominal})  # columns of codes\n"
        f'model = build("{name}", nominal=nominal, random_state={seed})\n'
        "model.fit(X, y)\n"
    )


def _own(subject: Subject, name: str) -> str:
    if name == OWN:
        return "# Keep the model that you have.\n"
    weights = [
        key for key in subject.estimator.get_params() if key.split("__")[-1] == "class_weight"
    ]
    return (
        "# your own model, with balanced class weights\n"
        f'model.set_params({weights[-1]}="balanced")\n'
        "model.fit(X, y)\n"
    )
