"""Data sets: the paper's, a user's own files, and generators whose disjuncts are known."""

from kpboost._public import publish

from ._catalogue import CatalogueEntry, catalogue
from ._column_roles import ColumnChoices, ColumnRole, role_sentences, roles_of, with_roles
from ._dataset import Dataset, Feature, encode_like, features_of
from ._generated import disjunct_sizes, embedded, make_disjuncts
from ._leaks import Leak, leak_sentences, possible_leaks
from ._read import dataset_of, read_dataset, read_table
from ._sources import find_dataset, known_names, load, source_of
from ._table import Column, DataError, Table

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

# For the other packages of ours; nothing here is promised to users.
from ._read import check_amount as check_amount
from ._sources import find_chosen as find_chosen
from ._table import Kind as Kind
from ._text import read_bytes as read_bytes
from ._written_values import days_since_1970 as days_since_1970

publish(__name__, __all__)
