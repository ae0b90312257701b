import numpy as np
import pandas as pd
import pytest

from kpboost.auditing._data import (
    INDICATOR_WEIGHT,
    audit_data_of,
    data_facts,
    neighbours_of,
    parts_of,
    readings,
)
from kpboost.datasets import features_of, make_disjuncts
from kpboost.disjuncts import DisjunctFinder


def test_rows_are_those_of_the_user():
    y = ["a", None, "b", "b", "a", "single", "b"]
    frame = pd.DataFrame({"x": np.arange(7.0)}, index=list("tuvwxyz"))
    data = audit_data_of(frame, y, 100, 0)
    assert data.rows.tolist() == [0, 2, 3, 4, 6]
    assert data.names == ["a", "b"]
    assert data.codes.tolist() == [0, 1, 1, 0, 1]
    assert data.given.index.tolist() == list("tvwxz")
    assert len(data.left_out) == 2


def test_labels_keep_their_type_and_become_words():
    data = audit_data_of(np.arange(6.0).reshape(-1, 1), np.array([3, 3, 10, 10, 10, 3]), 100, 0)
    assert data.classes == [3, 10]
    assert data.names == ["3", "10"]


def test_indicator_columns_count_less():
    frame = pd.DataFrame({"kind": ["u", "v"] * 4, "x": np.arange(8.0)})
    points = audit_data_of(frame, [0, 0, 1, 1] * 2, 100, 0).points
    assert points[:, 0].std() == pytest.approx(1)
    assert set(points[:, 1:].ravel()) == {0.0, INDICATOR_WEIGHT}


def test_a_column_without_meaning_does_not_cut_the_classes_in_pieces():
    from kpboost.auditing._data import neighbours_of, parts_of

    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 150)
    frame = pd.DataFrame(rng.normal(size=(300, 6)) + 4 * y[:, None])
    frame["coin"] = rng.choice(["heads", "tails"], size=300)
    frame.columns = frame.columns.astype(str)
    data = audit_data_of(frame, y, 1000, 0)
    sizes = parts_of(neighbours_of(data.points), data.codes).sizes
    assert (sizes > 100).sum() == 2


def test_numbers_beyond_reason_are_refused_by_column():
    frame = pd.DataFrame({"x": np.arange(4.0), "huge": [1.0, 2.0, 1e200, 4.0]})
    with pytest.raises(ValueError, match="'huge' holds numbers beyond"):
        audit_data_of(frame, [0, 0, 1, 1], 100, 0)


FRAME = pd.DataFrame(
    {
        "a": [1.0, 1.0, 1.0, 2.0, None, None],
        "b": ["x", "x", "x", "y", "y", "y"],
        "c": [0, 0, 0, 0, 0, 0],
    }
)


def test_repetitions_contradictions_and_gaps():
    facts = data_facts(features_of(FRAME), np.array([0, 0, 1, 1, 0, 0]), ["p", "q"], ["gone."])
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
    facts = data_facts(features_of(frame), labels, ["p", "q"], [])
    assert facts.n_duplicates == frame.assign(y=labels).duplicated().sum()
    several = frame.assign(y=labels).groupby(list("abc"))["y"].transform("nunique") > 1
    assert facts.n_contradictions == several.sum()


@pytest.mark.parametrize("seed", range(3))
def test_parts_are_those_of_the_finder_with_strong_links(seed):
    X, y, _ = make_disjuncts([[80, 30], [40, 12]], overlap=0.4, random_state=seed)
    ours = parts_of(neighbours_of(X), y)
    theirs = DisjunctFinder(10, connection="strong").fit(X, y)
    np.testing.assert_array_equal(ours.labels, theirs.labels_)
    np.testing.assert_array_equal(ours.sizes, theirs.disjunct_sizes_)


def test_a_tiny_class_does_not_cut_the_others_up():
    X, y, _truth = make_disjuncts([[80, 30], [40], [2]], random_state=0)
    ours = parts_of(neighbours_of(X), y)
    capped = DisjunctFinder(10, connection="strong").fit(X, y)
    assert ours.sizes.size < capped.n_disjuncts_


def test_the_readings_are_compared():
    X, y, _ = make_disjuncts([[80, 30], [40, 12]], random_state=0)
    parts = parts_of(neighbours_of(X), y)
    (own, algorithm, prose), curve = readings(X, y, parts)
    paper = DisjunctFinder().fit(X, y)
    assert (own.n_disjuncts, own.agreement) == (parts.sizes.size, 1.0)
    assert (algorithm.n_disjuncts, algorithm.n_neighbors) == (
        paper.n_disjuncts_,
        paper.n_neighbors_,
    )
    assert prose.name == "prose"
    assert -1 <= algorithm.agreement <= 1
    assert curve.n_disjuncts == tuple(paper.n_disjuncts_path_.tolist())


def test_fewer_points_than_neighbours():
    parts = parts_of(neighbours_of(np.arange(4.0).reshape(-1, 1)), np.array([0, 0, 1, 1]))
    assert parts.sizes.tolist() == [2, 2]
