"""How objects show themselves: one line for a terminal, a small table for a notebook.

Labels and names come from a user's table, so that all text is escaped for HTML, and what a browser
or a terminal would obey in it is made visible.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from html import escape
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils import estimator_html_repr

from ._text import some_of, visible

# Digits after the point of a share: finer than any test set of a disjunct can tell.
DIGITS = 4
# Classes, names and columns that are shown of many.
MOST_SHOWN = 8

Facts = Iterable[tuple[str, Any]]


def html_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    marked: Sequence[bool] | None = None,
    css_class: str = "kpboost",
) -> str:
    """Table with a header; marked rows are bold, and of the class "worst".

    Parameters
    ----------
    columns : sequence of str
        Names of the columns.
    rows : sequence of sequences
        Values; None is an empty cell.
    marked : sequence of bool, optional
        Rows to mark; none by default.
    css_class : str, default="kpboost"
        Class of the table.

    Returns
    -------
    str

    Examples
    --------
    >>> from kpboost._notebook import html_table
    >>> print(html_table(["<b>"], [[0.5]]))
    <table class="kpboost">
    <thead>
    <tr><th scope="col">&lt;b&gt;</th></tr>
    </thead>
    <tbody>
    <tr><td>0.5000</td></tr>
    </tbody>
    </table>
    """
    head = "".join(f'<th scope="col">{html_text(name)}</th>' for name in columns)
    marks = [False] * len(rows) if marked is None else marked
    body = "\n".join(_line(row, mark) for row, mark in zip(rows, marks, strict=True))
    return (
        f'<table class="{css_class}">\n'
        f"<thead>\n<tr>{head}</tr>\n</thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )


def html_facts(title: str, facts: Facts) -> str:
    """Table of two columns, what and its value, under a title."""
    lines = "\n".join(
        f'<tr><th scope="row">{html_text(name)}</th>{_cell(value)}</tr>' for name, value in facts
    )
    caption = f"<caption>{html_text(title)}</caption>\n" if title else ""
    return f'<table class="kpboost">\n{caption}<tbody>\n{lines}\n</tbody>\n</table>'


def html_text(value: Any) -> str:
    """Return any text for HTML; lines stay lines."""
    return escape(visible(str(value), keep="\n")).replace("\n", "<br>")


def _line(row: Sequence[Any], mark: bool) -> str:
    start = '<tr class="worst" style="font-weight: bold">' if mark else "<tr>"
    return f"{start}{''.join(map(_cell, row))}</tr>"


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    text = f"{value:.{DIGITS}f}" if isinstance(value, float) else str(value)
    return f"<td>{html_text(text)}</td>"


def named(value: Any) -> str:
    """Return a value as Python writes it, a number of numpy as a plain one.

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost._notebook import named
    >>> named(np.int64(3)), named("a"), named(0.123456)
    ('3', "'a'", '0.1235')
    """
    plain = value.item() if isinstance(value, np.generic) else value
    return f"{plain:.4g}" if isinstance(plain, float) else repr(plain)


def names(values: Iterable[Any]) -> str:
    """Return the first of many values with commas between them."""
    return some_of(list(values), MOST_SHOWN, named)


def counted(counts: dict[str, int]) -> str:
    """Return classes with their sizes, the first of many."""
    return some_of([f"{label!r} {size:,}" for label, size in counts.items()], MOST_SHOWN)


def _rounds(estimator: Any) -> str:
    voting = estimator.selected_rounds_
    return f"{voting.sum():,} of {voting.size:,} vote"


def _chosen(estimator: Any) -> str:
    return ", ".join(f"{name}={named(value)}" for name, value in estimator.best_params_.items())


def _gamma(estimator: Any) -> str:
    if hasattr(estimator, "best_params_"):  # told among what the search has chosen
        raise AttributeError("gamma_")
    return named(estimator.gamma_)


def _point(estimator: Any) -> str:
    return str(estimator.operating_point_)


# What may be told of a fitted estimator: a name, and a function that fails without the attribute.
FITTED: dict[str, Callable[[Any], str]] = {
    "classes": lambda fitted: names(fitted.classes_),
    "positive class": lambda fitted: named(fitted.pos_label_),
    "features": lambda fitted: str(fitted.n_features_in_),
    "chosen by search": _chosen,
    "score of the choice": lambda fitted: named(float(fitted.best_score_)),
    "gamma": _gamma,
    "rounds": _rounds,
    "support vectors": lambda fitted: f"{len(fitted.support_):,}",
    "landmarks": lambda fitted: f"{len(fitted.landmarks_):,}",
    "leaves": lambda fitted: f"{fitted.n_leaves_:,}",
    "disjuncts": lambda fitted: f"{fitted.n_disjuncts_:,}",
    "neighbours (kappa)": lambda fitted: str(fitted.n_neighbors_),
    "operating point": _point,
}


def fitted_facts(estimator: Any) -> list[tuple[str, str]]:
    """Return what was learned, as pairs of a name and its value; nothing before ``fit``."""
    facts = []
    for name, tell in FITTED.items():
        with suppress(Exception):  # most often an attribute it has not; showing must never fail
            facts.append((name, tell(estimator)))
    return facts


class NotebookMixin:
    """Show scikit-learn's diagram in a notebook, and below it what was learned."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return what a notebook may show; ``display`` of scikit-learn's configuration decides."""
        shown = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            shown["text/html"] = self._diagram()
        return shown

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """For notebooks that know no bundles: there only if a diagram is wanted."""
        if get_config()["display"] != "diagram":
            raise AttributeError("scikit-learn's configuration asks for text, not for diagrams.")
        return self._diagram

    def _diagram(self) -> str:
        facts = fitted_facts(self)
        return str(estimator_html_repr(self)) + (html_facts("Fitted", facts) if facts else "")


class FactsMixin:
    """Show the facts of a record: in one line as text, as a table of two columns in a notebook."""

    __slots__ = ()

    def _facts(self) -> Facts:
        """Return names of facts and their values; every record has its own."""
        raise NotImplementedError

    def __repr__(self) -> str:
        facts = (f"{name}: {visible(str(value))}" for name, value in self._facts())
        return f"{type(self).__name__}({'; '.join(facts)})"

    def _repr_html_(self) -> str:
        return html_facts(type(self).__name__, self._facts())
