"""The store of an experiment: one SQLite file, written in small transactions."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from math import inf, nan
from os import PathLike
from pathlib import Path
from typing import Any, Self

from ..spec import ExperimentSpec
from .packing import values_of_json
from .schema import SQLITE_ERRORS, StoreError, connect
from .versions import versions_text

# What a store is about; it may get more data sets and methods, but these stay.
LASTING = ("grid", "protocol", "n_folds", "seed")
# Points, jobs and candidates that can be counted; more is a damaged number.
MOST_COUNTED = 10**12
# Scores are quotients; the last digit may be off.
ROUNDING = 1e-9
# Of a value in a message.
MOST_LETTERS = 40


class Store:
    """An open store; only one thread uses it.

    Parameters
    ----------
    path : path
    create : bool, default=False
        Whether to make the file if it is not there.
    """

    def __init__(self, path: str | PathLike[str], *, create: bool = False) -> None:
        self.path = Path(path)
        self._connection = connect(path, create=create)
        self._file = _identity(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, also for a process that is killed in between."""
        self.check_place()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        except SQLITE_ERRORS as error:
            raise StoreError(f"{self.path} cannot be written: {error}.") from error

    def check_place(self) -> None:
        """Refuse to go on where the file is no longer that which was opened.

        SQLite would go on writing to a deleted file, which is gone when the run ends.
        """
        if _identity(self.path) != self._file:
            raise StoreError(
                f"{self.path} was deleted or replaced during the run; what this run found since "
                "is not kept."
            )

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Return the rows of a query."""
        try:
            return self._connection.execute(query, values).fetchall()
        except SQLITE_ERRORS as error:
            raise StoreError(f"{self.path} cannot be read: {error}.") from error

    def check(self, spec: ExperimentSpec) -> None:
        """Refuse in words an experiment that is not the store's own."""
        if self._facts():
            _check_same(self.path, self._first_spec(), spec)

    def adopt(self, spec: ExperimentSpec) -> None:
        """Make the store one of this experiment, or refuse in words.

        A store that is already there takes more data sets and methods, not another protocol.
        """
        with self.transaction() as connection:
            self.check(spec)
            if not self._facts():
                self._put_facts(connection, spec)
            connection.executemany(
                "INSERT OR IGNORE INTO methods SELECT ?, count(*) FROM methods",
                [(name,) for name in spec.methods],
            )

    def facts(self) -> dict[str, str]:
        """Return the texts about the store: spec, created, versions."""
        facts = self._facts()
        if not facts:
            raise StoreError(f"{self.path} has no experiment yet.")
        return facts

    def spec(self) -> ExperimentSpec:
        """Return the experiment, with all data sets and methods that joined it."""
        methods = [row["name"] for row in self.rows("SELECT name FROM methods ORDER BY place")]
        names = [row["name"] for row in self.rows("SELECT name FROM datasets ORDER BY place")]
        first = self._first_spec()
        return replace(first, methods=tuple(methods), datasets=tuple(names) or first.datasets)

    def _first_spec(self) -> ExperimentSpec:
        with damage_in_words(self):
            return ExperimentSpec.from_mapping(values_of_json(self.facts()["spec"]))

    def _put_facts(self, connection: sqlite3.Connection, spec: ExperimentSpec) -> None:
        facts = {
            "spec": json.dumps(asdict(spec)),
            "created": now(),
            "versions": versions_text(),
        }
        connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())

    def _facts(self) -> dict[str, str]:
        return {row["key"]: row["value"] for row in self.rows("SELECT * FROM facts")}


@contextmanager
def damage_in_words(store: Store) -> Iterator[None]:
    """Say of anything that cannot be read that the store is damaged.

    SQLite finds broken pages; a letter that changed inside of a text or a number is left to us.
    """
    try:
        yield
    except StoreError:
        raise
    except RecursionError as error:
        raise StoreError(f"{store.path} is damaged: a text is nested too deeply.") from error
    except MemoryError as error:
        raise StoreError(f"{store.path} is damaged: a value is too large.") from error
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise StoreError(f"{store.path} is damaged: {error}.") from error


def whole(value: Any, most: int = MOST_COUNTED) -> int:
    """Return a whole number from 0 to `most`, or say what stands there instead."""
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(f"{short(value)} is no number of points, folds or jobs")
    return value


def share(value: Any) -> float:
    """Return a score between 0 and 1, NaN for none."""
    if value is None:
        return nan
    if not isinstance(value, int | float) or not -ROUNDING <= value <= 1 + ROUNDING:
        raise ValueError(f"{short(value)} is no score between 0 and 1")
    return float(value)


def positive(value: Any) -> float:
    """Return a finite number of at least 0."""
    if not isinstance(value, int | float) or not 0 <= value < inf:
        raise ValueError(f"{short(value)} is no time or ratio")
    return float(value)


def one_of(value: Any, words: Sequence[str]) -> str:
    """Return a word if it is among some."""
    if value not in words:
        raise ValueError(f"{short(value)} is none of {', '.join(words)}")
    return str(value)


def text(value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise ValueError(f"{short(value)} is no text")
    return value


def short(value: Any) -> str:
    """Write a value for a message."""
    shown = repr(value)
    return shown if len(shown) <= MOST_LETTERS else shown[:MOST_LETTERS] + "..."


def _identity(path: Path) -> tuple[int, int] | None:
    """Tell one file from another that bears its name; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def now() -> str:
    """Return the time as text, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _check_same(path: Path, old: ExperimentSpec, new: ExperimentSpec) -> None:
    for name in LASTING:
        before, after = getattr(old, name), getattr(new, name)
        if before != after:
            raise StoreError(
                f"{path} holds an experiment with {_setting(name, before)}, not "
                f"{_setting(name, after)}; take another store for this one."
            )


def _setting(name: str, value: object) -> str:
    return f"the protocol's own {name}" if value is None else f"{name}={value!r}"
