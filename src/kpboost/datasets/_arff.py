"""ARFF files (WEKA) and .dat files (KEEL): declared columns, then one line per point.

Both begin with ``@attribute`` lines; KEEL adds ranges behind the types, and says with ``@outputs``
which column is the class. Nominal columns are numbered in the order declared; a column of strings
in sorted order. ``%`` starts a comment line, ``?`` and ``<null>`` are missing values.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kpboost._typing import IndexArray

from ._dataset import Fold
from ._file_bytes import MAX_BYTES, table_bytes
from ._table import DataError, Table, refuse_repeated, shortened
from ._text import (
    MAX_COLUMNS,
    Nominal,
    TextRows,
    check_text,
    columns_of,
    lines_of,
)

# Types of numbers; KEEL writes a range behind them, which says nothing new.
NUMBERS = ("real", "integer", "numeric")
# Types of any text; what a date means is told by its cells, not by the pattern behind the type.
WORDS = ("string", "date")
# A name, or a cell: in single or double quotes with backslashes as escapes, or bare.
QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
ATTRIBUTE = re.compile(rf"({QUOTED}|[^\s{{'\"]+)\s*(.*)", re.DOTALL)
QUOTED_WORD = re.compile(QUOTED, re.DOTALL)
BLANKS = re.compile(r"\s*")
ESCAPED = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True)
class Attribute:
    """One declared column: of numbers, of the categories given, or (None) of any words."""

    name: str
    is_number: bool
    categories: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Header:
    """What stands before the data: the columns, and which of them KEEL calls outputs."""

    attributes: tuple[Attribute, ...]
    outputs: tuple[str, ...]


def read_header(lines: Iterator[tuple[int, str]], file: str | Path) -> Header:
    """Read lines up to ``@data``; what follows stays in the iterator."""
    attributes: list[Attribute] = []
    outputs: list[str] = []
    number = 0
    for number, line in lines:
        keyword, rest = _parted(line)
        if keyword == "@data":
            return _checked(attributes, outputs, file, number)
        if keyword == "@attribute":
            attributes.append(_attribute(rest, file, number))
        elif keyword in ("@output", "@outputs"):
            outputs += split_cells(rest, file, number)
        elif keyword not in ("@relation", "@input", "@inputs"):
            raise DataError(
                f"{shortened(keyword)} is no declaration (@relation, @attribute, @inputs, "
                "@outputs, @data).",
                file,
                number,
            )
    raise DataError("ends before a line @data.", file, number or None)


def split_cells(line: str, file: str | Path, number: int) -> list[str]:
    """Return the cells between commas, without blanks and quotes around them."""
    if "'" not in line and '"' not in line:
        return [cell.strip() for cell in line.split(",")]
    cells, place = [], 0
    while place <= len(line):
        end = _cell_end(line, place)
        if end is None:
            raise DataError(f"{shortened(line[place:])} is not well quoted.", file, number)
        cells.append(unquoted(line[place:end].strip()))
        place = end + 1
    return cells


def _cell_end(line: str, place: int) -> int | None:
    """Return where the cell from a place on ends, before a comma or with the line, if it is whole.

    Every character is looked at a fixed number of times: a pattern that lets blanks be part of a
    cell and of what follows it takes time that grows with the square of the blanks.
    """
    start = BLANKS.match(line, place).end()  # type: ignore[union-attr]  # it matches anything
    if line[start : start + 1] in ("'", '"'):
        word = QUOTED_WORD.match(line, start)
        end = BLANKS.match(line, word.end()).end() if word else -1  # type: ignore[union-attr]
        return end if word and line[end : end + 1] in ("", ",") else None
    comma = line.find(",", start)
    end = len(line) if comma < 0 else comma
    bare = line[start:end]
    return None if "'" in bare or '"' in bare else end


def unquoted(word: str) -> str:
    """Return what stands between quotes, or the word itself."""
    if len(word) >= 2 and word[0] == word[-1] and word[0] in "'\"":
        return ESCAPED.sub(r"\1", word[1:-1])
    return word


def _parted(line: str) -> tuple[str, str]:
    keyword, *rest = line.split(None, 1)
    return keyword.lower(), rest[0].strip() if rest else ""


def _attribute(text: str, file: str | Path, number: int) -> Attribute:
    match = ATTRIBUTE.fullmatch(text)
    name = unquoted(match.group(1)).strip() if match else ""
    if match is None or not name:
        raise DataError("@attribute needs a name and a type.", file, number)
    declared = match.group(2).strip()
    if declared.startswith("{"):
        return Attribute(name, False, _categories(name, declared, file, number))
    word = re.split(r"[\s\[]", declared, maxsplit=1)[0].lower()
    if word in NUMBERS:
        return Attribute(name, True)
    if word in WORDS:
        return Attribute(name, False)
    raise DataError(
        f"column {name!r} has the type {shortened(declared)}; allowed are "
        f"{', '.join(NUMBERS)}, string, date and {{a, b, ...}}.",
        file,
        number,
    )


def _categories(name: str, declared: str, file: str | Path, number: int) -> tuple[str, ...]:
    if not declared.endswith("}"):
        raise DataError(f"the categories of column {name!r} do not end in '}}'.", file, number)
    categories = split_cells(declared[1:-1], file, number)
    if len(set(categories)) < len(categories) or "" in categories:
        raise DataError(f"column {name!r} declares a category twice, or none.", file, number)
    return tuple(categories)


def _checked(
    attributes: list[Attribute], outputs: list[str], file: str | Path, number: int
) -> Header:
    names = [attribute.name for attribute in attributes]
    if not names:
        raise DataError("declares no column before @data.", file, number)
    if len(names) > MAX_COLUMNS:
        raise DataError(f"has {len(names)} columns, more than {MAX_COLUMNS}.", file, number)
    refuse_repeated(names, file, number)
    for output in outputs:
        if output not in names:
            raise DataError(f"@outputs names {shortened(output)}, which is no column.", file)
    return Header(tuple(attributes), tuple(outputs))


def read_arff(
    path: str | Path, *, nominal: Nominal | None = None, max_bytes: int = MAX_BYTES
) -> Table:
    """Read an ARFF file or a KEEL file.

    Parameters
    ----------
    path : str or Path
        The file.
    nominal : mapping from str to sequence of str or None, default=None
        Columns to read as categories whatever the file declares, with the order of their
        categories (None: sorted).
    max_bytes : int, default=536870912
        Largest file to read.

    Returns
    -------
    Table
        Its columns in the order of the file.
    """
    return table_of_bytes(table_bytes(path, max_bytes), path, nominal or {})


def table_of_bytes(content: bytes, path: str | Path, nominal: Nominal) -> Table:
    """Return the table that the bytes of a file hold."""
    check_text(content, path)
    header = read_header(_lines(content), path)
    rows = TextRows(lambda: _rows(content, path), len(header.attributes), path)
    if next(rows(), None) is None:
        raise DataError("has declarations, but no rows.", path)
    names = [attribute.name for attribute in header.attributes]
    declared = {each.name: each.categories for each in header.attributes if not each.is_number}
    columns = columns_of(rows, names, rows.origin, {**declared, **nominal}, only_numbers=True)
    return Table.of(columns, path, outputs=header.outputs)


def _lines(content: bytes) -> Iterator[tuple[int, str]]:
    """Yield the lines that say something, with their numbers."""
    for number, line in enumerate(lines_of(content), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("%"):
            yield number, stripped


def _rows(content: bytes, path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Yield lines and cells of the points."""
    lines = _lines(content)
    read_header(lines, path)
    for number, line in lines:
        if line.startswith("{"):
            raise DataError("rows in braces (sparse ARFF) are not supported.", path, number)
        yield number, split_cells(line, path, number)


# Files of one partition by number of the fold and part ("tra", "tst").
Parts = Mapping[tuple[int, str], Path]


def keel_folds(
    path: str | Path, table: Table, max_bytes: int = MAX_BYTES
) -> tuple[Fold, ...] | None:
    """Return the (train, test) row numbers that KEEL's files beside ``path`` prescribe, or None.

    The files are looked for in the folder of ``path`` and in its sub-folder ``NAME-5-fold``.
    With several partitions, the one with the fewest folds counts.
    """
    found = find_parts(Path(path))
    if not found:
        return None
    n_folds = min(found)
    parts = _complete(found[n_folds], n_folds, path)
    whole = _keys(table, table)
    tests = [_read(parts[fold, "tst"], table, max_bytes) for fold in range(1, n_folds + 1)]
    rows = _shared_out(whole, table, tests)
    for fold, test in enumerate(rows, start=1):
        _check_rest(whole, test, table, _read(parts[fold, "tra"], table, max_bytes))
    everything = np.arange(table.n_rows)
    return tuple((np.setdiff1d(everything, test), test) for test in rows)


def find_parts(path: Path) -> dict[int, dict[tuple[int, str], Path]]:
    """Return the files of partitions, by number of folds."""
    pattern = re.compile(re.escape(path.stem) + r"-(\d{1,3})-(\d{1,3})(tra|tst)\.dat")
    found: dict[int, dict[tuple[int, str], Path]] = defaultdict(dict)
    for file in _neighbours(path):
        match = pattern.fullmatch(file.name)
        if match:
            n_folds, fold, part = match.groups()
            found[int(n_folds)][int(fold), part] = file
    return dict(found)


def _neighbours(path: Path) -> Iterable[Path]:
    yield from sorted(path.parent.iterdir())
    for folder in sorted(path.parent.glob("*-fold")):
        if folder.is_dir() and folder.name.startswith(path.stem + "-"):
            yield from sorted(folder.iterdir())


def _complete(parts: Parts, n_folds: int, path: str | Path) -> Parts:
    for fold in range(1, n_folds + 1):
        for part in ("tra", "tst"):
            if (fold, part) not in parts:
                name = f"{Path(path).stem}-{n_folds}-{fold}{part}.dat"
                raise DataError(f"is one of {n_folds} folds, but it is not there.", name)
    return parts


def _read(file: Path, whole: Table, max_bytes: int) -> Table:
    """Read a part, its categories numbered as in the whole file."""
    order = {
        name: words for name, words in zip(whole.names, whole.categories, strict=True) if words
    }
    return read_arff(file, nominal=order, max_bytes=max_bytes)


def _shared_out(whole: list[bytes], table: Table, tests: list[Table]) -> list[IndexArray]:
    """Return the row numbers of every test part; each row of the table goes to exactly one."""
    waiting: dict[bytes, list[int]] = defaultdict(list)
    for row in reversed(range(len(whole))):  # the first of equal points is taken first
        waiting[whole[row]].append(row)
    shares = [[_taken(waiting, key, test) for key in _keys(test, table)] for test in tests]
    left = sum(map(len, waiting.values()))
    if left:
        raise DataError(f"{left} of its rows are in no test part of its folds.", table.source)
    return [np.sort(np.array(share, dtype=np.intp)) for share in shares]


def _taken(waiting: dict[bytes, list[int]], key: bytes, test: Table) -> int:
    if not waiting.get(key):
        raise DataError("holds a row more often than the whole file does.", test.source)
    return waiting[key].pop()


def _check_rest(whole: list[bytes], test: IndexArray, table: Table, training: Table) -> None:
    rest = Counter(whole)
    rest.subtract(whole[row] for row in test)
    if +rest != Counter(_keys(training, table)):
        raise DataError("is not the rest of the rows beside its test part.", training.source)


def _keys(part: Table, whole: Table) -> list[bytes]:
    """Return the values of every row as bytes; -0.0 and 0.0 are one value."""
    if part.names != whole.names:
        raise DataError(f"has other columns than {Path(whole.source).name}.", part.source)
    return [row.tobytes() for row in part.values + 0.0]
