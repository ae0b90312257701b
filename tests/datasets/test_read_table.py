import pytest

from kpboost.datasets import DataError, read_table


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


@pytest.mark.parametrize("name", ["t.pkl", "t.npy", "t", "t.csv.gz"])
def test_other_endings(name):
    with pytest.raises(DataError, match="ends in none of"):
        read_table(name)
