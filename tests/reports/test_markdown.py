import pytest

from kpboost.reports._table import (
    ReportColumn,
    ReportTable,
    markdown_section,
    markdown_table,
    markdown_text,
)

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
