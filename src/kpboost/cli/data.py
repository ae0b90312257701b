"""A data set by what the user typed."""

from kpboost.datasets import find_dataset as find_data

__all__ = ["find_data"]
