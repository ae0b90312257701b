import json
from dataclasses import fields, replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import fisher_exact

from kpboost.auditing import Audit, audit
from kpboost.auditing._baseline import SAME_PLACE, _shared_place
from kpboost.auditing._records import FORMAT, DisjunctFinding, Extent
from kpboost.datasets import Leak
from support.planted_data import plain_svm, planted


@pytest.fixture(scope="module")
def found():
    X, y, _ = planted(n_common=150)
    return audit(X, y, plain_svm(), cv=3, remedies=["svm_balanced"])


@pytest.fixture(scope="module")
def later():
    """The same model on other rows of the same kind."""
    X, y, _ = planted(seed=1, n_common=170)
    return audit(X, y, plain_svm(), cv=3, remedies="never")


def test_an_audit_is_read_as_it_was_saved(found):
    assert Audit.from_json(found.to_json()) == found
    assert type(Audit.from_json(found.to_json())) is Audit


def test_what_json_lacks_is_no_number_again(found):
    read = Audit.from_json(replace(found, seconds=float("inf")).to_json())
    assert np.isnan(read.seconds)


def with_first(place, **changes):
    def changed(data):
        first, *rest = data[place]
        return data | {place: [first | changes, *rest]}

    return changed


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda data: data | {"format": 1}, "saved in format 1, and this version reads format"),
        (lambda data: data | {"seconds": "long"}, 'audit.seconds cannot be "long"'),
        (lambda data: data | {"seconds": True}, "audit.seconds cannot be true"),
        (lambda data: data | {"classes": {}}, "audit.classes cannot be {}"),
        (lambda data: data | {"classes": [{"label": "a"}]}, "audit.classes lacks 'size'"),
        (lambda data: data | {"curves": [3]}, r"audit.curves cannot be \[3\]"),
        (lambda data: data | {"models": []}, r"broken: audit.models cannot be \[\]"),
        (lambda data: data | {"classes": []}, r"broken: audit.classes cannot be \[\]"),
        (with_first("disjuncts", size=0), "broken: audit.disjuncts.size cannot be 0"),
        (with_first("classes", n_correct=-1), "broken: audit.classes.n_correct cannot be -1"),
        (with_first("classes", n_correct=9999), "broken: audit.classes.n_correct cannot be 9999"),
        (
            lambda data: data | {"data": data["data"] | {"n_rows": 1}},
            "broken: audit.data.n_rows cannot be 1",
        ),
        (lambda data: {k: v for k, v in data.items() if k != "data"}, "audit lacks 'data'"),
        (lambda data: {"verdict": 1}, "This is not an audit that kpboost saved"),
        (lambda data: [data], "This is not an audit that kpboost saved"),
    ],
)
def test_a_broken_or_foreign_record_is_named(found, change, sentence):
    with pytest.raises(ValueError, match=sentence):
        Audit.from_json(json.dumps(change(found.to_dict())))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"a": 1} more'])
def test_what_is_no_json_is_named(text):
    with pytest.raises(ValueError, match="not JSON"):
        Audit.from_json(text)


def test_unknown_keys_are_for_later_versions(found):
    assert Audit.from_json(json.dumps(found.to_dict() | {"report": "x"})) == found
    assert found.to_dict()["format"] == FORMAT


@pytest.mark.parametrize("other", [{}, "audit.json", None])
def test_a_baseline_that_is_no_audit_is_named(found, other):
    with pytest.raises(ValueError, match=r"must be an Audit, not .*; Audit.from_json reads"):
        found.compare(other)


def test_nothing_changes_between_equal_audits(found):
    changes = found.compare(found)
    assert changes.same_data
    assert {each.status for each in changes.findings} == {"same"}
    assert {each.status for each in changes.scores} <= {"same", ""}
    assert not changes.is_worse
    assert "matched by the rows" in str(changes)


def test_the_same_part_is_known_again_among_other_rows(found, later):
    assert found.data.fingerprint != later.data.fingerprint
    (part,) = (each for each in later.compare(found).findings if "class" not in each.name)
    assert part.status == "same"
    assert (part.name, part.baseline_name) == (later.missed[0].name, found.missed[0].name)
    assert "where they lie" in str(later.compare(found))


def test_what_was_not_there_is_new_and_what_is_no_more_is_gone(found, later):
    parts = tuple(replace(each, missed=False) for each in later.disjuncts)
    fine = tuple(replace(each, status="fine") for each in later.classes)
    calm = replace(later, disjuncts=parts, classes=fine)
    worse, better = found.compare(calm), calm.compare(found)
    assert {each.status for each in worse.findings} == {"new"}
    assert {each.status for each in better.findings} == {"gone"}
    assert len(worse.new) == len(better.better) >= 1
    assert worse.is_worse
    assert "New: " in str(worse)
    assert "Gone: " in str(better)
    assert worse.headline.startswith("Findings since the baseline: ")
    assert "none now" in calm.compare(calm).headline


def test_a_part_elsewhere_is_another_part(found):
    first = found.missed[0]
    moved = tuple(replace(each, low=each.low + 9, high=each.high + 9) for each in first.extents)
    there = replace(found, disjuncts=(replace(first, extents=moved),),
                    data=replace(found.data, fingerprint="x"))  # fmt: skip
    parts = [each for each in there.compare(found).findings if each.where]
    assert [each.status for each in parts] == ["new", "gone"]


def test_changes_of_recall_are_told_by_fishers_test(found):
    first = replace(found.missed[0], size=40, rows=tuple(range(40)), n_correct=4, recall=0.1)
    before = replace(found, disjuncts=(first,))
    for right in (4, 8, 12, 20):
        now = replace(found, disjuncts=(replace(first, n_correct=right, recall=right / 40),))
        status = now.compare(before).findings
        (part,) = (each for each in status if "class" not in each.name)
        is_clear = fisher_exact([[right, 40 - right], [4, 36]]).pvalue <= 0.05
        assert part.status == ("better" if is_clear else "same")
        back = before.compare(now).findings
        assert ("worse" in [each.status for each in back]) == is_clear


def test_a_class_that_sinks_is_worse(found):
    right = tuple(replace(each, n_correct=each.size, recall=1.0) for each in found.classes)
    changes = found.compare(replace(found, classes=right))
    assert any(each.status == "worse" and "rare" in each.name for each in changes.scores)
    assert "Clearly lower" in changes.headline
    assert changes.is_worse


def test_other_models_and_classes_are_told(found, later):
    title = replace(later.models[0], title="Another")
    sizes = {"common": 1, "odd": 2}
    other = replace(later, models=(title,), data=replace(later.data, class_sizes=sizes))
    said = str(other.compare(found))
    assert "of another model" in said
    assert "Only now: “odd”" in said
    assert "Only in the baseline: “rare”" in said


def test_a_leak_and_parted_copies_are_new_findings(found):
    leaks = (Leak("paid", 1.0),)
    leaky = replace(found, data=replace(found.data, leaks=leaks, n_copies=3, copies_together=False))
    changes = leaky.compare(found)
    assert [each.status for each in changes.findings[:2]] == ["new", "new"]
    assert changes.is_worse
    assert "New: column 'paid' may give the class away." in changes.sentences
    assert "New: copies of rows are both learnt and tested." in changes.sentences
    assert "Gone: column 'paid' may give the class away." in found.compare(leaky).sentences
    assert not found.compare(leaky).is_worse
    assert "As before: column 'paid' may give the class away." in leaky.compare(leaky).sentences
    together = replace(found, data=replace(found.data, n_copies=3))
    assert not together.compare(found).new


def test_a_weak_class_that_is_no_more_is_gone(found):
    weak = tuple(replace(each, status="weak") for each in found.classes)
    left = replace(found, classes=weak[:1])
    said = left.compare(replace(found, classes=weak)).sentences
    label, recall = weak[1].label, weak[1].recall
    assert f"Gone: class {label}, {recall:.0%} recognised before." in said


def extents_of(*ranges):
    return tuple(Extent(f"x{k}", *each) if len(each) == 2 else Extent(f"x{k}", None, None, each[0])
                 for k, each in enumerate(ranges))  # fmt: skip


def part(*ranges):
    plain = ("r/1", "r", 5, 0, 0.0, 0.0, 0.5, 0.01, True, (0, 1, 2, 3, 4))
    names = tuple(f"x{k}" for k in range(len(ranges)))
    return replace(DisjunctFinding(*plain), columns=names, extents=extents_of(*ranges))


def test_places_are_compared_column_by_column():
    one = part((0.0, 1.0), (0.0, 1.0))
    assert _shared_place(one, one) == 1
    assert _shared_place(one, part((0.2, 1.1), (0.0, 1.0))) > SAME_PLACE
    assert _shared_place(one, part((0.0, 1.0), (3.0, 4.0))) == 0
    cross = part((-9.0, 9.0), (0.4, 0.6)), part((0.4, 0.6), (-9.0, 9.0))
    assert _shared_place(*cross) < SAME_PLACE
    red, blue = part((("red", "green"),)), part((("blue",),))
    assert _shared_place(red, red) == 1
    assert _shared_place(red, blue) == 0
    assert _shared_place(part(((),)), part(((),))) == 1  # both are missing there
    assert _shared_place(part(((),)), part((0.0, 1.0))) == 0


def test_ranges_of_whole_numbers_and_single_values_are_compared():
    """All pairs of ranges on a grid: the share of the smaller one's values that are in both."""
    ranges = [(low, high) for low in range(5) for high in range(low, 5)]
    for (a, b), (c, d) in product(ranges, ranges):
        shared = len({*range(a, b + 1)} & {*range(c, d + 1)}) / (1 + min(b - a, d - c))
        found = _shared_place(part((float(a), float(b))), part((float(c), float(d))))
        assert found == pytest.approx(shared)
    assert _shared_place(part((0.0, 1.0)), part((1.0, 2.0))) >= SAME_PLACE
    assert _shared_place(part((0.3, 0.3)), part((0.1, 0.9))) == 1
    assert 0 < _shared_place(part((0.0, 1.5)), part((1.5, 3.0))) < SAME_PLACE
    assert _shared_place(part((0.0, 1.4)), part((1.5, 3.0))) == 0


def test_the_comparison_is_plain(found, later):
    plain = later.compare(found).to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert {each.name for each in fields(later.compare(found))} == {*plain}
