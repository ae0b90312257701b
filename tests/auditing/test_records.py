import json
from dataclasses import FrozenInstanceError, replace
from math import inf, nan

import numpy as np
import pytest

from kpboost.auditing import audit
from support.planted_data import planted


@pytest.fixture(scope="module")
def found():
    X, y, _ = planted(n_common=120)
    return audit(X, y, "svm", cv=3, remedies=["svm_balanced"])


def leaves(value):
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in leaves(each)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in leaves(each)]
    return [value]


def test_the_dictionary_holds_plain_values_only(found):
    kinds = {type(leaf) for leaf in leaves(found.to_dict())}
    assert kinds <= {str, int, float, bool, type(None)}


def test_json_is_the_dictionary(found):
    assert json.loads(found.to_json()) == found.to_dict()


@pytest.mark.parametrize("odd", [nan, inf, -inf])
def test_numbers_that_json_lacks_become_null(found, odd):
    changed = replace(found, seconds=odd)
    assert changed.to_dict()["seconds"] is None
    assert json.loads(changed.to_json())["seconds"] is None


def test_labels_that_are_numbers_become_text():
    X, y, _ = planted(n_common=90)
    data = audit(X, (y == "rare").astype(int), "svm", cv=2, remedies="never").to_dict()
    assert set(data["data"]["class_sizes"]) == {"0", "1"}
    assert all(isinstance(each["label"], str) for each in data["classes"])


def test_missed_are_the_flagged_ones(found):
    assert found.missed == tuple(each for each in found.disjuncts if each.missed)
    none = replace(found, disjuncts=tuple(replace(d, missed=False) for d in found.disjuncts))
    assert none.missed == ()


def test_records_cannot_be_changed(found):
    with pytest.raises(FrozenInstanceError):
        found.seconds = 0.0
    with pytest.raises(FrozenInstanceError):
        found.verdict.mood = "good"


def test_one_name_for_one_score(found):
    """With two classes the paper's AUC is the balanced accuracy; the audit says the latter only."""
    scores = found.to_dict()["models"][0]
    assert scores["balanced_accuracy"] == pytest.approx(
        np.mean([*scores["class_recalls"].values()])
    )
    assert "auc" not in found.to_json().lower()


def test_every_row_is_tested_or_scattered(found):
    tested = {row for each in found.disjuncts for row in each.rows}
    assert len(tested) + found.n_scattered == found.data.n_rows
