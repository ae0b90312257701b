"""ARFF and KEEL files: next to scipy's reader, then what is refused and how."""

import io
import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.io import arff
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold

from kpboost.datasets import DataError, read_dataset
from kpboost.datasets._arff import (
    Attribute,
    read_arff,
    read_header,
    split_cells,
    table_of_bytes,
    unquoted,
)

HEADER = "@relation r\n@attribute a real\n@attribute b {x, y}\n@data\n"
KEEL = """@relation iris
@attribute Length real[0.1,9.0]
@attribute Legs integer [2, 8]
@attribute Class {positive, negative}
@inputs Length, Legs
@outputs Class
@data
1.5, 2, negative
<null>, 4, positive
"""


def table(text, nominal=None):
    return table_of_bytes(text.encode(), "points.arff", nominal or {})


numbers = st.floats(-1e9, 1e9) | st.just(np.nan)
words = st.sampled_from(["low", "medium", "high"])


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.tuples(numbers, words), min_size=1, max_size=12))
def test_values_are_scipys(rows):
    lines = [f"{'?' if np.isnan(a) else repr(a)},{b}" for a, b in rows]
    text = "% note\n@RELATION r\n@Attribute a NUMERIC\n@attribute b {low, medium, high}\n@data\n"
    theirs, _ = arff.loadarff(io.StringIO(text + "\n".join(lines)))
    a, b = table(text + "\n".join(lines)).columns
    assert np.array_equal(a.values, theirs["a"], equal_nan=True)
    assert b.labels().tolist() == [word.decode() for word in theirs["b"]]


def test_categories_keep_the_declared_order():
    column = table("@attribute size {small, large}\n@data\nlarge\nsmall\n?\n").columns[0]
    assert column.categories == ("small", "large")
    assert column.values[:2].tolist() == [1, 0]
    assert np.isnan(column.values[2])


def test_names_and_words_in_quotes():
    text = """@attribute 'a name' {'x, y', "it's", 'a \\'b\\''}
@attribute n real
@data
'x, y' , 1
"it's",2
'a \\'b\\'', 3
"""
    first, second = table(text).columns
    assert first.name == "a name"
    assert first.labels().tolist() == ["x, y", "it's", "a 'b'"]
    assert second.values.tolist() == [1, 2, 3]


def test_strings_are_sorted():
    column = table("@attribute s string\n@data\nb\na\nb\n").columns[0]
    assert (column.kind, column.categories) == ("nominal", ("a", "b"))


def test_keel():
    found = table(KEEL)
    assert found.outputs == ("Class",)
    assert [column.kind for column in found.columns] == ["number", "number", "nominal"]
    assert np.isnan(found.columns[0].values).tolist() == [False, True]


def test_keels_output_is_the_target_wherever_it_stands(tmp_path):
    file = tmp_path / "first.dat"
    file.write_text("@attribute c {p,n}\n@attribute a real\n@outputs c\n@data\np,1\nn,2\n")
    data = read_dataset(file)
    assert data.target_name == "c"
    assert data.feature_names == ("a",)
    assert read_dataset(file, target="a").target_name == "a"


def test_line_ends_and_blank_lines():
    text = HEADER.replace("\n", "\r\n") + "1,x\r\n\r\n% note\r\n2,y\r\n"
    assert table(text).n_rows == 2


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", None, "ends before a line @data"),
        ("@relation r\n", 1, "ends before a line @data"),
        ("@data\n1\n", 1, "declares no column"),
        ("hello\n", 1, "'hello' is no declaration"),
        ("@attribute\n@data\n", 1, "a name and a type"),
        ("@attribute a\n@data\n", 1, "has the type ''"),
        ("@attribute a time\n@data\n1\n", 1, "has the type 'time'"),
        ("@attribute a {x, y\n@data\nx\n", 1, "do not end in '}'"),
        ("@attribute a {x, x}\n@data\nx\n", 1, "a category twice"),
        ("@attribute a {}\n@data\nx\n", 1, "or none"),
        ("@attribute a real\n@attribute a real\n@data\n1,2\n", 3, "two columns named 'a'"),
        ("@attribute a real\n@outputs b\n@data\n1\n", None, "'b', which is no column"),
        (HEADER, None, "no rows"),
        (HEADER + "1,x\n1\n", 6, "1 cells, but 2 columns"),
        (HEADER + "1,x\nq,x\n", 6, "'q' among numbers"),
        (HEADER + "1,x\n\n1,z\n", 7, "'z', which is not among its categories 'x', 'y'"),
        (HEADER + "1e999,x\n", 5, "not finite"),
        (HEADER + "1,'x\n", 5, "not well quoted"),
        (HEADER + "{0 1}\n", 5, "sparse"),
    ],
)
def test_malformed(text, line, reason):
    with pytest.raises(DataError, match=reason) as caught:
        table(text)
    assert (caught.value.file, caught.value.line) == ("points.arff", line)


pieces = st.sampled_from(
    ["@data\n", "@attribute a real\n", "@attribute b {x,'y'}\n", "@outputs a\n", "1,x\n", "'", "{"]
)


@settings(max_examples=300, deadline=None)
@given(
    content=st.binary(max_size=60)
    | st.lists(pieces | st.text("'\"{},\\@a1?\n\0 ", max_size=6), max_size=8).map(
        lambda parts: "".join(parts).encode()
    )
)
def test_any_bytes_give_a_table_or_a_data_error(tmp_path_factory, content):
    file = tmp_path_factory.getbasetemp() / "hostile.arff"
    file.write_bytes(content)
    try:
        found = read_arff(file)
    except DataError:
        return
    assert found.n_rows >= 1
    assert not np.isinf(found.values).any()


@pytest.mark.parametrize("hostile", ["'" * 200_000, "'a\\" * 100_000, "{" * 200_000, "," * 200_000])
def test_hostile_lines_take_no_time(hostile):
    with pytest.raises(DataError):
        table(HEADER + hostile)
    with pytest.raises(DataError):
        table(f"@attribute {hostile}\n@data\n")


def test_dates_and_identifiers(tmp_path):
    file = tmp_path / "d.arff"
    lines = ["@relation r", "@attribute id string", "@attribute day date 'yyyy-MM-dd'"]
    lines += ["@attribute size numeric", "@attribute kind {a, b}", "@data"]
    lines += [f"'p {i}',2024-03-{i % 28 + 1:02},{i % 7}.5,{'ab'[i % 2]}" for i in range(40)]
    file.write_text("\n".join(lines))
    data = read_dataset(file)
    assert data.feature_names == ("day (days)", "day (weekday)", "size")
    assert [role.kind for role in data.roles] == ["identifier", "date"]


def header(*lines):
    return read_header(iter(enumerate(lines, start=1)), "f.arff")


@pytest.mark.parametrize(
    ("line", "attribute"),
    [
        ("@attribute a real", Attribute("a", True)),
        ("@ATTRIBUTE a NUMERIC", Attribute("a", True)),
        ("@attribute a integer[0,3]", Attribute("a", True)),
        ("@attribute a real [0.0, 1.5]", Attribute("a", True)),
        ("@attribute 'a b' string", Attribute("a b", False)),
        ("@attribute a{x,y}", Attribute("a", False, ("x", "y"))),
        ('@attribute a { x , "y z" }', Attribute("a", False, ("x", "y z"))),
    ],
)
def test_attributes(line, attribute):
    assert header(line, "@data").attributes == (attribute,)


def test_outputs():
    found = header("@attribute a real", "@attribute c {x,y}", "@inputs a", "@output c", "@data")
    assert found.outputs == ("c",)


def test_lines_after_the_header_remain():
    lines = iter([(1, "@attribute a real"), (2, "@data"), (3, "1"), (4, "2")])
    read_header(lines, "f.arff")
    assert list(lines) == [(3, "1"), (4, "2")]


@given(st.lists(st.text(max_size=5), min_size=1, max_size=5), st.sampled_from("'\""))
def test_quoted_cells_come_back(words, quote):
    def quoted(word):
        return quote + word.replace("\\", r"\\").replace(quote, "\\" + quote) + quote

    assert split_cells(", ".join(map(quoted, words)), "f", 1) == words


def test_bare_cells():
    assert split_cells(" a, b c ,,1 ", "f", 1) == ["a", "b c", "", "1"]
    assert unquoted("'") == "'"
    with pytest.raises(DataError, match="not well quoted"):
        split_cells("a'b, c", "f", 1)


# The pattern that cells were found by before: right, but slow where blanks are many.
SLOW_CELL = re.compile(r"\s*('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,'\"]*?)\s*(,|$)", re.DOTALL)


def slowly_split(line):
    cells, place, more = [], 0, True
    while more:
        match = SLOW_CELL.match(line, place)
        if match is None:
            return None
        cells.append(unquoted(match.group(1)))
        place, more = match.end(), match.group(2) == ","
    return cells


@given(st.text(alphabet="a ,'\"\\\t\n\x1f", max_size=14))
def test_the_scanner_finds_what_the_pattern_found(line):
    try:
        found = split_cells(line + " ''", "f", 1)
    except DataError:
        found = None
    assert found == slowly_split(line + " ''")


def test_many_blanks_take_no_time():
    line = "'a'," + " " * 1_000_000 + "x" + " " * 1_000_000 + ",'b'" + " " * 1_000_000
    assert split_cells(line, "f", 1) == ["a", "x", "b"]
    with pytest.raises(DataError, match="not well quoted"):
        split_cells(" " * 1_000_000 + "'", "f", 1)


HEADER_OF_KEEL_FOLDS = "@relation r\n@attribute a real\n@attribute c {p, n}\n@data\n"


def write(file, rows):
    file.parent.mkdir(exist_ok=True)
    file.write_text(HEADER_OF_KEEL_FOLDS + "".join(f"{a},{c}\n" for a, c in rows))


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
    with pytest.raises(DataError, match=r"iris-3-1tst\.dat: holds a row more often"):
        read_dataset(folder / "iris.dat")


def test_a_point_in_no_test_part_is_refused(iris):
    folder, rows, _ = iris
    write(folder / "iris.dat", [*rows, (99, "p")])
    with pytest.raises(DataError, match="1 of its rows are in no test part"):
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
