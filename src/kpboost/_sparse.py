"""Sparse matrices from elsewhere: looked at before anything compiled follows their indices."""

from typing import Any

from scipy import sparse


def well_formed(X: Any) -> Any:
    """Return X as it is, unless it is sparse and its indices point outside.

    Parameters
    ----------
    X : object
        Points of any kind. Compiled code, scipy's and ours, follows the indices of a sparse matrix
        without looking; scikit-learn does not look either. It refuses other than two dimensions.

    Returns
    -------
    object
        X itself.

    Raises
    ------
    ValueError
        If it is a sparse matrix with an index that is out of range.
    """
    if sparse.issparse(X) and X.ndim == 2:
        try:
            _check_indices(X)
        except (ValueError, IndexError, TypeError) as error:
            raise ValueError(f"X is a sparse matrix with indices out of range: {error}.") from error
    return X


def _check_indices(X: Any) -> None:
    if X.format in ("csr", "csc", "bsr"):
        # a second matrix on the same arrays, as the check may tidy up what it looks at
        type(X)((X.data, X.indices, X.indptr), shape=X.shape).check_format(full_check=True)
    elif X.format == "coo":
        for places, length in zip((X.row, X.col), X.shape, strict=True):
            if places.shape != X.data.shape:
                raise ValueError("there must be a row and a column for every value")
            if places.size and not 0 <= places.min() <= places.max() < length:
                raise ValueError(f"a place lies outside the shape {X.shape}")
    else:
        _check_indices(X.tocsr())
