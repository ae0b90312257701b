"""The store of an experiment: one SQLite file, written in small transactions."""

import json
import platform
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from math import inf, nan
from os import PathLike
from pathlib import Path
from typing import Any, Self
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from kpboost._files import measured, parsed
from kpboost.experiments._spec import MOST_SEEDS, ExperimentSpec
from kpboost.experiments._splits import NESTED
from kpboost.methods import FORMER_NAMES, current_name

# Marks the file as ours among all SQLite files: "KPBx" in four bytes.
APPLICATION_ID = 0x4B504278
SCHEMA_VERSION = 1
# Seconds to wait for another process that is writing; a transaction takes milliseconds.
BUSY_SECONDS = 60.0

# SQLite keeps these statements as they are written here, comments too, and a store that has others
# is refused: whoever changes a letter raises the version, and reads the older one as well.
TABLES = """
CREATE TABLE facts (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE methods (name TEXT PRIMARY KEY, place INTEGER NOT NULL);
CREATE TABLE datasets (
    name TEXT PRIMARY KEY,
    place INTEGER NOT NULL,
    status TEXT NOT NULL,          -- ready, failed
    error TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    n_points INTEGER NOT NULL,
    n_features INTEGER NOT NULL,
    n_disjuncts INTEGER NOT NULL,
    n_folds INTEGER NOT NULL,
    imbalance_ratio REAL NOT NULL,
    class_counts TEXT NOT NULL,    -- JSON, from label to number
    arrays BLOB NOT NULL           -- class codes, disjuncts and folds
);
CREATE TABLE jobs (
    dataset TEXT NOT NULL,
    method TEXT NOT NULL,
    fold INTEGER NOT NULL,
    width TEXT NOT NULL,
    kind TEXT NOT NULL,            -- search, test
    status TEXT NOT NULL,          -- done, failed
    error TEXT NOT NULL,
    seconds REAL NOT NULL,
    n_candidates INTEGER NOT NULL,
    finished TEXT NOT NULL,
    versions TEXT NOT NULL,        -- JSON, from package to version
    params BLOB NOT NULL,          -- compressed JSON, one object per candidate
    arrays BLOB NOT NULL,          -- scores, seconds and predictions of the candidates
    PRIMARY KEY (dataset, method, fold, width, kind)
);
CREATE TABLE results (
    dataset TEXT NOT NULL,
    method TEXT NOT NULL,
    fold INTEGER NOT NULL,
    gmean REAL, auc REAL, gsdi REAL,
    class_recalls TEXT NOT NULL,   -- JSON, in the order of the class counts
    params TEXT NOT NULL,          -- JSON
    fit_seconds REAL NOT NULL,
    predict_seconds REAL NOT NULL,
    predictions BLOB NOT NULL,
    PRIMARY KEY (dataset, method, fold)
);
"""
# Stores from before there were claims get it with their next run.
CLAIMS = """
CREATE TABLE IF NOT EXISTS claims (
    dataset TEXT NOT NULL, method TEXT NOT NULL, fold INTEGER NOT NULL, width TEXT NOT NULL,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL,           -- host, process, and a word of the run's own
    until REAL NOT NULL,           -- seconds since 1970
    PRIMARY KEY (dataset, method, fold, width, kind)
)
"""

# What sqlite3 raises; in a damaged file even the words of an error may be no text.
SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)


class StoreError(ValueError):
    """A store that is damaged, of another program, of a newer version, or of another experiment.

    See Also
    --------
    describe : Raises it for a file that is no store.
    """


def connect(path: str | PathLike[str], *, create: bool) -> sqlite3.Connection:
    """Open a store.

    Parameters
    ----------
    path : path
    create : bool
        Whether to make it if it is not there.

    Raises
    ------
    StoreError
        If the file is not a store of this version.
    """
    file = Path(path)
    if file.is_dir():
        raise StoreError(f"{file} is a folder; a store is a file.")
    if file.exists() and not file.is_file():
        raise StoreError(f"{file} is a device or a pipe; a store is a file.")
    if not create and not file.exists():
        raise StoreError(f"There is no store {file}.")
    if not file.parent.exists():
        raise StoreError(f"There is no folder {file.parent} for the store {file.name}.")
    try:
        connection = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None)
    except sqlite3.Error as error:
        raise StoreError(f"{file} cannot be opened: {error}.") from error
    try:
        connection = _make_ready(connection, file, create)
    except SQLITE_ERRORS as error:
        connection.close()
        raise StoreError(f"{file} is not a store of kpboost, or is damaged: {error}.") from error
    except BaseException:
        connection.close()
        raise
    return connection


def _make_ready(connection: sqlite3.Connection, file: Path, create: bool) -> sqlite3.Connection:
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA trusted_schema = OFF")
    # In WAL mode this is safe against a killed process, and spares a wait per job.
    connection.execute("PRAGMA synchronous = NORMAL")
    if _is_empty(connection):
        if not create:
            raise StoreError(f"{file} is empty; a store has at least a spec.")
        _create(connection)
    _check_kind(connection, file)
    former = _former_names(connection)
    if former and not create:  # who only reads a store finds it as it was
        connection = _in_memory(connection)
    _rename_methods(connection, former)
    return connection


def _is_empty(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def _create(connection: sqlite3.Connection) -> None:
    """Make the tables; another process that does the same at the same time is let finish."""
    connection.execute("PRAGMA journal_mode = WAL")
    with _all_or_nothing(connection):
        if _is_empty(connection):
            for statement in TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


@contextmanager
def _all_or_nothing(connection: sqlite3.Connection) -> Iterator[None]:
    """Keep all that is written within, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _check_kind(connection: sqlite3.Connection, file: Path) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise StoreError(f"{file} is a database of another program.")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"{file} has schema version {version}; this version of kpboost reads {SCHEMA_VERSION}."
        )
    _check_tables(connection, file)
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StoreError(f"{file} is damaged: {verdict}.")


def _check_tables(connection: sqlite3.Connection, file: Path) -> None:
    """Refuse a file that holds anything but the tables that we make, to the letter.

    A view in place of a table can go on for ever, a trigger runs with every job that is kept, and
    constraints and computed columns are evaluated with every look at a row.
    """
    found, ours = _made(connection), _ours()
    for kind, name, statement in found:
        if (kind, name) not in ours:
            raise StoreError(f"{file} holds a {kind} {name!r}, which no store has.")
        if statement != ours[kind, name]:
            raise StoreError(f"{file} has a {kind} {name!r} that differs from a store's.")
    names = {name for _, name, _ in found} | {"claims"}
    for kind, name in ours:
        if kind == "table" and name not in names:
            raise StoreError(f"{file} has no table {name!r}, as every store has.")


@cache
def _ours() -> dict[tuple[str, str], str | None]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES + CLAIMS)
    found = {(kind, name): statement for kind, name, statement in _made(connection)}
    connection.close()
    return found


def _made(connection: sqlite3.Connection) -> list[tuple[str, str, str | None]]:
    """Kind, name and statement of all that a database holds; indexes of keys have none."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master")
    return [(row[0], row[1], row[2]) for row in rows]


def _former_names(connection: sqlite3.Connection) -> list[str]:
    """Names of methods that have another name now."""
    names = [row[0] for row in connection.execute("SELECT name FROM methods")]
    return [name for name in names if name in FORMER_NAMES]


def _in_memory(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return a copy of a store, and close the file."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    copy.row_factory = sqlite3.Row
    connection.backup(copy)
    connection.close()
    return copy


def _rename_methods(connection: sqlite3.Connection, former: Sequence[str]) -> None:
    """Give the methods of a store from an earlier version the names that they have now."""
    if not former:
        return
    columns = (("methods", "name"), ("jobs", "method"), ("results", "method"))
    with _all_or_nothing(connection):
        for name in former:
            for table, column in columns:
                # Where a newer run has done the same under the new name, that one counts.
                names = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {column} = ?"
                connection.execute(names, (current_name(name), name))
                connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (name,))


PACKAGES = ("kpboost", "numpy", "scipy", "scikit-learn", "imbalanced-learn")


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages in use; those not installed are absent."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def versions_text() -> str:
    """Return them as JSON."""
    return json.dumps(versions())


# More than the predictions of all candidates on a large fold take, unpacked.
MAX_BYTES = 1 << 30
# 100,000 candidates of 150 letters and nine parameters each; the paper's grids have up to 2,738.
MAX_TEXT_BYTES, MAX_VALUES = 1 << 24, 1_000_000


def pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the arrays as the bytes of a compressed .npz file; whole numbers are at least -1.

    Not by ``np.savez_compressed``: numpy 1.26 takes its ``allow_pickle`` for an array.
    """
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as file:
        for name, array in arrays.items():
            narrow = smallest_integers(array) if array.dtype.kind == "i" else array
            with file.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.save(entry, narrow, allow_pickle=False)
    return buffer.getvalue()


def unpack(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays; ValueError if the bytes are not of :func:`pack`."""
    try:
        with ZipFile(BytesIO(data)) as file:
            entries = file.infolist()
            if sum(entry.file_size for entry in entries) > MAX_BYTES:
                raise ValueError("larger than any data set")
            return {entry.filename.removesuffix(".npy"): _array(file, entry) for entry in entries}
    except Exception as error:  # whatever forged bytes can provoke means the same
        raise ValueError(f"damaged arrays: {error}") from error


def unpack_text(data: bytes) -> str:
    """Return a text that was compressed by zlib; ValueError if the bytes are not of that kind."""
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(data, MAX_TEXT_BYTES)
    except zlib.error as error:
        raise ValueError(f"damaged text: {error}") from error
    if not stream.eof:
        raise ValueError(f"damaged text: it has no end within {MAX_TEXT_BYTES:,} bytes")
    return text.decode()


def values_of_json(text: str) -> Any:
    """Return what a text of a store describes; ValueError if it is more than any store holds."""
    return parsed(text, MAX_VALUES)


def _array(file: ZipFile, entry: ZipInfo) -> NDArray[Any]:
    """Read an array, and never more than it claims."""
    with file.open(entry) as stream:
        raw = stream.read(entry.file_size)
    measured(raw)
    return np.asarray(np.load(BytesIO(raw), allow_pickle=False))


def smallest_integers(values: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """Return whole numbers of at least -1 in the narrowest type that holds them."""
    highest = int(values.max(initial=0))
    return values.astype(np.min_scalar_type(-1 - highest))


# How the columns of a user's table are prepared under the protocol "nested". Stores of earlier
# versions do not say it, and had codes of categories: figures of both must not be mixed.
PREPARATION = "indicators"
# What methods try. Stores of earlier versions do not say it: in the paper's grid KPBoost followed
# the plain SVM's width, one-vs-rest that of one-vs-one, and KBA and ACT kept their last machine.
SETTINGS = "all widths, best machine kept"
# What has other figures since, with any grid and with the paper's.
OTHER_SINCE = ("kba", "act", "kpboost_ovr", "kpboost_roi_ovr")
OTHER_SINCE_IN_PAPER_GRID = ("kpboost", "kpboost_roi", "kpboost_balanced")
# What a store is about; it may get more data sets, methods and seeds, but these stay.
LASTING = ("grid", "protocol", "n_folds", "seed")
# The fact that grows with the runs: seeds by data set.
N_SEEDS = "n_seeds"
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
            with _all_or_nothing(self._connection):
                yield self._connection
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
        facts = self._facts()
        if not facts:
            return
        _check_same(self.path, self._first_spec(), spec)
        if spec.protocol == NESTED and facts.get("preparation") != PREPARATION:
            raise StoreError(
                f"{self.path} is of an earlier version, which prepared columns in another way; "
                "take another store for this run (kpboost report still reads this one)."
            )
        if facts.get("settings") != SETTINGS and (other := _other_since(spec)):
            raise StoreError(
                f"{self.path} is of an earlier version, which tried other settings of {other}; "
                "take another store for this run (kpboost report still reads this one)."
            )

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
        with damage_in_words(self):
            return replace(
                first,
                methods=tuple(methods),
                datasets=tuple(names) or first.datasets,
                n_seeds=max(self.n_seeds().values(), default=1),
            )

    def n_seeds(self) -> dict[str, int]:
        """Return how many seeds data sets were split for; those that are not there have one."""
        with damage_in_words(self):
            known = values_of_json(self._facts().get(N_SEEDS, "{}"))
            return {text(name): whole(number, MOST_SEEDS) for name, number in known.items()}

    def put_n_seeds(self, names: Iterable[str], n_seeds: int) -> None:
        """Note that data sets are split for so many seeds; those split for more stay so."""
        known = self.n_seeds()
        known |= {name: max(n_seeds, known.get(name, 1)) for name in names}
        with self.transaction() as connection:
            fact = (N_SEEDS, json.dumps(known))
            connection.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", fact)

    def _first_spec(self) -> ExperimentSpec:
        with damage_in_words(self):
            kept = values_of_json(self.facts()["spec"])
            names = dict.fromkeys(map(current_name, kept["methods"]))
            return ExperimentSpec.from_mapping({**kept, "methods": tuple(names)})

    def _put_facts(self, connection: sqlite3.Connection, spec: ExperimentSpec) -> None:
        facts = {
            "spec": json.dumps(asdict(spec)),
            "created": now(),
            "versions": versions_text(),
            "preparation": PREPARATION,
            "settings": SETTINGS,
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
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        raise StoreError(f"{store.path} is damaged: {error}.") from error


def whole(value: Any, most: int = MOST_COUNTED) -> int:
    """Return a whole number from 0 to `most`, or say what stands there instead."""
    if type(value) is not int or not 0 <= value <= most:
        raise ValueError(f"{short(value)} is not a number of points, folds or jobs")
    return value


def share(value: Any) -> float:
    """Return a score between 0 and 1, NaN for none."""
    if value is None:
        return nan
    if not isinstance(value, int | float) or not -ROUNDING <= value <= 1 + ROUNDING:
        raise ValueError(f"{short(value)} is not a score between 0 and 1")
    return float(value)


def positive(value: Any) -> float:
    """Return a finite number of at least 0."""
    if not isinstance(value, int | float) or not 0 <= value < inf:
        raise ValueError(f"{short(value)} is not a time or a ratio")
    return float(value)


def one_of(value: Any, words: Sequence[str]) -> str:
    """Return a word if it is among some."""
    if value not in words:
        raise ValueError(f"{short(value)} is not one of {', '.join(words)}")
    return str(value)


def text(value: Any) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise ValueError(f"{short(value)} is not text")
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


def _other_since(spec: ExperimentSpec) -> str:
    """Name the methods of a spec that an earlier version tried otherwise; "" if there are none."""
    changed = OTHER_SINCE + (OTHER_SINCE_IN_PAPER_GRID if spec.grid == "paper" else ())
    return ", ".join(name for name in spec.methods if name in changed)


def _setting(name: str, value: object) -> str:
    return f"the protocol's own {name}" if value is None else f"{name}={value!r}"
