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
Layout = dict[str, list[tuple[str, str]]]


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
    """Refuse a file whose tables are not those that we make, and nothing but tables.

    A view in place of a table can go on for ever, and a trigger runs with every job that is kept.
    """
    made = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE NOT (type = 'index' AND sql IS NULL) "
        "AND NOT (type = 'table' AND sql LIKE 'CREATE TABLE%') LIMIT 1"
    ).fetchone()
    if made is not None:
        raise StoreError(f"{file} holds a {made['type']} {made['name']!r}, which no store has.")
    found, ours = _layout(connection), _our_layout()
    for name in {*found, *ours}:
        if found.get(name) != ours.get(name) and (name != "claims" or name in found):
            raise StoreError(f"{file} has a table {name!r} that is not as a store's is.")


@cache
def _our_layout() -> Layout:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.executescript(TABLES + CLAIMS)
    found = _layout(connection)
    connection.close()
    return found


def _layout(connection: sqlite3.Connection) -> Layout:
    """Names and types of all columns by table; columns that are computed have another type."""
    query = (
        "SELECT m.name AS name, c.name AS own, c.type || c.hidden AS kind FROM sqlite_master AS m, "
        "pragma_table_xinfo(m.name) AS c WHERE m.type = 'table' ORDER BY m.name, c.cid"
    )
    found: Layout = {}
    for row in connection.execute(query):
        found.setdefault(row["name"], []).append((row["own"], row["kind"]))
    return found
