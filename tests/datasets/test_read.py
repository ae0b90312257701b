import numpy as np
import pytest

from kpboost.datasets import DataError, dataset_of, read_dataset, read_table
from kpboost.datasets._text import table_of_bytes


def dataset(text, target=None):
    return dataset_of(table_of_bytes(text.encode(), "points.csv", {}), target)


def test_the_last_column_is_the_class(tmp_path):
    (tmp_path / "my points.csv").write_text("a,b,label\n1,u,x\n2,v,y\n?,u,x\n")
    data = read_dataset(tmp_path / "my points.csv")
    assert data.name == "my points"
    assert data.target_name == "label"
    assert data.y.tolist() == ["x", "y", "x"]
    assert data.feature_names == ("a", "b")
    assert data.nominal.tolist() == [False, True]
    assert data.categories == (None, ("u", "v"))
    assert np.array_equal(data.X, [[1, 0], [2, 1], [np.nan, 0]], equal_nan=True)
    assert data.has_missing
    assert data.source == str(tmp_path / "my points.csv")


def test_a_named_class():
    data = dataset("a,b,c\n1,x,5\n2,y,6\n", "b")
    assert data.y.tolist() == ["x", "y"]
    assert data.feature_names == ("a", "c")


def test_whole_numbers_are_labels_without_a_point():
    assert dataset("a,c\n1,0\n2,1.0\n3,2.5\n").y.tolist() == ["0", "1", "2.5"]


def test_counts():
    data = dataset("a,c\n1,x\n2,y\n3,y\n4,y\n")
    assert (data.n_samples, data.n_features, data.classes) == (4, 1, ("x", "y"))
    assert data.imbalance_ratio == 3
    assert not data.has_missing


@pytest.mark.parametrize(
    ("text", "target", "reason"),
    [
        ("a,b\n1,x\n2,y\n", "c", "no column 'c'; its columns are 'a', 'b'"),
        ("a\nx\ny\n", None, "has one column"),
        (
            "a,c\n1,x\n2,\n3,?\n",
            None,
            "2 of 3 rows, first in row 2; leave such rows out",
        ),
        ("a,c\n1,x\n2,x\n", None, "the same class in 'c'; name another column as target"),
        ("a,c\n" + "".join(f"1,{k}\n" for k in range(30)), None, "30 different values in 30"),
    ],
)
def test_what_is_no_class_is_refused(text, target, reason):
    with pytest.raises(DataError, match=reason):
        dataset(text, target)


def test_two_declared_classes_need_a_choice(tmp_path):
    file = tmp_path / "two.dat"
    file.write_text(
        "@attribute a real\n@attribute b {x,y}\n@attribute c {x,y}\n@outputs b, c\n@data\n"
        "1,x,y\n2,y,x\n"
    )
    with pytest.raises(DataError, match="declares 2 columns as classes"):
        read_dataset(file)
    assert read_dataset(file, target="b").target_name == "b"


def test_other_endings_are_refused():
    with pytest.raises(DataError, match=r"ends in none of \.csv, .*\.parquet, .*\.arff, \.dat"):
        read_dataset("points.docx")
    with pytest.raises(DataError, match="is a pickle, which may run code"):
        read_dataset("model.pkl")


def test_columns_that_are_no_features(tmp_path):
    lines = ["nr;day;price;size;kind"]
    lines += [f"{i};2024-01-{i % 28 + 1:02};{i},5;{i % 7};{'ab'[i % 2]}" for i in range(40)]
    file = tmp_path / "d.csv"
    file.write_text("\n".join(lines))
    data = read_dataset(file)
    assert data.feature_names == ("day (days)", "day (weekday)", "price", "size")
    assert [role.kind for role in data.roles] == ["identifier", "date", "number"]
    assert data.X[3, 2] == 3.5
    chosen = read_dataset(file, drop="size", id_columns=["price"], keep=["nr", "day"])
    assert chosen.feature_names == ("nr", "day")
    raw = read_dataset(file, keep="all")
    assert raw.feature_names == ("nr", "day", "price", "size")
    assert raw.roles == ()
    with pytest.raises(DataError, match="'kind' is the class"):
        read_dataset(file, drop=["kind"])


def test_decimal_commas_among_whole_numbers_are_no_slips(tmp_path):
    file = tmp_path / "d.csv"
    file.write_text("a;kind\n" + "\n".join(f"{i};{'ab'[i % 2]}" for i in range(60)) + "\n2,5;a\n")
    assert read_dataset(file, keep=()).X[-1, 0] == 2.5
    file.write_text("a;kind\n" + "\n".join(f"{i};{'ab'[i % 2]}" for i in range(60)) + "\n2.5x;a\n")
    with pytest.raises(DataError, match=r"holds '2\.5x' among numbers"):
        read_dataset(file)


@pytest.mark.parametrize("mark", ["", ",5"])
def test_an_amount_is_no_class_unless_it_is_meant(tmp_path, mark):
    file = tmp_path / "d.csv"
    rows = [f"{i % 3};{i % 51}{mark}" for i in range(204)]
    file.write_text("a;amount\n" + "\n".join(rows))
    with pytest.raises(DataError, match="'amount' holds 51 different numbers: an amount rather"):
        read_dataset(file)
    assert len(read_dataset(file, many_classes=True).classes) == 51
    file.write_text("a;amount\n" + "\n".join(rows[:50] * 4))
    assert len(read_dataset(file).classes) == 50
    file.write_text("a;amount\n" + "\n".join(f"{row}x" for row in rows))
    assert len(read_dataset(file).classes) == 51


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "a,b\n1,x\n2,y\n"),
        ("T.CSV", "a,b\n1,x\n2,y\n"),
        ("t.tsv", "a\tb\n1\tx\n2\ty\n"),
        ("t.txt", "a;b\n1;x\n2;y\n"),
        ("t.arff", "@attribute a real\n@attribute b {x,y}\n@data\n1,x\n2,y\n"),
        ("t.dat", "@attribute a real\n@attribute b {x,y}\n@data\n1,x\n2,y\n"),
    ],
)
def test_the_ending_tells_the_format(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    table = read_table(tmp_path / name)
    assert table.names == ("a", "b")
    assert table.values.tolist() == [[1, 0], [2, 1]]
    assert table.source == str(tmp_path / name)


def test_order_and_cap_are_passed_on(tmp_path):
    (tmp_path / "t.csv").write_text("b\nx\ny\n")
    assert read_table(tmp_path / "t.csv", nominal={"b": ("y", "x")}).values.tolist() == [[1], [0]]
    with pytest.raises(DataError, match="max_bytes=3"):
        read_table(tmp_path / "t.csv", max_bytes=3)


@pytest.mark.parametrize("name", ["t.npy", "t", "t.gz"])
def test_other_endings(name):
    with pytest.raises(DataError, match="ends in none of"):
        read_table(name)
