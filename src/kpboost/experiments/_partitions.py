"""The partitions of a data set, the same for all methods: folds, and folds inside of folds."""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from kpboost._typing import IndexArray
from kpboost.model_selection import FEWEST_MEMBERS, RareClassKFold, Split, hold_out

# Bytes of a seed: random_state takes 32 bits.
SEED_BYTES = 4


def seed_of(seed: int, *names: object) -> int:
    """Return a number from 0 to 2^32 - 1 that depends on a seed and names alone.

    Parameters
    ----------
    seed : int
        Of the experiment.
    *names : objects
        What is drawn for, for example a data set, a fold and a method; their texts count.
    """
    text = "\x1f".join(map(str, (seed, *names)))  # a separator that names do not have
    return int.from_bytes(blake2b(text.encode(), digest_size=SEED_BYTES).digest(), "big")


NESTED, STATED, PUBLISHED = "nested", "stated", "published"

# Folds by protocol. Ten is what the paper states, five what its two-class tables were made with.
DEFAULT_FOLDS = {NESTED: 5, STATED: 10, PUBLISHED: 5}
# One more than without nested choices, whose training part is split again.
FEWEST_NESTED = 3


def outer_splits(
    codes: IndexArray,
    *,
    protocol: str,
    n_folds: int | None,
    seed: int,
    name: str,
    given: Sequence[Split] | None = None,
) -> list[Split]:
    """Split a data set as the protocol says.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Class numbers.
    protocol : {"nested", "stated", "published"}
    n_folds : int or None
        None is the protocol's own number.
    seed : int
    name : str
        Of the data set, for the draw.
    given : sequence of (train, test) or None
        Folds that the data set brings along; taken where ``n_folds`` is None.

    Returns
    -------
    list of (train, test)
    """
    if given is not None and n_folds is None:
        _check_given(codes, protocol, name, given)
        return [(np.asarray(train), np.asarray(test)) for train, test in given]
    _check_members(codes, protocol, name)
    state = seed_of(seed, name, "partition")
    if protocol == PUBLISHED and n_folds is None and codes.max() > 1:
        return [hold_out(codes, state)]
    folds = RareClassKFold(n_folds or DEFAULT_FOLDS[protocol], random_state=state)
    return list(folds.split(codes, codes))


def _check_members(codes: IndexArray, protocol: str, name: str) -> None:
    sizes = np.bincount(codes)
    if sizes.size < 2:
        raise ValueError(f"The data set {name!r} has one class; a comparison needs two.")
    fewest = FEWEST_NESTED if protocol == NESTED else FEWEST_MEMBERS
    if sizes.min() < fewest:
        raise ValueError(
            f"The data set {name!r} has a class of {sizes.min()}; protocol {protocol!r} needs "
            f"{fewest} points of every class."
        )


def _check_given(codes: IndexArray, protocol: str, name: str, given: Sequence[Split]) -> None:
    """Refuse folds that leave too little to learn from; one fewer than a whole class needs."""
    fewest = (FEWEST_NESTED if protocol == NESTED else FEWEST_MEMBERS) - 1
    n_classes = codes.max() + 1
    for number, (train, _) in enumerate(given, start=1):
        left = np.bincount(codes[train], minlength=n_classes).min()
        if left < fewest:
            raise ValueError(
                f"The data set {name!r} brings folds along, of which number {number} has a class "
                f"of {left} to learn from; protocol {protocol!r} needs {fewest}. A number of folds "
                "makes others."
            )
