"""The header of ARFF and KEEL files: one ``@attribute`` line per column, then ``@data``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .cells import shortened
from .data_error import DataError
from .read_csv import MAX_COLUMNS

# Types of numbers; KEEL writes a range behind them, which says nothing new.
NUMBERS = ("real", "integer", "numeric")
# Types of any text; what a date means is told by its cells, not by the pattern behind the type.
WORDS = ("string", "date")
# A name, or a cell: in single or double quotes with backslashes as escapes, or bare.
QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
ATTRIBUTE = re.compile(rf"({QUOTED}|[^\s{{'\"]+)\s*(.*)", re.DOTALL)
CELL = re.compile(rf"\s*({QUOTED}|[^,'\"]*?)\s*(,|$)", re.DOTALL)
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
    cells, place, more = [], 0, True
    while more:
        match = CELL.match(line, place)
        if match is None:
            raise DataError(f"{shortened(line[place:])} is not well quoted.", file, number)
        cells.append(unquoted(match.group(1)))
        place, more = match.end(), match.group(2) == ","
    return cells


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
    if len(set(names)) < len(names):
        again = next(name for place, name in enumerate(names) if name in names[:place])
        raise DataError(f"declares two columns named {shortened(again)}.", file, number)
    for output in outputs:
        if output not in names:
            raise DataError(f"@outputs names {shortened(output)}, which is no column.", file)
    return Header(tuple(attributes), tuple(outputs))
