import numpy as np
import pandas as pd

from kpboost.auditing._data import data_facts
from kpboost.methods._columns import columns_of

FRAME = pd.DataFrame(
    {
        "a": [1.0, 1.0, 1.0, 2.0, None, None],
        "b": ["x", "x", "x", "y", "y", "y"],
        "c": [0, 0, 0, 0, 0, 0],
    }
)


def test_repetitions_contradictions_and_gaps():
    facts = data_facts(columns_of(FRAME), np.array([0, 0, 1, 1, 0, 0]), ["p", "q"], ["gone."])
    assert facts.n_duplicates == 2  # the second of "p" at a = 1, and the second missing one
    assert facts.n_contradictions == 3
    assert facts.n_missing == 2
    assert facts.class_sizes == {"p": 4, "q": 2}
    assert facts.imbalance_ratio == 2
    assert (facts.n_columns, facts.n_nominal) == (3, 1)
    assert [(each.column, each.problem, each.n_rows) for each in facts.columns] == [
        ("a", "missing values", 2),
        ("c", "always the same", 6),
    ]
    assert facts.left_out == ("gone.",)


def test_duplicates_are_those_of_pandas():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 4, size=(200, 3)), columns=list("abc"))
    labels = rng.integers(0, 2, size=200)
    facts = data_facts(columns_of(frame), labels, ["p", "q"], [])
    assert facts.n_duplicates == frame.assign(y=labels).duplicated().sum()
    several = frame.assign(y=labels).groupby(list("abc"))["y"].transform("nunique") > 1
    assert facts.n_contradictions == several.sum()
