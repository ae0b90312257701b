"""The two verbs on dask: blocks that stay with the workers of a cluster.

A chunk of a dask collection is one or more blocks, its slices. A task works on one chunk with the
functions of :mod:`kpboost.lowrank._engine`, slice by slice:

    each       one task a chunk; kept results stay where they are, others are computed by whoever
               reads them, inside of the same task
    total      one task a chunk, which merges the chunk's slices; then tasks that join neighbours

Slices are numbered through all chunks and merged in the tree of :func:`~._engine.merged`, so that
sums are those of one process, bit for bit, whichever worker finishes first.

Nothing is scattered: what a client scatters has no recipe, and is lost with its worker. Small
arguments travel in a task of their own, once for all chunks; every result can be computed again
from the collection's own tasks, with the same bits, because the functions are pure.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from threading import Lock
from time import monotonic
from typing import Any, NoReturn

from threadpoolctl import threadpool_limits

from kpboost import _validation as parameters

from ._engine import Blocks, Computed, LocalBlocks, Merge, Run, add, closed, joined_runs, run_of

# Seconds between two looks at the cluster while a result is on its way.
LOOK_SECONDS = 1.0
# A cluster without any worker for so many seconds has vanished. A worker that is started anew
# takes a few; one that a queue has to grant should be there before the fit.
NO_WORKER_SECONDS = 120.0
# Seconds that the transfer of a finished result may take.
TRANSFER_SECONDS = 600.0

# From the values of some tasks to the blocks of a chunk.
Opener = Callable[..., Iterable[Any]]


def needs_dask() -> Any:
    """Import dask, or say what brings it."""
    try:
        import dask
    except ImportError:
        raise ImportError(
            "Data on dask need dask; pip install 'kpboost[cluster]' brings it."
        ) from None
    return dask


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Blocks that are, or will be, on some worker.

    Attributes
    ----------
    opened : callable
        From the values of the inputs to the blocks.
    inputs : tuple of Delayed
        Tasks.
    first : int
        Number of the first block among those of all chunks.
    """

    opened: Opener
    inputs: tuple[Any, ...]
    first: int


def as_it_is(parts: Iterable[Any]) -> Iterable[Any]:
    """Open a chunk whose value are its blocks."""
    return parts


@dataclass(frozen=True, slots=True, eq=False)
class _Applied:
    """A function of one block, for all blocks of a chunk.

    Attributes
    ----------
    function : callable
    openers : tuple of (Opener, int)
        For the blocks themselves and for arguments that are blocks, each with the number of its
        inputs.
    places : tuple of int
        Where among the arguments those stand that are blocks.
    """

    function: Callable[..., Any]
    openers: tuple[tuple[Opener, int], ...]
    places: tuple[int, ...]

    def __call__(self, arguments: Sequence[Any], *inputs: Any) -> Iterable[Any]:
        values = iter(inputs)
        own, *others = (opened(*(next(values) for _ in range(n))) for opened, n in self.openers)
        filled = list(arguments)
        for place, other in zip(self.places, others, strict=True):
            filled[place] = LocalBlocks(other)
        return Computed(own, self.function, tuple(filled))


@dataclass(frozen=True, slots=True, eq=False)
class DaskBlocks:
    """Blocks in the chunks of dask collections.

    Attributes
    ----------
    chunks : list of Chunk
        In order.
    cluster : Cluster
        What computes.
    """

    chunks: list[Chunk]
    cluster: "Cluster"

    def each(self, function: Callable[..., Any], *arguments: Any, keep: bool = True) -> Blocks:
        """Apply a function to every block; see :class:`~._engine.Blocks`."""
        lazy = self._applied(function, arguments)
        if not keep:
            return DaskBlocks(lazy, self.cluster)
        delayed = needs_dask().delayed
        tasks = [delayed(_Keeping(chunk.opened), pure=False)(*chunk.inputs) for chunk in lazy]
        kept = self.cluster.keep(tasks)
        chunks = [Chunk(as_it_is, (task,), c.first) for c, task in zip(lazy, kept, strict=True)]
        return DaskBlocks(chunks, self.cluster)

    def total(self, function: Callable[..., Any], *arguments: Any, merge: Merge = add) -> Any:
        """Apply a function to every block and merge the results; see :class:`~._engine.Blocks`."""
        delayed = needs_dask().delayed
        runs = [
            delayed(_Merged(chunk.opened, chunk.first, merge), pure=False)(*chunk.inputs)
            for chunk in self._applied(function, arguments)
        ]
        join = delayed(joined_runs, pure=False)
        while len(runs) > 1:
            pairs = [join(*two, merge) for two in zip(runs[::2], runs[1::2], strict=False)]
            runs = [*pairs, *runs[2 * len(pairs) :]]
        return closed(self.cluster.result(runs[0]), merge)

    def _applied(self, function: Callable[..., Any], arguments: Sequence[Any]) -> list[Chunk]:
        """Chunks of what a function will give."""
        places = [i for i, value in enumerate(arguments) if isinstance(value, DaskBlocks)]
        aligned = [self, *(arguments[place] for place in places)]
        if len({tuple(chunk.first for chunk in blocks.chunks) for blocks in aligned}) > 1:
            raise ValueError("The arguments have different numbers of blocks; all need the same.")
        small = [None if i in places else value for i, value in enumerate(arguments)]
        carrier = needs_dask().delayed(_Carrier(small), pure=False)()
        return [
            _chunk_of(function, chunks, tuple(places), carrier)
            for chunks in zip(*(blocks.chunks for blocks in aligned), strict=True)
        ]


def _chunk_of(
    function: Callable[..., Any], chunks: Sequence[Chunk], places: tuple[int, ...], carrier: Any
) -> Chunk:
    openers = tuple((chunk.opened, len(chunk.inputs)) for chunk in chunks)
    inputs = (task for chunk in chunks for task in chunk.inputs)
    return Chunk(_Applied(function, openers, places), (carrier, *inputs), chunks[0].first)


# What tasks call and give: objects, so that dask does not look for tasks inside of them.


@dataclass(frozen=True, slots=True, eq=False)
class _Carrier:
    """Small arguments of all chunks."""

    arguments: list[Any]

    def __call__(self) -> list[Any]:
        return self.arguments


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """Results of a chunk. Their size tells dask where the next task costs no transfer."""

    parts: list[Any]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)

    def __sizeof__(self) -> int:
        return int(import_module("dask.sizeof").sizeof(self.parts))


@dataclass(frozen=True, slots=True, eq=False)
class _Keeping:
    """Results of a chunk, to be kept."""

    opened: Opener

    def __call__(self, *inputs: Any) -> Kept:
        with one_blas_thread():
            return Kept(list(self.opened(*inputs)))


@dataclass(frozen=True, slots=True, eq=False)
class _Merged:
    """Results of a chunk, merged as far as the tree allows."""

    opened: Opener
    first: int
    merge: Merge

    def __call__(self, *inputs: Any) -> Run:
        with one_blas_thread():
            return run_of(self.opened(*inputs), self.first, self.merge)


# Tasks of one process that are at work, and what ends the limit that they share.
_LOCK, _AT_WORK, _LIMITS = Lock(), [0], []  # type: ignore[var-annotated]


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread as long as any task of this process is at work.

    A product's last bits may depend on the number of threads. Limits are the process's: of two
    tasks in two threads the first to end must not lift that of the other.
    """
    with _LOCK:
        if not _AT_WORK[0]:
            _LIMITS.append(threadpool_limits(1, "blas"))
        _AT_WORK[0] += 1
    try:
        yield
    finally:
        with _LOCK:
            _AT_WORK[0] -= 1
            if not _AT_WORK[0]:
                _LIMITS.pop().restore_original_limits()


class Cluster:
    """A client of dask.distributed; without one dask's default scheduler, in this process.

    Parameters
    ----------
    client : distributed.Client or None
        None is the current client, if there is one.
    """

    def __init__(self, client: Any = None) -> None:
        needs_dask()
        if not (client is None or hasattr(client, "persist")):
            raise parameters.refusal("client", client, "a distributed.Client or None")
        self.client = _current_client() if client is None else client
        if getattr(self.client, "asynchronous", False):
            raise ValueError("The client is asynchronous; fit needs a synchronous one.")

    def keep(self, tasks: list[Any]) -> list[Any]:
        """Compute tasks and leave their results with the workers."""
        if self.client is None:
            return list(needs_dask().persist(*tasks))
        with self._watched():
            return list(self.client.persist(tasks))

    def result(self, task: Any) -> Any:
        """Compute a task and bring its result here."""
        if self.client is None:
            return needs_dask().compute(task)[0]
        with self._watched():
            future = self.client.compute(task)
            self._wait_for(future)
            if future.status != "error":
                return future.result(timeout=TRANSFER_SECONDS)
        _raised(future)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Say in a sentence what became of the cluster."""
        try:
            self._check_running()
            yield
        except (CancelledError, _distributed().TimeoutError) as error:
            raise _vanished(error) from error
        except Exception as error:
            if self._is_running():
                raise
            raise _vanished(error) from error

    def _is_running(self) -> bool:
        return bool(self.client.status == "running")

    def _check_running(self) -> None:
        if not self._is_running():
            raise CancelledError(f"the client is {self.client.status}")

    def _wait_for(self, future: Any) -> None:
        """Wait until a future is done, and look whether there is a cluster to do it."""
        distributed = _distributed()
        alone_since: float | None = None
        while not future.done():
            try:
                with self.client.as_current():
                    distributed.wait([future], timeout=LOOK_SECONDS)
            except distributed.TimeoutError:
                self._check_running()
                if self.client.nthreads():
                    alone_since = None
                    continue
                alone_since = monotonic() if alone_since is None else alone_since
                if monotonic() - alone_since > NO_WORKER_SECONDS:
                    raise CancelledError(
                        f"there has been no worker for {NO_WORKER_SECONDS:g} seconds"
                    ) from None


def _raised(future: Any) -> NoReturn:
    """Raise what a task raised; say what it means if that was the death of its workers."""
    try:
        future.result()
    except _distributed().KilledWorker as error:
        raise RuntimeError(
            f"Several workers died over one task ({error.task}), probably for lack of memory; use "
            "smaller chunks, fewer threads a worker, or workers with more memory."
        ) from error
    raise AssertionError("a task that failed has a result")


def _vanished(error: Exception) -> ConnectionError:
    return ConnectionError(
        f"The cluster vanished during the fit: {str(error) or type(error).__name__}. Nothing is "
        "lost but the time; start a cluster, connect a new client and fit again."
    )


def _distributed() -> Any:
    return import_module("distributed")


def _current_client() -> Any:
    """Return the current client of dask.distributed, or None."""
    if "distributed" not in sys.modules:
        return None
    try:
        return _distributed().default_client()
    except ValueError:  # there is none
        return None
