"""A fitted tree as text, in the manner of C4.5's own print-out."""

from typing import Any

INDENT = "|   "
MOST_DIGITS = 7  # of cuts and values: as many as keep common data as they were written


def tree_text(tree: Any, names: list[str]) -> str:
    """One line per branch, leaves with their label, weight and errors.

    Parameters
    ----------
    tree : C45Classifier
        Fitted.
    names : list of str
        Names of the columns.

    Returns
    -------
    str
    """
    if tree.node_n_children_[0] == 0:
        return f"{_leaf(tree, 0)}\n"
    lines = []
    waiting = _branches(tree, 0, names)
    while waiting:  # not recursive: a tree may be deeper than Python's stack
        node, test = waiting.pop()
        indent = INDENT * (int(tree.node_depth_[node]) - 1)
        is_leaf = tree.node_n_children_[node] == 0
        lines.append(f"{indent}{test}:{' ' + _leaf(tree, node) if is_leaf else ''}")
        waiting.extend(_branches(tree, node, names))
    return "\n".join(lines) + "\n"


def _branches(tree: Any, node: int, names: list[str]) -> list[tuple[int, str]]:
    """Nodes below with what leads to them, the last one first."""
    first, column = int(tree.node_first_child_[node]), int(tree.node_feature_[node])
    found = [
        (first + branch, f"{names[column]} {_condition(tree, node, column, branch)}")
        for branch in range(int(tree.node_n_children_[node]))
    ]
    return found[::-1]


def _condition(tree: Any, node: int, column: int, branch: int) -> str:
    values = tree.categories_[column]
    if values is not None:
        return f"= {_short(values[branch])}"
    sign = "<=" if branch == 0 else ">"
    return f"{sign} {_short(tree.node_threshold_[node])}"


def _leaf(tree: Any, node: int) -> str:
    weights = tree.node_class_weights_[node]
    total = weights.sum()
    errors = total - weights[tree.node_class_[node]] if total else 0.0
    counts = f"{total:.1f}/{errors:.1f}" if errors >= 0.05 else f"{total:.1f}"
    return f"{tree.classes_[tree.node_class_[node]]} ({counts})"


def _short(value: float) -> str:
    return f"{value:.{MOST_DIGITS}g}"
