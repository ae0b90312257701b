"""Data sets: the paper's, a user's own files, and generators whose disjuncts are known."""

from kpboost._public import publish

from ._catalogue import CatalogueEntry, catalogue, embedded, known_names
from ._column_roles import ColumnChoices, ColumnRole, role_sentences
from ._dataset import Dataset, dataset_of, encode_like
from ._draw import Draw, draw_parquet
from ._generated import disjunct_sizes, make_disjuncts
from ._leaks import Leak, leak_sentences, possible_leaks
from ._read import features_of, read_dataset, read_table, trainable, trainable_rows
from ._sources import find_dataset, load, source_of
from ._table import Column, DataError, Table

__all__ = [
    "CatalogueEntry",
    "Column",
    "ColumnChoices",
    "ColumnRole",
    "DataError",
    "Dataset",
    "Draw",
    "Leak",
    "Table",
    "catalogue",
    "dataset_of",
    "disjunct_sizes",
    "draw_parquet",
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
    "source_of",
    "trainable",
    "trainable_rows",
]

# For the other packages of ours; nothing here is promised to users.
from ._column_roles import constant_sentences as constant_sentences
from ._dataset import check_amount as check_amount
from ._draw import (
    DRAWN_ROWS as DRAWN_ROWS,
    draw_dataset as draw_dataset,
    in_proportion as in_proportion,
    is_larger_than_draw as is_larger_than_draw,
)
from ._file_bytes import read_bytes as read_bytes, stem_of as stem_of
from ._leaks import (
    CopiedRows as CopiedRows,
    copied_rows as copied_rows,
    copy_sentences as copy_sentences,
    follows_rows as follows_rows,
    record_numbers as record_numbers,
    telling_columns as telling_columns,
)
from ._parquet import parquet_batches as parquet_batches
from ._read import (
    FEWEST_MEMBERS as FEWEST_MEMBERS,
    column_names as column_names,
    known_endings as known_endings,
    labelled_rows as labelled_rows,
    take_rows as take_rows,
)
from ._sources import find_chosen as find_chosen
from ._table import listing as listing

publish(__name__, __all__)
