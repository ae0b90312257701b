"""What an audit found: plain records that can be saved as JSON and drawn by somebody else."""

import json
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from kpboost.datasets import ColumnRole, Leak

from .findings import (
    ClassFinding,
    Description,
    DisjunctFinding,
    Scores,
    Trait,
    WrongNeighbour,
)
from .remedy_records import Remedies, Remedy

__all__ = [
    "Audit",
    "ClassFinding",
    "ColumnProblem",
    "Curve",
    "DataFacts",
    "Description",
    "DisjunctFinding",
    "Map",
    "Reading",
    "Remedies",
    "Remedy",
    "Scores",
    "Trait",
    "Verdict",
    "WrongNeighbour",
]


@dataclass(frozen=True, slots=True)
class ColumnProblem:
    """A column that needs a look: its name, what is wrong, and how many rows it concerns."""

    column: str
    problem: str
    n_rows: int


@dataclass(frozen=True, slots=True)
class DataFacts:
    """The table itself, before any model.

    Attributes
    ----------
    n_rows, n_columns, n_nominal : int
        Rows, columns, and columns of categories among them.
    class_sizes : dict
        Rows of each class by label, the largest first.
    imbalance_ratio : float
        Largest class by smallest.
    n_missing : int
        Missing cells.
    n_duplicates : int
        Rows that repeat an earlier one, label included.
    n_contradictions : int
        Rows that agree in all columns with a row of another class.
    columns : tuple of ColumnProblem
        Constant columns, and columns with missing values.
    left_out : tuple of str
        What was left out of the audit and why, a sentence each.
    roles : tuple of ColumnRole
        Columns of the user's table that are no features as they stood: identifiers, which are left
        out, dates and numbers with a comma, which are read.
    leaks : tuple of Leak
        Columns that alone predict the class almost perfectly.
    """

    n_rows: int
    n_columns: int
    n_nominal: int
    class_sizes: dict[str, int]
    imbalance_ratio: float
    n_missing: int
    n_duplicates: int
    n_contradictions: int
    columns: tuple[ColumnProblem, ...]
    left_out: tuple[str, ...]
    roles: tuple[ColumnRole, ...] = ()
    leaks: tuple[Leak, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to cut classes into disjuncts, and its agreement (adjusted Rand index) with ours."""

    name: str
    n_neighbors: int
    n_disjuncts: int
    agreement: float


@dataclass(frozen=True, slots=True)
class Curve:
    """Number of disjuncts over number of neighbours, and the knee. kappa, delta."""

    n_neighbors: tuple[int, ...]
    n_disjuncts: tuple[int, ...]
    knee: int


@dataclass(frozen=True, slots=True)
class Map:
    """Some rows of the table in two dimensions, for a picture.

    Attributes
    ----------
    method : str
        "PCA", "UMAP", or "columns" where two columns are the map.
    axes : pair of str
        Names of the two directions.
    rows : tuple of int
        The rows that are shown; all rows of flagged disjuncts are among them.
    positions : tuple of pairs of float
        Where they lie.
    classes, disjuncts : tuple of str
        Their class, and the name of their disjunct ("" for one too small to be tested).
    correct : tuple of bool
        Whether they were predicted correctly.
    """

    method: str
    axes: tuple[str, str]
    rows: tuple[int, ...]
    positions: tuple[tuple[float, float], ...]
    classes: tuple[str, ...]
    disjuncts: tuple[str, ...]
    correct: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer: ``mood`` is "good", "mixed" or "bad"."""

    mood: str
    headline: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Audit:
    """Everything an audit found.

    Attributes
    ----------
    verdict : Verdict
        The answer in a few sentences.
    data : DataFacts
        The table.
    readings : tuple of Reading
        The disjuncts' three readings; the first is in use.
    curve : Curve
        The kappa-delta curve of Algorithm 2.
    models : tuple of Scores
        The audited model first.
    classes : tuple of ClassFinding
        Recall by class.
    disjuncts : tuple of DisjunctFinding
        Recall by disjunct and of missed boxes, flagged ones first.
    n_scattered : int
        Rows in none of these, because their disjuncts are too small to be tested.
    remedies : Remedies or None
        None where nothing had to be improved, or nothing was to be tried.
    map : Map
        For the picture.
    box_map : Map or None
        The same in the two columns of the first missed box that has two columns of numbers.
    snippet : str
        Python that builds the recommended model, or the audited one if none is recommended.
    seconds : float
        How long it took.
    """

    verdict: Verdict
    data: DataFacts
    readings: tuple[Reading, ...]
    curve: Curve
    models: tuple[Scores, ...]
    classes: tuple[ClassFinding, ...]
    disjuncts: tuple[DisjunctFinding, ...]
    n_scattered: int
    remedies: Remedies | None
    map: Map = field(repr=False)
    box_map: Map | None = field(repr=False)
    snippet: str = field(repr=False)
    seconds: float

    @property
    def missed(self) -> tuple[DisjunctFinding, ...]:
        """The flagged disjuncts."""
        return tuple(found for found in self.disjuncts if found.missed)

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries, lists, text, numbers and None (in place of NaN)."""
        plain = _plain(asdict(self))
        assert isinstance(plain, dict)
        return plain

    def to_json(self) -> str:
        """Everything as JSON."""
        return json.dumps(self.to_dict(), indent=1, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
