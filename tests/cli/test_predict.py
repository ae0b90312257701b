import csv
from shutil import copytree

import numpy as np
import pandas as pd
import pytest

from kpboost.model_files import load_model
from support.calls import call, do, is_one_sentence

HEADER = "size,colour,sold,kind\n"


def rows(n_rows=60, kinds=("common", "rare")):
    rng = np.random.default_rng(0)
    for i in range(n_rows):
        rare = i % 4 == 0
        size = "" if i % 11 == 5 else f"{rng.normal(3 * rare):.3f}"
        colour = "" if i % 13 == 7 else "red" if rare else rng.choice(["blue", "green"])
        yield f"{size},{colour},{i % 3 == 0},{kinds[rare]}"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A file with numbers, text, truth values and gaps, and a model trained on it."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "d.csv").write_text(HEADER + "\n".join(rows()) + "\n")
    do("fit", folder / "d.csv", "--method", "svm_balanced", "--out", folder / "m.skops")
    return folder


@pytest.fixture
def model(here, trained):
    """A copy of both to work in."""
    return copytree(trained, here, dirs_exist_ok=True)


def predict(capsys, text=None, *words):
    if text is not None:
        with open("new.csv", "w", encoding="utf-8") as stream:
            stream.write(text)
    data = "d.csv" if text is None else "new.csv"
    return call(capsys, "predict", "m.skops", data, "--out", "p.csv", *words)


def predictions():
    with open("p.csv", encoding="utf-8", newline="") as stream:
        first, *others = csv.reader(stream)
    assert first == ["prediction"]
    return [cell for (cell,) in others]


def test_every_row_gets_a_line(model, capsys):
    answer = predict(capsys)
    assert answer.out == "60 predictions  p.csv\n"
    truth = pd.read_csv("d.csv")["kind"].to_numpy()
    assert np.mean(np.array(predictions()) == truth) > 0.8
    names = sorted(file.name for file in model.iterdir())
    assert names == ["d.csv", "m.card.md", "m.skops", "p.csv"]


def test_order_of_columns_and_the_class_do_not_matter(model, capsys):
    assert predict(capsys).code == 0
    expected = predictions()
    frame = pd.read_csv("d.csv")
    for columns in (["sold", "size", "colour"], ["kind", "colour", "sold", "size"]):
        assert predict(capsys, frame[columns].to_csv(index=False)).code == 0
        assert predictions() == expected


def test_the_class_column_may_be_empty_or_strange(model, capsys):
    assert predict(capsys, HEADER + "3,red,True,\n0,blue,False,what\n").code == 0
    assert predictions() == ["rare", "common"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_one_row_and_gaps_are_enough(model, capsys, end):
    answer = predict(capsys, f"size,colour,sold{end},,{end}")
    assert answer.out.startswith("1 prediction ")
    assert len(predictions()) == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "length,colour,sold\n1,red,True\n",
            "lacks the column 'size', which the training data had, and has the column 'length'",
        ),
        ("size\n1\n", "lacks the columns 'colour', 'sold'"),
        (
            "size,colour,sold,id\n1,red,True,7\n",
            "has the column 'id', which the training data did not have (extra='ignore' or",
        ),
        ("size,colour,sold\nbig,red,True\n", "'size' holds 'big'"),
        (
            "size,colour,sold\n1,violet,True\n",
            "'colour' holds 'violet', which the training data lack; they had 'blue', 'green',",
        ),
        ("size,colour,sold\n1,red,1\n", "'sold' holds '1'"),
        ("size,colour,sold\ninf,red,True\n", "not finite"),
        ("size,colour,sold\n", "no rows"),
        ("", "empty"),
        ("size,size,colour\n1,2,red\n", "two columns named 'size'"),
    ],
)
def test_what_does_not_fit_is_named(model, capsys, text, sentence):
    answer = predict(capsys, text)
    assert answer.code == 2
    assert is_one_sentence(answer.err)
    assert sentence in answer.err
    assert not (model / "p.csv").exists()


def test_extra_columns_and_new_categories_can_be_allowed(model, capsys):
    text = "size,colour,sold,id\n3,violet,True,7\n"
    assert predict(capsys, text, "--extra-columns", "ignore", "--unseen", "missing").code == 0
    assert len(predictions()) == 1


def test_other_words_for_the_options_are_refused(model, capsys):
    assert "--unseen='guess' is not allowed" in predict(capsys, None, "--unseen", "guess").err
    assert "--extra-columns='eat'" in predict(capsys, None, "--extra-columns", "eat").err


@pytest.mark.parametrize(
    "kinds",
    [("0", "1"), ("True", "False"), ("1.5", "2.5"), ("north, east", 'the "old"'), ("é", "+")],
)
def test_labels_come_back_as_they_were(here, capsys, kinds):
    quoted = tuple('"' + kind.replace('"', '""') + '"' for kind in kinds)
    (here / "d.csv").write_text(HEADER + "\n".join(rows(kinds=quoted)) + "\n", encoding="utf-8")
    assert call(capsys, "fit", "d.csv", "--method", "svm_balanced", "--out", "m.skops").code == 0
    assert predict(capsys).code == 0
    assert set(predictions()) == set(kinds)


def test_an_earlier_file_of_predictions_is_replaced_and_no_other(model, capsys):
    assert predict(capsys).code == 0
    assert predict(capsys).code == 0
    (model / "p.csv").write_text("precious,data\n1,2\n")
    answer = predict(capsys)
    assert answer.code == 2
    assert "is not a file of this model's predictions" in answer.err
    assert (model / "p.csv").read_text() == "precious,data\n1,2\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("d.csv", "d.csv", "--out", "p.csv"), "is not a model file"),
        (("m.skops", "d.csv", "--out", "./d.csv"), "is an input file"),
        (("m.skops", "d.csv", "--out", "no/p.csv"), "folder that exists"),
        (("gone.skops", "d.csv", "--out", "p.csv"), "gone.skops: No such file"),
        (("m.skops", "gone.csv", "--out", "p.csv"), "gone.csv"),
        (("m.skops", "d.csv"), "--out"),
    ],
)
def test_bad_input_is_one_sentence(model, capsys, words, sentence):
    answer = call(capsys, "predict", *words)
    assert answer.code == 2
    assert is_one_sentence(answer.err)
    assert sentence in answer.err


def test_a_tampered_model_is_refused(model, capsys):
    content = (model / "m.skops").read_bytes()
    for place in (30, len(content) // 3, len(content) // 2, len(content) - 30):
        changed = bytearray(content)
        changed[place : place + 8] = bytes(8)
        (model / "m.skops").write_bytes(changed)
        answer = predict(capsys)
        assert answer.code == 2, place
        assert is_one_sentence(answer.err)


def test_a_model_and_its_answers_survive_the_way_through_the_file(model, capsys):
    assert predict(capsys).code == 0
    from kpboost.datasets import read_table

    assert load_model("m.skops").predict(read_table("d.csv")).tolist() == predictions()


def scored(name="p.csv"):
    with open(name, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_scores_and_probabilities_stand_beside_labels(model, capsys):
    assert predict(capsys, None, "--scores").code == 0
    lines = scored()
    names = ["prediction", "score_of_rare", "probability_of_common", "probability_of_rare"]
    assert list(lines[0]) == names
    saved = load_model("m.skops")
    table = saved.read("d.csv")
    own = saved.decision_function(table)
    np.testing.assert_allclose([float(line["score_of_rare"]) for line in lines], own, rtol=1e-5)
    likely = saved.predict_proba(table)[:, 1]
    found = [float(line["probability_of_rare"]) for line in lines]
    np.testing.assert_allclose(found, likely, rtol=1e-5)
    assert [line["prediction"] for line in lines] == saved.predict(table).tolist()


def test_files_with_and_without_scores_replace_each_other(model, capsys):
    for words in (("--scores",), ("--scores", "--recall", "0.9:common"), (), ("--scores",)):
        assert predict(capsys, None, *words).code == 0
    (model / "p.csv").write_text("prediction,score_of_rare,mine\n1,2,3\n")
    assert "is not a file of this model's predictions" in predict(capsys, None, "--scores").err


def test_the_operating_point_changes_for_one_prediction(model, capsys):
    assert predict(capsys).code == 0
    own = predictions()
    answer = predict(capsys, None, "--recall", "1.0")
    assert "Aiming at a recall of 1 for 'rare'" in answer.out
    assert "too few to tune" in answer.out
    assert predictions().count("rare") >= own.count("rare")
    assert predict(capsys, None, "--alarms", "0.05").code == 0
    assert predictions().count("rare") < own.count("rare")
    assert predict(capsys).code == 0
    assert predictions() == own


def test_columns_of_scores_are_other_than_identifiers(here, capsys):
    lines = (f"{i},x{i},{line}" for i, line in enumerate(rows()))
    header = "score_of_rare,probability_of_rare," + HEADER
    (here / "d.csv").write_text(header + "\n".join(lines) + "\n")
    words = ("--method", "svm_balanced", "--id", "score_of_rare,probability_of_rare")
    assert call(capsys, "fit", "d.csv", *words, "--out", "m.skops").code == 0
    for _ in range(2):
        assert predict(capsys, None, "--scores").code == 0
    assert list(scored()[0]) == [
        "score_of_rare",
        "probability_of_rare",
        "prediction",
        "score_of_rare_2",
        "probability_of_common",
        "probability_of_rare_2",
    ]


def test_classes_that_look_like_formulas_are_guarded_as_labels_only(here, capsys):
    (here / "d.csv").write_text(HEADER + "\n".join(rows(kinds=("=1+1", "b"))) + "\n")
    assert call(capsys, "fit", "d.csv", "--method", "svm_balanced", "--out", "m.skops").code == 0
    for _ in range(2):
        answer = predict(capsys, None, "--scores")
        assert "like a formula" in answer.err
    first = scored()[1]
    assert first["prediction"] == "'=1+1"
    assert "probability_of_=1+1" in first


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--recall", "often"), "it must be a number above 0 and up to 1, such as 0.9"),
        (("--recall", "0.9:odd"), "names no class; the classes are 'common', 'rare'"),
        (("--alarms", "5"), "--alarms '5' is not allowed"),
        (("--alarms", "nan"), "--alarms 'nan' is not allowed"),
        (("--recall", "0.9", "--alarms", "0.1"), "--recall and --alarms are given; one of them"),
        (("--costs", "rare:common"), "neither a file nor TRUE:PREDICTED=COST"),
        (("--costs", "rare:odd=3"), "neither a file nor TRUE:PREDICTED=COST"),
        (("--costs", "rare:common=inf"), "neither a file nor TRUE:PREDICTED=COST"),
        (("--costs", "rare:common=-1"), "every error costs more than the right label"),
        (("--costs", ""), "--costs is empty"),
        (("--costs", "d.csv"), "is no matrix of costs"),
    ],
)
def test_bad_operating_points_are_one_sentence(model, capsys, words, sentence):
    answer = predict(capsys, None, *words)
    assert answer.code == 2
    assert is_one_sentence(answer.err)
    assert sentence in answer.err
    assert not (model / "p.csv").exists()


@pytest.mark.parametrize(
    "text",
    [
        ",common,rare\ncommon,0,1\nrare,6,0\n",
        "true \\ predicted,rare,common\nrare,,6\n\ncommon,1,\n",
    ],
)
def test_costs_may_be_a_table(model, capsys, text):
    (model / "costs.csv").write_text(text)
    assert predict(capsys, None, "--costs", "costs.csv").code == 0
    expected = predictions()
    assert predict(capsys, None, "--costs", "rare:common=6").code == 0
    assert predictions() == expected
    (model / "costs.csv").write_text(text.replace("6", "six"))
    assert "has 'six', which is no number" in predict(capsys, None, "--costs", "costs.csv").err
