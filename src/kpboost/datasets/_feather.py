"""Feather and Arrow files, through pyarrow: numbers, text, categories, truth values and dates.

Both are Arrow's format for a file (Feather's second version) or, seldom, for a stream. Their parts
may be compressed, and say how long they are unpacked: that is read and summed before any is.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ._file_bytes import MAX_BYTES, check_file
from ._parquet import (
    MAX_CELLS,
    MAX_WORD_BYTES,
    arrow_kind,
    arrow_readable,
    check_arrow_schema,
    table_of_arrow,
    usable_columns,
    with_words,
)
from ._table import DataError, Table
from ._text import Nominal, Origin

# The first bytes of a file; those of Feather's first version; what has none is a stream.
FILE_MARK, FIRST_FEATHER = b"ARROW1", b"FEA1"
# Bytes after the footer of a file: its length, and the mark again. Its fields that name messages.
FOOTER_END = 10
DICTIONARIES, BATCHES = 2, 3
# Numbers of eight bytes, and words.
MAX_UNPACKED = 8 * MAX_CELLS + MAX_WORD_BYTES
KIND = "Feather or Arrow"
# Kinds of messages, by their numbers in the format.
DICTIONARY, RECORDS = 2, 3


def read_feather(
    path: str | Path,
    *,
    nominal: Nominal | None = None,
    max_bytes: int = MAX_BYTES,
    max_cells: int = MAX_CELLS,
) -> Table:
    """Read a Feather or Arrow file; needs pyarrow (``pip install "kpboost[parquet]"``).

    Parameters and result are those of ``read_table``; ``max_cells`` is the largest number of rows
    times columns.
    """
    check_file(path, max_bytes)
    with arrow_readable(path, KIND):
        try:
            frame = _frame(path, max_cells)
        except (struct.error, IndexError) as error:
            raise DataError(f"is not a readable {KIND} file: {error}.", path) from error
        return table_of_arrow(frame, Origin(path), nominal or {})


def _frame(path: str | Path, max_cells: int) -> Any:
    from pyarrow import ipc, memory_map

    with Path(path).open("rb") as stream:
        start = stream.read(len(FILE_MARK))
    if start.startswith(FIRST_FEATHER):
        raise DataError("is a Feather file of version 1; save it again as version 2.", path)
    is_file = start == FILE_MARK
    with memory_map(str(path)) as source:
        content = source.read_buffer()
        _check_messages(_of_file(content) if is_file else _of_stream(content), path, max_cells)
        reader = (ipc.open_file if is_file else ipc.open_stream)(content)
        check_arrow_schema(reader.schema, path)
        names = usable_columns(reader.schema)
        frame = reader.read_all().select(names)
        frame.validate(full=True)  # whose words lie outside of the file would be read anywhere
        frame = _plain_words(frame).unify_dictionaries()
    return with_words(frame, frame.schema, path)


def _of_stream(content: Any) -> Iterator[Any]:
    """Yield the messages of a stream."""
    from pyarrow import ipc

    yield from ipc.MessageReader.open_stream(content)


def _of_file(content: Any) -> Iterator[Any]:
    """Yield the messages of a file, which stand where its footer says."""
    from pyarrow import ipc

    end = content.size - FOOTER_END
    (length,) = struct.unpack_from("<i", content, end)
    if not 0 < length <= end:
        raise struct.error("its footer has no length")
    footer = _Record(content.slice(end - length, length).to_pybytes())
    for field in (DICTIONARIES, BATCHES):
        for place, head, body in footer.structs(field, "<qi4xq"):
            if min(place, head, body) < 0 or place + head + body > content.size:
                raise struct.error("its footer names a place outside of the file")
            yield ipc.read_message(content.slice(place, head + body))


def _plain_words(frame: Any) -> Any:
    """Return a table whose text is of the usual type, and all categories are text.

    Polars writes another type of text, and pandas categories of numbers and truth values.
    """
    import pyarrow as pa

    for place, field in enumerate(frame.schema):
        if pa.types.is_dictionary(field.type) and arrow_kind(field.type.value_type) != "text":
            frame = frame.set_column(place, field.name, _with_text(frame.column(place)))

    def plain(kind: Any) -> Any:
        if pa.types.is_dictionary(kind):
            return pa.dictionary(pa.int32(), pa.string(), kind.ordered)
        return pa.large_string() if str(kind) == "string_view" else kind

    return frame.cast(pa.schema([field.with_type(plain(field.type)) for field in frame.schema]))


def _with_text(column: Any) -> Any:
    """Return a column of categories with their names as text, in their order."""
    import pyarrow as pa

    names = [
        pa.array([*map(_name, chunk.dictionary.to_pylist())], "string") for chunk in column.chunks
    ]
    parts = zip(column.chunks, names, strict=True)
    made = [pa.DictionaryArray.from_arrays(chunk.indices, words) for chunk, words in parts]
    return pa.chunked_array(made, pa.dictionary(column.type.index_type, "string"))


def _name(category: Any) -> str | None:
    """Name a category; 2 and 2.0 are one, as a gap among whole numbers makes them fractions."""
    if category is None or category != category:  # nan
        return None
    whole = not isinstance(category, bool) and category == int(category)
    return str(int(category) if whole else category)


def _check_messages(messages: Iterator[Any], path: str | Path, max_cells: int) -> None:
    """Refuse more cells, or more bytes once unpacked, than a table may have."""
    n_cells = n_bytes = 0
    for rows, columns, sizes in _batches(messages):
        n_cells += max(0, rows) * max(1, columns)
        n_bytes += sum(sizes)
        if n_cells > max_cells:
            raise DataError(f"has more than max_cells={max_cells} cells.", path)
        if n_bytes > MAX_UNPACKED:
            raise DataError(f"unpacks to more than {MAX_UNPACKED} bytes.", path)


def _batches(messages: Iterator[Any]) -> Iterator[tuple[int, int, list[int]]]:
    """Yield rows, columns and unpacked sizes of every message that has rows or words."""
    for message in messages:
        content = _Record(message.metadata.to_pybytes())
        if (kind := content.byte(1)) in (DICTIONARY, RECORDS):
            batch = content.table(2) if kind == RECORDS else content.table(2).table(1)
            columns = len(batch.structs(1, "<qq")) if kind == RECORDS else 0
            yield batch.number(0), columns, _sizes(batch, message.body)


def _sizes(batch: _Record, body: Any) -> list[int]:
    """Return how many bytes the parts of a batch are once unpacked, as they say themselves."""
    parts = batch.structs(2, "<qq")
    if not batch.has(3):  # not compressed
        return [max(0, size) for _, size in parts]
    view = memoryview(body)
    return [
        max(size, struct.unpack_from("<q", view, place)[0]) for place, size in parts if size > 0
    ]


class _Record:
    """A record of a flat buffer, the encoding of Arrow's messages: its fields by number."""

    def __init__(self, content: bytes, place: int | None = None) -> None:
        self._content = content
        self._place = self._at("<I", 0) if place is None else place
        self._fields = self._place - self._at("<i", self._place)

    def has(self, field: int) -> bool:
        """Tell whether a field is there."""
        return self._offset(field) != 0

    def byte(self, field: int) -> int:
        """Return a field of one byte; 0 if it is not there."""
        return self._at("<B", self._place + self._offset(field)) if self.has(field) else 0

    def number(self, field: int) -> int:
        """Return a field of eight bytes; 0 if it is not there."""
        return self._at("<q", self._place + self._offset(field)) if self.has(field) else 0

    def table(self, field: int) -> _Record:
        """Return a record inside of this one."""
        place = self._place + self._offset(field)
        return _Record(self._content, place + self._at("<I", place))

    def structs(self, field: int, form: str) -> list[tuple[int, ...]]:
        """Return a list of numbers of a form, some at a time."""
        if not self.has(field):
            return []
        place = self._place + self._offset(field)
        place += self._at("<I", place)
        count, size = self._at("<I", place), struct.calcsize(form)
        if count * size > len(self._content):
            raise struct.error("a list is longer than its message")
        starts = range(place + 4, place + 4 + size * count, size)
        return [struct.unpack_from(form, self._content, start) for start in starts]

    def _offset(self, field: int) -> int:
        known = self._at("<H", self._fields)
        return self._at("<H", self._fields + 4 + 2 * field) if 4 + 2 * field < known else 0

    def _at(self, form: str, place: int) -> int:
        if place < 0:
            raise struct.error("a place lies before its message")
        return int(struct.unpack_from(form, self._content, place)[0])
