"""Real data for many tests: scikit-learn's own, and the shared folder where it is there."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

SHARED = Path(__file__).parents[2].parent / "shared"
DATA = SHARED / "data"
TABLES = SHARED / "paper" / "tables"
# Tables beside the data sets that are none themselves.
ABOUT_THE_DATA = ("COLUMNS", "SOURCES")
OWN = {
    "breast_cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
}


def data_names(fits=lambda file: True):
    """Names of the data sets whose files fit; none where the folder is not here."""
    files = [file for file in DATA.glob("*.csv") if file.stem not in ABOUT_THE_DATA]
    return sorted(file.stem for file in files if fits(file))


def data_folder():
    """The folder with the data sets of the paper, or no test."""
    if not DATA.is_dir():
        pytest.skip("the shared data sets are not here")
    return DATA


def data_file(name):
    """One of those data sets, or no test."""
    file = DATA / f"{name}.csv"
    if not file.exists():
        pytest.skip(f"{name}.csv is not among the shared data sets here")
    return file


def table_file(name):
    """One of the paper's tables, or no test."""
    if not (TABLES / name).exists():
        pytest.skip(f"{name} is not among the paper's tables here")
    return TABLES / name


def read_points(name):
    """Features and labels of a data set; words are numbers in order of appearance."""
    if name in OWN:
        return OWN[name](return_X_y=True)
    frame = pd.read_csv(data_file(name))
    return frame.iloc[:, :-1].apply(_numbers).to_numpy(np.float64), frame.iloc[:, -1].to_numpy(str)


def _numbers(column):
    return column if pd.api.types.is_numeric_dtype(column) else pd.factorize(column)[0]
