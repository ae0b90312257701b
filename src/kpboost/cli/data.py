"""A data set by what the user typed."""

from kpboost.datasets import find_dataset

find_data = find_dataset
