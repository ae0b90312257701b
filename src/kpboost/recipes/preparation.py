"""From a table's columns to numbers on one scale: what distances and kernels need.

The table is a float array whose nominal columns hold codes; NaN is a missing value in either kind.
Number columns are filled with their median and standardised. Nominal columns become indicator
columns, with a missing value as a category of its own.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

# Categories of one column beyond this number are rare enough to share an indicator; a column of
# names or identifiers would otherwise outweigh all others.
MOST_CATEGORIES = 20
# Codes start at 0, so this one is free for a missing value.
MISSING_CODE = -1.0


def preparation(nominal: NDArray[np.bool_]) -> Any:
    """Return a transformer that fills, encodes and scales the columns of a table.

    Parameters
    ----------
    nominal : ndarray of bool of shape (n_features,)
        Which columns hold codes of categories.

    Returns
    -------
    ColumnTransformer
        Unfitted; fit it on training rows only.
    """
    numbers = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    categories = make_pipeline(
        SimpleImputer(strategy="constant", fill_value=MISSING_CODE, keep_empty_features=True),
        OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            max_categories=MOST_CATEGORIES,
            sparse_output=False,
        ),
    )
    return ColumnTransformer(
        [
            ("numbers", numbers, np.flatnonzero(~nominal).tolist()),
            ("categories", categories, np.flatnonzero(nominal).tolist()),
        ]
    )
