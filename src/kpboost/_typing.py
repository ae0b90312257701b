"""Names of array types that many signatures share."""

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
LabelArray = NDArray[np.str_]
