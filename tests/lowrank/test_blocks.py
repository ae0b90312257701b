"""Training from blocks: the same as from arrays, and sentences about what is wrong where."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kpboost import NystroemKPBoostSVC
from kpboost.lowrank import NpyBlocks, ParquetBlocks
from kpboost.lowrank._blocks import Block, GivenBlocks
from kpboost.lowrank._survey import Sample, joined, standing_for, surveyed

pytestmark = pytest.mark.filterwarnings("ignore::kpboost.ensemble.NoVotingRoundWarning")


def data(n=900, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (np.hypot(X[:, 0], X[:, 1]) < 0.6).astype(int) * rng.integers(1, n_classes, n)


def low_rank(**parameters):
    given = {"n_landmarks": 50, "n_estimators": 3, "random_state": 0, "batch_size": 100}
    return NystroemKPBoostSVC(**{**given, **parameters})


def in_blocks(*arrays, size=100):
    n = len(arrays[0])
    return [tuple(a[s : s + size] for a in arrays) for s in range(0, n, size)]


def assert_same(one, other):
    for name in ("landmarks_", "coef_", "intercept_", "estimator_errors_", "estimator_weights_"):
        assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.gamma_ == other.gamma_


@pytest.mark.parametrize("max_samples", ["auto", 400, None])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_blocks_are_the_array_bit_for_bit_on_the_same_chunks(n_classes, max_samples, monkeypatch):
    monkeypatch.setattr("kpboost.ensemble._nystroem_kpboost_svc.SAMPLE_ROWS", 500)
    X, y = data(n_classes=n_classes)
    whole = low_rank(max_samples=max_samples).fit(X, y)
    for size in (100, 300):  # blocks of 300 rows are cut into slices of 100
        assert_same(low_rank(max_samples=max_samples).fit(in_blocks(X, y, size=size)), whole)
    weight = np.random.default_rng(1).integers(0, 3, y.size).astype(float)
    weighted = low_rank(max_samples=max_samples).fit(X, y, weight)
    assert_same(low_rank(max_samples=max_samples).fit(in_blocks(X, y, weight)), weighted)


def test_other_chunks_change_the_last_digits_only():
    X, y = data()
    one, other = low_rank().fit(X, y), low_rank(batch_size=77).fit(X, y)
    assert_allclose(other.gamma_, one.gamma_, rtol=1e-12)
    assert np.mean(other.predict(X) == one.predict(X)) > 0.97


def test_npy_files_are_the_array(tmp_path):
    X, y = data()
    weight = np.random.default_rng(1).uniform(1, 2, y.size)
    files = [tmp_path / name for name in ("X.npy", "y.npy", "w.npy")]
    for file, array in zip(files, (X, y, weight), strict=True):
        np.save(file, array)
    assert_same(low_rank().fit(NpyBlocks(*files[:2], n_rows=300)), low_rank().fit(X, y))
    assert_same(low_rank().fit(NpyBlocks(*files, n_rows=200)), low_rank().fit(X, y, weight))
    np.save(files[1], y[:-1])
    with pytest.raises(ValueError, match=r"differ in their rows: 900 in .*X.npy and 899 in"):
        low_rank().fit(NpyBlocks(*files[:2]))


def test_parquet_is_the_array(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    X, y = data()
    columns = {"a": X[:, 0], "b": X[:, 1], "kind": np.array(["no", "yes"])[y], "c": X[:, 2]}
    file = tmp_path / "rows.parquet"
    parquet.write_table(arrow.table(columns), file, row_group_size=250)
    streamed = low_rank().fit(ParquetBlocks(file, "kind", n_rows=300))
    assert_same(streamed, low_rank().fit(X, np.array(["no", "yes"])[y]))
    assert streamed.classes_.tolist() == ["no", "yes"]
    assert streamed.feature_names_in_.tolist() == ["a", "b", "c"]
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    with pytest.raises(ValueError, match="feature names should match"):
        streamed.predict(frame[["b", "a", "c"]])
    assert set(streamed.predict(frame)) == {"no", "yes"}
    weighted = low_rank().fit(ParquetBlocks(file, "kind", ["b", "a"], sample_weight=None))
    assert weighted.n_features_in_ == 2
    with pytest.raises(ValueError, match=r"\['z'\] are not among them"):
        low_rank().fit(ParquetBlocks(file, "z"))


def test_a_class_may_be_missing_from_a_block():
    X, y = data(n_classes=4)
    order = np.argsort(y, kind="stable")
    model = low_rank().fit(in_blocks(X[order], y[order]))
    assert_array_equal(model.classes_, [0, 1, 2, 3])
    assert_same(model, low_rank().fit(X[order], y[order]))


def test_a_block_may_have_no_row_that_counts():
    X, y = data()
    weight = np.ones(900)
    weight[200:300] = 0.0
    kept = np.r_[:200, 300:900]
    model, without = low_rank().fit(in_blocks(X, y, weight)), low_rank().fit(X[kept], y[kept])
    assert_allclose(model.gamma_, without.gamma_, rtol=1e-12)
    assert model.n_samples_seen_ == 800


def refused(blocks, words, **parameters):
    with pytest.raises(ValueError, match=words):
        low_rank(**parameters).fit(blocks)


def test_nan_is_named_with_block_and_row():
    X, y = data(3000)
    X[2345, 1] = np.nan
    refused(in_blocks(X, y, size=500), "X of block 4 contains NaN or infinity in row 345, column 1")


def test_faults_are_named_with_their_block():
    X, y = data()
    blocks = in_blocks(X, y)
    refused([*blocks, (X[:5, :2], y[:5])], "X of block 9 has 2 features, those before it have 3")
    refused([*blocks, (X[:5], y[:4])], "block 9 has 5 rows in X and 4 in y")
    refused([*blocks, (X[:5].astype(str), y[:5])], "X of block 9 has dtype <U32")
    refused([*blocks, (np.array([[1, 2, "x"]], dtype=object), [1])], "'x'. in row 0")
    refused([*blocks, (X[:5] + 1j, y[:5])], "X of block 9 has dtype complex128")
    refused([*blocks, (X[:0], y[:0])], r"X of block 9 has shape \(0, 3\)")
    refused([*blocks, (X[:2], [[0, 1], [1, 0]])], r"y of block 9 has shape \(2, 2\)")
    refused(
        [*blocks, (X[:2], [0.0, np.nan])], "y of block 9 contains NaN, infinity or nothing in row 1"
    )
    refused([*blocks, (X[:2], [0, 1], [1, -1])], "weights of block 9 must be 2 finite numbers")
    refused([*blocks, X[:2]], "block 9 is a ndarray; it must be a pair")
    refused([*blocks, (X[:2], ["a", "b"])], "labels of the blocks are of several kinds")


def test_one_class_only():
    X, y = data()
    refused(in_blocks(X, np.zeros_like(y)), r"y has 1 class\(es\)")
    refused(in_blocks(X, y, (y == 0).astype(float)), r"y has 1 class\(es\)")


def test_blocks_must_be_readable_again():
    X, y = data()
    refused(iter(in_blocks(X, y)), "list_iterator, which is used up after one pass")
    refused((block for block in in_blocks(X, y)), "generator, which is used up")
    refused("rows.parquet", "str is not a sequence of blocks")
    refused({"X": X}, "dict is not a sequence of blocks")
    refused([], "no blocks")
    with pytest.raises(ValueError, match="blocks bring their own"):
        low_rank().fit(in_blocks(X, y), sample_weight=np.ones(900))


class Changing:
    """Blocks that change after they were begun so many times."""

    def __init__(self, blocks, change, after):
        self.blocks, self.change, self.after = blocks, change, after

    def __iter__(self):
        self.after -= 1
        return iter(self.blocks if self.after >= 0 else self.change(list(self.blocks)))


def other_value(blocks):
    X, y = blocks[3]
    X = X.copy()
    X[50, 0] += 1e-9
    return [*blocks[:3], (X, y), *blocks[4:]]


def other_label(blocks):
    X, y = blocks[3]
    return [*blocks[:3], (X, 1 - y), *blocks[4:]]


@pytest.mark.parametrize("after", [2, 3])
@pytest.mark.parametrize(
    ("change", "where"),
    [
        (other_value, "at block 3, row 0"),
        (other_label, "at block 3, row 0"),
        (lambda blocks: blocks[::-1], "at block 0, row 0"),
        (lambda blocks: [*blocks, blocks[0]], "at block 9, row 0"),
        (lambda blocks: blocks[:-1], "after block 7"),
    ],
)
def test_blocks_that_change_between_passes_are_found(change, where, after):
    X, y = data()
    refused(Changing(in_blocks(X, y), change, after), f"changed between two passes, {where}")


def test_moments_have_no_difference_of_large_sums():
    rng = np.random.default_rng(0)
    X = rng.normal(1e8, 1.0, size=(1000, 2))
    y, weight = np.arange(1000) % 2, rng.uniform(0, 2, 1000)
    blocks = GivenBlocks(in_blocks(X, y, weight), 100)
    total = None
    for block in blocks:
        own = surveyed(block, False)
        total = own if total is None else joined(total, own)
    mean = np.average(X, weights=weight[:, None].repeat(2, 1))
    variance = np.average((X - mean) ** 2, weights=weight[:, None].repeat(2, 1))
    assert_allclose(total.variance, variance, rtol=1e-6)
    assert_allclose(total.mass, np.bincount(y, weight))


def test_a_constant_has_no_variance():
    block = Block(0, "", np.full((7, 2), 0.1), np.zeros(7), np.ones(7))
    assert joined(surveyed(block, True), surveyed(block, True)).variance < 1e-30


def test_a_sample_stands_for_all_rows():
    sample = Sample(np.zeros((3, 1)), np.array([0, 0, 1]), np.array([1.0, 3.0, 2.0]))
    assert_allclose(standing_for(sample, np.array([100.0, 2.0])).weight, [25.0, 75.0, 2.0])


MEMORY = """
import sys
import numpy as np
from kpboost import NystroemKPBoostSVC
from kpboost.lowrank import NpyBlocks
model = NystroemKPBoostSVC(n_landmarks=20, n_estimators=1, max_samples=2000, random_state=0)
if sys.argv[3] == "whole":  # what must not happen
    blocks = list(NpyBlocks(sys.argv[1], sys.argv[2]))
if sys.argv[3] == "fit":
    model.fit(NpyBlocks(sys.argv[1], sys.argv[2], n_rows=20_000))
else:
    model.fit(np.random.default_rng(0).normal(size=(4000, 8)), np.arange(4000) % 2)
lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(int(lines["VmHWM"].split()[0]) // 1024)  # getrusage would include who started us
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read as Linux tells it")
def test_memory_does_not_grow_with_the_file(tmp_path):
    n = 600_000  # 38 MB
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float64, (n, 8))
    rng = np.random.default_rng(0)
    for start in range(0, n, 100_000):
        X[start : start + 100_000] = rng.normal(size=(100_000, 8))
    np.save(tmp_path / "y.npy", (np.arange(n) % 20 == 0).astype(np.int8))
    command = [sys.executable, "-c", MEMORY, str(tmp_path / "X.npy"), str(tmp_path / "y.npy")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    peaks = [
        int(subprocess.check_output([*command, what], env=environment))
        for what in ("none", "fit", "whole")
    ]
    assert peaks[1] - peaks[0] < 18 < peaks[2] - peaks[0]


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA])
def test_a_text_label_that_is_missing_is_named(nothing):
    X, y = data()
    labels = np.where(y == 1, "rare", "common").astype(object)
    labels[345] = nothing
    refused(
        in_blocks(X, labels, size=100), "y of block 3 contains NaN, infinity or nothing in row 45"
    )


def test_columns_that_are_no_numbers_are_named(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "when": pd.to_datetime(["2024-01-01"] * 2), "y": [0, 1]})
    frame.to_parquet(tmp_path / "t.parquet")
    refused(ParquetBlocks(tmp_path / "t.parquet", target="y"), r"no numbers in 'when' \(timestamp")
