"""A saved audit read again, and one audit compared with an earlier one.

The rows may be others by now, and then row numbers mean nothing. So parts are matched by their rows
only where the tables are the same, and otherwise by class and by where they lie. Recalls are
compared by Fisher's exact test as if all rows were different ones. Where they are the same this is
too careful, as the two then agree on more rows than strangers would.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from math import nan, prod
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from scipy.stats import fisher_exact

from kpboost._notebook import Facts, FactsMixin, html_facts

from ._records import (
    FORMAT,
    Audit,
    ClassFinding,
    DataFacts,
    DisjunctFinding,
    Extent,
    plain_values,
)
from ._significance import LEVEL

A = TypeVar("A", bound=Audit)

# Two parts are the same if at least this share of the rows of the smaller one is in both, ...
SAME_ROWS = 0.5
# ... or if their ranges have this share of the smaller one in common, on (geometric) average over
# the columns that set either apart.
SAME_PLACE = 0.5
# A range counts as at least this share of the union of the two: a single value has no length.
THIN = 0.05


def read_audit(kind: type[A], text: str) -> A:
    """Read an audit that was saved as JSON.

    Parameters
    ----------
    kind : type
        Audit.
    text : str
        What ``Audit.to_json`` wrote, or ``kpboost audit --json`` printed.

    Returns
    -------
    Audit

    Raises
    ------
    ValueError
        If it is anything else; one sentence says what is wrong with it.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"This is not JSON: {error}.") from error
    if not isinstance(data, dict) or not {"verdict", "disjuncts"} <= data.keys():
        raise ValueError("This is not an audit that kpboost saved.")
    if data.get("format") != FORMAT:
        raise ValueError(
            f"This audit was saved in format {data.get('format', 1)!r}, and this version reads "
            f"format {FORMAT} only; audit those data again."
        )
    built = _built(kind, data, "audit")
    assert isinstance(built, kind)
    _check_counts(built)
    return built


def _check_counts(audit: Audit) -> None:
    """Refuse what no audit can count; comparisons divide by these."""
    _checked(bool(audit.models), [], "audit.models")
    _checked(bool(audit.classes), [], "audit.classes")
    _checked(audit.data.n_rows > 0, audit.data.n_rows, "audit.data.n_rows")
    for where, found in (("classes", audit.classes), ("disjuncts", audit.disjuncts)):
        for each in found:
            _checked(each.size > 0, each.size, f"audit.{where}.size")
            _checked(0 <= each.n_correct <= each.size, each.n_correct, f"audit.{where}.n_correct")
    n_right = sum(each.n_correct for each in audit.classes)
    _checked(n_right <= audit.data.n_rows, audit.data.n_rows, "audit.data.n_rows")


def _built(kind: Any, value: Any, where: str) -> Any:
    """Build a value of a type from plain JSON; whatever does not fit is named by its place."""
    if is_dataclass(kind):
        return _record(kind, value, where)
    origin, inside = get_origin(kind), get_args(kind)
    if origin is UnionType:  # something or None
        some = next(each for each in inside if each is not NoneType)
        return None if value is None else _built(some, value, where)
    if origin is Literal:
        return _checked(value in inside, value, where)
    if origin is tuple:
        _checked(isinstance(value, list), value, where)
        kinds = [inside[0]] * len(value) if inside[-1] is Ellipsis else inside
        _checked(len(kinds) == len(value), value, where)
        return tuple(_built(one, each, where) for one, each in zip(kinds, value, strict=True))
    if origin is dict:
        _checked(isinstance(value, dict), value, where)
        return {key: _built(inside[1], each, f"{where}.{key}") for key, each in value.items()}
    if kind is float:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return nan if value is None else float(_checked(is_number, value, where))
    return _checked(type(value) is kind, value, where)


def _record(kind: Any, value: Any, where: str) -> Any:
    _checked(isinstance(value, dict), value, where)
    needed = [
        each.name
        for each in fields(kind)
        if each.default is MISSING and each.default_factory is MISSING
    ]
    lacking = next((name for name in needed if name not in value), None)
    if lacking is not None:
        raise ValueError(f"This audit is broken: {where} lacks {lacking!r}.")
    hints = get_type_hints(kind.__init__)  # it knows the names of the file that it stands in
    known = [each.name for each in fields(kind) if each.name in value]
    return kind(**{name: _built(hints[name], value[name], f"{where}.{name}") for name in known})


def _checked(fits: bool, value: Any, where: str) -> Any:
    if not fits:
        raise ValueError(f"This audit is broken: {where} cannot be {json.dumps(value)[:40]}.")
    return value


@dataclass(frozen=True, slots=True)
class FindingChange:
    """A finding of one of two audits, or of both: a part, a class, or a reason to distrust scores.

    Attributes
    ----------
    status : {"new", "worse", "same", "better", "gone"}
        "worse" and "better" are beyond chance (5 %); "gone" is no longer found.
    name, baseline_name : str
        Its name in the new audit and in the baseline, "class <label>" for a class of low recall;
        what is wrong, for a possible leak and for copies in two folds; "" where it was not found.
    label : str
        Its class; "" for a leak and for copies.
    where : str
        Where it lies, in words; "" for anything but a part.
    size, baseline_size : int
        Rows; 0 where it was not found.
    recall, baseline_recall : float or None
        Share recognised. Of a class, also where it was not found; otherwise None there. None twice
        for a leak and for copies.
    """

    status: str
    name: str
    baseline_name: str
    label: str
    where: str
    size: int
    baseline_size: int
    recall: float | None
    baseline_recall: float | None


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A score in both audits; ``status`` is "worse", "same" or "better", or "" where untested."""

    name: str
    baseline: float
    now: float
    status: str


@dataclass(frozen=True, slots=True, repr=False)
class AuditComparison(FactsMixin):
    """What has changed since an earlier audit.

    Attributes
    ----------
    headline : str
        What came out, in one sentence.
    findings : tuple of FindingChange
        New ones first, then worse, same, better and gone ones.
    scores : tuple of ScoreChange
        Recall by class, and scores of all rows.
    same_data : bool
        Whether the two tables are the same; then parts are matched by their rows.
    notes : tuple of str
        How findings were matched and what else differs, a sentence each.
    """

    headline: str
    findings: tuple[FindingChange, ...]
    scores: tuple[ScoreChange, ...]
    same_data: bool
    notes: tuple[str, ...]

    def _facts(self) -> Facts:
        yield "headline", self.headline
        for name, found in (("new", self.new), ("worse", self.worse), ("better", self.better)):
            yield name, len(found)

    def _repr_html_(self) -> str:
        return html_facts(
            "AuditComparison",
            [*self._facts(), *((each.status, change_sentence(each)) for each in self.findings)],
        )

    @property
    def new(self) -> tuple[FindingChange, ...]:
        """Findings that the baseline does not have."""
        return self._of("new")

    @property
    def worse(self) -> tuple[FindingChange, ...]:
        """Findings that were there and are recognised even less."""
        return self._of("worse")

    @property
    def better(self) -> tuple[FindingChange, ...]:
        """Findings that are gone, or recognised more often."""
        return self._of("better") + self._of("gone")

    @property
    def is_worse(self) -> bool:
        """Whether a finding is new or worse, or a class or the accuracy clearly lower."""
        lower = any(each.status == "worse" for each in self.scores)
        return bool(self.new or self.worse or lower)

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries, lists, text, numbers and None (in place of NaN)."""
        plain = plain_values(asdict(self))
        assert isinstance(plain, dict)
        return plain

    def _of(self, status: str) -> tuple[FindingChange, ...]:
        return tuple(each for each in self.findings if each.status == status)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The headline, a sentence for each finding, and the notes."""
        return (self.headline, *map(change_sentence, self.findings), *self.notes)

    def __str__(self) -> str:
        """Return the sentences, one on each line."""
        return "\n".join(self.sentences)


STATUS_TITLES = {
    "new": "New", "worse": "Worse", "same": "As before", "better": "Better", "gone": "Gone"
}  # fmt: skip
ORDER = tuple(STATUS_TITLES)


def compare_audits(now: Audit, baseline: Audit) -> AuditComparison:
    """Tell what has changed from one audit to another.

    Parameters
    ----------
    now, baseline : Audit
        The later one and the earlier one.

    Returns
    -------
    AuditComparison

    Raises
    ------
    ValueError
        If the baseline is not an audit.
    """
    if not isinstance(baseline, Audit):
        raise ValueError(
            f"The baseline must be an Audit, not {type(baseline).__name__}; Audit.from_json reads "
            "a saved one."
        )
    same = bool(now.data.fingerprint) and now.data.fingerprint == baseline.data.fingerprint
    changes = [
        *_doubt_changes(now.data, baseline.data),
        *_part_changes(now, baseline, same),
        *_class_changes(now, baseline),
    ]
    changes.sort(key=lambda each: ORDER.index(each.status))
    scores = tuple(_score_changes(now, baseline))
    notes = tuple(_notes(now, baseline, same))
    return AuditComparison(_headline(changes, scores), tuple(changes), scores, same, notes)


def _doubt_changes(now: DataFacts, baseline: DataFacts) -> Iterator[FindingChange]:
    """Tell what became of leaks, and of copies that folds part."""
    here, there = _doubts(now), _doubts(baseline)
    for name in dict.fromkeys([*here, *there]):
        status = "gone" if name not in here else "same" if name in there else "new"
        names = (name if name in here else "", name if name in there else "")
        yield FindingChange(status, *names, "", "", 0, 0, None, None)


def _doubts(data: DataFacts) -> list[str]:
    found = [f"column {leak.column!r} may give the class away" for leak in data.leaks]
    parted = data.n_copies and not data.copies_together
    return [*found, *(["copies of rows are both learnt and tested"] if parted else [])]


def _part_changes(now: Audit, baseline: Audit, same: bool) -> Iterator[FindingChange]:
    likeness = _shared_rows if same else _shared_place
    least = SAME_ROWS if same else SAME_PLACE
    matched = set()
    for found in now.missed:
        likely = [(likeness(found, each), each) for each in baseline.missed
                  if each.label == found.label]  # fmt: skip
        alike = [(value, each) for value, each in likely if value >= least]
        matched |= {each.name for _, each in alike}
        best = max(alike, key=lambda pair: pair[0])[1] if alike else None
        yield _part_change(found, best)
    for each in baseline.missed:
        if each.name not in matched:
            yield _part_change(None, each)


def _part_change(now: DisjunctFinding | None, was: DisjunctFinding | None) -> FindingChange:
    known = now or was
    assert known is not None
    return FindingChange(
        status=_status(now, was),
        name=now.name if now else "",
        baseline_name=was.name if was else "",
        label=known.label,
        where=place_words(known),
        size=now.size if now else 0,
        baseline_size=was.size if was else 0,
        recall=now.recall if now else None,
        baseline_recall=was.recall if was else None,
    )


def _status(
    now: DisjunctFinding | ClassFinding | None, was: DisjunctFinding | ClassFinding | None
) -> str:
    if was is None:
        return "new"
    if now is None:
        return "gone"
    return _tested((now.n_correct, now.size), (was.n_correct, was.size))


def _tested(now: tuple[int, int], was: tuple[int, int], level: float = LEVEL) -> str:
    """Compare two shares, each as (right, of how many)."""
    table = [[right, total - right] for right, total in (now, was)]
    if float(fisher_exact(table).pvalue) > level:
        return "same"
    return "better" if now[0] / now[1] > was[0] / was[1] else "worse"


def _shared_rows(one: DisjunctFinding, two: DisjunctFinding) -> float:
    """Share of the rows of the smaller part that are in both."""
    return len({*one.rows} & {*two.rows}) / min(one.size, two.size)


def _shared_place(one: DisjunctFinding, two: DisjunctFinding) -> float:
    """Share of the smaller of two parts in the columns that set one apart, per column: 0 to 1."""
    here, there = ({each.column: each for each in part.extents} for part in (one, two))
    names = sorted((apart(one) | apart(two) or {*here, *there}) & {*here} & {*there})
    if not names:
        return 0.0
    both = zip(*(_lengths(here[name], there[name]) for name in names), strict=True)
    common, first, second = map(prod, both)
    return float((common / min(first, second)) ** (1 / len(names)))


def apart(found: DisjunctFinding) -> set[str]:
    """Columns of a box, or those that set a part apart from others."""
    words = found.description
    if found.columns or words is None:
        return {*found.columns}
    return {each.column for each in words.from_own_class + words.from_confusers}


def _lengths(one: Extent, two: Extent) -> tuple[float, float, float]:
    """Return what two ranges have in common, and each of them, as shares of their union."""
    if one.low is None or one.high is None or two.low is None or two.high is None:
        return _category_shares(one, two)
    ends = ((one.low, one.high), (two.low, two.high))
    is_whole = all(end.is_integer() for pair in ends for end in pair)
    common = (max(one.low, two.low), min(one.high, two.high))
    union = min(one.low, two.low), max(one.high, two.high)
    lengths = [high - low + is_whole for low, high in (common, *ends, union)]
    shares = [max(THIN, each / lengths[3]) if lengths[3] else 1.0 for each in lengths[:3]]
    return shares[0] if common[0] <= common[1] else 0.0, shares[1], shares[2]


def _category_shares(one: Extent, two: Extent) -> tuple[float, float, float]:
    """Return the same of two sets of categories; gaps are alike."""
    here, there = {*one.values}, {*two.values}
    if not here or not there:
        return float(here == there and (one.low is None) == (two.low is None)), 1.0, 1.0
    n_all = len(here | there)
    return len(here & there) / n_all, len(here) / n_all, len(there) / n_all


def place_words(found: DisjunctFinding) -> str:
    """Say where a part lies: the limits of a box, or the clearest traits."""
    words = found.description
    if found.where or words is None:
        return found.where
    traits = {each.column: each.here for each in words.from_own_class + words.from_confusers}
    return ", ".join(f"{name} {here}" for name, here in traits.items())


def _class_changes(now: Audit, baseline: Audit) -> Iterator[FindingChange]:
    """Tell what became of classes that one of the audits calls weak or missed."""
    here, there = ({each.label: each for each in audit.classes} for audit in (now, baseline))
    for label in dict.fromkeys([*here, *there]):
        found, was = here.get(label), there.get(label)
        low, was_low = (each if each and each.status != "fine" else None for each in (found, was))
        if low or was_low:
            yield _class_change(label, _status(low, was_low), found, was)


def _class_change(
    label: str, status: str, now: ClassFinding | None, was: ClassFinding | None
) -> FindingChange:
    name = f"class {label}"
    return FindingChange(
        status=status,
        name=name if status != "gone" else "",
        baseline_name=name if status != "new" else "",
        label=label,
        where="",
        size=now.size if now else 0,
        baseline_size=was.size if was else 0,
        recall=now.recall if now else None,
        baseline_recall=was.recall if was else None,
    )


def _score_changes(now: Audit, baseline: Audit) -> Iterator[ScoreChange]:
    """Compare recalls by class, at a level corrected for their number, and scores of all rows."""
    before = {each.label: each for each in baseline.classes}
    both = [(each, before[each.label]) for each in now.classes if each.label in before]
    for found, was in both:
        counts = (found.n_correct, found.size), (was.n_correct, was.size)
        status = _tested(*counts, level=LEVEL / len(both))
        yield ScoreChange(f"recall of “{found.label}”", was.recall, found.recall, status)
    right, was_right = (sum(each.n_correct for each in audit.classes) for audit in (now, baseline))
    accuracy = _tested((right, now.data.n_rows), (was_right, baseline.data.n_rows))
    one, two = now.models[0], baseline.models[0]
    yield ScoreChange("accuracy", two.accuracy, one.accuracy, accuracy)
    yield ScoreChange("balanced accuracy", two.balanced_accuracy, one.balanced_accuracy, "")
    yield ScoreChange("Gmean", two.gmean, one.gmean, "")
    yield ScoreChange("GSDI", two.gsdi, one.gsdi, "")


def _headline(changes: Sequence[FindingChange], scores: Sequence[ScoreChange]) -> str:
    counts = {status: sum(each.status == status for each in changes) for status in ORDER}
    said = [f"{counts[each]} {STATUS_TITLES[each].lower()}" for each in ORDER if counts[each]]
    lower = [each.name for each in scores if each.status == "worse"]
    more = f" Clearly lower: {', '.join(lower)}." if lower else ""
    if not said:
        return f"Since the baseline: no findings then, and none now.{more}"
    return f"Findings since the baseline: {', '.join(said)}.{more}"


def _notes(now: Audit, baseline: Audit, same: bool) -> Iterator[str]:
    if same:
        yield "The tables are the same, so parts are matched by the rows that they share."
    else:
        yield (
            "The tables differ, so parts are matched by their class and by where they lie in the "
            "columns that set them apart."
        )
    if now.models[0].title != baseline.models[0].title:
        yield (
            f"The baseline is of another model: {baseline.models[0].title}, and now "
            f"{now.models[0].title}."
        )
    if now.data.n_rows != baseline.data.n_rows:
        yield f"Rows: {baseline.data.n_rows:,} then, {now.data.n_rows:,} now."
    yield from _class_notes(now.data.class_sizes, baseline.data.class_sizes)


def _class_notes(now: Mapping[str, int], was: Mapping[str, int]) -> Iterator[str]:
    for words, labels in (("Only now", now.keys() - was.keys()),
                          ("Only in the baseline", was.keys() - now.keys())):  # fmt: skip
        if labels:
            yield f"{words}: {', '.join(f'“{label}”' for label in sorted(labels))}."


def change_sentence(change: FindingChange) -> str:
    """Say one change in words."""
    name = change.name or change.baseline_name
    where = f" ({change.where})" if change.where else ""
    title = STATUS_TITLES[change.status]
    if change.recall is None and change.baseline_recall is None:
        return f"{title}: {name}."
    if change.status == "new":
        was = change.baseline_recall
        before = f", {was:.0%} before" if was is not None else ""
        return (
            f"{title}: {name}{where}; {change.recall:.0%} of {change.size} rows recognised{before}."
        )
    if change.status == "gone":
        now = f"; {change.recall:.0%} are recognised now" if change.recall is not None else ""
        return f"{title}: {name}{where}, {change.baseline_recall:.0%} recognised before{now}."
    other = change.baseline_name
    alias = f", {other} in the baseline" if other != name else ""
    return (
        f"{title}: {name}{where}{alias}; {change.recall:.0%} of {change.size} rows recognised, "
        f"{change.baseline_recall:.0%} of {change.baseline_size} before."
    )
