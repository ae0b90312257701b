"""Two verbs for data in blocks: ``each`` and ``total``.

A fit is written once, in pure functions of one block, and knows nothing of where the blocks are:

    blocks.each(function, *arguments)       one result per block, which stays with its block
    blocks.total(function, *arguments)      one result of all blocks, merged in a fixed tree

The first argument of a function is a part of ``blocks``. An argument that is itself a collection of
as many blocks is read block by block; all others are small and go to every block as they are.

Who works on a block, and when, must not show in the result. Sums of floating-point numbers depend
on their order, so the tree is fixed: of the results 0, 1, 2, ... neighbours are merged, then
neighbours among those, and an odd one waits. :class:`LocalBlocks` does it in one process, with one
block in memory at a time. An engine that has the blocks in several places merges each place's
own (:func:`run_of`), then the places (:func:`joined_runs`): the tree is the same.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

Merge = Callable[[Any, Any], Any]


def add(one: Any, other: Any) -> Any:
    """Add numbers or arrays, and tuples of them member by member."""
    if isinstance(one, tuple):
        return tuple(add(a, b) for a, b in zip(one, other, strict=True))
    return one + other


class Blocks(Protocol):
    """What a fit asks of a collection of blocks."""

    def each(self, function: Callable[..., Any], *arguments: Any, keep: bool = True) -> "Blocks":
        """Apply a function to every block; the results are blocks again.

        Parameters
        ----------
        function : callable
            Pure: its result depends on its arguments alone.
        *arguments : object
            Further arguments; collections of blocks are read block by block.
        keep : bool, default=True
            Whether the results are held; otherwise they are computed when they are read.
        """
        ...

    def total(self, function: Callable[..., Any], *arguments: Any, merge: Merge = add) -> Any:
        """Apply a function to every block and merge the results in a fixed tree.

        Parameters
        ----------
        function, *arguments
            As for :meth:`each`.
        merge : callable, default=add
            From two neighbouring results to one, the earlier one first.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """Results that are computed whenever they are read."""

    parts: Iterable[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def __iter__(self) -> Iterator[Any]:
        aligned = [a.parts for a in self.arguments if isinstance(a, LocalBlocks)]
        for part, *others in zip(self.parts, *aligned, strict=True):
            yield self.function(part, *self._filled(others))

    def _filled(self, others: Sequence[Any]) -> list[Any]:
        own = iter(others)
        return [next(own) if isinstance(a, LocalBlocks) else a for a in self.arguments]


@dataclass(frozen=True, slots=True, eq=False)
class LocalBlocks:
    """Blocks in this process: in memory, or read again in every pass.

    Attributes
    ----------
    parts : iterable
        The blocks, in order; it must start anew whenever it is iterated over.
    """

    parts: Iterable[Any]

    def each(self, function: Callable[..., Any], *arguments: Any, keep: bool = True) -> Blocks:
        """Apply a function to every block; see :class:`Blocks`."""
        results = Computed(self.parts, function, arguments)
        return LocalBlocks(list(results) if keep else results)

    def total(self, function: Callable[..., Any], *arguments: Any, merge: Merge = add) -> Any:
        """Apply a function to every block and merge the results; see :class:`Blocks`."""
        return merged(Computed(self.parts, function, arguments), merge)


class Node(NamedTuple):
    """A complete subtree: the merged results ``place * 2**height`` up to the next such number."""

    height: int
    place: int
    result: Any


Run = list[Node]


def run_of(results: Iterable[Any], first: int, merge: Merge) -> Run:
    """Merge neighbouring results as far as the fixed tree allows without those around them.

    Parameters
    ----------
    results : iterable
    first : int
        Number of the first one among all.
    merge : callable
        From two neighbours to one.

    Returns
    -------
    Run
        Few subtrees, twice the height of the tree at most.
    """
    run: Run = []
    for number, result in enumerate(results, start=first):
        _append(run, Node(0, number, result), merge)
    return run


def _append(run: Run, node: Node, merge: Merge) -> None:
    """Put a subtree at the end of a run, and merge it with its neighbours in the tree."""
    height, place, result = node
    while run and place % 2 and run[-1].height == height:
        result = merge(run.pop().result, result)
        height, place = height + 1, place // 2
    run.append(Node(height, place, result))


def joined_runs(one: Run, other: Run, merge: Merge) -> Run:
    """Join two neighbouring runs; where they were cut does not show in the result.

    Parameters
    ----------
    one, other : Run
        The second begins where the first ends.
    merge : callable
        From two neighbours to one.

    Returns
    -------
    Run
    """
    run = list(one)
    for node in other:
        _append(run, node, merge)
    return run


def closed(run: Run, merge: Merge) -> Any:
    """Merge what is left of the run of all results: an odd one waits for those after it."""
    last = run[-1].result
    for node in reversed(run[:-1]):
        last = merge(node.result, last)
    return last


def merged(results: Iterable[Any], merge: Merge) -> Any:
    """Merge results in the fixed tree, with one waiting result per level of it.

    Parameters
    ----------
    results : iterable
        At least one.
    merge : callable
        From two neighbours to one.

    Returns
    -------
    object
    """
    return closed(run_of(results, 0, merge), merge)
