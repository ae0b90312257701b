"""What an experiment is: data sets x methods, with a grid and a protocol."""

import json
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any, Self

from kpboost import _validation as parameters
from kpboost.datasets import ColumnChoices, read_bytes
from kpboost.methods import GRIDS, check_methods

from ._splits import NESTED, PUBLISHED, STATED

# Selection inside the training folds; or on the test folds, with the folds that the paper states,
# or with those that its figures fit.
PROTOCOLS = (NESTED, STATED, PUBLISHED)
# More than this is a mistake of the decimal point, and would keep a machine busy for ever.
MOST_FOLDS = 100
LARGEST_SEED = 2**32 - 1
# Repetitions tell how much chance there is in a figure; a hundred tell it to a tenth.
MOST_SEEDS = 100
# A spec of ten thousand data sets is a tenth of this.
MAX_SPEC_BYTES = 1 << 22


@dataclass(frozen=True)
class ExperimentSpec:
    """Data sets x methods, with a grid and a protocol.

    Parameters
    ----------
    datasets : sequence of str
        Names of the catalogue, of the embedded sets, or paths of files.
    methods : sequence of str
        Short names, see ``kpboost.methods.METHODS``.
    grid : {"quick", "paper"}, default="quick"
        Which grid of every method.
    protocol : {"nested", "stated", "published"}, default="nested"
        "nested" chooses inside the training folds. The other two choose on the test folds, as the
        paper did: "stated" with the ten folds that it states, "published" with those that its
        printed figures fit, by our reading: five for two classes and one hold-out of 30 % for more.
    n_folds : int or None, default=None
        Number of folds; None takes the protocol's own, or those that came with a data set.
    seed : int, default=0
        All draws, of partitions and of methods, depend on it and on names alone.
    n_seeds : int, default=1
        How many times all of it is done, with seeds that follow each other: ``seed``, ``seed + 1``
        and so on, each with folds and choices of its own.
    as_paper : bool, default=False
        Whether a data set gets only those of the paper's methods that the paper tries on as many
        classes.
    no_twins : bool, default=False
        Whether two classes get no one-vs-rest methods: these are the same machines as one-vs-one.
    data_dir : str or None, default=None
        Folder with data sets of the catalogue.
    target : str or None, default=None
        Class column of data sets that are files; None is the last one.
    drop, id_columns, keep : sequence of str, default=()
        Columns of data sets that are files: to leave out, to take as identifiers, and to keep as
        features, as for ``kpboost.datasets.read_dataset``.
    many_classes : bool, default=False
        Whether more than 50 different numbers in the class column are meant as class labels.

    See Also
    --------
    plan : Tells what there is to do.
    run : Does it.

    Examples
    --------
    >>> from kpboost.experiments import ExperimentSpec
    >>> spec = ExperimentSpec(["wine"], ["svm", "kpboost"], protocol="stated")
    >>> print(spec.to_toml())
    datasets = ["wine"]
    methods = ["svm", "kpboost"]
    grid = "quick"
    protocol = "stated"
    seed = 0
    <BLANKLINE>
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    grid: str = "quick"
    protocol: str = "nested"
    n_folds: int | None = None
    seed: int = 0
    n_seeds: int = 1
    as_paper: bool = False
    no_twins: bool = False
    data_dir: str | None = None
    target: str | None = None
    drop: tuple[str, ...] = ()
    id_columns: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    many_classes: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "datasets", _words("datasets", self.datasets))
        object.__setattr__(self, "methods", _words("methods", self.methods))
        check_methods(self.methods)
        parameters.check_choice("grid", self.grid, GRIDS)
        parameters.check_choice("protocol", self.protocol, PROTOCOLS)
        _check_whole("n_folds", self.n_folds, 2, MOST_FOLDS, optional=True)
        _check_whole("seed", self.seed, 0, LARGEST_SEED)
        _check_whole("n_seeds", self.n_seeds, 1, MOST_SEEDS)
        for name in ("as_paper", "no_twins", "many_classes"):
            parameters.check_flag(name, getattr(self, name))
        for name in ("drop", "id_columns", "keep"):
            object.__setattr__(self, name, _columns(name, getattr(self, name)))
        for name in ("data_dir", "target"):
            value = getattr(self, name)
            if isinstance(value, PathLike):
                object.__setattr__(self, name, str(value))
            elif not (value is None or (isinstance(value, str) and value)):
                raise ValueError(f"{name}={value!r} is not allowed; it must be text or None.")

    @property
    def seeds_in_words(self) -> str:
        """Its seed, or the first and the last of them."""
        last = self.seed + self.n_seeds - 1
        return f"seed {self.seed}" if self.n_seeds == 1 else f"seeds {self.seed} to {last}"

    @property
    def choices(self) -> ColumnChoices:
        """What it says about the columns of files."""
        keep = "all" if self.keep == ("all",) else self.keep
        return ColumnChoices(self.drop, self.id_columns, keep, self.many_classes)

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> Self:
        """Read a spec; keys that do not exist are refused by name."""
        content = read_bytes(Path(path), MAX_SPEC_BYTES)
        try:
            table = tomllib.loads(content.decode("utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{path} is not a TOML file: {error}.") from error
        except RecursionError as error:
            raise ValueError(f"{path} is nested too deeply; a spec has lists of names.") from error
        return cls.from_mapping(table, str(path))

    @classmethod
    def from_mapping(cls, table: Mapping[str, Any], origin: str = "The spec") -> Self:
        """Build a spec from a mapping; keys that do not exist are refused by name."""
        known = [own.name for own in fields(cls)]
        for key in table:
            if key not in known:
                raise ValueError(f"{origin} has the key {key!r}; known are {', '.join(known)}.")
        for key in ("datasets", "methods"):
            if key not in table:
                raise ValueError(f"{origin} has no key {key!r}; it needs one.")
        return cls(**table)

    def to_toml(self) -> str:
        """Return the spec as TOML, without the keys that are None, empty, False or one seed."""
        return "".join(
            f"{key} = {_toml(value)}\n"
            for key, value in asdict(self).items()
            if not (value is None or value is False or value == () or (key, value) == ONE_SEED)
        )


ONE_SEED = ("n_seeds", 1)


def _columns(name: str, values: Any) -> tuple[str, ...]:
    if isinstance(values, str):
        values = (values,)
    if not isinstance(values, Sequence) or not all(isinstance(each, str) for each in values):
        raise ValueError(f"{name}={values!r} is not allowed; it must be a list of columns.")
    return tuple(values)


def _words(name: str, values: Any) -> tuple[str, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise ValueError(f"{name}={values!r} is not allowed; it must be a list of names.")
    words = tuple(str(each) if isinstance(each, PathLike) else each for each in values)
    if not words or not all(isinstance(word, str) and word for word in words):
        raise ValueError(f"{name}={values!r} is not allowed; it must have at least one name.")
    if len(set(words)) < len(words):
        twice = Counter(words).most_common(1)[0][0]
        raise ValueError(f"{name} has {twice!r} more than once.")
    return words


def _check_whole(
    name: str, value: Any, lowest: int, highest: int, *, optional: bool = False
) -> None:
    if value is None and optional:
        return
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not lowest <= value <= highest:
        end = ", or None" if optional else ""
        raise ValueError(
            f"{name}={value!r} is not allowed; it must be a whole number from {lowest} to "
            f"{highest}{end}."
        )


def _toml(value: Any) -> str:
    """Write a value of a spec as TOML; text as JSON does it, but for one letter."""
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(each) for each in value)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower() if isinstance(value, bool) else str(value)
