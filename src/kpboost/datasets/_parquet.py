"""Parquet files, through pyarrow: numbers, text, categories, truth values and dates.

A column of categories (pandas' and Arrow's dictionaries) keeps their order; text is sorted. The
index that pandas stores without a name is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ._file_bytes import MAX_BYTES, check_file, damaged
from ._table import Column, DataError, Table, refuse_repeated
from ._text import (
    MAX_COLUMNS,
    Nominal,
    Origin,
    nominal_column,
    number_column,
)
from ._written_values import days_since_1970

# Parquet packs well: a small file may unfold to any size. So many cells take 800 MB as numbers.
MAX_CELLS = 100_000_000
# A word that stands in every row is written once; unfolded, all words may take so many bytes.
MAX_WORD_BYTES = 1 << 30
# Rows that are read at a time from a file that need not fit into memory.
BATCH_ROWS = 65_536
# Of a type in a message; one of nested lists is as long as it is deep.
MOST_LETTERS = 40
PANDAS_INDEX = "__index_level_"
NOTHING = "has no columns or no rows."
# What categories may be; those that are no text are written as text first.
CATEGORIES = ("text", "numbers", "truth")


def read_parquet(
    path: str | Path,
    *,
    nominal: Nominal | None = None,
    max_bytes: int = MAX_BYTES,
    max_cells: int = MAX_CELLS,
) -> Table:
    """Read a Parquet file; needs pyarrow (``pip install "kpboost[parquet]"``).

    Parameters and result are those of ``read_table``; ``max_cells`` is the largest number of rows
    times columns.
    """
    check_file(path, max_bytes)
    with arrow_readable(path):
        return _table(path, nominal or {}, max_cells)


def parquet_batches(
    path: str | Path,
    *,
    columns: Sequence[str] | None = None,
    nominal: Nominal | None = None,
    n_rows: int = BATCH_ROWS,
) -> Iterator[Table]:
    """Read a Parquet file of any size, some rows at a time.

    Parameters
    ----------
    path : str or Path
        The file.
    columns : sequence of str or None, default=None
        Columns to read; None reads all.
    nominal : mapping from str to sequence of str or None, default=None
        As for :func:`read_parquet`; without an order, the categories of a batch are those that
        occur in it.
    n_rows : int, default=65536
        Most rows of a batch.

    Yields
    ------
    Table
    """
    first = 0
    for frame in arrow_batches(path, columns, n_rows):
        with arrow_readable(path):
            table = table_of_arrow(frame, Origin(path, row_of=first.__add__), nominal or {})
        yield table
        first += frame.num_rows


def arrow_batches(
    path: str | Path, columns: Sequence[str] | None = None, n_rows: int = BATCH_ROWS
) -> Iterator[Any]:
    """Yield some rows at a time as Arrow's tables."""
    check_file(path, sys.maxsize)
    with arrow_readable(path):
        from pyarrow import Table as ArrowTable, parquet

        schema = parquet_schema(path)
        with parquet.ParquetFile(path, read_dictionary=texts_of(schema)) as file:
            if not file.metadata.num_rows:
                raise DataError(NOTHING, path)
            for batch in file.iter_batches(n_rows, columns=list(columns or usable_columns(schema))):
                yield with_words(ArrowTable.from_batches([batch]), schema, path)


def parquet_schema(path: str | Path) -> Any:
    """Return Arrow's schema of a file, if all its columns can be read."""
    check_file(path, sys.maxsize)
    with arrow_readable(path):
        from pyarrow import parquet

        with parquet.ParquetFile(path) as file:
            _check_width(file.metadata.num_columns, path)
            schema = file.schema_arrow
        check_arrow_schema(schema, path)
        return schema


def check_arrow_schema(schema: Any, path: str | Path) -> None:
    """Refuse columns that cannot be read: none, too many, two of one name, or of another type."""
    names = usable_columns(schema)
    if not names:
        raise DataError(NOTHING, path)
    _check_width(len(schema), path)
    refuse_repeated(names, path)
    for field in schema:
        _check_type(field.name, field.type, path)


def parquet_size(path: str | Path) -> int:
    """Return how many rows a Parquet file says it has."""
    check_file(path, sys.maxsize)
    with arrow_readable(path):
        from pyarrow import parquet

        with parquet.ParquetFile(path) as file:
            return int(file.metadata.num_rows)


@contextmanager
def arrow_readable(path: str | Path, kind: str = "Parquet") -> Iterator[None]:
    """Turn whatever a damaged file provokes into a sentence."""
    arrow = _pyarrow(path)
    try:
        yield
    except DataError:  # it is a ValueError, too
        raise
    except (
        arrow.ArrowException,
        EOFError,
        OSError,
        ValueError,
        MemoryError,
        OverflowError,
    ) as error:
        raise damaged(f"is not a readable {kind} file", error, path) from error


def usable_columns(schema: Any) -> list[str]:
    """Return the names of all columns but the index of pandas."""
    return [name for name in schema.names if not name.startswith(PANDAS_INDEX)]


def _pyarrow(path: str | Path) -> Any:
    try:
        import pyarrow
    except ImportError as error:
        reason = 'needs pyarrow to be read: pip install "kpboost[parquet]".'
        raise DataError(reason, path) from error
    return pyarrow


def _table(path: str | Path, nominal: Nominal, max_cells: int) -> Table:
    from pyarrow import parquet

    schema = parquet_schema(path)
    with parquet.ParquetFile(path, read_dictionary=texts_of(schema)) as file:
        _check_cells(file.metadata, path, max_cells)
        frame = file.read(usable_columns(schema))
    return table_of_arrow(with_words(frame, schema, path), Origin(path), nominal)


def texts_of(schema: Any) -> list[str]:
    """Return the names of the columns of text."""
    return [field.name for field in schema if arrow_kind(field.type) == "text"]


def truths_of(schema: Any) -> list[str]:
    """Return the names of the columns of truth values."""
    return [field.name for field in schema if arrow_kind(field.type) == "truth"]


def with_words(frame: Any, schema: Any, path: str | Path) -> Any:
    """Unfold the words of an Arrow table, unless they are too many."""
    from pyarrow import schema as arrow_schema

    _check_words(frame, path)
    return frame.cast(arrow_schema([schema.field(name) for name in frame.column_names]))


def table_of_arrow(frame: Any, origin: Origin, nominal: Nominal) -> Table:
    """Return the columns of one of Arrow's tables."""
    path, names = origin.file, frame.column_names
    if not frame.num_rows:
        raise DataError(NOTHING, path)
    return Table.of([_column(name, frame.column(name), origin, nominal) for name in names], path)


def _check_width(n_columns: int, path: str | Path) -> None:
    if n_columns > MAX_COLUMNS:
        raise DataError(f"has {n_columns} columns, more than {MAX_COLUMNS}.", path)


def _check_cells(metadata: Any, path: str | Path, max_cells: int) -> None:
    if metadata.num_rows * metadata.num_columns > max_cells:
        raise DataError(
            f"has {metadata.num_rows} rows of {metadata.num_columns} columns, more than "
            f"max_cells={max_cells} cells.",
            path,
        )


def _column(name: str, values: Any, origin: Origin, nominal: Nominal) -> Column:
    kind = arrow_kind(values.type)
    if kind == "categories":
        return _categories(name, values, origin, nominal)
    if kind in ("text", "truth"):
        return _words(name, values.to_pylist(), nominal.get(name), origin)
    if kind == "nothing":
        return Column(name, "number", np.full(len(values), np.nan))
    return (_dates if kind == "dates" else _numbers)(name, values, origin, nominal)


def arrow_kind(arrow_type: Any) -> str:
    """Say in a word what a column holds, "" for what is not read."""
    from pyarrow import types

    if types.is_dictionary(arrow_type):
        return "categories" if arrow_kind(arrow_type.value_type) in CATEGORIES else ""
    kinds = {
        "text": (types.is_string, types.is_large_string, lambda kind: str(kind) == "string_view"),
        "truth": (types.is_boolean,),
        "dates": (types.is_timestamp, types.is_date),
        "numbers": (types.is_integer, types.is_floating, types.is_decimal),
        "nothing": (types.is_null,),
    }
    fitting = (kind for kind, tests in kinds.items() if any(is_a(arrow_type) for is_a in tests))
    return next(fitting, "")


def _check_type(name: str, arrow_type: Any, path: str | Path) -> None:
    """Refuse a column of another type before it is unfolded."""
    if not arrow_kind(arrow_type):
        raise DataError(
            f"column {name!r} has the type {str(arrow_type)[:MOST_LETTERS]}; allowed are numbers, "
            "text, categories, truth values and dates.",
            path,
        )


def _check_words(frame: Any, path: str | Path) -> None:
    from pyarrow import compute, types

    total = 0
    for column in frame.columns:
        for chunk in column.chunks if types.is_dictionary(column.type) else ():
            longest = compute.max(compute.binary_length(chunk.dictionary)).as_py() or 0
            total += longest * len(chunk)
    if total > MAX_WORD_BYTES:
        raise DataError(f"has words that unfold to more than {MAX_WORD_BYTES} bytes.", path)


def _categories(name: str, values: Any, origin: Origin, nominal: Nominal) -> Column:
    declared_words = values.combine_chunks().dictionary.to_pylist()
    order = ["" if word is None else str(word).strip() for word in declared_words]
    order = [word for word in order if word]  # an empty one is a gap, as in a CSV file
    declared = order if len(set(order)) == len(order) else None
    return _words(name, values.to_pylist(), nominal.get(name, declared), origin)


def _words(
    name: str, cells: Sequence[Any], categories: Sequence[str] | None, origin: Origin
) -> Column:
    words = ["" if cell is None else str(cell).strip() for cell in cells]
    return nominal_column(name, words, categories, origin)


def _dates(name: str, values: Any, origin: Origin, nominal: Nominal) -> Column:
    if name in nominal:
        return _words(name, values.to_pylist(), nominal[name], origin)
    moments = np.asarray(values.cast("timestamp[us]", safe=False).to_numpy(), "datetime64[us]")
    return Column(name, "date", days_since_1970(moments))


def _numbers(name: str, values: Any, origin: Origin, nominal: Nominal) -> Column:
    from pyarrow import types

    if name in nominal and types.is_integer(values.type):  # as floats, long ones lose digits
        return _words(name, values.to_pylist(), nominal[name], origin)
    numbers = np.asarray(values.cast("float64", safe=False).to_numpy(), dtype=np.float64)
    column = number_column(name, numbers, origin)
    if name in nominal:
        return _words(name, column.labels().tolist(), nominal[name], origin)
    return column
