"""Seeds from names: the same draw wherever, whenever and in whatever order a job runs."""

from hashlib import blake2b

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
