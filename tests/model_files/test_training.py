import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import recall_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from kpboost.datasets import ColumnRole, Dataset, Table, features_of, load
from kpboost.methods import METHODS, MethodClassifier
from kpboost.model_files import SavedModel, is_card, model_card, train


@pytest.fixture(scope="module")
def data():
    return load("planted-two")


def test_the_model_is_the_method_on_all_rows(data):
    saved = train(data, "svm_balanced")
    alone = MethodClassifier("svm_balanced").fit(data.X, data.y)
    np.testing.assert_array_equal(saved.model.predict(data.X), alone.predict(data.X))
    assert (saved.target, saved.n_folds, saved.left_out) == (data.target_name, 5, ())


def test_recalls_are_those_of_cross_validation(data):
    saved = train(data, "svm", random_state=3)
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    model = MethodClassifier("svm", random_state=3)
    answers = cross_val_predict(model, data.X, data.y, cv=folds)
    expected = recall_score(data.y, answers, average=None)
    np.testing.assert_allclose(list(saved.recalls.values()), expected)
    assert list(saved.recalls) == sorted(set(data.y))


def test_settings_are_remembered(data):
    saved = train(data, "svm", tune=True, random_state=7)
    assert (saved.method, saved.tune, saved.random_state) == ("svm", True, 7)
    same = MethodClassifier("svm", tune=True, random_state=7).fit(data.X, data.y)
    assert saved.model[-1].get_params() == same.model_[-1].get_params()


def few(data, labels):
    n_rows = len(labels)
    return replace(data.take(np.arange(n_rows)), y=np.array(labels))


def test_classes_of_one_row_are_left_out_and_named(data):
    saved = train(few(data, ["a", "b", "z"] * 8 + ["only"]), "svm")
    assert saved.left_out == ("only",)
    assert saved.model.classes_.tolist() == ["a", "b", "z"]
    assert sum(saved.class_sizes.values()) == 24


def test_few_rows_are_scored_in_fewer_folds(data):
    saved = train(few(data, ["a", "b", "b", "a", "b"]), "svm")
    assert saved.n_folds == 3


@pytest.mark.parametrize("labels", [["a", "a", "a", "b"], ["a", "b", "c"]])
def test_fewer_than_two_classes_of_two_rows_are_refused(data, labels):
    with pytest.raises(ValueError, match=r"two classes of at least two rows each; .*'b'"):
        train(few(data, labels), "svm")


def test_an_unknown_method_is_refused_before_any_work(data):
    with pytest.raises(ValueError, match="no method 'magic'"):
        train(data, "magic")


def test_a_sample_is_called_one(monkeypatch):
    monkeypatch.setitem(METHODS, "svm", replace(METHODS["svm"], max_rows=250))
    rng = np.random.default_rng(0)
    y = np.repeat(["common", "rare"], [300, 6])
    X = rng.normal(size=(306, 2)) + 2.0 * (y == "rare")[:, None]
    data = Dataset("large", features_of(X), y)
    sampled, whole = train(data, "svm"), train(data, "gradient_boosting")
    assert (sampled.n_rows, sampled.n_samples) == (250, 306)
    assert whole.n_rows == whole.n_samples
    card = model_card(sampled, file="m.skops", data="large.csv")
    assert "on a sample of 250 of the 306 rows" in card
    assert "sample" not in model_card(whole, file="m.skops", data="large.csv")


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
