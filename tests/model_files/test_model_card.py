import shlex
from pathlib import Path

import pytest
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import make_pipeline

from kpboost.datasets import ColumnRole, Table
from kpboost.model_files import SavedModel, is_card, model_card

HOSTILE = "<script>alert(1)</script> | `x` [a](b)\n# heading"


def card(name="size", trust=(), file="m.skops", method="kpboost", features=None, **settings):
    saved = SavedModel(
        model=make_pipeline(DummyClassifier()),
        method=method,
        target=name,
        features=features or Table.without_rows([name, "c"], [None, "abcdefghijklm"]),
        class_sizes={name: 30, "other": 12},
        recalls={name: 0.5, "other": 0.91666},
        **{"n_rows": 42, **settings},
    )
    return model_card(saved, file=file, data="d.csv", trust=trust)


def test_the_card_tells_what_matters():
    text = card()
    assert "| other | 12 | 0.917 |" in text
    assert "KPBoost-SVM, trained by kpboost" in text
    assert "42 rows" in text
    assert "kpboost predict m.skops" in text
    assert "a, b, c, d, e, f, g, h, i, j and 3 more" in text


def test_names_from_data_stay_text():
    text = card(HOSTILE)
    assert "<script>" not in text
    assert "\n# heading" not in text
    rows = [line for line in text.splitlines() if line.startswith("|") and "heading" in line]
    assert all(line.replace("\\|", "").count("|") in (3, 4) for line in rows)


def test_what_a_terminal_would_obey_is_written_out():
    text = card("a\x1b[2J\u202eb", method="<b>\x07", version="\x9b1m")
    assert "a\\\\x1b\\[2J\\\\u202eb" in text
    assert "\\<b\\>\\\\x07" in text
    assert all(line.isprintable() for line in text.splitlines())


@pytest.mark.parametrize(
    "file", ["my model.skops", "$(reboot).skops", "a;b`c`.skops", "-x.skops", "it's.skops"]
)
def test_the_command_is_quoted_for_the_shell(file):
    lines = card(file=file).splitlines()
    words = shlex.split(lines[lines.index("```console") + 1])
    assert words[:2] == ["kpboost", "predict"]
    assert Path(words[2]) == Path(file)
    assert not words[2].startswith("-")


def test_settings_are_told_where_they_are_not_the_default():
    assert "paper's grid" not in card()
    text = card(tune=True, random_state=7, n_folds=3, left_out=("<b>", "x"))
    assert "paper's grid" in text
    assert "Its seed was 7." in text
    assert "(3 folds)" in text
    assert "which had one row: \\<b\\>, x." in text


def test_the_command_names_types_to_trust():
    assert "predictions.csv --trust a.B --trust c.D" in card(trust=("a.B", "c.D"))


def test_a_card_is_recognised(tmp_path):
    (tmp_path / "m.card.md").write_text(card(), encoding="utf-8")
    (tmp_path / "README.md").write_text("# mine", encoding="utf-8")
    (tmp_path / "empty.md").touch()
    assert is_card(tmp_path / "m.card.md")
    assert not is_card(tmp_path / "README.md")
    assert not is_card(tmp_path / "empty.md")


def test_columns_are_those_of_a_file_of_new_rows():
    made = ("when (days)", "when (month)", "price", "total", "day (days)", "size")
    roles = (
        ColumnRole("id", "identifier"),
        ColumnRole("when", "date", "written Y-m-d", "Y-m-d", ("days", "month")),
        ColumnRole("price", "number", "with a decimal comma", "1234,5"),
        ColumnRole("total", "number", "with <b>", "1.234,5"),
        ColumnRole("day", "date", parts=("days",)),
    )
    lines = card(features=Table.without_rows(made, [None] * 6, roles)).splitlines()
    start = lines.index("| column | values |") + 2
    assert lines[start : lines.index("", start)] == [
        "| when | dates, written Y-m-d |",
        "| price | numbers, with a decimal comma |",
        "| total | numbers, with \\<b\\> |",
        "| day | dates |",
        "| size | numbers |",
    ]
