"""What the columns of a user's table are: features, identifiers, free text, dates, written numbers.

An identifier teaches nothing about new rows, so it is left out of the features; so is free text,
whose values are too many for categories. A date becomes numbers; so does a number that is written
with a comma or a unit. Everything else stays what it is. The rules look at a column's values first
and at its name only to settle a doubt; the user has the last word (``drop``, ``id_columns``,
``keep``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from kpboost._text import some_of
from kpboost._typing import FloatArray, IndexArray

from ._table import Column, DataError, no_column, shortened
from ._written_values import (
    DATE_WAYS,
    ISO,
    MARKS,
    NUMBER_WAYS,
    UNIT_WAYS,
    date_ways,
    days_of,
    different_units,
    number_of,
    number_ways,
    slip_among,
    unit_ways,
)

RoleKind = Literal["identifier", "text", "mixed", "date", "number", "unclear", "dropped", "kept"]

# With fewer rows, values that do not repeat are no news: three patients may have three ages.
FEWEST_ROWS = 20
# An identifier may be missing in some rows; a column that is mostly empty is something else.
LEAST_KNOWN = 0.5
# Text with this share of different values or more teaches nothing: as a category it would occur
# once. The rest is room for a few rows that were entered twice with a slip.
NEARLY_UNIQUE = 0.9
# Enough different values for a column that also looks like one of keys, by its name or its cells:
# two visits of every patient are still patients.
HALF_UNIQUE = 0.5
# Words of free text, the median of its different values. Names of persons and places are shorter.
FEWEST_WORDS = 5
# Whole numbers that a measure of the same range, spread as evenly as can be, would have repeated
# at least so often, and which repeat at most a tenth of that, are running numbers. A measure
# without any repetition has a chance of e^-5 or less there, and of much less if it is uneven.
FEWEST_EXPECTED_REPEATS = 5.0
MOST_REPEATS = 0.1
# Words that make a name one of identifiers, and names that are one as a whole.
ID_WORDS = frozenset(("id", "ids", "uid", "uuid", "guid", "pk", "key"))
ID_NAMES = frozenset(("index", "idx", "rowid", "row", "nr", "no", "unnamed: 0"))
NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# UUIDs, and MD5, SHA-1, SHA-256 and the like as hexadecimal digits.
DIGEST = re.compile(
    r"\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?|[0-9a-f]{32,128}", re.IGNORECASE | re.ASCII
)
# Columns in one line; the records have all.
MOST_SHOWN = 6
DATE_PARTS = ("days", "weekday", "month")
# 1970-01-01 was a Thursday; Monday is 1.
FIRST_WEEKDAY = 3
# The hash splitmix64, and what a missing value counts as in it.
STEP, MIXING = 0x9E3779B97F4A7C15, ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
MISSING_MARK = -1.7320508e77


@dataclass(frozen=True)
class ColumnChoices:
    """What a user says about columns.

    Attributes
    ----------
    drop : sequence of str
        Columns to leave out.
    id_columns : sequence of str
        Identifiers: left out of the features, and carried into files of predictions.
    keep : sequence of str or "all"
        Columns that stay as they were read, whatever they look like.
    many_classes : bool
        Whether a class column of many different numbers is meant.
    optional : bool
        Whether a name that no column has is ignored rather than refused.

    See Also
    --------
    read_dataset : Takes the same choices as arguments.
    ColumnRole : What was decided about a column.

    Examples
    --------
    >>> from kpboost.datasets import ColumnChoices
    >>> ColumnChoices(drop=("note",), id_columns=("patient",)).drop
    ('note',)
    """

    drop: Sequence[str] = ()
    id_columns: Sequence[str] = ()
    keep: Sequence[str] = ()
    many_classes: bool = False
    optional: bool = False

    def __post_init__(self) -> None:
        for name in ("drop", "id_columns", "keep"):
            object.__setattr__(self, name, _names(name, getattr(self, name)))

    @property
    def keeps_all(self) -> bool:
        """Whether every column stays as it was read."""
        return self.keep == "all"

    @property
    def named(self) -> tuple[str, ...]:
        """All names, in the order of the attributes."""
        kept = () if self.keeps_all else self.keep
        return (*self.drop, *self.id_columns, *kept)


@dataclass(frozen=True)
class ColumnRole:
    """What a column is, other than a feature as it stands.

    Attributes
    ----------
    name : str
        The column.
    kind : {"identifier", "text", "mixed", "date", "number", "unclear", "dropped", "kept"}
        Identifiers, free text, numbers with different units ("mixed") and dropped columns are left
        out; dates become a number for each of ``parts``; "number" is one that was written with a
        comma or a unit; the others stay as they are.
    reason : str
        Why, in words.
    way : str
        How a date or a number is written, see ``written_values``; "" for dates that were no text.
    parts : tuple of str
        Of a date: "days", and "weekday" and "month" where they vary.
    asked : bool
        Whether the user has said so.

    See Also
    --------
    role_sentences : Says it in words.
    features_of : Decides it for the columns of a table.

    Examples
    --------
    >>> from kpboost.datasets import ColumnRole
    >>> ColumnRole("patient", "identifier", asked=True).name
    'patient'
    """

    name: str
    kind: RoleKind
    reason: str = ""
    way: str = ""
    parts: tuple[str, ...] = ()
    asked: bool = False

    def __post_init__(self) -> None:
        ways = {"date": {"", *DATE_WAYS}, "number": {*NUMBER_WAYS, *UNIT_WAYS}}.get(self.kind, {""})
        if self.kind not in get_args(RoleKind) or self.way not in ways:
            raise ValueError(f"{self.kind!r} written as {self.way!r} is not a role of a column")
        if not {*self.parts} <= {*DATE_PARTS}:
            raise ValueError(f"{self.parts!r} are not parts of a date")

    @property
    def is_left_out(self) -> bool:
        """Whether the column is no feature at all."""
        return self.kind in ("identifier", "text", "mixed", "dropped")

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that the column becomes: none, itself, or those of its parts."""
        return () if self.is_left_out else self.made or (self.name,)

    @property
    def made(self) -> tuple[str, ...]:
        """Names of the features that take the column's place, if it is read anew."""
        if self.kind == "number":
            return (self.name,)
        return tuple(f"{self.name} ({part})" for part in self.parts)


def roles_of(
    columns: Sequence[Column], choices: ColumnChoices | None = None, file: str = ""
) -> tuple[ColumnRole, ...]:
    """Tell which columns are not features as they stand.

    Parameters
    ----------
    columns : sequence of Column
        The columns of a table without its class.
    choices : ColumnChoices or None, default=None
        What the user says about them.
    file : str, default=""
        Where they come from, for messages.

    Returns
    -------
    tuple of ColumnRole
        In the order of the columns; those that stay features have none.

    Raises
    ------
    DataError
        If a choice names a column that is not there, or one column twice.
    """
    choices = choices or ColumnChoices()
    check_choices([column.name for column in columns], choices, file)
    asked = {role.name: role for role in _asked(choices)}
    if choices.keeps_all:
        return tuple(asked[column.name] for column in columns if column.name in asked)
    rows = _Rows(columns)
    found = (
        asked.get(column.name) or _recognised(column, place, rows, file)
        for place, column in enumerate(columns)
    )
    return tuple(role for role in found if role is not None)


def with_roles(
    columns: Sequence[Column], roles: Iterable[ColumnRole], file: str = ""
) -> tuple[Column, ...]:
    """Return the features: without identifiers and dropped columns, dates and numbers read.

    Parameters
    ----------
    columns : sequence of Column
        The columns of a table.
    roles : iterable of ColumnRole
        Roles of these, or those that a model remembers of its training table.
    file : str, default=""
        Where the columns come from, for messages.

    Returns
    -------
    tuple of Column

    Raises
    ------
    DataError
        If a cell is not written as the role says; the message names it.
    """
    known = {role.name: role for role in roles}
    features: list[Column] = []
    for column in columns:
        features += _features(column, known.get(column.name), file)
    names = [column.name for column in features]
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise DataError(f"has a date and another column that both become {twice!r}.", file)
    return tuple(features)


def role_sentences(roles: Iterable[ColumnRole]) -> tuple[str, ...]:
    """Say in a line each what was left out, what was read as what, and what stayed unclear."""
    by_kind: dict[str, list[str]] = {}
    for role in roles:
        asked = role.asked and role.kind == "identifier"
        by_kind.setdefault("asked" if asked else role.kind, []).append(_in_words(role))
    sentences = {
        "identifier": "Left out as identifiers: {}. --keep NAME (keep=...) uses one as a feature.",
        "text": "Left out as free text: {}. To use it, encode it first, for example with "
        "TfidfVectorizer in a scikit-learn pipeline; --keep NAME (keep=...) takes every text for a "
        "category.",
        "mixed": "Left out, as their units are not written alike: {}. Write one unit throughout; "
        "--keep NAME (keep=...) takes every text for a category.",
        "asked": "Left out as identifiers, as asked: {}.",
        "dropped": "Dropped, as asked: {}.",
        "date": "Read as dates: {}.",
        "number": "Read as numbers: {}.",
        "unclear": "Left as categories, as it is not clear what they mean: {}.",
    }
    return tuple(
        sentence.format(some_of(by_kind[kind], MOST_SHOWN))
        for kind, sentence in sentences.items()
        if kind in by_kind
    )


def constant_sentences(names: Sequence[str]) -> tuple[str, ...]:
    """Name the columns that do not vary, and say what happens to them, in one line or none."""
    if not names:
        return ()
    shown = some_of([repr(name) for name in names], MOST_SHOWN)
    return (
        f"The same in every row that was read: {shown}. Nothing can be learnt from that; it stays "
        "a feature unless --drop NAME (drop=...) leaves it out.",
    )


def _asked(choices: ColumnChoices) -> Iterator[ColumnRole]:
    kept = () if choices.keeps_all else choices.keep
    kinds: dict[RoleKind, Sequence[str]] = {"dropped": choices.drop, "kept": kept}
    for kind, names in {**kinds, "identifier": choices.id_columns}.items():
        yield from (ColumnRole(name, kind, asked=True) for name in names)


def check_choices(names: Sequence[str], choices: ColumnChoices, file: str = "") -> None:
    """Refuse choices that name a column which is not there, or one column twice."""
    known = set(names)
    for name in () if choices.optional else choices.named:
        if name not in known:
            raise DataError(no_column(name, names, "feature column"), file)
    twice = [name for name, count in Counter(choices.named).items() if count > 1]
    if twice:
        raise DataError(
            f"column {twice[0]!r} is named twice among drop, id_columns and keep; once is allowed.",
            file,
        )


def _names(argument: str, given: Sequence[str]) -> Sequence[str]:
    """Return names as a tuple; one name may stand alone, and "all" is a word of ``keep``."""
    if isinstance(given, str):
        return given if argument == "keep" and given == "all" else (given,)
    names = tuple(given)
    if not all(isinstance(name, str) for name in names):
        raise ValueError(f"{argument}={given!r} is not allowed; it must be names of columns.")
    return names


class _Rows:
    """Rows by hashes that mix all their cells, to find those that were entered twice.

    Parameters
    ----------
    columns : sequence of Column
        All columns of the table.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._sums = np.zeros(columns[0].values.size if columns else 0, dtype=np.uint64)
        for place, column in enumerate(columns):
            self._sums += self._hashed(column, place)
        self.first = np.sort(np.unique(self._sums, return_index=True)[1])

    @property
    def occur_again(self) -> bool:
        """Whether there is a row that occurs twice."""
        return self.first.size < self._sums.size

    def are_repeated(self, column: Column, place: int) -> bool:
        """Tell whether the other columns would do to tell the different rows apart."""
        others = np.unique(self._sums - self._hashed(column, place)).size
        return others >= NEARLY_UNIQUE * self.first.size

    @staticmethod
    def _hashed(column: Column, place: int) -> NDArray[np.uint64]:
        values = np.where(np.isnan(column.values), MISSING_MARK, column.values) + 0.0  # no -0.0
        start = np.array((place + 1) * STEP % 2**64, dtype=np.uint64)
        bits = np.ascontiguousarray(values).view(np.uint64) + start
        for shift, factor in MIXING:
            bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
        return np.asarray(bits ^ (bits >> np.uint64(31)))


def _recognised(column: Column, place: int, rows: _Rows, file: str) -> ColumnRole | None:
    """Return what a column is by its values, or None for a feature; dates and numbers go first."""
    if column.kind == "date":
        return ColumnRole(column.name, "date", parts=_parts(column.values))
    if column.kind == "nominal" and column.categories:
        words = _used(column)
        written = _written(column, words) or _mixed(column, words)
        if written is not None:
            return written
        _refuse_slip(column.name, words, file)
    role = _left_out(column, column.values)
    if role is None and rows.occur_again:
        role = _left_out(column, column.values[rows.first])
        if role and not rows.are_repeated(column, place):  # asked last, as it sorts all rows
            return None
    return role


def _refuse_slip(name: str, words: Sequence[str], file: str) -> None:
    """Refuse a column of dates or numbers with a few other cells, rather than lose it."""
    slip = slip_among(words)
    if slip is not None:
        raise DataError(
            f"column {name!r} holds {shortened(slip[1])} among {slip[0]}; write '?' where a value "
            "is missing, or name the column in keep or drop.",
            file,
        )


def _used(column: Column) -> list[str]:
    """Return the categories that occur; a file may declare others."""
    codes = np.unique(column.values[~np.isnan(column.values)]).astype(np.intp)
    assert column.categories is not None
    return [column.categories[code] for code in codes.tolist()]


def _written(column: Column, words: Sequence[str]) -> ColumnRole | None:
    """Return the role of text that reads as dates or numbers throughout."""
    ways = date_ways(words)
    if len(ways) == 1:
        parts = _parts(_read(column, lambda word: days_of(word, ways[0])))
        return ColumnRole(column.name, "date", f"written {ways[0]}", ways[0], parts)
    if ways:
        reason = f"{shortened(words[0])} may be {' or '.join(ways)}"
        return ColumnRole(column.name, "unclear", reason)
    ways = number_ways(words) or unit_ways(words)
    if len(ways) == 1:
        return ColumnRole(column.name, "number", _how_read(words, ways[0]), ways[0])
    if ways:
        example = next(word for word in words if "," in word or "." in word)
        meant = " or ".join(f"{number_of(example, way):.10g}" for way in ways)
        return ColumnRole(column.name, "unclear", f"{shortened(example)} may be {meant}")
    return None


def _how_read(words: Sequence[str], way: str) -> str:
    """Say how numbers are written; of those with a unit, what the longest is read as."""
    if way not in UNIT_WAYS:
        return f"with {MARKS[way]}"
    example = max(words, key=len)
    return f"in {UNIT_WAYS[way][1]}: {shortened(example)} is read as {number_of(example, way):.10g}"


def _mixed(column: Column, words: Sequence[str]) -> ColumnRole | None:
    """Return the role of numbers with different units: categories, if they are few enough."""
    pair = different_units(words)
    if pair is None:
        return None
    examples = " and ".join(map(shortened, pair))
    if _left_out(column, column.values):
        return ColumnRole(column.name, "mixed", examples)
    return ColumnRole(column.name, "unclear", f"the units of {examples} are not written alike")


def _parts(days: FloatArray) -> tuple[str, ...]:
    """Return what a date is told by: the day, and what varies of weekday and month."""
    known = days[~np.isnan(days)]
    varies = [part for part in DATE_PARTS[1:] if np.unique(_date_part(known, part)).size > 1]
    return (DATE_PARTS[0], *varies)


def _date_part(days: FloatArray, part: str) -> FloatArray:
    if part == "days":
        return days
    values = np.full(days.shape, np.nan)
    known = ~np.isnan(days)
    whole = np.floor(days[known]).astype(np.int64)
    if part == "weekday":
        values[known] = (whole + FIRST_WEEKDAY) % 7 + 1
    else:
        months = whole.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
        values[known] = months % 12 + 1
    return values


def _left_out(column: Column, values: FloatArray) -> ColumnRole | None:
    """Return the role of a column that is free text or identifiers by some of its values."""
    known = values[~np.isnan(values)]
    if known.size < max(FEWEST_ROWS, LEAST_KNOWN * values.size):
        return None
    if column.categories is None:
        reason = _why_numbers(column, known)
    else:
        codes = np.unique(known).astype(np.intp)
        share = codes.size / known.size
        if share >= HALF_UNIQUE and (n_words := _middle_words(column, codes)) >= FEWEST_WORDS:
            reason = f"{codes.size:,} different texts, about {n_words} words each"
            return ColumnRole(column.name, "text", reason)
        reason = _why_words(column, share)
    return ColumnRole(column.name, "identifier", reason) if reason else None


def _middle_words(column: Column, codes: IndexArray) -> int:
    """Return the median number of words of some categories."""
    assert column.categories is not None
    return int(np.median([len(column.categories[code].split()) for code in codes.tolist()]))


def _why_words(column: Column, share: float) -> str:
    """Say why a column of text is one of identifiers, or "" if it is none."""
    if share >= NEARLY_UNIQUE:
        return "nearly every row has a text of its own"
    if share >= HALF_UNIQUE and all(map(DIGEST.fullmatch, column.categories or ())):
        return "UUIDs or hashes"
    named = _has_id_name(column.name) and share >= HALF_UNIQUE
    return "named like a key; its values rarely repeat" if named else ""


def _why_numbers(column: Column, known: FloatArray) -> str:
    """Say the same of a column of numbers; most have fractions, and no need to be sorted."""
    if known.min() < 0 or not np.all(known == np.floor(known)):
        return ""
    n_different = np.unique(known).size
    if _is_running(known, n_different) or _has_equal_steps(column.values):
        return f"running numbers from {known.min():.0f} to {known.max():.0f}"
    named = _has_id_name(column.name) and n_different >= HALF_UNIQUE * known.size
    return "named like a key; its values rarely repeat" if named else ""


def _is_running(numbers: FloatArray, n_different: int) -> bool:
    """Tell whether whole numbers repeat far less often than a measure of their range would."""
    span = numbers.max() - numbers.min() + 1
    expected = numbers.size - span * -np.expm1(-numbers.size / span)
    repeats = numbers.size - n_different
    return bool(expected >= FEWEST_EXPECTED_REPEATS and repeats <= MOST_REPEATS * expected)


def _has_equal_steps(values: FloatArray) -> bool:
    """Tell whether every row has the same number more, or less, than the one before it."""
    steps = np.diff(values)
    return bool(steps.size and steps[0] != 0 and np.all(steps == steps[0]))


def _has_id_name(name: str) -> bool:
    words = {word.lower() for word in NAME_PARTS.findall(name)}
    return bool(words & ID_WORDS) or name.strip().lower() in ID_NAMES


def _features(column: Column, role: ColumnRole | None, file: str) -> list[Column]:
    if role is None or role.kind in ("kept", "unclear"):
        return [column if column.kind != "date" else replace(column, kind="number")]
    if role.is_left_out:
        return []
    if role.kind == "number":
        return [Column(column.name, "number", _numbers(column, role, file))]
    days = _days(column, role, file)
    return [
        Column(name, "number", _date_part(days, part))
        for name, part in zip(role.made, role.parts, strict=True)
    ]


def _numbers(column: Column, role: ColumnRole, file: str) -> FloatArray:
    if column.kind != "nominal":
        return column.values
    meant = f"written as in the training data, such as {role.way}"
    return _read(column, lambda word: number_of(word, role.way), meant, file)


def _days(column: Column, role: ColumnRole, file: str) -> FloatArray:
    if column.kind == "number" and role.way and not np.isnan(column.values).all():
        raise DataError(f"column {column.name!r} holds numbers where dates were.", file)
    if column.kind != "nominal":
        return column.values
    ways = date_ways(_used(column)) if not role.way else (role.way,)
    way = ways[0] if len(ways) == 1 else ISO

    def days(word: str) -> float | None:
        own = days_of(word, way)
        return days_of(word, ISO) if own is None else own  # which nobody can misread

    return _read(column, days, f"a date written {way}", file)


def _read(
    column: Column, meaning: Callable[[str], float | None], meant: str = "", file: str = ""
) -> FloatArray:
    """Return the meaning of every cell; each word is read once."""
    assert column.categories is not None
    used = np.unique(column.values[~np.isnan(column.values)]).astype(np.intp)
    values = np.full(len(column.categories) + 1, np.nan)
    for code in used.tolist():
        word = column.categories[code]
        value = meaning(word)
        if value is None:
            raise DataError(
                f"column {column.name!r} holds {shortened(word)}, which is not {meant}.", file
            )
        values[code] = value
    codes = np.where(np.isnan(column.values), len(column.categories), column.values)
    return values[codes.astype(np.intp)]


def _in_words(role: ColumnRole) -> str:
    return f"{role.name!r} ({role.reason})" if role.reason else repr(role.name)
