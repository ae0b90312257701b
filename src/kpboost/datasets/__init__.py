"""Data sets: the paper's, a user's own files, and generators whose disjuncts are known."""

from .catalogue import CatalogueEntry, catalogue
from .column_roles import ColumnChoices, ColumnRole, role_sentences, roles_of, with_roles
from .data_error import DataError
from .dataset import Dataset
from .disjunct_sizes import disjunct_sizes
from .embedded import embedded
from .encode_like import Feature, encode_like, features_of
from .find_dataset import find_dataset
from .leaks import Leak, leak_sentences, possible_leaks
from .load import known_names, load, source_of
from .make_disjuncts import make_disjuncts
from .read_dataset import dataset_of, read_dataset
from .read_table import read_table
from .table import Column, Table

__all__ = [
    "CatalogueEntry",
    "Column",
    "ColumnChoices",
    "ColumnRole",
    "DataError",
    "Dataset",
    "Feature",
    "Leak",
    "Table",
    "catalogue",
    "dataset_of",
    "disjunct_sizes",
    "embedded",
    "encode_like",
    "features_of",
    "find_dataset",
    "known_names",
    "leak_sentences",
    "load",
    "make_disjuncts",
    "possible_leaks",
    "read_dataset",
    "read_table",
    "role_sentences",
    "roles_of",
    "source_of",
    "with_roles",
]
