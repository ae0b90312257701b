import ast
import json
import shlex
import subprocess
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.svm import SVC

from kpboost.auditing import audit
from kpboost.auditing._records import Remedies
from kpboost.cli.audit import NextSteps, balanced_costs, cost_words, quoted
from kpboost.datasets import ColumnChoices, load, read_dataset, read_table
from support.calls import call, page_in
from support.patience import HANG


def clinic():
    """Numbers, text with commas and gaps, truth values; three classes."""
    rng = np.random.default_rng(0)
    state = np.repeat(["well", "ill", "very ill"], [60, 25, 15])
    ward = rng.choice(["north", "east, upstairs", 'the "old" one'], size=100).astype(object)
    ward[::13] = None
    age = rng.normal(50, 8, size=100) + 15 * (state != "well")
    age[::9] = np.nan
    smokes = rng.random(100) < np.where(state == "well", 0.2, 0.8)
    return pd.DataFrame({"age": age, "ward": ward, "smokes": smokes, "state": state})


def numbers():
    return clinic()[["age", "state"]].dropna()


FILES = {
    "numbers": numbers,
    "text and gaps": clinic,
    "class first": lambda: clinic()[["state", "ward", "age"]],
    "whole numbers as labels": lambda: clinic().assign(state=lambda f: (f.state == "ill") + 0),
    "truth values as labels": lambda: clinic().assign(state=lambda f: f.state == "ill"),
    "a class of one row": lambda: clinic().assign(state=lambda f: f.state.where(f.index > 0, "?!")),
    "gaps only": lambda: clinic().assign(age=np.nan),
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("method", ["svm_balanced"])
def test_the_python_and_the_command_of_a_page_train_the_same_model(here, capsys, kind, method):
    name = "my data's.csv"
    FILES[kind]().to_csv(name, index=False)
    found = audited(capsys, name, "--target", "state", "--method", method, "--seed", "2")
    names = {}
    exec(found["snippet"], names)
    assert [str(each) for each in names["model"].predict(read_table(name)).tolist()] == by_command(
        capsys, found["command"], name
    )


def audited(capsys, *words):
    """What an audit without remedies leaves: its record, with the command of its page."""
    answer = call(capsys, "audit", *words, "--remedies", "never", "--json", "--report", "r")
    assert answer.code == 0, answer.err
    found = json.loads(answer.out)
    line = page_in("r").partition("<code>kpboost fit ")[2].partition("</code>")[0]
    return found | {"command": "fit " + unescape(line)}


def by_command(capsys, command, data):
    """Predictions of the model that the command trains."""
    words = shlex.split(command)
    assert call(capsys, *words).code == 0
    model = words[words.index("--out") + 1]
    assert call(capsys, "predict", model, data, "--out", "p.csv").code == 0
    return pd.read_csv("p.csv", dtype=str)["prediction"].tolist()


def test_the_python_is_a_program_of_its_own(here, capsys):
    clinic().to_csv("d.csv", index=False)
    # one whose grid is the same in another process
    found = audited(capsys, "d.csv", "--method", "c45_ib1")
    program = found["snippet"] + 'print(*model.predict(model.read("d.csv")), sep="\\n")\n'
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=HANG, check=True
    )
    assert done.stdout.splitlines() == by_command(capsys, found["command"], "d.csv")


def test_a_tuned_model_stays_tuned(here, capsys):
    numbers().to_csv("d.csv", index=False)
    words = ("fit", "d.csv", "--method", "svm", "--tune", "--seed", "4", "--out", "m.skops")
    assert call(capsys, *words).code == 0
    found = audited(capsys, "d.csv", "--model", "m.skops")
    expected = 'train(read_dataset("d.csv", target="state"), "svm", tune=True, random_state=4)'
    assert expected in found["snippet"]
    assert found["command"].endswith("--tune --seed 4")


def test_a_known_data_set_is_loaded_by_name(here, capsys):
    found = audited(capsys, "planted-two", "--method", "svm")
    names = {}
    exec(found["snippet"], names)
    assert 'load("planted-two")' in found["snippet"]
    assert names["model"].method == "svm"


@pytest.fixture(scope="module")
def an_audit():
    data = load("planted-two")
    return audit(data.X, data.y, SVC(), remedies="never")


def recommending(found, name):
    return replace(found, remedies=Remedies(found.models[0], (), (), {}, name, ""))


def test_a_recommended_recipe_comes_before_the_audited_model(an_audit):
    data = load("planted-two")
    steps = NextSteps("d.csv", data, 7, tune=True, model_seed=3)
    found = recommending(an_audit, "kpboost")
    assert '"kpboost", random_state=7)' in steps.python(found, found.remedies.recommended)
    assert steps.command(found).endswith("--method kpboost --out planted-two.skops --seed 7")


def test_ones_own_model_with_weights_is_trained_from_its_file(here, an_audit):
    clinic().fillna({"age": 50.0}).drop(columns="ward").to_csv("d.csv", index=False)
    data = read_dataset("d.csv", target="state")
    skops.io.dump(SVC(C=3.0), "own.skops")
    steps = NextSteps("d.csv", data, model=Path("own.skops"), weights="class_weight")
    found = recommending(an_audit, "own_balanced")
    names = {}
    exec(steps.python(found, found.remedies.recommended), names)
    frame = clinic().fillna({"age": 50.0})
    expected = SVC(C=3.0, class_weight="balanced").fit(
        frame[["age", "smokes"]].astype(float), frame["state"]
    )
    X, _ = names["rows_for"](names["model"], data)
    np.testing.assert_array_equal(
        names["model"].predict(X), expected.predict(frame[["age", "smokes"]].astype(float))
    )
    assert steps.command(found) == ""


def test_without_anything_better_ones_own_model_is_kept(an_audit):
    steps = NextSteps("d.csv", load("planted-two"), model=Path("own.skops"))
    assert steps.python(an_audit, "") == "# Keep the model of own.skops.\n"
    assert steps.command(an_audit) == ""


def test_a_moved_threshold_of_a_method_is_one_by_costs(here, an_audit, capsys):
    two = clinic().replace({"state": {"very ill": "ill"}})
    two.to_csv("d.csv", index=False)
    data = read_dataset("d.csv", target="state")
    svm = (replace(an_audit.models[0], name="svm"),)
    found = recommending(replace(an_audit, models=svm), "threshold")
    steps = NextSteps("d.csv", data, choices=ColumnChoices())
    names = {}
    exec(steps.python(found, "threshold"), names)
    assert names["model"].predict(read_table("d.csv")).tolist() == by_command(
        capsys, steps.command(found).removeprefix("kpboost "), "d.csv"
    )
    assert "--costs ill:well=1.5,well:ill=1 " in steps.command(found) + " "


def test_a_moved_threshold_of_ones_own_model_is_built_from_its_file(here, an_audit):
    clinic().fillna({"age": 50.0}).drop(columns="ward").to_csv("d.csv", index=False)
    data = read_dataset("d.csv", target="state")
    skops.io.dump(SVC(C=3.0), "own.skops")
    steps = NextSteps("d.csv", data, model=Path("own.skops"))
    found = recommending(an_audit, "threshold")
    names = {}
    exec(steps.python(found, "threshold"), names)
    assert names["moved"].estimator_.C == 3.0
    assert steps.command(found) == ""


def test_there_is_no_command_for_costs_that_it_cannot_tell():
    assert cost_words(balanced_costs(["a", "b", "b", "a", "b", "b"])) == "a:b=2,b:a=1"
    assert cost_words(balanced_costs(["a,c", "b", "b", "a,c"])) == ""
    assert cost_words(balanced_costs(list("aabbcc"))) == ""
    assert balanced_costs(["a", "b", "b", "a", "once"]) == {("a", "b"): 1.0, ("b", "a"): 1.0}


@pytest.mark.parametrize("text", ["a b", "it's", 'the "old"', "C:\\new\\table", "é\n\t\x7f\u2028"])
def test_quoted_text_is_read_back_by_python(text):
    assert ast.literal_eval(quoted(text)) == text
