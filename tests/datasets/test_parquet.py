import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from kpboost.datasets import DataError, read_dataset, read_table
from kpboost.datasets._parquet import read_parquet

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "number": [1.5, np.nan, -3.0],
            "whole": pd.array([1, None, 3], dtype="Int64"),
            "word": ["b", None, "a"],
            "size": pd.Categorical(["small", "large", None], ["small", "large", "huge"]),
            "truth": [True, False, True],
        }
    )


def test_columns(tmp_path, frame):
    frame.to_parquet(tmp_path / "points.parquet")
    table = read_table(tmp_path / "points.parquet")
    assert table.names == tuple(frame)
    number, whole, word, size, truth = table.columns
    assert np.array_equal(number.values, frame["number"], equal_nan=True)
    assert np.array_equal(whole.values, [1, np.nan, 3], equal_nan=True)
    assert word.categories == ("a", "b")
    assert word.labels().tolist() == ["b", "", "a"]
    assert size.categories == ("small", "large", "huge")
    assert np.array_equal(size.values, [0, 1, np.nan], equal_nan=True)
    assert truth.categories == ("False", "True")
    assert truth.values.tolist() == [1, 0, 1]


def test_the_same_as_csv(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, 3)), columns=["a", "b", "c"])
    frame["d"] = rng.choice(["x", "y"], 50)
    frame["class"] = rng.choice([0, 1], 50)
    frame.to_csv(tmp_path / "points.csv", index=False)
    frame.to_parquet(tmp_path / "points.parquet")
    ours, other = (read_dataset(tmp_path / f"points.{end}") for end in ("csv", "parquet"))
    assert np.array_equal(ours.X, other.X)
    assert np.array_equal(ours.y, other.y)
    assert ours.categories == other.categories


def test_the_frames_index_is_left_out(tmp_path, frame):
    frame.index = ["x", "y", "z"]
    frame.to_parquet(tmp_path / "points.parquet")
    assert read_table(tmp_path / "points.parquet").names == tuple(frame)


def test_several_row_groups_with_categories(tmp_path):
    words = pa.chunked_array(
        [pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", "b"]).dictionary_encode()]
    )
    pq.write_table(pa.table({"w": words}), tmp_path / "points.parquet", row_group_size=1)
    assert read_parquet(tmp_path / "points.parquet").columns[0].labels().tolist() == list("bacb")


def test_declared_categories(tmp_path, frame):
    frame.to_parquet(tmp_path / "points.parquet")
    order = {"whole": ("3", "1"), "word": ("b", "a")}
    table = read_table(tmp_path / "points.parquet", nominal=order)
    assert np.array_equal(table.column("whole").values, [1, np.nan, 0], equal_nan=True)
    assert np.array_equal(table.column("word").values, [0, np.nan, 1], equal_nan=True)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (pd.to_timedelta(["1 day"]), "has the type duration"),
        ([[1, 2]], "has the type list"),
        ([b"raw"], "has the type binary"),
        ([np.inf], r"a number that is not finite \(row 1\)"),
    ],
)
def test_other_types_are_refused_by_name(tmp_path, values, reason):
    pd.DataFrame({"a": [1], "odd": values}).to_parquet(tmp_path / "points.parquet")
    with pytest.raises(DataError, match=f"'odd' .*{reason}"):
        read_table(tmp_path / "points.parquet")


def test_empty_files(tmp_path):
    pd.DataFrame({"a": np.empty(0)}).to_parquet(tmp_path / "points.parquet")
    with pytest.raises(DataError, match="no rows"):
        read_table(tmp_path / "points.parquet")


def test_sizes_are_capped_before_unfolding(tmp_path):
    zeros = pa.table({"a": pa.array(np.zeros(1_000_000))})
    file = tmp_path / "bomb.parquet"
    pq.write_table(zeros, file)
    assert file.stat().st_size < 50_000
    with pytest.raises(DataError, match=r"1000000 rows of 1 columns, more than max_cells=999999"):
        read_parquet(file, max_cells=999_999)
    with pytest.raises(DataError, match="max_bytes=100 "):
        read_parquet(file, max_bytes=100)


@settings(max_examples=60, deadline=None)
@given(content=st.binary(max_size=60).map(lambda middle: b"PAR1" + middle + b"PAR1"))
def test_any_bytes_give_a_data_error(tmp_path_factory, content):
    file = tmp_path_factory.getbasetemp() / "hostile.parquet"
    file.write_bytes(content)
    with pytest.raises(DataError):
        read_parquet(file)


@settings(max_examples=60, deadline=None)
@given(places=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=4))
def test_a_damaged_file_gives_a_table_or_a_data_error(tmp_path_factory, places):
    file = tmp_path_factory.getbasetemp() / "damaged.parquet"
    pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}).to_parquet(file)
    content = bytearray(file.read_bytes())
    for place, value in places:
        content[place % len(content)] = value
    file.write_bytes(content)
    try:
        read_parquet(file)
    except DataError:
        return


def test_without_pyarrow_the_extra_is_named(tmp_path, frame, monkeypatch):
    frame.to_parquet(tmp_path / "points.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"kpboost\[parquet\]"):
        read_table(tmp_path / "points.parquet")


def test_dates_are_read_as_text_would_be(tmp_path):
    moments = pd.date_range("2024-01-30 12:00", periods=4, freq="D")
    frame = pd.DataFrame(
        {
            "moment": moments,
            "zoned": moments.tz_localize("UTC").tz_convert("Asia/Tokyo"),
            "day": [None, *moments.date[1:]],
            "text": moments.astype(str),
            "kind": list("aabb"),
        }
    )
    frame.to_parquet(tmp_path / "points.parquet")
    data = read_dataset(tmp_path / "points.parquet")
    columns = dict(zip(data.feature_names, data.X.T, strict=True))
    np.testing.assert_allclose(columns["moment (days)"], 19752.5 + np.arange(4))
    for name in ("zoned", "text"):
        np.testing.assert_allclose(columns[f"{name} (days)"], columns["moment (days)"])
        np.testing.assert_allclose(columns[f"{name} (month)"], [1, 1, 2, 2])
    np.testing.assert_allclose(columns["day (weekday)"], [np.nan, 3, 4, 5])


def test_long_identifiers_keep_their_digits(tmp_path):
    numbers = 2**60 + np.arange(3)
    pd.DataFrame({"id": numbers, "a": 1}).to_parquet(tmp_path / "points.parquet")
    table = read_table(tmp_path / "points.parquet", nominal={"id": None})
    assert table.column("id").labels().tolist() == [str(number) for number in numbers]


@pytest.mark.parametrize("kind", ["text", "categories"])
def test_words_are_measured_before_they_are_unfolded(kind, tmp_path, monkeypatch):
    words = pa.array(["a" * 1000, "b"] * 50)
    column = words.dictionary_encode() if kind == "categories" else words
    pq.write_table(pa.table({"x": np.arange(100.0), "k": column}), tmp_path / "w.parquet")
    assert read_parquet(tmp_path / "w.parquet").names == ("x", "k")
    monkeypatch.setattr(sys.modules[read_parquet.__module__], "MAX_WORD_BYTES", 10_000)
    with pytest.raises(DataError, match="unfold to more than 10000 bytes"):
        read_parquet(tmp_path / "w.parquet")


def test_a_notebook_shows_dates_as_dates(tmp_path):
    days = pd.to_datetime(["2022-02-04 00:00", "1969-12-31 13:00"])
    pd.DataFrame({"day": days, "x": [1.0, 2.0]}).to_parquet(tmp_path / "t.parquet")
    shown = read_table(tmp_path / "t.parquet").html_head()
    assert "2022-02-04" in shown
    assert "1969-12-31" in shown
