import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from kpboost.auditing._boxes import _order, _separation, describe
from kpboost.methods._columns import columns_of


def described(frame, codes, predicted, rows):
    columns = columns_of(frame)
    return describe(np.array(rows), columns, columns.values, codes, predicted, ["a", "b"])


def test_columns_that_set_it_apart_are_named_first():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "same": rng.normal(size=40),
            "shifted": np.repeat([0.0, 9.0], [30, 10]) + rng.normal(size=40),
            "kind": ["x"] * 30 + ["y"] * 10,
        }
    )
    codes = np.repeat([1, 0, 0], [20, 10, 10])
    words = described(frame, codes, np.ones(40, dtype=int), range(30, 40))
    assert [trait.column for trait in words.from_own_class][:2] in (
        ["shifted", "kind"],
        ["kind", "shifted"],
    )
    assert {trait.here for trait in words.from_own_class if trait.column == "kind"} == {"y (100%)"}
    assert words.mistaken_for == {"b": 10}
    assert 30 <= words.medoid < 40
    assert len(words.wrong_neighbours) == 3


def test_separation_is_that_of_the_roc_curve():
    rng = np.random.default_rng(1)
    here, there = rng.normal(0.7, size=20), rng.normal(size=30)
    area = roc_auc_score(np.repeat([1, 0], [20, 30]), np.concatenate([here, there]))
    assert _order(here, there) == pytest.approx(2 * area - 1)


def test_the_middle_of_a_range_is_set_apart_too():
    there = np.concatenate([np.linspace(-9, -3, 20), np.linspace(3, 9, 20)])
    assert _separation(np.linspace(-1, 1, 10), there) == 1


def test_the_medoid_is_the_row_nearest_to_the_others():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 9.0, 50.0]})
    words = described(frame, np.array([0, 0, 0, 0, 1]), np.zeros(5, dtype=int), [0, 1, 2, 3])
    assert words.medoid in (1, 2)  # sums of distances 10 and 10


def test_a_whole_class_has_no_rest():
    frame = pd.DataFrame({"x": np.arange(10.0)})
    words = described(frame, np.repeat([0, 1], 5), np.ones(10, dtype=int), range(5))
    assert words.from_own_class == ()
    assert words.from_confusers
