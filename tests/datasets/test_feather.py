"""Feather and Arrow files that pandas, polars and pyarrow write."""

import struct

import numpy as np
import pandas as pd
import pytest

from kpboost.datasets import DataError, read_dataset, read_table
from kpboost.datasets._feather import MAX_UNPACKED, read_feather
from support.same_tables import same_dataset

pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    n = 80
    made = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "whole": rng.integers(0, 9, n),
            "when": pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 400, n), "D"),
            "colour": rng.choice(["red", "blue"], n),
            "size": pd.Categorical(rng.choice(["small", "large"], n), ["small", "large"]),
            "ok": rng.random(n) < 0.5,
            "label": rng.choice(["a", "b"], n),
        }
    )
    made.loc[::7, ["x", "when", "colour"]] = None
    return made


def test_categories_of_numbers_are_those_of_the_frame(tmp_path):
    """In their own order; Parquet would make them numbers again."""
    frame = pd.DataFrame(
        {
            "store": pd.Categorical([30, 4, None, 4], categories=[30, 4, 5]),
            "dose": pd.Categorical([0.5, 2.0, 2.0, np.nan]),
            "ok": pd.Categorical([True, False, True, None]),
            "y": [*"abab"],
        }
    )
    frame.to_feather(tmp_path / "t.feather")
    table = read_table(tmp_path / "t.feather")
    assert table.categories == (("30", "4", "5"), ("0.5", "2"), ("False", "True"), ("a", "b"))
    for column, in_memory in zip(table.columns, read_table(frame).columns, strict=True):
        assert column.labels().tolist() == in_memory.labels().tolist()


def test_categories_of_large_numbers_and_of_several_batches(tmp_path):
    parts = [
        pa.table({"g": pa.array(numbers).dictionary_encode(), "y": [0, 1]})
        for numbers in ([2**63 - 1, 7], [7, None])
    ]
    with pa.ipc.new_stream(tmp_path / "t.arrow", parts[0].schema) as stream:
        for part in parts:
            stream.write_table(part)
    column = read_table(tmp_path / "t.arrow").column("g")
    assert column.labels().tolist() == [str(2**63 - 1), "7", "7", ""]


def test_categories_of_dates_are_refused(tmp_path):
    days = pa.array([1, 2], "date32").dictionary_encode()
    feather.write_feather(pa.table({"d": days, "y": [0, 1]}), tmp_path / "t.feather")
    with pytest.raises(DataError, match="column 'd' has the type dictionary"):
        read_table(tmp_path / "t.feather")


@pytest.mark.parametrize("compression", ["lz4", "zstd", "uncompressed"])
@pytest.mark.parametrize("ending", [".feather", ".arrow"])
def test_a_file_is_the_parquet_file_of_its_frame(frame, tmp_path, compression, ending):
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_feather(tmp_path / f"t{ending}", compression=compression)
    assert same_dataset(read_dataset(tmp_path / f"t{ending}"), read_dataset(tmp_path / "t.parquet"))


def test_polars_writes_other_types_for_the_same(frame, tmp_path):
    pl = pytest.importorskip("polars")
    theirs = pl.from_pandas(frame.drop(columns="size"))
    frame.drop(columns="size").to_parquet(tmp_path / "t.parquet")
    theirs.write_ipc(tmp_path / "f.arrow", compression="zstd")
    theirs.write_ipc_stream(tmp_path / "s.arrow")
    theirs.with_columns(pl.col("colour").cast(pl.Categorical)).write_ipc(tmp_path / "c.feather")
    expected = read_dataset(tmp_path / "t.parquet")
    assert same_dataset(read_dataset(tmp_path / "f.arrow"), expected)
    assert same_dataset(read_dataset(tmp_path / "s.arrow"), expected)
    assert sorted(read_table(tmp_path / "c.feather").categories[3]) == ["blue", "red"]


def test_batches_with_words_of_their_own_are_one_column(tmp_path):
    parts = [pa.table({"w": pa.array(words).dictionary_encode(), "y": [0, 1]})
             for words in (["a", "b"], ["c", "a"])]  # fmt: skip
    with pa.ipc.new_stream(tmp_path / "t.arrow", parts[0].schema) as writer:
        for part in parts:
            writer.write_table(part)
    table = read_table(tmp_path / "t.arrow")
    assert table.columns[0].labels().tolist() == ["a", "b", "c", "a"]


def test_no_more_is_unpacked_than_a_table_may_have(tmp_path):
    n = 2_000_000
    feather.write_feather(
        pa.table({"x": np.zeros(n), "y": np.zeros(n)}), tmp_path / "t.feather", "zstd"
    )
    assert (tmp_path / "t.feather").stat().st_size < 100_000
    assert read_feather(tmp_path / "t.feather", max_cells=2 * n).n_rows == n
    with pytest.raises(DataError, match="has more than max_cells=3999999 cells"):
        read_feather(tmp_path / "t.feather", max_cells=2 * n - 1)


def test_a_part_that_says_it_unpacks_to_much_is_never_unpacked(tmp_path):
    """The first eight bytes of a compressed part are its size; here they are forged."""
    sizes = np.random.default_rng(0).integers(0, 3, 5000).astype(np.int64)
    feather.write_feather(pa.table({"x": sizes, "y": sizes}), tmp_path / "t.feather", "zstd")
    content = (tmp_path / "t.feather").read_bytes()
    honest = struct.pack("<q", sizes.nbytes)
    assert content.count(honest + b"\x28\xb5\x2f\xfd") == 2  # the mark of zstd
    forged = content.replace(honest, struct.pack("<q", MAX_UNPACKED + 1), 1)
    (tmp_path / "f.feather").write_bytes(forged)
    with pytest.raises(DataError, match=f"unpacks to more than {MAX_UNPACKED} bytes"):
        read_table(tmp_path / "f.feather")


@pytest.mark.parametrize("kind", ["feather", "stream"])
def test_damage_is_a_sentence(frame, tmp_path, kind):
    """Cut at many places, or with any byte changed: a table or a sentence, and no crash."""
    file = tmp_path / "t.arrow"
    table = pa.Table.from_pandas(frame.drop(columns="size"))
    if kind == "feather":
        feather.write_feather(table, file)
    else:
        with pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    content = file.read_bytes()
    sentences = []
    for place in range(0, len(content), max(1, len(content) // 150)):
        flipped = bytearray(content)
        flipped[place] ^= 0x5A
        for damaged in (content[:place], bytes(flipped)):
            file.write_bytes(damaged)
            try:
                read_table(file)
            except DataError as error:
                sentences.append(str(error))
    assert len(sentences) > 100
    assert all("t.arrow: " in sentence for sentence in sentences)


@pytest.mark.parametrize("content", [b"", b"x,y\n1,2\n", b"FEA1 and so on", b"ARROW1\0\0", b"PAR1"])
def test_what_is_no_such_file_is_a_sentence(tmp_path, content):
    (tmp_path / "t.feather").write_bytes(content)
    with pytest.raises(DataError, match=r"t\.feather: "):
        read_table(tmp_path / "t.feather")


def test_types_that_are_no_features_are_refused(tmp_path):
    feather.write_feather(pa.table({"x": [[1], [2]], "y": [0, 1]}), tmp_path / "t.feather")
    with pytest.raises(DataError, match="column 'x' has the type list<"):
        read_table(tmp_path / "t.feather")


def test_a_missing_category_is_a_gap(tmp_path):
    words = pa.DictionaryArray.from_arrays([0, 1, None, 0], ["u", ""])
    feather.write_feather(pa.table({"a": words}), tmp_path / "t.feather")
    assert np.array_equal(
        read_table(tmp_path / "t.feather").values.ravel(), [0, np.nan, np.nan, 0], equal_nan=True
    )


def test_a_batch_without_a_length_is_no_end_of_input(tmp_path):
    feather.write_feather(pa.table({"a": [1.0, 2.0]}), tmp_path / "t.feather")
    content = bytearray((tmp_path / "t.feather").read_bytes())
    batch = content.index(b"\xff\xff\xff\xff", content.index(b"\xff\xff\xff\xff") + 4)
    content[batch + 4 : batch + 8] = bytes(4)
    (tmp_path / "t.feather").write_bytes(content)
    with pytest.raises(DataError, match="is not a readable"):
        read_table(tmp_path / "t.feather")
