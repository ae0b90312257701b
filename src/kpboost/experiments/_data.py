"""The data sets of a spec: loaded, encoded, with their disjuncts and partitions."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost._text import some_of
from kpboost.datasets import (
    CopiedRows,
    Dataset,
    copied_rows,
    draw_dataset,
    draw_parquet,
    find_chosen,
    in_proportion,
    is_larger_than_draw,
    known_names,
)
from kpboost.disjuncts import DisjunctFinder
from kpboost.experiments.storage._rows import kept_dataset, put_dataset, put_missing
from kpboost.experiments.storage._store import Store, StoreError
from kpboost.methods import standardised
from kpboost.metrics import imbalance_ratio
from kpboost.model_selection import Split

from ._records import SpecDatasets
from ._spec import ExperimentSpec
from ._splits import NESTED, PreparedDataset, outer_splits

FINGERPRINT_BYTES = 16
# Of a larger file so many rows are compared: the six default methods take some minutes, and
# disjuncts are found among exact neighbours.
MOST_COMPARED = 50_000
# A class counts as drawn more densely from so many times its share on.
DENSER = 1.1
# Classes in a sentence.
MOST_NAMES = 5


def find_datasets(spec: ExperimentSpec) -> SpecDatasets:
    """Read what a spec names.

    A file that cannot be read ends everything, as does a name that nobody knows. A known data set
    that cannot be had here is only missing.
    """
    known = known_names()
    found: dict[str, Dataset] = {}
    missing: dict[str, str] = {}
    in_file: dict[str, dict[str, int]] = {}
    for given in spec.datasets:
        try:
            dataset, sizes = _compared(given, spec)
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
        if sizes is not None:
            in_file[name] = sizes
    return SpecDatasets(found, missing, in_file)


def _compared(given: str, spec: ExperimentSpec) -> tuple[Dataset, dict[str, int] | None]:
    """Read a data set; of a large file some rows, and how many rows each class has in it."""
    how: dict[str, Any] = {"max_rows": MOST_COMPARED, "shares": in_proportion, "seed": spec.seed}
    nested, is_file = spec.protocol == NESTED, given not in known_names() and Path(given).is_file()
    if nested and is_file and is_larger_than_draw(given, MOST_COMPARED):
        draw = draw_parquet(given, spec.target, spec.choices, **how)
        return draw.data, draw.class_sizes
    data = find_chosen(given, spec.target, spec.data_dir, spec.choices)
    if not (nested and is_file) or data.n_samples <= MOST_COMPARED or data.folds is not None:
        return data, None
    draw = draw_dataset(data, **how)
    return draw.data, draw.class_sizes


def draw_sentence(data: Dataset, in_file: Mapping[str, int]) -> str:
    """Say which rows of a file are compared."""
    n_rows = sum(in_file.values())
    drawn = dict(zip(*np.unique(data.y, return_counts=True), strict=True))
    share = data.n_samples / n_rows
    denser = {name: n for name, n in drawn.items() if n > DENSER * share * in_file[name]}
    told = [f"{n:,} of {in_file[name]:,} of “{name}”" for name, n in denser.items()]
    more = (
        f", but more densely {some_of(told, MOST_NAMES)}: precision and what depends on it are "
        "those of the draw"
        if told
        else ""
    )
    return (
        f"Methods are compared on {data.n_samples:,} of {n_rows:,} rows, drawn in proportion to "
        f"the classes{more}. `kpboost fit` learns from more."
    )


def copies_in(dataset: Dataset, spec: ExperimentSpec) -> CopiedRows:
    """Return the copies of rows in a user's file; known data sets and the paper's protocols as is.

    Folds that came with a file are not changed either.
    """
    is_given = dataset.folds is not None and spec.n_folds is None
    if spec.protocol != NESTED or dataset.source not in spec.datasets or is_given:
        return CopiedRows()
    return copied_rows(dataset.X, np.unique(dataset.y, return_inverse=True)[1])


def split_dataset(
    name: str, dataset: Dataset, spec: ExperimentSpec, copies: CopiedRows
) -> list[Split]:
    """Return the outer folds of a data set, seed after seed, none of which parts copies."""
    if dataset.folds is not None and spec.n_folds is None and spec.n_seeds > 1:
        raise ValueError(
            f"The data set {name!r} comes with folds, which are the same for every seed; set a "
            "number of folds to make new ones."
        )
    codes = np.unique(dataset.y, return_inverse=True)[1]
    splits = (
        outer_splits(
            codes,
            records=copies.records,
            protocol=spec.protocol,
            n_folds=spec.n_folds,
            seed=spec.seed + number,
            name=name,
            given=dataset.folds,
        )
        for number in range(spec.n_seeds)
    )
    return list(chain.from_iterable(splits))


def prepare_all(
    spec: ExperimentSpec, store: Store, data: SpecDatasets
) -> tuple[dict[str, PreparedDataset], dict[str, str]]:
    """Get all data sets ready and keep what they are; those that cannot be had are named.

    Raises
    ------
    ValueError
        If there is not one data set left.
    StoreError
        If a data set has changed since the store was made.
    """
    missing = dict(data.missing)
    ready: dict[str, PreparedDataset] = {}
    for name, dataset in data.found.items():
        try:
            ready[name] = _prepare(name, dataset, spec, store)
        except StoreError:
            raise
        except ValueError as error:
            missing[name] = str(error)
    for name, reason in missing.items():
        put_missing(store, name, reason)
    store.put_n_seeds(ready, spec.n_seeds)
    if not ready:
        raise ValueError(f"There is no data set to work on: {next(iter(missing.values()))}")
    return ready, missing


def _prepare(name: str, dataset: Dataset, spec: ExperimentSpec, store: Store) -> PreparedDataset:
    """Give classes their numbers, in sorted order; find disjuncts and folds, or take the kept."""
    table = dataset.table
    labels, codes = np.unique(dataset.y, return_inverse=True)
    fingerprint = _fingerprint(
        [table.values, table.nominal, codes.astype(np.int64)], labels.tolist()
    )
    known = name, table, codes.astype(np.intp), tuple(map(str, labels)), fingerprint
    kept = kept_dataset(store, name)
    if kept is not None and kept.fingerprint != fingerprint:
        raise StoreError(
            f"The data set {name!r} is not the one that {store.path} was made with; take "
            "another store, or the data as they were."
        )
    splits = tuple(split_dataset(name, dataset, spec, copies_in(dataset, spec)))
    if kept is None:
        finder = DisjunctFinder().fit(standardised(table.values, table.nominal), codes)
        parts = finder.labels_, finder.disjunct_sizes_
    else:  # folds that are there stay; those of more seeds follow them
        splits = (*kept.splits, *splits[len(kept.splits) :])[: len(splits)]
        parts = kept.disjuncts, kept.disjunct_sizes
    prepared = PreparedDataset(*known, *parts, splits)
    put_dataset(store, prepared, float(imbalance_ratio(codes)))
    return prepared


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
