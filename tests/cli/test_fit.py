import json
import shlex
import sys
from dataclasses import replace

import numpy as np
import pytest
import skops.io
from sklearn.svm import SVC

from kpboost.methods import METHODS
from kpboost.model_files import load_model
from support.calls import call, is_one_sentence


def fit(capsys, *words, file="small.csv", method="svm"):
    return call(capsys, "fit", file, "--method", method, "--out", "m.skops", *words)


def test_a_model_and_its_card(small_csv, here, capsys):
    answer = fit(capsys)
    assert answer.code == 0
    assert "Recall of rare: 1 [0.7" in answer.out
    assert load_model("m.skops").method == "svm"
    assert "“label”: SVM, trained" in (here / "m.card.md").read_text()
    assert sorted(file.name for file in here.iterdir()) == ["m.card.md", "m.skops", "small.csv"]
    assert answer.err == ""


def test_the_next_command_works_as_it_is_printed(small_csv, here, capsys):
    for method in ("svm_balanced", "gradient_boosting"):
        answer = fit(capsys, "--out", "my model.skops", method=method)
        line = next(line for line in answer.out.splitlines() if line.startswith("Next"))
        words = shlex.split(line.replace("NEW.csv", "small.csv"))[2:]
        assert call(capsys, *words).code == 0
        card = (here / "my model.card.md").read_text().splitlines()
        assert line.removeprefix("Next   ") in card


def test_json_is_one_document(small_csv, capsys):
    answer = fit(capsys, "--tune", "--json")
    told = json.loads(answer.out)
    assert told["model"] == "m.skops"
    assert told["card"] == "m.card.md"
    assert told["tune"] is True
    assert told["class_sizes"] == {"common": 60, "rare": 15}
    assert answer.err == ""


def test_a_tuned_model_remembers_it(small_csv, here, capsys):
    assert fit(capsys, "--tune", "--seed", "4").code == 0
    saved = load_model("m.skops")
    assert (saved.tune, saved.random_state) == (True, 4)
    assert "paper's grid" in (here / "m.card.md").read_text()


def test_a_class_of_one_row_is_left_out_in_words(small_csv, here, capsys):
    with small_csv.open("a") as stream:
        stream.write("9,9,once\n")
    answer = fit(capsys)
    assert "Left out, because they have only one row: once." in answer.out
    assert "had one row: once." in (here / "m.card.md").read_text()


def test_a_class_of_two_rows_is_learnt(small_csv, capsys):
    with small_csv.open("a") as stream:
        stream.write("9,-9,twice\n9.1,-9.1,twice\n")
    assert "Recall of twice: 1 [" in fit(capsys, method="kpboost").out


def test_an_earlier_model_is_replaced(small_csv, capsys):
    assert fit(capsys).code == 0
    assert fit(capsys, method="svm").code == 0
    assert load_model("m.skops").method == "svm"


def test_a_readme_stays(small_csv, here, capsys):
    (here / "README.md").write_text("mine")
    assert fit(capsys, "--out", "README.skops").code == 0
    assert (here / "README.md").read_text() == "mine"


@pytest.mark.parametrize("name", ["m.skops", "m.card.md"])
def test_files_of_somebody_else_are_not_overwritten(small_csv, here, capsys, name):
    (here / name).write_text("mine")
    answer = fit(capsys)
    assert answer.code == 2
    assert is_one_sentence(answer.err)
    assert f"{name} is there already" in answer.err
    assert (here / name).read_text() == "mine"


def test_a_model_of_another_program_is_not_overwritten(small_csv, capsys):
    skops.io.dump(SVC(C=5.0), "m.skops")
    assert "is not a model of kpboost fit" in fit(capsys).err
    assert skops.io.load("m.skops").C == 5.0


def test_a_failure_leaves_the_earlier_model(small_csv, here, capsys, monkeypatch):
    assert fit(capsys).code == 0
    before = (here / "m.skops").read_bytes()
    monkeypatch.setattr(skops.io, "dumps", lambda content: 1 / 0)
    assert fit(capsys).code == 1
    assert (here / "m.skops").read_bytes() == before


def test_a_package_that_is_missing_is_named(small_csv, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "imblearn.ensemble", None)
    answer = fit(capsys, method="rusboost_imblearn")
    assert answer.code == 2
    assert "pip install 'kpboost[baselines]'" in answer.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--out", "m.pickle"), "must end in .skops"),
        (("--out", "no/m.skops"), "folder that exists"),
        (("--method", "magic"), "no method 'magic'; the command kpboost methods lists them"),
        (("--method", "brf"), "The method 'brf' is called 'balanced_forest' now"),
        (("--target", "shape"), "no column 'shape'"),
        (("--target", "a"), "that is not a class"),
    ],
)
def test_bad_input_is_one_sentence(small_csv, capsys, words, sentence):
    answer = fit(capsys, *words)
    assert answer.code == 2
    assert is_one_sentence(answer.err)
    assert sentence in answer.err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "empty"),
        ("a,b\n", "no rows"),
        ("a,b\n1,x\n2,x\n", "same class"),
        ("a,b\n1,x\n2,y\n", "two classes of at least two rows"),
        ("a,b\n1,x\n2\n", "cells"),
        ("a,b\n" + "1e300,x\n-1e300,y\n2,x\n" * 9, "1e+140"),
    ],
)
def test_hostile_files_end_in_a_sentence(here, capsys, text, sentence):
    (here / "bad.csv").write_text(text)
    answer = fit(capsys, file="bad.csv")
    assert answer.code == 2
    assert is_one_sentence(answer.err)
    assert sentence in answer.err
    assert not (here / "m.skops").exists()


def test_a_model_file_is_no_data(small_csv, capsys):
    skops.io.dump(SVC(), "d.skops")
    assert is_one_sentence(fit(capsys, file="d.skops").err)


def test_a_sample_is_called_one_on_screen(here, capsys, monkeypatch):
    monkeypatch.setitem(METHODS, "svm", replace(METHODS["svm"], max_rows=250))
    rng = np.random.default_rng(0)
    rows = [f"{value:.4f},{label}" for label in "ab" for value in rng.normal(size=140)]
    (here / "large.csv").write_text("\n".join(["x,label", *rows]))
    answer = fit(capsys, file="large.csv")
    assert "Trained on a sample of 250 of 280 rows" in answer.out
    assert json.loads(fit(capsys, "--json", file="large.csv").out)["n_rows"] == 250


def test_a_class_that_is_never_recognised_is_named(here, capsys):
    rng = np.random.default_rng(0)
    rows = [f"{rng.normal():.4f},{'rare' if i % 20 == 0 else 'common'}" for i in range(100)]
    (here / "noise.csv").write_text("\n".join(["x,label", *rows]))
    assert "Never recognised in cross-validation: rare." in fit(capsys, file="noise.csv").out


def test_without_a_method_the_default_is_taken(small_csv, capsys):
    assert call(capsys, "fit", "small.csv", "--out", "m.skops").code == 0
    assert load_model("m.skops").method == "rare_class"


def test_an_operating_point_is_saved_and_told(small_csv, here, capsys):
    answer = fit(capsys, "--recall", "0.9")
    assert "Aiming at a recall of 0.9 for 'rare': 'rare' where its score is at least" in answer.out
    assert "Only 15 samples of 'rare', fewer than 40: too few to tune" in answer.out
    assert load_model("m.skops").operating_point.pos_label == "rare"
    assert "too few to tune" in (here / "m.card.md").read_text()
    told = json.loads(fit(capsys, "--alarms", "0.2:common", "--json").out)
    assert told["operating_point"]["pos_label"] == "common"
    assert {"balanced_accuracy", "roc_auc", "log_loss", "weakness"} <= told.keys()


def test_costs_choose_the_operating_point(small_csv, capsys):
    answer = fit(capsys, "--costs", "rare:common=10,common:rare=2")
    assert "Lowest cost: " in answer.out
    assert "cost per sample" in answer.out


def test_a_poor_model_is_called_poor_on_screen(here, capsys):
    rng = np.random.default_rng(2)
    rows = [f"{rng.normal():.4f},{'rare' if i % 9 == 0 else 'common'}" for i in range(180)]
    (here / "noise.csv").write_text("\n".join(["x,label", *rows]))
    answer = fit(capsys, file="noise.csv", method="svm_balanced")
    assert "This model is poor: its balanced accuracy" in answer.out
    assert answer.out.splitlines()[-1] == "Next   kpboost compare noise.csv --target label"
    assert "**This model is poor: " in (here / "m.card.md").read_text()


def test_a_good_model_is_not_called_poor(small_csv, here, capsys):
    assert "poor" not in fit(capsys).out
    assert "poor" not in (here / "m.card.md").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--recall", "0"), "--recall '0' is not allowed"),
        (("--recall", "0.9:odd"), "names no class"),
        (("--costs", "nothing.csv"), "neither a file nor TRUE:PREDICTED=COST"),
        (("--costs", "rare:common=2", "--alarms", "0.1"), "--costs and --alarms are given"),
    ],
)
def test_a_bad_operating_point_is_refused_before_training(
    small_csv, here, capsys, monkeypatch, words, sentence
):
    monkeypatch.setattr("kpboost.model_files._training.out_of_fold", None)
    answer = fit(capsys, *words)
    assert answer.code == 2
    assert is_one_sentence(answer.err)
    assert sentence in answer.err
    assert not (here / "m.skops").exists()
