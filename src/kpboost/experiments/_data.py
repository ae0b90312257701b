"""The data sets of a spec: loaded, encoded, with their disjuncts and partitions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost.datasets import Dataset, find_chosen, known_names
from kpboost.disjuncts import DisjunctFinder
from kpboost.experiments.storage._rows import kept_dataset, put_dataset, put_missing
from kpboost.experiments.storage._store import Store, StoreError
from kpboost.methods import standardised
from kpboost.metrics import imbalance_ratio

from ._partitions import Split, outer_splits
from ._spec import ExperimentSpec
from ._splits import Points

FINGERPRINT_BYTES = 16


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """A data set ready for jobs.

    Attributes
    ----------
    points : Points
    labels : tuple of str
        Of the classes, in the order of their numbers.
    splits : tuple of (train, test)
    """

    points: Points
    labels: tuple[str, ...]
    splits: tuple[Split, ...]


def find_datasets(spec: ExperimentSpec) -> tuple[dict[str, Dataset], dict[str, str]]:
    """Load what a spec names.

    A file that cannot be read ends everything, as does a name that nobody knows. A known data set
    that cannot be had here is only missing.

    Returns
    -------
    found : dict from name to Dataset
    missing : dict from name to reason
    """
    known = known_names()
    found: dict[str, Dataset] = {}
    missing: dict[str, str] = {}
    for given in spec.datasets:
        try:
            dataset = find_chosen(given, spec.target, spec.data_dir, spec.choices)
        except (ValueError, OSError) as error:
            if given not in known:
                raise
            missing[known[given]] = str(error)
            continue
        name = known.get(given, dataset.name)
        if name in found:
            raise ValueError(
                f"Two data sets are called {name!r}; leave one out, or rename its file."
            )
        found[name] = dataset
    return found, missing


def split_dataset(name: str, dataset: Dataset, spec: ExperimentSpec) -> list[Split]:
    """Return the outer folds of a data set under a spec."""
    return outer_splits(
        np.unique(dataset.y, return_inverse=True)[1],
        protocol=spec.protocol,
        n_folds=spec.n_folds,
        seed=spec.seed,
        name=name,
        given=dataset.folds,
    )


def prepare_all(spec: ExperimentSpec, store: Store) -> tuple[dict[str, Material], dict[str, str]]:
    """Get all data sets ready and keep what they are; those that cannot be had are named.

    Raises
    ------
    ValueError
        If there is not one data set left.
    StoreError
        If a data set has changed since the store was made.
    """
    found, missing = find_datasets(spec)
    ready: dict[str, Material] = {}
    for name, dataset in found.items():
        try:
            ready[name] = _prepare(name, dataset, spec, store)
        except StoreError:
            raise
        except ValueError as error:
            missing[name] = str(error)
    for name, reason in missing.items():
        put_missing(store, name, reason)
    if not ready:
        raise ValueError(f"There is no data set to work on: {next(iter(missing.values()))}")
    return ready, missing


def _prepare(name: str, dataset: Dataset, spec: ExperimentSpec, store: Store) -> Material:
    points, labels = _encode(name, dataset)
    kept = kept_dataset(store, name)
    if kept is not None:
        if kept.fingerprint != points.fingerprint:
            raise StoreError(
                f"The data set {name!r} is not the one that {store.path} was made with; take "
                "another store, or the data as they were."
            )
        points = replace(points, disjuncts=kept.disjuncts, disjunct_sizes=kept.disjunct_sizes)
        return Material(points, labels, kept.splits)
    splits = split_dataset(name, dataset, spec)
    finder = DisjunctFinder().fit(standardised(points.X, points.nominal), points.codes)
    points = replace(points, disjuncts=finder.labels_, disjunct_sizes=finder.disjunct_sizes_)
    put_dataset(store, points, labels, float(imbalance_ratio(points.codes)), splits)
    return Material(points, labels, tuple(splits))


def _encode(name: str, dataset: Dataset) -> tuple[Points, tuple[str, ...]]:
    """Give classes their numbers, in sorted order of labels; disjuncts are still to come."""
    labels, codes = np.unique(dataset.y, return_inverse=True)
    X = np.ascontiguousarray(dataset.X, dtype=np.float64)
    nominal = np.asarray(dataset.nominal, dtype=np.bool_)
    nothing = np.empty(0, dtype=np.intp)
    points = Points(
        name=name,
        fingerprint=_fingerprint([X, nominal, codes.astype(np.int64)], labels.tolist()),
        X=X,
        nominal=nominal,
        codes=codes.astype(np.intp),
        disjuncts=nothing,
        disjunct_sizes=nothing,
        n_classes=labels.size,
    )
    return points, tuple(map(str, labels))


def _fingerprint(arrays: Sequence[NDArray[Any]], labels: Sequence[object]) -> str:
    digest = blake2b(digest_size=FINGERPRINT_BYTES)
    for text in _texts(arrays, labels):
        digest.update(text)
    return digest.hexdigest()


def _texts(arrays: Sequence[NDArray[Any]], labels: Sequence[object]) -> Iterator[bytes]:
    yield repr([str(label) for label in labels]).encode()
    for array in arrays:
        yield repr(array.shape).encode()
        yield array.tobytes()
