"""Draws from Parquet files: which rows, which words, and what is refused."""

import numpy as np
import pytest

from kpboost._shares import even_shares
from kpboost.datasets import (
    DataError,
    Dataset,
    Table,
    _draw as drawing,
    _parquet as reading,
    draw_parquet,
    read_dataset,
)
from kpboost.datasets._column_roles import ColumnChoices
from kpboost.datasets._draw import draw_dataset, in_proportion, is_larger_than_draw

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def file(tmp_path):
    """1,000 rows in groups of 130: 900 of a, 90 of b and 10 of c; gaps; one word occurs once."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["a", "b", "c"], [900, 90, 10]))
    number = rng.normal(size=1000)
    number[::50] = np.nan
    word = np.array(["red", " blue", None], dtype=object)[rng.integers(3, size=1000)]
    word[np.flatnonzero(y == "a")[77]] = "seldom"
    day = np.datetime64("2024-01-01") + rng.integers(0, 300, size=1000)
    table = arrow.table({"number": number, "word": word, "day": day, "y": y})
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=130)
    return tmp_path / "t.parquet"


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(reading.arrow_batches, "__defaults__", (None, 64))


def test_the_draw_has_rare_classes_whole(file):
    draw = draw_parquet(file, "y", max_rows=120)
    assert draw.class_sizes == {"a": 900, "b": 90, "c": 10}
    assert draw.n_rows == 1000
    assert dict(zip(*np.unique(draw.data.y, return_counts=True), strict=True)) == {
        "a": 55,
        "b": 55,
        "c": 10,
    }


def test_rows_are_those_of_the_file_whatever_the_batches(file, monkeypatch, small_batches):
    whole = read_dataset(file, target="y", keep="all")
    draw = draw_parquet(file, "y", ColumnChoices(keep="all"), max_rows=120, seed=3)
    np.testing.assert_array_equal(draw.data.X, whole.X[draw.rows])
    assert draw.data.y.tolist() == whole.y[draw.rows].tolist()
    assert draw.data.categories == whole.categories  # "seldom" too, though it was not drawn
    assert "seldom" not in draw.data.table.column("word").labels().tolist()
    again = draw_dataset(whole, 120, even_shares, 3)
    assert again.rows.tolist() == draw.rows.tolist()
    assert again.class_sizes == draw.class_sizes
    other = draw_parquet(file, "y", max_rows=120, seed=4)
    assert other.rows.tolist() != draw.rows.tolist()


def test_the_draw_is_uniform_within_a_class():
    y = np.repeat(["a", "b"], [400, 20])
    data = Dataset("t", _rows(420), y)
    counts = np.zeros(420)
    for seed in range(400):
        counts[draw_dataset(data, 120, even_shares, seed).rows] += 1
    assert (counts[400:] == 400).all()
    share = counts[:400] / 400  # 100 of 400, so about 0.25 each, with a standard error of 0.022
    assert abs(share.mean() - 0.25) < 1e-12
    assert np.abs(share - 0.25).max() < 5 * 0.022


def _rows(n):
    return Table(("x",), np.arange(n, dtype=np.float64)[:, None], (None,), "t")


def test_all_rows_are_drawn_of_a_small_file(file):
    draw = draw_parquet(file, "y", max_rows=5000)
    assert draw.rows.tolist() == list(range(1000))
    assert not is_larger_than_draw(file, 1000)
    assert is_larger_than_draw(file, 999)
    assert not is_larger_than_draw(file.with_suffix(".csv"))


def test_shares_in_proportion_keep_rare_classes():
    sizes = np.array([970_000, 29_990, 10])
    assert in_proportion(sizes, 50_000).tolist() == [48_500, 1_500, 10]
    assert in_proportion(np.array([30, 20]), 50_000).tolist() == [30, 20]


def test_a_column_of_too_many_words_knows_those_that_were_drawn(file, monkeypatch):
    monkeypatch.setattr(drawing, "MOST_WORDS", 2)
    draw = draw_parquet(file, "y", ColumnChoices(keep="all"), max_rows=120)
    assert draw.data.categories[1] == ("blue", "red")


def test_what_cannot_be_is_refused(tmp_path, file):
    with pytest.raises(DataError, match="no column 'z'; its columns are 'number', 'word'"):
        draw_parquet(file, "z")
    table = arrow.table({"x": [1.0, 2.0, 3.0], "y": ["a", None, "b"]})
    parquet.write_table(table, tmp_path / "m.parquet")
    with pytest.raises(DataError, match="the class 'y' is missing in row 2"):
        draw_parquet(tmp_path / "m.parquet", "y", max_rows=2)
    values = np.arange(3000)
    parquet.write_table(arrow.table({"x": values, "y": values}), tmp_path / "n.parquet")
    with pytest.raises(DataError, match="more than 1000 different values"):
        draw_parquet(tmp_path / "n.parquet", "y", max_rows=2)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(DataError, match="not a readable Parquet file"):
        draw_parquet(tmp_path / "broken.parquet", "y")


def test_rows_are_told(file, small_batches):
    told = []
    draw_parquet(file, "y", max_rows=120, on_rows=lambda *each: told.append(each))
    assert {what for what, _, _ in told} == {"counting classes", "drawing rows", "fetching rows"}
    assert all(0 <= done < total == 1000 for _, done, total in told)


def test_rows_in_messages_are_those_of_the_file(tmp_path, small_batches):
    number = np.zeros(300)
    number[250] = np.inf
    table = arrow.table({"number": number, "y": ["a"] * 150 + ["b"] * 150})
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"not finite \(row 251\)\."):
        draw_parquet(tmp_path / "t.parquet", "y", max_rows=299)
    with pytest.raises(DataError, match=r"not finite \(row 251\)\."):
        list(reading.parquet_batches(tmp_path / "t.parquet", n_rows=64))


def test_a_truth_value_that_was_not_drawn_is_known(tmp_path):
    flag = np.zeros(400, dtype=bool)
    flag[7] = True
    table = arrow.table({"flag": flag, "x": np.arange(400.0), "y": ["a"] * 380 + ["b"] * 20})
    parquet.write_table(table, tmp_path / "t.parquet")
    draw = draw_parquet(tmp_path / "t.parquet", "y", max_rows=40)
    assert 7 not in draw.rows
    assert ("False", "True") in draw.data.categories
