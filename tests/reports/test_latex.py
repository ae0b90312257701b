import shutil
import subprocess

import pytest

from kpboost.methods import METHODS
from kpboost.reports._report import latex_report
from kpboost.reports._table import (
    LATEX_SPECIAL as SPECIAL,
    ReportColumn,
    ReportTable,
    fits_page,
    latex_table,
    latex_text,
)
from support.made_outcomes import made_report, outcome, table_of_outcomes
from support.patience import HANG

HOSTILE = r"a&b_c%d#e$f{g}h~i^j\input{/etc/passwd}<k>|"
TABLE = ReportTable(
    "scores",
    "Scores & more",
    (ReportColumn("set"), ReportColumn("score", digits=2)),
    ((HOSTILE, 0.5), ("iris", None)),
    frozenset({(0, 1)}),
)


def test_shape_caption_and_best():
    text = latex_table(TABLE)
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
    (row,) = [line for line in latex_table(TABLE).splitlines() if line.startswith("a\\&b")]
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
