import re

import pytest
from hypothesis import given, strategies as st

from kpboost.datasets import DataError
from kpboost.datasets._arff import Attribute, read_header, split_cells, unquoted


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
