"""Data sets: the paper's, a user's own files, and generators whose disjuncts are known."""

from .catalogue import CatalogueEntry, catalogue
from .data_error import DataError
from .dataset import Dataset
from .disjunct_sizes import disjunct_sizes
from .embedded import embedded
from .encode_like import Feature, encode_like, features_of
from .find_dataset import find_dataset
from .load import known_names, load, source_of
from .make_disjuncts import make_disjuncts
from .read_dataset import dataset_of, read_dataset
from .read_table import read_table
from .table import Column, Table

__all__ = [
    "CatalogueEntry",
    "Column",
    "DataError",
    "Dataset",
    "Feature",
    "Table",
    "catalogue",
    "dataset_of",
    "disjunct_sizes",
    "embedded",
    "encode_like",
    "features_of",
    "find_dataset",
    "known_names",
    "load",
    "make_disjuncts",
    "read_dataset",
    "read_table",
    "source_of",
]
