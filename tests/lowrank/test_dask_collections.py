"""A class-stratified sample of dask collections, and the classifier that learns from it."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from kpboost import RareClassClassifier
from kpboost.lowrank import drawn_rows


def data(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.04).astype(int)
    X = rng.normal(size=(n, 3)) + 2.5 * y[:, None]
    X[::50, 1] = np.nan
    return X, y


def on_dask(X, y, size=700):
    return da.from_array(X, chunks=(size, 2)), da.from_array(y, chunks=size)


def small(**parameters):
    return RareClassClassifier(n_trees=30, n_bags=6, random_state=0, **parameters)


def test_rare_classes_are_whole_and_others_drawn():
    X, y = data()
    drawn = drawn_rows(*on_dask(X, y), 600, seed=1)
    assert_array_equal(drawn.sizes, np.bincount(y))
    assert_array_equal(drawn.X[drawn.y == 1], X[y == 1])
    n_common = np.count_nonzero(drawn.y == 0)
    assert n_common == pytest.approx(600 - np.count_nonzero(y), abs=80)
    rows = {row.tobytes() for row in X[y == 0]}
    assert all(row.tobytes() in rows for row in drawn.X[drawn.y == 0])
    again, other = (drawn_rows(*on_dask(X, y), 600, seed=seed) for seed in (1, 2))
    assert_array_equal(again.X, drawn.X)
    assert again.X.shape != other.X.shape or not np.array_equal(again.X, other.X)


def test_all_rows_where_they_are_few():
    X, y = data(800)
    for most in (None, 800):
        drawn = drawn_rows(*on_dask(X, y), most, seed=0)
        assert_array_equal(drawn.X, X)
        assert_array_equal(drawn.y, y)


def test_the_classifier_says_what_it_drew_and_speaks_of_all_rows():
    X, y = data()
    new_X, new_y = data(seed=1)
    with pytest.warns(UserWarning, match=r"learns from \d+ of 4000 rows, drawn by class"):
        model = small(max_samples=600).fit(*on_dask(X, y))
    assert model.n_samples_drawn_ == model.oob_decision_function_.size < 700
    assert model.predict_proba(new_X)[:, 1].mean() == pytest.approx(new_y.mean(), abs=0.02)
    assert (model.predict(new_X) == new_y).mean() > 0.9


@pytest.mark.filterwarnings("error")
def test_nothing_is_said_where_nothing_is_left_out():
    X, y = data(600)
    model, local = small().fit(*on_dask(X, y)), small().fit(X, y)
    assert model.n_samples_drawn_ == 600
    assert np.mean(model.predict(X) == local.predict(X)) > 0.97


def test_frames_keep_their_categories():
    X, y = data()
    kinds = pd.Categorical(np.array(["odd", "even"])[(X[:, 0] > 1).astype(int)])
    frame = pd.DataFrame(X, columns=list("abc")).assign(kind=kinds)
    parts = [frame[i : i + 1000] for i in range(0, 4000, 1000)]
    parts = [part.assign(kind=part["kind"].cat.remove_unused_categories()) for part in parts]
    parts[0] = parts[0].assign(kind=pd.Categorical(["odd"] * 1000))  # other categories than later
    on_frames = dd.from_map(lambda i: parts[i], range(4))
    labels = dd.from_pandas(pd.Series(np.array(["common", "rare"])[y]), npartitions=4)
    with pytest.warns(UserWarning, match="of 4000 rows"):
        model = small(max_samples=600).fit(on_frames, labels)
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "kind"]
    assert set(model.predict(frame)) == {"common", "rare"}


def test_what_is_refused():
    X, y = data()
    chunked, labels = on_dask(X, y)
    with pytest.raises(ValueError, match=r"y is a ndarray; .* X and y go together"):
        small().fit(chunked, y)
    with pytest.raises(ValueError, match=r"X is a ndarray; .* X and y go together"):
        small().fit(X, labels)
    with pytest.raises(ValueError, match="max_samples=60 is not allowed; it must be at least 100"):
        small(max_samples=60).fit(chunked, labels)
    with pytest.raises(ValueError, match="y has 1 class"):
        small().fit(chunked, da.zeros_like(labels))
    with pytest.raises(ValueError, match="Chunk 2 has 700 rows in X and 600 in y"):
        small().fit(chunked, da.from_array(y, chunks=((700, 700, 600, 700, 700, 600),)))


def test_sizes_of_classes_are_counted_there():
    X, y = on_dask(*data())
    with pytest.raises(ValueError, match="class_sizes"):
        small(class_sizes={0: 1, 1: 1}).fit(X, y)


def test_a_label_that_is_missing_is_named():
    frame = pd.DataFrame({"a": np.arange(100.0), "y": ["u", "v"] * 50})
    frame.loc[70, "y"] = None
    table = dd.from_pandas(frame, npartitions=2)
    with pytest.raises(
        ValueError, match="y of chunk 1 contains NaN, infinity or nothing in row 20"
    ):
        small().fit(table[["a"]], table["y"])


def test_predictions_are_asked_for_chunk_by_chunk():
    X, y = data()
    model = small(max_samples=600).fit(X, y)
    with pytest.raises(ValueError, match="would be loaded into memory"):
        model.predict(on_dask(X, y)[0])
