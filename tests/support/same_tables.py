"""Whether two tables, or two data sets, are the same."""

import numpy as np

from kpboost.datasets import Dataset, Table


def same_table(one: Table, other: Table) -> bool:
    """Tell whether names, categories and cells agree; two gaps do."""
    return (
        one.names == other.names
        and one.categories == other.categories
        and np.array_equal(one.values, other.values, equal_nan=True)
    )


def same_dataset(one: Dataset, other: Dataset) -> bool:
    """Tell whether features and labels agree."""
    return same_table(one.table, other.table) and np.array_equal(one.y, other.y)
