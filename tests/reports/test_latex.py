import shutil
import subprocess

import pytest

from kpboost.reports.latex import SPECIAL, latex_table, latex_text
from kpboost.reports.table import Column, Table

HOSTILE = r"a&b_c%d#e$f{g}h~i^j\input{/etc/passwd}<k>|"
TABLE = Table(
    "scores",
    "Scores & more",
    (Column("set"), Column("score", digits=2)),
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
    row = latex_table(TABLE).splitlines()[8]
    assert row.replace(r"\&", "").count("&") == 1


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
def test_latex_accepts_it(tmp_path):
    source = "\\documentclass{article}\\usepackage[T1]{fontenc}\\begin{document}"
    (tmp_path / "t.tex").write_text(f"{source}{latex_table(TABLE)}\\end{{document}}")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0
