import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

from kpboost.datasets import DataError, read_dataset

HEADER = "@relation r\n@attribute a real\n@attribute c {p, n}\n@data\n"


def write(file, rows):
    file.parent.mkdir(exist_ok=True)
    file.write_text(HEADER + "".join(f"{a},{c}\n" for a, c in rows))


@pytest.fixture
def iris(tmp_path):
    """Three folds of rows with many repeated values, written as KEEL does."""
    X, y = load_iris(return_X_y=True)
    rows = [(a, "p" if label else "n") for a, label in zip(X[:, 0], y, strict=True)]
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    write(tmp_path / "iris.dat", rows)
    for number, (train, test) in enumerate(folds, start=1):
        for part, chosen in (("tra", train), ("tst", test)):
            write(
                tmp_path / "iris-3-fold" / f"iris-3-{number}{part}.dat", [rows[i] for i in chosen]
            )
    return tmp_path, rows, folds


def test_folds_are_those_of_the_files(iris):
    folder, rows, folds = iris
    data = read_dataset(folder / "iris.dat")
    assert len(data.folds) == 3
    everything = np.arange(len(rows))
    for (train, test), (_, expected) in zip(data.folds, folds, strict=True):
        assert np.array_equal(np.sort(np.concatenate([train, test])), everything)
        assert sorted(rows[i] for i in test) == sorted(rows[i] for i in expected)
    assert np.array_equal(np.sort(np.concatenate([test for _, test in data.folds])), everything)


def test_folds_may_lie_beside_the_file(iris):
    folder, *_ = iris
    for file in (folder / "iris-3-fold").iterdir():
        file.rename(folder / file.name)
    assert len(read_dataset(folder / "iris.dat").folds) == 3


def test_another_set_is_not_a_fold(iris):
    folder, rows, _ = iris
    write(folder / "ir.dat", rows)
    assert read_dataset(folder / "ir.dat").folds is None


def test_the_fewest_folds_count(iris):
    folder, rows, _ = iris
    for number, part in ((1, slice(0, 75)), (2, slice(75, 150))):
        write(folder / f"iris-2-{number}tst.dat", rows[part])
        write(folder / f"iris-2-{number}tra.dat", [row for row in rows if row not in rows[part]])
    write(folder / "iris-2-1tra.dat", rows[75:])
    write(folder / "iris-2-2tra.dat", rows[:75])
    assert len(read_dataset(folder / "iris.dat").folds) == 2


def test_categories_of_a_part_in_another_order(iris):
    folder, *_ = iris
    for file in (folder / "iris-3-fold").iterdir():
        file.write_text(file.read_text().replace("{p, n}", "{n, p}"))
    assert len(read_dataset(folder / "iris.dat").folds) == 3


def test_a_missing_part_is_named(iris):
    folder, *_ = iris
    (folder / "iris-3-fold" / "iris-3-2tra.dat").unlink()
    with pytest.raises(DataError, match=r"iris-3-2tra\.dat: .*not there"):
        read_dataset(folder / "iris.dat")


def test_a_strange_point_is_refused(iris):
    folder, *_ = iris
    with (folder / "iris-3-fold" / "iris-3-1tst.dat").open("a") as file:
        file.write("99,p\n")
    with pytest.raises(DataError, match=r"iris-3-1tst\.dat: holds a point more often"):
        read_dataset(folder / "iris.dat")


def test_a_point_in_no_test_part_is_refused(iris):
    folder, rows, _ = iris
    write(folder / "iris.dat", [*rows, (99, "p")])
    with pytest.raises(DataError, match="1 of its points are in no test part"):
        read_dataset(folder / "iris.dat")


def test_a_wrong_training_part_is_refused(iris):
    folder, *_ = iris
    with (folder / "iris-3-fold" / "iris-3-1tra.dat").open("a") as file:
        file.write("99,p\n")
    with pytest.raises(DataError, match=r"iris-3-1tra\.dat: is not the rest"):
        read_dataset(folder / "iris.dat")


def test_other_columns_are_refused(iris):
    folder, *_ = iris
    file = folder / "iris-3-fold" / "iris-3-1tst.dat"
    file.write_text(file.read_text().replace("@attribute a ", "@attribute b "))
    with pytest.raises(DataError, match=r"other columns than iris\.dat"):
        read_dataset(folder / "iris.dat")
