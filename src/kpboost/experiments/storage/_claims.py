"""Which run is at work on which job, so that several runs on one store divide the work.

A claim is a lease, which its run renews. That of a run that died, or was silent for a minute, is
void, and another does the job. Should the silent one come back after all, the job is done twice and
kept once. Clocks of two machines differ: a claim that reaches further into the future than any
lease is void as well, once it has not been renewed for a minute by our own clock.
"""

import os
from contextlib import suppress
from math import inf
from secrets import token_hex
from socket import gethostname
from time import monotonic, time

from kpboost._text import visible
from kpboost.experiments._jobs import JobKey

from ._rows import SAME_JOB, values_of
from ._store import CLAIMS, Store, StoreError

# Seconds after which the claim of a silent run is void, and those between two renewals: a few may
# be late.
LEASE_SECONDS = 60.0
RENEWAL_SECONDS = 15.0
# By so much clocks of two machines may differ without a word about it.
CLOCK_SECONDS = 30.0


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
        # Claims of others: who has them until when, and when that was first seen, by our clock.
        self._seen: dict[JobKey, tuple[tuple[str, float], float]] = {}
        # What the user should know, a sentence each.
        self.notes: list[str] = []
        with store.transaction() as connection:
            connection.execute(CLAIMS)

    def take(self, key: JobKey) -> bool:
        """Claim a job; False if another run is at work on it."""
        own = (*values_of(key), self._owner, time() + LEASE_SECONDS)
        with self._store.transaction() as connection:
            query = f"SELECT owner, until FROM claims WHERE {SAME_JOB}"
            row = connection.execute(query, values_of(key)).fetchone()
            if row is not None and self._holds(key, str(row["owner"]), row["until"]):
                return bool(row["owner"] == self._owner)
            connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?, ?)", own)
        return True

    def _holds(self, key: JobKey, owner: str, until: object) -> bool:
        """Tell whether a claim keeps others from a job."""
        if owner == self._owner:
            return True
        if not isinstance(until, float) or not time() < until < inf or _is_dead(owner):
            return False
        claim = (owner, until)
        if self._seen.get(key, (None, 0.0))[0] != claim:
            self._seen[key] = (claim, monotonic())
        if until > time() + LEASE_SECONDS + CLOCK_SECONDS:
            self._warn_of_clock(owner, until - time())
        return monotonic() - self._seen[key][1] < LEASE_SECONDS

    def _warn_of_clock(self, owner: str, seconds: float) -> None:
        if not self.notes:
            self.notes.append(
                f"{self._store.path}: a run on {visible(owner.split('/')[0])} has claimed a job "
                f"for the next {seconds:,.0f} seconds, so that its clock is ahead of this one's; "
                f"unless it renews the claim, the job is taken over in {LEASE_SECONDS:.0f} "
                "seconds."
            )

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
    host, process, *_ = *owner.rsplit("/", 2), ""
    # on another system than this, asking would end the process
    if host != gethostname() or os.name != "posix" or not process.isdecimal():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):  # somebody else's, or no number of a process
        return False
    return False
