"""The shared data sets with their nominal columns and missing values, where they are there."""

import numpy as np
import pandas as pd

from support.shared_data import data_file, data_names


def names(most_columns=100):
    """Wide files take longer to read than all others together."""
    return data_names(lambda file: n_columns(file) <= most_columns)


def n_columns(file):
    with file.open() as lines:
        return next(lines).count(",")


def read(name):
    """Values, labels and the mask of nominal columns; no test where the file is not here."""
    frame = pd.read_csv(data_file(name), na_values="?")
    features, y = frame.iloc[:, :-1], frame.iloc[:, -1].to_numpy(str)
    is_nominal = [not pd.api.types.is_numeric_dtype(kind) for kind in features.dtypes]
    words = features.columns[is_nominal]
    numbers = features.assign(**{name: coded(features[name]) for name in words})
    return numbers.to_numpy(np.float64), y, np.array(is_nominal)


def coded(column):
    """One number for each word."""
    codes = pd.factorize(column)[0]
    return np.where(codes < 0, np.nan, codes)
