"""The knee of a falling curve: two lines fitted to its two sides (Kaplan 2012).

For every break, one least-squares line is fitted to the points up to it and one to the points from
it on; the break belongs to both. The knee is the first break with the least sum of absolute
residuals, so it is never an end of the curve.
"""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

# Breaks whose errors differ by less than this share of the curve's height differ by rounding.
ERROR_TOLERANCE = 1e-9
# The extra step to the right is taken while the fall behind the knee is at least this share of the
# fall before it. The value is that of the paper's authors' program.
STEEP_SHARE = 0.33


def find_knee(curve: NDArray[np.generic], rule: str) -> int:
    """Position of the knee by "kaplan", or by "kaplan_shift": with the extra step.

    A curve of fewer than three points has no knee; its last point is taken.
    """
    heights = np.asarray(curve, dtype=np.float64)
    if heights.size < 3:
        return heights.size - 1
    knee = _kaplan_knee(heights)
    return knee + 1 if rule == "kaplan_shift" and _still_steep(heights, knee) else knee


def _kaplan_knee(heights: FloatArray) -> int:
    breaks = range(1, heights.size - 1)
    errors = np.array([_line_error(heights[: b + 1]) + _line_error(heights[b:]) for b in breaks])
    good = errors <= errors.min() + ERROR_TOLERANCE * np.ptp(heights)
    return breaks[int(good.argmax())]


def _line_error(heights: FloatArray) -> float:
    """Sum of the absolute residuals of the least-squares line through at least two points."""
    x = np.arange(heights.size) - (heights.size - 1) / 2
    y = heights - heights.mean()
    return float(np.abs(y - (x @ y) / (x @ x) * x).sum())


def _still_steep(heights: FloatArray, knee: int) -> bool:
    before = abs(heights[knee] - heights[knee - 1])
    behind = abs(heights[knee + 1] - heights[knee])
    return bool(behind >= STEEP_SHARE * before)
