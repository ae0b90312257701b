"""What was found about a model: its scores, its recall by class and by disjunct, in words."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scores:
    """Out-of-fold scores of one model.

    Attributes
    ----------
    name, title : str
        As of its recipe.
    accuracy : float
        Share of all rows predicted correctly.
    gmean : float
        Geometric mean of the classes' recalls.
    balanced_accuracy : float
        Their mean; with two classes, what the paper calls AUC.
    gsdi : float
        Like the geometric mean, but the smallest disjuncts decide.
    class_recalls : dict
        Recall of each class by label.
    seconds : float
        Time for all folds.
    """

    name: str
    title: str
    accuracy: float
    gmean: float
    balanced_accuracy: float
    gsdi: float
    class_recalls: dict[str, float]
    seconds: float


@dataclass(frozen=True, slots=True)
class ClassFinding:
    """Recall of a class: ``status`` is "missed", "weak" or "fine"."""

    label: str
    size: int
    n_correct: int
    recall: float
    low: float
    high: float
    status: str


@dataclass(frozen=True, slots=True)
class Trait:
    """What sets a disjunct apart in one column: its values, theirs, and how clearly (0 to 1)."""

    column: str
    here: str
    there: str
    separation: float


@dataclass(frozen=True, slots=True)
class WrongNeighbour:
    """A nearby row of another class."""

    row: int
    label: str
    distance: float


@dataclass(frozen=True, slots=True)
class Description:
    """A disjunct in words and rows.

    Attributes
    ----------
    medoid : int
        Row nearest to all others of the disjunct.
    medoid_values : dict
        Its cells by column.
    from_own_class, from_confusers : tuple of Trait
        Columns that set it apart from the rest of its class, and from the rows around it of the
        classes that it is mistaken for.
    mistaken_for : dict
        How often each wrong label was given.
    wrong_neighbours : tuple of WrongNeighbour
        Nearest rows of other classes.
    """

    medoid: int
    medoid_values: dict[str, str]
    from_own_class: tuple[Trait, ...]
    from_confusers: tuple[Trait, ...]
    mistaken_for: dict[str, int]
    wrong_neighbours: tuple[WrongNeighbour, ...]


@dataclass(frozen=True, slots=True)
class DisjunctFinding:
    """One disjunct of at least the least size that is tested, or one missed box.

    Attributes
    ----------
    name : str
        "<class>/<number>", the largest of a class first; "<class>/box <number>" for a box.
    label : str
        Its class.
    size, n_correct : int
        Rows, and those that were predicted correctly.
    recall, low, high : float
        Recall and its exact 95 % interval.
    p_value : float
        Chance that so tight a group of missed rows, or a tighter one, arises anywhere in the data
        if the model's answers are the best possible; 1 where most rows are recognised.
    missed : bool
        Whether it is flagged.
    rows : tuple of int
        Its rows.
    description : Description or None
        Only of flagged ones.
    where : str
        Limits of a box in words; "" for a disjunct.
    columns : tuple of str
        Columns of a box.
    """

    name: str
    label: str
    size: int
    n_correct: int
    recall: float
    low: float
    high: float
    p_value: float
    missed: bool
    rows: tuple[int, ...]
    description: Description | None = None
    where: str = ""
    columns: tuple[str, ...] = ()
