import shlex
from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import make_pipeline

from kpboost.datasets import ColumnRole, Table
from kpboost.model_files import SavedModel, is_card, model_card
from kpboost.model_files._card import figures, summary
from kpboost.model_files._held_out import HeldOutScores

HOSTILE = "<script>alert(1)</script> | `x` [a](b)\n# heading"


def model(name="size", method="kpboost", features=None, **settings):
    return SavedModel(
        model=make_pipeline(DummyClassifier()),
        method=method,
        target=name,
        features=features or Table.without_rows([name, "c"], [None, "abcdefghijklm"]),
        class_sizes={name: 30, "other": 12},
        **{"n_rows": 42, "recalls": {name: 0.5, "other": 0.91666}, **settings},
    )


def card(name="size", trust=(), file="m.skops", **settings):
    return model_card(model(name, **settings), file=file, data="d.csv", trust=trust)


def test_the_card_tells_what_matters():
    text = card()
    assert "| other | 12 | 0.917 [0.615, 0.998] |" in text
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


def scored(**settings):
    """A model with 42 out-of-fold scores, of which the last ones are right."""
    codes = np.repeat([0, 1], [30, 12])
    scores = np.linspace(-2, 2, 42).astype(np.float32)
    likely = (1 / (1 + np.exp(-2 * scores))).astype(np.float32)
    held_out = HeldOutScores(
        codes,
        (scores > 0).astype(np.intp),
        scores,
        np.column_stack([1 - likely, likely]),
        {"tree": np.repeat([0, 1], [24, 18]), "forest": codes},
    )
    recalls = {"size": 21 / 30, "other": 1.0}
    return model(held_out=held_out, recalls=recalls, **settings)


def test_the_card_has_every_figure():
    text = model_card(scored(), file="m.skops", data="d.csv")
    assert "| other | 12 | 1 [0.735, 1] | 0.571 | 1.000 | 1.000 |" in text
    assert (
        "|  | size | other |\n| --- | ---: | ---: |\n| size | 21 | 9 |\n| other | 0 | 12 |" in text
    )
    assert "| this model | 0.85 [" in text
    assert "| a forest of 50 balanced trees | 1 [" in text
    assert "Brier score 0." in text
    assert "do not use them" not in text
    assert "not probabilities" not in text
    rows = [line for line in text.splitlines() if line.startswith("| 0.9 |")]
    assert len(rows) == 1


def test_a_poor_model_is_called_poor_on_its_card():
    text = model_card(scored(), file="m.skops", data="d.csv")
    told = (
        "**This model is poor: its balanced accuracy is 0.85, while a forest of 50 balanced trees "
        "reaches 1.00 on the same folds.**"
    )
    assert told in text
    assert told.strip("*") in summary(scored())


def test_probabilities_that_are_worse_than_none_are_called_so():
    good = scored()
    wrong = HeldOutScores(
        good.held_out.codes,
        good.held_out.predicted,
        good.held_out.scores,
        good.held_out.probabilities[:, ::-1],
        {},
    )
    text = model_card(model(held_out=wrong), file="m.skops", data="d.csv")
    assert "worse than the bare shares: do not use them." in text


def test_an_operating_point_is_told_in_words():
    saved = scored().with_operating_point(recall=0.9)
    text = model_card(saved, file="m.skops", data="d.csv")
    assert "- Aiming at a recall of 0.9 for 'other': 'other' where its score is at least" in text
    assert "too few to tune" in text
    assert "too few to tune" in " ".join(summary(saved))
    assert summary(saved)[0] == str(saved.operating_point).splitlines()[0]


def test_the_positive_class_has_the_score_that_the_threshold_is_about():
    """Whichever of two classes comes first in the alphabet."""
    saved = scored().with_operating_point(recall=0.9, pos_label="size")
    assert saved.pos_label == "size"
    assert "'size' where its score is at least" in str(saved.operating_point)
    found = saved.held_out.by_point(saved.operating_point, ["size", "other"])
    assert np.mean(found[:30] == 0) >= 0.9


def test_a_card_without_scores_says_so():
    held = card()
    assert "ROC-AUC" not in held
    assert "`--scores`" not in held


def test_figures_are_plain_data():
    told = figures(scored())
    assert told["confusion"] == [[21, 9], [0, 12]]
    assert told["roc_auc"] == {"size": 1.0, "other": 1.0}
    assert told["baselines"] == {"forest": 1.0, "tree": 0.9}
    assert figures(model()) == {}
