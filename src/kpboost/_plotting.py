"""What the Display classes share: matplotlib on demand, a palette, and axes to draw in."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Three colours of Okabe and Ito's palette, told apart with any kind of colour vision, and greys.
POSITIVE = "#D55E00"
NEGATIVE = "#0072B2"
INK = "#222222"
FAINT = "#9A9A9A"

Axes = NDArray[np.object_]


def pyplot(wanted_by: str) -> Any:
    """Import matplotlib.pyplot, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f'{wanted_by} needs matplotlib, which is not installed: pip install "kpboost[cli]".'
        ) from error
    return plt


def panels(
    wanted_by: str,
    ax: Any,
    n: int,
    *,
    size: tuple[float, float],
    heights: Sequence[float],
    n_columns: int = 1,
) -> tuple[Any, Axes]:
    """Find or make the axes for `n` pictures.

    Parameters
    ----------
    wanted_by : str
        Name of the class that draws, for messages.
    ax : None, Axes or array-like of Axes
        None makes a new figure. One Axes is divided. Several must be as many as the pictures.
    n : int
        Number of pictures.
    size : tuple of float
        Width and height of a new figure, in inches.
    heights : sequence of float
        Relative heights of the rows.
    n_columns : int, default=1
        Number of columns.

    Returns
    -------
    figure : Figure
    axes : ndarray of shape (n,)
    """
    plt = pyplot(wanted_by)
    if ax is None:
        return _new_figure(plt, n, size, heights, n_columns)
    given = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if given.size == 1 and n > 1:
        return given[0].figure, _divided(given[0], n, heights, n_columns)
    if given.size != n:
        raise ValueError(f"ax holds {given.size} axes; {wanted_by} needs one or {n} of them.")
    return given[0].figure, given


def quiet(axes: Any) -> None:
    """Leave only the left and the lower line of a frame."""
    axes.spines[["top", "right"]].set_visible(False)


def _new_figure(
    plt: Any, n: int, size: tuple[float, float], heights: Sequence[float], n_columns: int
) -> tuple[Any, Axes]:
    figure, grid = plt.subplots(
        len(heights),
        n_columns,
        figsize=size,
        height_ratios=heights,
        sharex=True,
        sharey="row",
        squeeze=False,
        layout="constrained",
    )
    for spare in grid.ravel()[n:]:
        spare.remove()
    return figure, grid.ravel()[:n]


def _divided(ax: Any, n: int, heights: Sequence[float], n_columns: int) -> Axes:
    """Split the room of one Axes; gaps leave room for titles and labels."""
    ax.set_axis_off()
    row_gap, column_gap = 0.08, 0.04
    share = (1.0 - row_gap * (len(heights) - 1)) / sum(heights)
    width = (1.0 - column_gap * (n_columns - 1)) / n_columns
    parts = []
    top = 1.0
    for height in heights:
        top -= share * height
        for column in range(n_columns):
            left = column * (width + column_gap)
            parts.append([left, top, width, share * height])
        top -= row_gap
    return np.array([ax.inset_axes(part) for part in parts[:n]], dtype=object)
