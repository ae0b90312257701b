"""What an audit found: plain records that can be saved as JSON and drawn by somebody else."""

import json
from dataclasses import asdict, dataclass, field
from importlib import import_module
from math import isfinite
from typing import TYPE_CHECKING, Any, Self

from kpboost._notebook import Facts, FactsMixin, counted, html_facts, names
from kpboost.datasets import ColumnRole, Leak

if TYPE_CHECKING:
    from ._baseline import AuditComparison

# Of saved audits: one more whenever a reader of the last would misread the next.
FORMAT = 2


@dataclass(frozen=True, slots=True)
class ModelScores:
    """Out-of-fold scores of one model.

    Attributes
    ----------
    name, title : str
        As of its method; "own" and the name of its class for a user's model.
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
    """Recall of a class: ``status`` is "missed", "weak" or "fine".

    The p-value of a class that is not fine is the chance of so low a recall if half of the class
    were recognised ("missed"), or as much as of all other rows ("weak"), times the classes.
    """

    label: str
    size: int
    n_correct: int
    recall: float
    low: float
    high: float
    status: str
    p_value: float = 1.0


@dataclass(frozen=True, slots=True)
class Trait:
    """What sets a disjunct apart in one column: its values, theirs, and how clearly (0 to 1)."""

    column: str
    here: str
    there: str
    separation: float


@dataclass(frozen=True, slots=True)
class Extent:
    """Where most rows of a part lie in one column: a range of numbers, or the categories.

    Attributes
    ----------
    column : str
        Its name.
    low, high : float or None
        Ends of the middle four fifths; None for categories, and where all values are missing.
    values : tuple of str
        The categories, the most common first; () for numbers.
    """

    column: str
    low: float | None
    high: float | None
    values: tuple[str, ...] = ()


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
        if the model's predictions are the best possible; 1 where most rows are recognised. Missed
        rows that a more striking finding has told do not count again: see ``told_in``.
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
    n_region : int
        Only of flagged ones: rows of all classes in the same place. Of a box, those between its
        limits; of a disjunct, its own and those as near to one of them as they are to each other.
    extents : tuple of Extent
        Only of flagged ones: where its rows lie in the columns that set it apart.
    told_in : str
        Only of others of which at most half is recognised: the flagged finding that has most of its
        missed rows, if most of them are in such findings. Its p-value is that of the rest.
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
    n_region: int = 0
    extents: tuple[Extent, ...] = ()
    told_in: str = ""


# The name of the control: the audited model with its threshold or class offsets moved.
THRESHOLD = "threshold"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one remedy does for one finding, under the new folds.

    Attributes
    ----------
    name, title : str
        As of its ``ModelScores``; "threshold" is the control.
    recall, low, high : float
        Share of the finding's rows that it recognises, with its exact 95 % interval.
    gain, gain_low, gain_high : float
        The same less that of the audited model, with a 95 % interval for paired rows.
    elsewhere : float
        What it costs: the change of recall of the class that loses most outside of the finding's
        rows, of five rows or more. 0 where there is nothing else.
    worst_class, worst : str, float
        That class, and its change of recall again.
    lead, lead_low, lead_high : float
        ``worth`` less that of the control, or less 0, the audited model's, where this is the
        control or there is none; with a 95 % interval for paired rows.
    n_gained, n_lost : int
        Rows of the finding that it recognises and the audited model does not, and the reverse.
    p_value : float
        Chance of such a lead if the two are equally good, corrected for the number of remedies that
        were tried on this finding (Holm); of the control, it alone.
    helps : bool
        Whether it may be recommended: see ``docs/audit.md``.
    """

    name: str
    title: str
    recall: float
    low: float
    high: float
    gain: float
    gain_low: float
    gain_high: float
    elsewhere: float
    worst_class: str
    worst: float
    lead: float
    lead_low: float
    lead_high: float
    n_gained: int
    n_lost: int
    p_value: float
    helps: bool

    @property
    def worth(self) -> float:
        """What is gained on the finding's rows, less what it costs elsewhere; both are recalls."""
        return self.gain + self.elsewhere

    @property
    def rank(self) -> tuple[bool, float]:
        """By which answers are sorted, from the best to the worst."""
        return not self.helps, -self.worth


@dataclass(frozen=True, slots=True)
class Question:
    """One finding, and what helps it.

    Attributes
    ----------
    finding : str
        Name of a flagged disjunct or box, "class <label>", or "all rows" where nothing is missed
        and remedies were wanted anyhow.
    label : str
        Its class; "" for all rows.
    n_rows : int
        Its rows.
    recall_before : float
        Share of them that the audited model recognises under the new folds.
    control : Answer or None
        The audited model with its threshold or class offsets moved; None if it has no scores.
    tried : tuple of Answer
        The other remedies, from the best to the worst.
    recommended : str
        Name of a remedy, "threshold" for the control, or "" if nothing helps.
    snippet : str
        Python that builds what is recommended; "" if nothing is.
    """

    finding: str
    label: str
    n_rows: int
    recall_before: float
    control: Answer | None
    tried: tuple[Answer, ...]
    recommended: str
    snippet: str = field(default="", repr=False)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """All that was tried: the control first, then the others from the best to the worst."""
        return self.tried if self.control is None else (self.control, *self.tried)

    @property
    def best(self) -> Answer | None:
        """What is recommended; if nothing is, what is worth most; None if nothing was tried."""
        if self.recommended:
            return next(each for each in self.answers if each.name == self.recommended)
        return max(self.answers, key=lambda each: each.worth, default=None)


@dataclass(frozen=True, slots=True)
class Remedies:
    """Every finding asked on its own, under folds that it was not found on.

    Attributes
    ----------
    before : ModelScores
        The audited model on these folds.
    models : tuple of ModelScores
        All that was tried, the control "threshold" first if there is one.
    questions : tuple of Question
        One for each missed part, then one for each class of low recall.
    failed : dict
        Why a remedy has no predictions, by name: it failed, or its package is not installed. Of
        "threshold": why there is none to move.
    recommended : str
        What is recommended for most findings, and of several for the first of them: a name as in
        ``Question.recommended``; "" if nothing helps anywhere.
    kpboost : str
        How KPBoost did beside the others on the first finding, a sentence.
    new_folds : bool
        Whether these folds are others than those that the findings were made on.
    """

    before: ModelScores
    models: tuple[ModelScores, ...]
    questions: tuple[Question, ...]
    failed: dict[str, str]
    recommended: str
    kpboost: str
    new_folds: bool = True

    def question(self, finding: str) -> Question | None:
        """Return the question about a finding by its name ("class <label>" for a class)."""
        return next((each for each in self.questions if each.finding == finding), None)


# What a column may need a look for.
ALWAYS_THE_SAME, MISSING_VALUES = "always the same", "missing values"


@dataclass(frozen=True, slots=True)
class ColumnProblem:
    """A column that needs a look: its name, what is wrong, and how many rows it concerns."""

    column: str
    problem: str
    n_rows: int


@dataclass(frozen=True, slots=True)
class Drift:
    """Class shares that change along the file or along a column of time.

    Attributes
    ----------
    column : str
        Name of the column; "" for the order of the rows.
    is_sorted : bool
        Whether the classes stand one after the other, as in an export that is sorted by them.
    label : str
        The class whose share changes most clearly.
    first, last : float
        Its share in the first and in the last fifth of the rows.
    p_value : float
        Chance of so clear a change if the order means nothing, corrected for the number of classes
        and columns (Bonferroni).
    """

    column: str
    is_sorted: bool
    label: str
    first: float
    last: float
    p_value: float


@dataclass(frozen=True, slots=True)
class Decider:
    """A column that alone tells a class from all others, and its balanced accuracy in that."""

    column: str
    label: str
    score: float


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
        Columns of the user's table that were not features as they were: identifiers and free text,
        which are left out, dates and numbers with a comma, which are read.
    leaks : tuple of Leak
        Columns that alone predict the class almost perfectly; also identifiers, where the audited
        model gets them. Where they are most columns the classes may just be easy.
    n_unavoidable : int
        Errors that contradictory rows force on every model, even on one that gives each group of
        equal rows its commonest class.
    n_copies : int
        Rows that are next to certainly the same record as an earlier one: copies by a join, an
        export or oversampling rather than by chance.
    copies_together : bool
        Whether each is tested in the same fold as its record.
    seen_identifiers : tuple of str
        Identifiers that the audit leaves out and the audited model gets all the same.
    drifts : tuple of Drift
        Order of rows and columns of time along which class shares change.
    deciders : tuple of Decider
        Columns that alone tell one of several classes from all others.
    fingerprint : str
        Equal for equal tables with equal labels, rows in the same order: then row numbers mean the
        same rows.
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
    n_unavoidable: int = 0
    n_copies: int = 0
    copies_together: bool = True
    seen_identifiers: tuple[str, ...] = ()
    drifts: tuple[Drift, ...] = ()
    deciders: tuple[Decider, ...] = ()
    fingerprint: str = ""

    @property
    def seems_easy(self) -> bool:
        """Whether most columns, and more than one, predict the class alone."""
        return len(self.leaks) > max(1, self.n_columns / 2)

    @property
    def may_leak(self) -> bool:
        """Whether columns stand out as possible leaks, so that no score can be trusted."""
        return bool(self.leaks) and not self.seems_easy

    @property
    def constant(self) -> tuple[str, ...]:
        """Columns that are the same in all rows: one value without gaps, or no value at all."""
        gaps = {each.column: each.n_rows for each in self.columns if each.problem == MISSING_VALUES}
        same = [each.column for each in self.columns if each.problem == ALWAYS_THE_SAME]
        return tuple(name for name in same if gaps.get(name, self.n_rows) == self.n_rows)

    @property
    def best_accuracy(self) -> float:
        """The highest accuracy that contradictory rows leave."""
        return 1 - self.n_unavoidable / self.n_rows


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
class RatePoint:
    """What one model makes of a class: a point on its curves.

    Attributes
    ----------
    name, title : str
        As of its ``ModelScores``.
    n_hits : int
        Rows of the class that it recognises.
    n_alarms : int
        Rows of other classes that it takes for this one.
    """

    name: str
    title: str
    n_hits: int
    n_alarms: int


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Rows with about the same predicted probability of a class, and how many are of the class.

    Attributes
    ----------
    predicted, observed : float
        Mean probability, and the share of rows that are of the class.
    low, high : float
        Exact 95 % interval of the share.
    n_rows : int
        How many rows.
    """

    predicted: float
    observed: float
    low: float
    high: float
    n_rows: int


@dataclass(frozen=True, slots=True)
class ScoreCurves:
    """How the audited model's scores rank one class before all others, out of fold.

    Attributes
    ----------
    label : str
        The class: that of the first missed part, otherwise the one with the lowest recall.
    n_class, n_others : int
        Rows of it, and of all other classes.
    roc : tuple of pairs of float
        Shares of others and of the class above each threshold, at most some 200 points.
    precision_recall : tuple of pairs of float
        Recall and precision above each threshold.
    roc_area, average_precision : float
        Areas under the two; of all points.
    reliability : tuple of ReliabilityBin
        From the lowest probability on; () if the model has none.
    points : tuple of RatePoint
        The audited model under these folds, then what was tried.
    confusion : tuple of tuple of int
        Rows by true and by predicted class under the folds of the findings, in the order of
        ``confusion_labels``.
    confusion_labels : tuple of str
        The classes; of many, those with most errors, and at the end all others together.
    """

    label: str
    n_class: int
    n_others: int
    roc: tuple[tuple[float, float], ...]
    precision_recall: tuple[tuple[float, float], ...]
    roc_area: float
    average_precision: float
    reliability: tuple[ReliabilityBin, ...]
    points: tuple[RatePoint, ...]
    confusion: tuple[tuple[int, ...], ...]
    confusion_labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """What came out.

    Attributes
    ----------
    mood : str
        "good", "mixed" or "bad".
    headline : str
    sentences : tuple of str
        All that is to be said; ``warnings`` stand first.
    warnings : tuple of str
        What makes the scores themselves doubtful: leaks, copies, a target that follows time.
    on_cards : tuple of str
        Sentences about single findings, which a page tells on their cards.
    """

    mood: str
    headline: str
    sentences: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    on_cards: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences that are neither warnings nor about single findings."""
        return tuple(
            each for each in self.sentences if each not in {*self.warnings, *self.on_cards}
        )


@dataclass(frozen=True, slots=True, repr=False)
class Audit(FactsMixin):
    """Everything an audit found.

    Attributes
    ----------
    verdict : AuditVerdict
        What came out, in a few sentences.
    data : DataFacts
        The table.
    readings : tuple of Reading
        The disjuncts' three readings; the first is in use.
    curve : Curve
        The kappa-delta curve of Algorithm 2.
    models : tuple of ModelScores
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
        The same in the two columns that show a missed part best; None where nothing is missed, or
        no two columns of numbers show it, or the map has these columns already.
    snippet : str
        Python that builds the recommended model, or the audited one if none is recommended.
    seconds : float
        How long it took.
    n_scattered_wrong : int
        How many of the rows that could not be tested are predicted wrongly.
    curves : ScoreCurves or None
        Scores of one class, for pictures.

    See Also
    --------
    kpboost.audit : Makes one.
    kpboost.reports.write_audit : Writes its page to a file.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> import kpboost
    >>> X, y = load_iris(return_X_y=True)
    >>> found = kpboost.audit(X, y, LogisticRegression(max_iter=500), remedies=())
    >>> found.models[0].title, found.data.n_rows, len(found.missed)
    ('LogisticRegression', 150, 0)
    >>> kpboost.Audit.from_json(found.to_json()).verdict == found.verdict
    True
    """

    verdict: AuditVerdict
    data: DataFacts
    readings: tuple[Reading, ...]
    curve: Curve
    models: tuple[ModelScores, ...]
    classes: tuple[ClassFinding, ...]
    disjuncts: tuple[DisjunctFinding, ...]
    n_scattered: int
    remedies: Remedies | None
    map: Map
    box_map: Map | None
    snippet: str
    seconds: float
    n_scattered_wrong: int = 0
    curves: ScoreCurves | None = None

    def _facts(self) -> Facts:
        yield "verdict", self.verdict.headline
        yield "model", self.models[0].title
        yield "rows", f"{self.data.n_rows:,}"
        yield "classes", counted(self.data.class_sizes)
        yield "missed parts", len(self.missed)
        weak = [found.label for found in self.classes if found.status != "fine"]
        yield "weak classes", names(weak) or "none"

    def __str__(self) -> str:
        """Return the verdict, one sentence on each line."""
        return "\n".join((self.verdict.headline, *self.verdict.sentences))

    @property
    def missed(self) -> tuple[DisjunctFinding, ...]:
        """The flagged disjuncts."""
        return tuple(found for found in self.disjuncts if found.missed)

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries, lists, text, numbers and None (in place of NaN).

        "format" counts the shapes that this has had; "remedies" are by finding since 2.
        """
        plain = plain_values(asdict(self))
        assert isinstance(plain, dict)
        return {"format": FORMAT, **plain}

    def to_json(self) -> str:
        """Everything as JSON."""
        return json.dumps(self.to_dict(), indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote; of anything else, a ValueError says what is wrong."""
        from ._baseline import read_audit

        return read_audit(cls, text)

    def compare(self, baseline: "Audit") -> "AuditComparison":
        """Tell what is better, what is worse and what is new since an earlier audit.

        Parameters
        ----------
        baseline : Audit
            The earlier one, of the same rows or of others, of the same model or of another.

        Returns
        -------
        AuditComparison
            It prints as sentences; ``new``, ``worse`` and ``better`` list findings.
        """
        from ._baseline import compare_audits

        return compare_audits(self, baseline)

    def show(self, title: str = "Audit") -> None:
        """Show the page: below the cell in a notebook, otherwise in a browser.

        Outside of a notebook the path of the page is printed, and that is all without a screen.

        Parameters
        ----------
        title : str, default="Audit"
            Heading of the page.
        """
        import_module(PAGES).show_audit(self, title)

    def _repr_html_(self) -> str:
        """Return the page for a notebook, or its facts if the packages that draw it are missing."""
        try:
            pages = import_module(PAGES)
        except ImportError:
            return html_facts("Audit", self._facts())
        return str(pages.notebook_frame(self))


# Pages are drawn one floor above, by a package that imports this one: found by name when wanted.
PAGES = "kpboost.reports"


def plain_values(value: Any) -> Any:
    """Return values that JSON has: lists for tuples, None for what is no finite number."""
    if isinstance(value, dict):
        return {str(key): plain_values(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(each) for each in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
