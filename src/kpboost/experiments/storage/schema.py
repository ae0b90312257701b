"""The tables of a store, and opening its file: an SQLite database with a version."""

import sqlite3
from functools import cache
from os import PathLike
from pathlib import Path

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
    """A store that is damaged, of another program, of a newer version, or of another experiment."""


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
        _make_ready(connection, file, create)
    except SQLITE_ERRORS as error:
        connection.close()
        raise StoreError(f"{file} is not a store of kpboost, or is damaged: {error}.") from error
    except BaseException:
        connection.close()
        raise
    return connection


def _make_ready(connection: sqlite3.Connection, file: Path, create: bool) -> None:
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA trusted_schema = OFF")
    # In WAL mode this is safe against a killed process, and spares a wait per job.
    connection.execute("PRAGMA synchronous = NORMAL")
    if _is_empty(connection):
        if not create:
            raise StoreError(f"{file} is empty; a store has at least a spec.")
        _create(connection)
    _check_kind(connection, file)


def _is_empty(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def _create(connection: sqlite3.Connection) -> None:
    """Make the tables; another process that does the same at the same time is let finish."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _is_empty(connection):
            for statement in TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
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
            raise StoreError(f"{file} has a {kind} {name!r} that is not as a store's is.")
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
