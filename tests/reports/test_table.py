import csv
import io
import shutil
import subprocess

import pytest
from hypothesis import given, strategies as st

from kpboost.methods import METHODS
from kpboost.reports._report import latex_report
from kpboost.reports._table import (
    EMPTY,
    LATEX_SPECIAL as SPECIAL,
    ReportColumn,
    ReportTable,
    csv_table,
    csv_text,
    fits_page,
    is_formula,
    latex_table,
    latex_text,
    listed,
    markdown_section,
    markdown_table,
    markdown_text,
    written,
)
from support.made_outcomes import made_report, outcome, table_of_outcomes
from support.patience import HANG

TABLE = ReportTable(
    "scores",
    "Scores",
    (ReportColumn("set"), ReportColumn("score", digits=3), ReportColumn("points")),
    (("glass", 0.98765, 214), ("iris", None, 150), ("wine", float("nan"), None)),
)


@pytest.mark.parametrize(
    ("row", "column", "text"),
    [(0, 0, "glass"), (0, 1, "0.988"), (0, 2, "214"), (1, 1, EMPTY), (2, 1, EMPTY), (2, 2, EMPTY)],
)
def test_text_of_a_cell(row, column, text):
    assert TABLE.text(row, column) == text


def test_columns_of_numbers_are_known():
    assert [TABLE.is_number(column) for column in range(3)] == [False, True, True]


def test_rows_that_sum_up_are_told_from_single_ones():
    rows = (("a", 1.0, 2), ("b", 3.0, 4), ("Mean of 2", 2.0, 3))
    table = ReportTable("t", "T", TABLE.columns, rows, n_sums=1)
    assert (table.n_single, TABLE.n_single) == (2, 3)
    assert table.is_number(1)


def test_an_empty_column_is_not_a_column_of_numbers():
    assert not ReportTable("t", "T", (ReportColumn("a"),), ((None,),)).is_number(0)


def test_a_short_row_is_refused():
    with pytest.raises(ValueError, match="Row 1 of table 't' has 1 values; 2 columns"):
        ReportTable("t", "T", (ReportColumn("a"), ReportColumn("b")), (("x", 1), ("y",)))


@pytest.mark.parametrize(
    ("value", "text"), [(3e-17, "3e-17"), (0.0, "0.0000"), (-2e-6, "-2e-06"), (5e-5, "0.0001")]
)
def test_a_tiny_number_is_not_written_as_zero(value, text):
    assert written(value, 4) == text


def test_words_ignore_digits():
    assert written("H1", 2) == "H1"


COLUMNS = (ReportColumn("set"), ReportColumn("score", digits=3))


def test_numbers_are_aligned_and_the_best_is_bold():
    table = ReportTable("t", "T", COLUMNS, (("glass", 0.5), ("iris", 0.75)), frozenset({(1, 1)}))
    lines = markdown_table(table).splitlines()
    assert lines == [
        "| set | score |",
        "| --- | ---: |",
        "| glass | 0.500 |",
        "| iris | **0.750** |",
    ]


@pytest.mark.parametrize("name", ["a|b", "<b>x</b>", "`rm`", "[x](y)", "two\nlines", "a\\|b"])
def test_a_name_stays_in_its_cell(name):
    line = markdown_table(ReportTable("t", "T", COLUMNS, ((name, 1.0),))).splitlines()[2]
    bare = line.replace("\\\\", "").replace("\\|", "")
    assert bare.count("|") == 3
    assert "<b>" not in line


def test_every_mark_is_escaped():
    assert markdown_text("*_`<") == "\\*\\_\\`\\<"


def test_section_has_title_and_note():
    text = markdown_section(
        ReportTable("t", "Scores", COLUMNS, (("a", 1.0),), note="A note."), level=3
    )
    assert text.startswith("### Scores\n\n|")
    assert text.endswith("\n\nA note.")


HOSTILE = r"a&b_c%d#e$f{g}h~i^j\input{/etc/passwd}<k>|"
TABLE_OF_LATEX = ReportTable(
    "scores",
    "Scores & more",
    (ReportColumn("set"), ReportColumn("score", digits=2)),
    ((HOSTILE, 0.5), ("iris", None)),
    frozenset({(0, 1)}),
)


def test_shape_caption_and_best():
    text = latex_table(TABLE_OF_LATEX)
    assert r"\begin{tabular}{lr}" in text
    assert r"\caption{Scores \& more.}" in text
    assert r"\textbf{0.50} \\" in text
    assert r"iris & -- \\" in text


def test_no_command_comes_in_from_outside():
    text = latex_text(HOSTILE)
    for printed in SPECIAL.values():
        text = text.replace(printed, "")
    assert not set(text) & set("\\&%#$_{}~^")


def test_each_row_has_one_separator_per_gap():
    (row,) = [line for line in latex_table(TABLE_OF_LATEX).splitlines() if line.startswith("a\\&b")]
    assert row.replace(r"\&", "").count("&") == 1


def large(n_columns, n_rows):
    columns = (
        ReportColumn("set"),
        *(ReportColumn(f"a long name {k}", digits=3) for k in range(n_columns)),
    )
    return ReportTable(
        "large", "Large", columns, tuple((f"s{k}", *[0.5] * n_columns) for k in range(n_rows))
    )


def test_only_large_tables_are_shrunk():
    small = large(2, 10)
    assert fits_page(small)
    assert "resizebox" not in latex_table(small)
    for table in (large(12, 10), large(2, 73)):
        assert not fits_page(table)
        text = latex_table(table)
        assert text.count("{") == text.count("}")
        assert r"set & \rotatebox{90}{a long name 0} &" in text


def test_what_cannot_be_printed_is_left_out():
    assert latex_text("a\x07b\x00c\u200b\nd") == "abc d"


def compiled(folder, text):
    """Whether LaTeX makes a page of it, and what it says."""
    source = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{graphicx}"
    (folder / "t.tex").write_text(f"{source}\\begin{{document}}{text}\\end{{document}}")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=HANG)
    return done.returncode == 0, done.stdout.decode(errors="replace")


needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="there is no pdflatex here"
)


@needs_latex
def test_latex_accepts_every_table_of_a_report_and_finds_room_for_it(tmp_path):
    names = [HOSTILE, "naïve “é” … ß", *(f"set-{k}" for k in range(70))]
    made = table_of_outcomes(names=names, methods=list(METHODS))
    made.append(outcome("lost", "svm", 0, status="failed", error=HOSTILE))
    report = made_report(made, {name: method.title for name, method in METHODS.items()})
    accepted, words = compiled(tmp_path, latex_report(report))
    assert accepted, words
    assert "Overfull" not in words
    assert "too large" not in words


@needs_latex
def test_the_compilation_can_fail(tmp_path):
    assert not compiled(tmp_path, r"\input{/no/such/file}")[0]
    assert "Overfull" in compiled(tmp_path, "x" * 200)[1]


COLUMNS_OF_CSV_TABLE = (ReportColumn("set"), ReportColumn("score", digits=2))


def read(table):
    return list(csv.reader(io.StringIO(csv_table(table), newline="")))


def test_numbers_are_exact_and_holes_are_empty():
    table = ReportTable(
        "t", "T", COLUMNS_OF_CSV_TABLE, (("a", 1 / 3), ("b", float("nan")), ("c", None))
    )
    rows = read(table)
    assert rows[0] == ["set", "score"]
    assert float(rows[1][1]) == 1 / 3
    assert rows[2:] == [["b", ""], ["c", ""]]


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_names_come_back(name):
    back = read(ReportTable("t", "T", COLUMNS_OF_CSV_TABLE, ((name, 0.5),)))[1][0]
    kept = name.replace("\r", " ")
    assert back == (f"'{kept}" if is_formula(name) else kept)


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1+1", "@SUM(A1)", "-2+3", "-1,5+A1"])
@pytest.mark.parametrize("start", ["", "\t", "\r", "\n", "\r\n", " ", "\ufeff", "\0", "\n \n"])
def test_no_formula_gets_through(name, start):
    assert read(ReportTable("t", "T", COLUMNS_OF_CSV_TABLE, ((start + name, 0.5),)))[1][
        0
    ].startswith("'")


@pytest.mark.parametrize("name", ["-1", "+1.5e3", "-.5", "-", "+", " ", "a=b", "", "'=1", " - "])
def test_what_runs_nothing_stays_as_it_is(name):
    assert csv_text(["a", "b"], [[name, 0]]).splitlines()[1] == f"{name},0"


@pytest.mark.parametrize("number", ["-1,5", "+1,5e3", "-,5", "-1.234,5", "-1,234,567.8"])
def test_numbers_with_a_decimal_comma_stay_as_they_are(number):
    assert csv_text(["a", "b"], [[number, 0]]).splitlines()[1] == f'"{number}",0'


def test_text_can_be_written_as_it_is():
    rows = [["=1+1", -1], ["@x", 2]]
    assert csv_text(["=a", "b"], rows, raw=True) == "=a,b\n=1+1,-1\n@x,2\n"
    assert csv_text(["=a", "b"], rows) == "'=a,b\n'=1+1,-1\n'@x,2\n"


@pytest.mark.parametrize(
    ("names", "text"),
    [([], "nothing"), (["a"], "a"), (["a", "b"], "a and b"), (("a", "b", "c"), "a, b and c")],
)
def test_commas_and_one_word(names, text):
    assert listed(names) == text
