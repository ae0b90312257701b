"""ARFF and KEEL files: next to scipy's reader, then what is refused and how."""

import io

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.io import arff

from kpboost.datasets import DataError, read_dataset
from kpboost.datasets._arff import read_arff, table_of_bytes

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
        (HEADER, None, "no points"),
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
