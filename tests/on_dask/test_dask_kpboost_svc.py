"""What DaskKPBoostSVC takes, gives and refuses, on dask's scheduler of this process."""

import pickle

import dask.array as da
import dask.bag as bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from kpboost import NystroemKPBoostSVC
from kpboost.dask import DaskKPBoostSVC
from support.dask_data import blocks, collections
from support.patience import run_python

pytestmark = pytest.mark.filterwarnings("ignore::kpboost.ensemble.NoVotingRoundWarning")

SMALL = {"n_landmarks": 40, "n_estimators": 3, "random_state": 0, "batch_size": 200}


def on_dask(**parameters):
    return DaskKPBoostSVC(**{**SMALL, **parameters})


def local(**parameters):
    return NystroemKPBoostSVC(**{**SMALL, **parameters})


def assert_same(one, other):
    names = {name for name in vars(other) if name.endswith("_")}
    assert names == {name for name in vars(one) if name.endswith("_")}
    for name in names:
        assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("max_samples", ["auto", 900])
def test_it_is_the_local_model_bit_for_bit(n_classes, max_samples):
    X, y, weight = collections(5, n_classes=n_classes)
    expected = local(max_samples=max_samples).fit(blocks(5, n_classes=n_classes))
    assert_same(on_dask(max_samples=max_samples).fit(X, y), expected)
    given = blocks(5, with_weights=True, n_classes=n_classes)
    expected = local(max_samples=max_samples).fit(given)
    model = on_dask(max_samples=max_samples).fit(X, y, sample_weight=weight)
    assert_same(model, expected)
    assert_same(model.to_local(), expected)


def test_rounds_that_the_workers_solve_on_all_rows(monkeypatch):
    monkeypatch.setattr("kpboost.ensemble._nystroem_kpboost_svc.SAMPLE_ROWS", 800)
    X, y, weight = collections(3)
    how = {"max_samples": None, "n_estimators": 2, "tol": 1e-2}
    expected = local(**how).fit(blocks(3, with_weights=True))
    assert expected.n_samples_solved_ > 800
    assert_same(on_dask(**how).fit(X, y, weight), expected)


def test_where_the_chunks_are_cut_does_not_show():
    X, y = (np.concatenate(each) for each in zip(*blocks(4), strict=True))
    expected = local(max_samples=900).fit(X, y)
    for size in (200, 600, 2800):  # multiples of batch_size, and all rows
        chunked = da.from_array(X, chunks=(size, 3)), da.from_array(y, chunks=size)
        assert_same(on_dask(max_samples=900).fit(*chunked), expected)


def frames(n_chunks, labels=("no", "yes"), empty=True):
    """A DataFrame and a Series with unknown lengths, one of them without rows."""
    parts = [pd.DataFrame(X, columns=list("abcd")) for X, _ in blocks(n_chunks)]
    kinds = [pd.Series(np.array(labels)[y], name="kind") for _, y in blocks(n_chunks)]
    if empty:
        parts.insert(1, parts[0][:0])
        kinds.insert(1, kinds[0][:0])
    made = [dd.from_map(lambda i, of=of: of[i], range(len(of))) for of in (parts, kinds)]
    return made[0], made[1], parts, kinds


def test_frames_of_unknown_lengths():
    X, y, parts, kinds = frames(3)
    given = [(X, np.array(y, object)) for X, y in zip(parts, kinds, strict=True) if len(X)]
    expected = local().fit(given)
    expected.feature_names_in_ = np.array(list("abcd"), dtype=object)
    model = on_dask().fit(X, y)
    assert_same(model, expected)
    table = pd.concat(parts)
    answer = model.predict(X)
    assert answer.npartitions == 4
    assert_array_equal(answer.compute(), expected.predict(table))
    votes = model.decision_function(X).compute()
    assert_array_equal(votes, expected.decision_function(table))
    assert votes.index.equals(table.index)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[["b", "a", "c", "d"]]).compute()


def test_arrays_of_unknown_lengths():
    X, y, _, _ = frames(3, labels=(0, 1))
    assert np.isnan(X.values.chunks[0][0])
    assert_same(on_dask().fit(X.values, y.values), local().fit(blocks(3)))


def test_answers_are_lazy_and_those_of_the_local_model():
    for n_classes in (2, 3):
        X, y, _ = collections(3, n_classes=n_classes)
        points = np.concatenate([X for X, _ in blocks(3)])
        model = on_dask().fit(X, y)
        alone = model.to_local()
        for method in ("predict", "decision_function"):
            answer = getattr(model, method)(X)
            expected = getattr(alone, method)(points)
            assert isinstance(answer, da.Array)
            assert answer.shape == expected.shape
            assert answer.dtype == expected.dtype
            assert answer.chunks[0] == X.chunks[0]
            assert_array_equal(answer.compute(), expected)
        assert model.score(X, y) == alone.score(points, y.compute())


def test_several_classes_in_frames():
    X, y, _ = collections(3, n_classes=3)
    model = on_dask().fit(X, y)
    frame = dd.from_dask_array(X)  # whose columns have numbers, not names
    assert_same(on_dask().fit(frame, dd.from_dask_array(y)), model)
    votes = model.decision_function(frame).compute()
    assert votes.columns.tolist() == [0, 1, 2]
    assert_array_equal(votes, model.to_local().decision_function(X.compute()))


def test_columns_may_be_cut():
    X, y, _ = collections(3)
    whole, cut = on_dask().fit(X, y), X.rechunk({1: 2})
    assert_same(on_dask().fit(cut, y), whole)
    assert_array_equal(whole.predict(cut), whole.predict(X))


def test_a_class_may_be_missing_from_a_chunk():
    X, y, _ = collections(3)
    y = da.concatenate([da.zeros_like(y[:700]), y[700:]])
    model = on_dask().fit(X, y)
    assert_same(model, local().fit([(X, y * bool(i)) for i, (X, y) in enumerate(blocks(3))]))


def test_clone_pickle_and_a_second_fit():
    X, y, _ = collections(2)
    model = on_dask(client=None).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    assert_array_equal(copy.predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()
    model.fit(*collections(2, n_classes=3)[:2])
    assert not hasattr(model, "pos_label_")
    with pytest.raises(NotFittedError):
        clone(model).predict(X)
    with pytest.raises(NotFittedError):
        clone(model).to_local()


def test_a_client_is_neither_copied_nor_pickled():
    class Client:
        status = "running"

        def __reduce__(self):
            raise TypeError("a client cannot be copied")

    model = DaskKPBoostSVC(client=Client())
    assert clone(model).client is model.client
    assert pickle.loads(pickle.dumps(model)).client is None


def refused(words, X, y, weight=None, **parameters):
    with pytest.raises(ValueError, match=words):
        on_dask(**parameters).fit(X, y, weight)


def test_what_is_refused_without_any_task():
    X, y, _ = collections(3)
    points, labels = blocks(1)[0]
    instead = "must be a dask array or DataFrame. For data in memory .* kpboost.NystroemKPBoostSVC"
    refused("X is a ndarray; it " + instead, points, labels)
    refused("y is a ndarray; it " + instead, X, labels)
    refused("sample_weight is a list", X, y, [1.0])
    refused("X is a Bag", bag.from_sequence([1, 2, 3]), y)
    refused("X has 3 chunks and y has 1; they must be cut alike", X, y.rechunk(2100))
    moved = y.rechunk(((700, 690, 710),))
    refused("Chunk 1 has 700 rows in X and 690 in y; they must be cut alike", X, moved)
    refused("Chunk 1 has 700 rows in X and 690 in sample_weight", X, y, moved)
    refused(r"X has 1 dimension\(s\)", y, y)
    refused("C=0 is not allowed", X, y, C=0)
    refused("X has no rows", X[:0], y[:0])
    refused("client='tcp://head:8786' is not allowed", X, y, client="tcp://head:8786")
    model = on_dask().fit(X, y)
    with pytest.raises(ValueError, match=r"X is a ndarray; predict .* there is to_local\(\).pred"):
        model.predict(points)


def with_fault(X, place, row, value):
    """A dask array with one other value."""

    def changed(part, block_id):
        part = np.array(part)
        if block_id[0] == place:
            part[row] = value
        return part

    return X.map_blocks(changed, dtype=X.dtype)


def test_faults_are_named_with_their_chunk_and_row():
    X, y, weight = collections(4)
    hole = with_fault(X, 2, (345, 1), np.nan)
    refused("X of block 2 contains NaN or infinity in row 345, column 1", hole, y)
    refused("y of block 3 contains NaN", X, with_fault(y.astype(float), 3, 5, np.nan))
    refused("weights of block 0 must be 700 finite", X, y, with_fault(weight, 0, 5, -1.0))
    refused(r"X of block \d has dtype <U32", X.astype(str), y)
    refused(r"y has 1 class\(es\)", X, da.zeros_like(y))
    model = on_dask().fit(X, y)
    with pytest.raises(ValueError, match="In chunk 2: X contains NaN or infinity in row 345"):
        model.predict(hole).compute()


def test_lengths_that_only_the_chunks_know_are_compared():
    X, _, _, _ = frames(3, empty=False)
    other = frames(3, empty=False)[1].map_partitions(lambda part: part[:699], meta=("kind", object))
    refused(r"block \d has 700 rows in X and 699 in y", X, other)


def test_data_that_change_between_passes():
    X, y, _ = collections(3)
    noise = np.random.default_rng(0)
    X = X.map_blocks(lambda part: part + noise.normal(), dtype=float)
    refused("The blocks changed between two passes, at block", X, y, max_samples=900)


def test_dask_is_loaded_when_it_is_needed_and_missed_in_a_sentence():
    script = """
import sys, kpboost.dask
print("dask" in sys.modules)
sys.modules["dask"] = None
try:
    kpboost.dask.DaskKPBoostSVC().fit([[0.0]], [0])
except ImportError as error:
    print(error)
"""
    loaded, said = run_python(script).splitlines()
    assert loaded == "False"
    assert "pip install 'kpboost[cluster]'" in said
