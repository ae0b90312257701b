"""CSV files: next to pandas, then what is refused and how."""

import io
import os
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose

from kpboost.datasets import DataError
from kpboost.datasets._text import read_csv, table_of_bytes


def table(text, nominal=None):
    return table_of_bytes(text.encode(), "points.csv", nominal or {})


def test_numbers_and_categories():
    a, b, c = table("a,b,c\n1,x,0.5\n-2e3,y,?\n3,x,\n").columns
    assert (a.kind, b.kind, c.kind) == ("number", "nominal", "number")
    assert a.values.tolist() == [1, -2000, 3]
    assert b.categories == ("x", "y")
    assert b.values.tolist() == [0, 1, 0]
    assert np.isnan(c.values).tolist() == [False, True, True]


finite = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.tuples(finite, finite), min_size=1, max_size=20))
def test_numbers_are_pandas_numbers(rows):
    frame = pd.DataFrame(rows, columns=["a", "b"])
    ours = table(frame.to_csv(index=False))
    theirs = pd.read_csv(io.StringIO(frame.to_csv(index=False)))
    # Before pandas 3 the last digit may be another one.
    assert_allclose(ours.values, theirs.to_numpy(np.float64), rtol=1e-15)
    assert np.array_equal(ours.values, frame.to_numpy())


# Words that are neither numbers nor marks of a missing value, with everything that needs quotes.
words = st.text('ab ,;|"\n\r\téß', min_size=1, max_size=6).map(lambda word: f"w{word}w")


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(words, words), min_size=1, max_size=8),
    delimiter=st.sampled_from(",;\t|"),
)
def test_quoted_words_come_back(rows, delimiter):
    frame = pd.DataFrame(rows, columns=["a", "b"])
    text = frame.to_csv(index=False, sep=delimiter, quoting=1)
    ours = table(text)
    for column in ours.columns:
        assert column.labels().tolist() == frame[column.name].tolist()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_the_most_frequent_of_the_header(delimiter):
    text = delimiter.join(["a", "b", "c"]) + "\n" + delimiter.join(["1,5", "2", "3"])
    if delimiter == ",":
        text = text.replace("1,5", "1.5")
    assert table(text).names == ("a", "b", "c")


def test_delimiters_inside_quotes_do_not_count():
    assert table('"a,b,c";d\n1;2\n').names == ("a,b,c", "d")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end):
    assert table(end.join(["a,b", "1,2", "", "3,4"])).values.tolist() == [[1, 2], [3, 4]]


def test_lines_of_blanks_are_skipped():
    assert table("a,b\n1,2\n  \n\t\n3,4\n").n_rows == 2


def test_byte_order_mark_goes(tmp_path):
    file = tmp_path / "points.csv"
    file.write_bytes("é,b\n1,2\n".encode("utf-8-sig"))
    assert read_csv(file).names == ("é", "b")


@pytest.mark.parametrize("mark", ["?", "", "NA", "N/A", "nan", "NaN", "null", "<null>", " ? "])
def test_marks_of_missing_values(mark):
    number, word = table(f"a,b\n1,x\n{mark},{mark}\n3,y\n").columns
    assert (
        np.isnan(number.values).tolist() == np.isnan(word.values).tolist() == [False, True, False]
    )


def test_declared_categories_keep_their_order():
    text = "size,legs\nsmall,4\nlarge,2\nsmall,?\n"
    size, legs = table(text, {"size": ("small", "large"), "legs": ("2", "4")}).columns
    assert size.values.tolist() == [0, 1, 0]
    assert legs.kind == "nominal"
    assert legs.values[:2].tolist() == [1, 0]


def test_a_declared_category_is_not_missing():
    (column,) = table("a\nNA\nx\n", {"a": ("NA", "x")}).columns
    assert column.values.tolist() == [0, 1]


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;"])
def test_a_line_that_tells_the_delimiter(first):
    assert table(f"{first}\na;b,c\n1;2\n").names == ("a", "b,c")


def test_the_index_of_a_frame_has_a_name():
    assert table(",a\n0,1\n").names == ("Unnamed: 0", "a")


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("", 1, "empty"),
        ("\n\n", 1, "empty"),
        ("a,b\n", None, "no rows"),
        ("a,b\n1,2\n1,2,3\n", 3, "3 cells, but 2 columns"),
        ("a,b\n1,2\n\n1\n", 4, "1 cells"),
        ("a,a\n1,2\n", 1, "two columns named 'a'"),
        ("a,,b\n0,1,2\n", 1, "column 2 has no name; name or remove it"),
        ("1.5,2.5\n1,2\n", 1, "must name the columns"),
        ('a,b\n"1,2\n3,4\n', 3, "not a CSV file"),
        ('a,b\n"1"x,2\n', 2, "not a CSV file"),
        ("a,b\n1,inf\n", 2, "not finite"),
        ("a,b\n1,2\n1,1e999\n", 3, "not finite"),
        ("a,b\n" + "".join(f"{k},2\n" for k in range(30)) + "oops,2\n", 32, "'oops' among numbers"),
    ],
)
def test_malformed(text, line, reason):
    with pytest.raises(DataError, match=reason) as caught:
        table(text)
    assert (caught.value.file, caught.value.line) == ("points.csv", line)


def test_an_undeclared_category_is_named_with_its_line():
    with pytest.raises(
        DataError, match="'z', which is not among its categories 'x', 'y'"
    ) as caught:
        table("a\nx\ny\n\nz\n", {"a": ("x", "y")})
    assert caught.value.line == 5


def test_numbers_of_python_alone_are_words():
    assert table("a,b\n1_000,1\n2,2\n").columns[0].kind == "nominal"
    assert table("a,b\n\u0661,1\n2,2\n").columns[0].kind == "nominal"


def test_a_frame_without_names_has_counted_ones():
    assert table("0,1,2\n5,6,7\n").names == ("0", "1", "2")


def rows_of(first, *columns, n_rows=30):
    """A file with that first row; of each column, the cells that are repeated."""
    lines = [",".join(cells[i % len(cells)] for cells in columns) for i in range(n_rows)]
    return "\n".join([first, *lines])


NUMBERS, WIDTHS, CLASSES = ("4.9", "5.4", "6.1"), ("3.0", "3.6", "2.9"), ("a", "b")
DAYS = tuple(f"2024-01-{i:02}" for i in range(1, 29))
PERSONS = tuple(f"person {i}" for i in range(30))
LARGE = tuple(str(100 * i) for i in range(30))


@pytest.mark.parametrize(
    "text",
    [
        rows_of("5.1,3.5,a", NUMBERS, WIDTHS, CLASSES),
        rows_of("3,4,5,a", WIDTHS, NUMBERS, NUMBERS, CLASSES),  # they rise, but a is a class
        rows_of("5.1,3.5,2.8,label", NUMBERS, WIDTHS, WIDTHS, CLASSES),
        rows_of("Smith,5.1,3.5,2.8", PERSONS, NUMBERS, WIDTHS, WIDTHS),
        rows_of("2024-02-01,5.1,a", DAYS, NUMBERS, CLASSES),
        rows_of("44.4%,a", ("10%", "12.5%", "7%"), CLASSES),
        rows_of("b,a", CLASSES, CLASSES),
    ],
)
def test_a_first_row_that_looks_like_data_is_told(text):
    names = text.split("\n")[0].split(",")
    with pytest.warns(UserWarning, match="If it is data, add a header row") as told:
        assert table(text).names == tuple(names)
    shown = ", ".join(map(repr, names))
    assert str(told[0].message).startswith(
        f"The first row of points.csv is taken as names of columns ({shown})."
    )


@pytest.mark.parametrize(
    "text",
    [
        rows_of("length,width,class", NUMBERS, WIDTHS, CLASSES),
        rows_of("400.1,402.2,404.3,class", LARGE, LARGE, LARGE, CLASSES),  # wavelengths
        rows_of("class,4000,3900,3000,800,400", CLASSES, *[LARGE] * 5),
        rows_of("country,2019,2020,2021", PERSONS, LARGE, LARGE, LARGE),
        rows_of("0,1,target", ("-1.5", "2.5"), ("-1.5", "2.5"), CLASSES),
        rows_of("1,2,3", NUMBERS, NUMBERS, NUMBERS),
        rows_of("1200,1100,class", NUMBERS, WIDTHS, CLASSES),  # far from what they hold
        rows_of("a,other,class", NUMBERS, ("other", "red"), CLASSES),  # one of three by chance
        rows_of("1e308,-1e308,class", ("1e308", "-1e308"), ("", "?"), CLASSES),
    ],
)
def test_names_that_are_names_are_nothing_to_speak_of(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table(text)


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [(b"a,b\n1,\xff\n", 2, "not UTF-8"), ("a,b\n1,2\n".encode("utf-16"), 1, "UTF-16")],
)
def test_other_encodings(tmp_path, content, line, reason):
    file = tmp_path / "points.csv"
    file.write_bytes(content)
    with pytest.raises(DataError, match=reason) as caught:
        read_csv(file)
    assert caught.value.line == line


def test_size_is_capped(tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("a,b\n1,2\n")
    assert read_csv(file, max_bytes=8).n_rows == 1
    with pytest.raises(DataError, match="larger than max_bytes=7"):
        read_csv(file, max_bytes=7)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_csv(tmp_path / "absent.csv")
    with pytest.raises(DataError, match="not a file"):
        read_csv(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        read_csv("null\0.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(DataError, match="not a file"):
        read_csv(tmp_path / "pipe.csv")


@settings(max_examples=300, deadline=None)
@given(content=st.binary(max_size=80) | st.text('ab1,;\n\r"?.-\0e', max_size=60).map(str.encode))
def test_any_bytes_give_a_table_or_a_data_error(tmp_path_factory, content):
    file = tmp_path_factory.getbasetemp() / "hostile.csv"
    file.write_bytes(content)
    try:
        found = read_csv(file)
    except DataError:
        return
    assert found.n_rows >= 1
    assert not np.isinf(found.values).any()
