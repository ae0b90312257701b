"""Which run is at work on which job, so that several runs on one store divide the work.

A claim is a lease, which its run renews. That of a run that died, or was silent for a minute, is
void, and another does the job. Should the silent one come back after all, the job is done twice and
kept once.
"""

import os
from contextlib import suppress
from secrets import token_hex
from socket import gethostname
from time import monotonic, time

from ..jobs import JobKey
from .job_rows import SAME_JOB, values_of
from .schema import StoreError
from .store import Store

# Stores from before there were claims get it with their next run.
TABLE = """
CREATE TABLE IF NOT EXISTS claims (
    dataset TEXT NOT NULL, method TEXT NOT NULL, fold INTEGER NOT NULL, width TEXT NOT NULL,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL,           -- host, process, and a word of the run's own
    until REAL NOT NULL,           -- seconds since 1970
    PRIMARY KEY (dataset, method, fold, width, kind)
)
"""
# Seconds after which the claim of a silent run is void, and those between two renewals: a few may
# be late.
LEASE_SECONDS = 60.0
RENEWAL_SECONDS = 15.0


class Claims:
    """The jobs that one run is at work on.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._owner = f"{gethostname()}/{os.getpid()}/{token_hex(4)}"
        self._renewed = monotonic()
        with store.transaction() as connection:
            connection.execute(TABLE)

    def take(self, key: JobKey) -> bool:
        """Claim a job; False if another run is at work on it."""
        own = (*values_of(key), self._owner, time() + LEASE_SECONDS)
        with self._store.transaction() as connection:
            query = f"SELECT owner, until FROM claims WHERE {SAME_JOB}"
            row = connection.execute(query, values_of(key)).fetchone()
            if row is not None and row["until"] > time() and not _is_dead(row["owner"]):
                return bool(row["owner"] == self._owner)
            connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?, ?)", own)
        return True

    def renew(self) -> None:
        """Tell the others that this run lives, now and then."""
        if monotonic() - self._renewed < RENEWAL_SECONDS:
            return
        self._renewed = monotonic()
        until = time() + LEASE_SECONDS
        with self._store.transaction() as connection:
            connection.execute("UPDATE claims SET until = ? WHERE owner = ?", (until, self._owner))

    def release(self, key: JobKey) -> None:
        """Give up a job, done or not."""
        with self._store.transaction() as connection:
            values = (*values_of(key), self._owner)
            connection.execute(f"DELETE FROM claims WHERE {SAME_JOB} AND owner = ?", values)

    def release_all(self) -> None:
        """Give up all jobs; what cannot be written now is void in a minute."""
        with suppress(StoreError), self._store.transaction() as connection:
            connection.execute("DELETE FROM claims WHERE owner = ?", (self._owner,))


def _is_dead(owner: str) -> bool:
    """Tell whether a run was a process of this machine that is no more."""
    host, process, _ = owner.rsplit("/", 2)
    if host != gethostname() or os.name != "posix":  # elsewhere, asking would end the process
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # somebody else's
        return False
    return False
