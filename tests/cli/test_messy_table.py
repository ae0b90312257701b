"""A table as people have them, through every command that reads one."""

import csv
import html
import json
import shlex
import uuid
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from kpboost.cli._options import choice_words, column_choices, names_in
from kpboost.cli.compare import next_for
from kpboost.datasets import ColumnChoices
from kpboost.experiments import ExperimentSpec
from kpboost.model_files import load_model
from support.calls import call, do, is_one_sentence, page_in

N = 120
IDENTIFIERS = "Left out as identifiers: 'customer' (running numbers from "
LEAK = "Possible leak: column 'closed' alone predicts the class"
QUICK = ("--method", "svm_balanced")


def messy(n_rows=N, seed=0):
    """Identifiers, dates, decimal commas, gaps, a leak; sorted by class."""
    rng = np.random.default_rng(seed)
    lost = rng.random(n_rows) < 0.25
    days = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 400, n_rows), "D")
    frame = pd.DataFrame(
        {
            "customer": 100 + rng.permutation(2 * n_rows)[:n_rows],
            "token": [str(uuid.UUID(bytes=rng.bytes(16))) for _ in range(n_rows)],
            "signup": [day.strftime("%d.%m.%Y") for day in days],
            "price": [f"{x:.2f}".replace(".", ",") for x in rng.normal(50 + 15 * lost, 5)],
            "age": rng.integers(18, 90, n_rows),
            "active": rng.random(n_rows) < 0.5,
            "closed": np.where(lost, "Yes", "no"),
            "churn": np.where(lost, "lost", "stays"),
        }
    )
    frame.loc[::9, "price"] = ""
    return frame.sort_values("churn", kind="stable")


@pytest.fixture
def table(here):
    frame = messy()
    frame.to_csv(here / "m.csv", sep=";", index=False)
    return frame


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    messy().to_csv(folder / "m.csv", sep=";", index=False)
    do("fit", folder / "m.csv", *QUICK, "--drop", "closed", "--out", folder / "m.skops")
    return folder


@pytest.fixture
def model(table, here, trained):
    copytree(trained, here, dirs_exist_ok=True)
    return table


def written():
    with open("p.csv", encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


def test_fit_says_what_it_has_seen(table, capsys):
    answer = call(capsys, "fit", "m.csv", *QUICK, "--out", "m.skops")
    lines = answer.out.splitlines()
    card = Path("m.card.md").read_text(encoding="utf-8")
    for start in (LEAK, IDENTIFIERS, "Read as dates: 'signup'", "Read as numbers: 'price'"):
        assert sum(line.startswith(start) for line in lines) == 1
        assert f"- {start}" in card
    names = load_model("m.skops").features.names
    assert names == (
        *("signup (days)", "signup (weekday)", "signup (month)"),
        *("price", "age", "active", "closed"),
    )


CLASS = "Class: 'churn', the last column. --target NAME takes another."


def test_a_class_that_nobody_has_named_is_told(table, capsys):
    audit = ("audit", "m.csv", "--remedies", "never", *QUICK)
    assert call(capsys, *audit).err.splitlines()[0] == CLASS  # before the work, which is long
    assert CLASS not in call(capsys, *audit, "--target", "churn").err
    for words in (("disjuncts", "m.csv"), ("fit", "m.csv", *QUICK, "--out", "m.skops")):
        assert call(capsys, *words).out.splitlines()[0] == CLASS
        assert CLASS not in call(capsys, *words, "--target", "churn").out
    assert CLASS in call(capsys, "compare", "m.csv", "--dry-run").out
    table.to_csv("n.csv", sep=";", index=False)
    several = call(capsys, "compare", "m.csv", "n.csv", "--dry-run").out
    assert "Classes: the last column of each file. --target NAME takes another." in several
    assert "last column" not in call(capsys, "disjuncts", "planted-two").out


def test_classes_that_differ_in_their_spelling_only_are_named(table, capsys):
    table["churn"] = np.where(np.arange(N) % 3 == 0, table["churn"].str.upper(), table["churn"])
    table.to_csv("m.csv", sep=";", index=False)
    note = "and taken for different classes: 'LOST', 'lost'; 'STAYS', 'stays'."
    for words in (("disjuncts", "m.csv"), ("compare", "m.csv", "--dry-run")):
        assert note in call(capsys, *words, "--target", "churn").out
    assert note in call(capsys, "audit", "m.csv", "--remedies", "never", *QUICK).err


def test_columns_that_do_not_vary_are_named_by_all_commands(table, capsys):
    columns = [*table.columns]
    table.assign(country="NL", empty="")[["country", "empty", *columns]].to_csv(
        "m.csv", sep=";", index=False
    )
    note = (
        "The same in every row that was read: 'country', 'empty'. Nothing can be learnt from that; "
        "it stays a feature unless --drop NAME (drop=...) leaves it out."
    )
    fitted = call(capsys, "fit", "m.csv", *QUICK, "--out", "m.skops").out
    planned = call(capsys, "compare", "m.csv", "--dry-run").out
    call(capsys, "audit", "m.csv", "--remedies", "never", *QUICK)
    assert fitted.count(note) == planned.count(note) == 1
    assert note in json.loads(Path("m-audit/audit.json").read_text())["verdict"]["sentences"]
    assert load_model("m.skops").features.names[:2] == ("country", "empty")
    table.to_csv("n.csv", sep=";", index=False)
    several = call(capsys, "compare", "m.csv", "n.csv", "--dry-run").out
    assert several.count(f"m: {note}") == several.count(note) == 1
    dropped = call(capsys, "compare", "m.csv", "--dry-run", "--drop", "country,empty").out
    assert "The same in every row" not in dropped


def test_free_text_goes_through_all_commands(table, capsys):
    """New rows have new texts; they are neither features nor carried along."""
    notes = [f"customer {i} called twice about the bill" for i in range(N)]
    table.assign(note=notes)[["note", *table.columns]].to_csv("m.csv", sep=";", index=False)
    answer = call(capsys, "fit", "m.csv", *QUICK, "--drop", "closed", "--out", "m.skops")
    assert "Left out as free text: 'note' (120 different texts, about 7 words each)." in answer.out
    new = table.assign(note=[f"{note} and again" for note in notes])
    new.to_csv("new.csv", sep=";", index=False)
    assert call(capsys, "predict", "m.skops", "new.csv", "--out", "p.csv").code == 0
    assert written()[0] == ["customer", "token", "prediction"]
    own = call(capsys, "audit", "new.csv", "--model", "m.skops", "--remedies", "never")
    assert own.code == 0


def test_what_was_seen_is_in_the_json(table, capsys):
    answer = call(capsys, "fit", "m.csv", *QUICK, "--out", "m.skops", "--json")
    assert [note.split(":")[0] for note in json.loads(answer.out)["notes"]] == [
        *("Possible leak", "Left out as identifiers", "Read as dates", "Read as numbers"),
    ]


def test_an_audit_with_leaks_goes_on_without_them(table, capsys):
    table["closed on"] = np.where(table["churn"] == "lost", "03.05.2024", "07.08.2021")
    table.to_csv("m.csv", sep=";", index=False)
    words = ("--keep", "closed", "--remedies", "never", "--seed", "1", *QUICK)
    answer = call(capsys, "audit", "m.csv", "--target", "churn", *words)
    (step,) = (line for line in answer.out.splitlines() if line.startswith("Next"))
    assert step.split(maxsplit=1)[1] == (
        "kpboost audit m.csv --target churn --drop 'closed,closed on' --method svm_balanced "
        "--seed 1"
    )
    assert "kpboost fit" not in answer.out + Path("m-audit/index.html").read_text(encoding="utf-8")
    snippet = json.loads(Path("m-audit/audit.json").read_text(encoding="utf-8"))["snippet"]
    assert 'drop=["closed", "closed on"]' in snippet
    again = call(capsys, *shlex.split(step)[2:], "--remedies", "never")
    assert again.code == 0
    assert "Possible leak" not in again.out
    assert "Next    kpboost fit m.csv --target churn --drop 'closed,closed on' " in again.out


def test_new_rows_get_an_answer_beside_their_identifiers(model, capsys):
    new = messy(30, seed=1)
    new.drop(columns=["churn", "closed"]).to_csv("new.csv", sep=";", index=False)
    assert call(capsys, "predict", "m.skops", "new.csv", "--out", "p.csv").code == 0
    header, *rows = written()
    assert header == ["customer", "token", "prediction"]
    assert [row[0] for row in rows] == [str(number) for number in new["customer"]]
    assert [row[1] for row in rows] == new["token"].tolist()
    right = np.mean([row[2] for row in rows] == new["churn"].to_numpy())
    assert right > 0.8


def test_identifiers_are_written_as_they_were_and_may_be_missing(model, capsys):
    new = messy(4, seed=1)
    new["customer"] = ["007", "12345678901234567890", "", "=A1"]
    new.drop(columns=["churn", "token"]).to_csv("new.csv", sep=";", index=False)
    answer = call(capsys, "predict", "m.skops", "new.csv", "--out", "p.csv")
    assert answer.err == (
        "Note: One cell begins like a formula and got an apostrophe in front; --raw writes text "
        "unchanged.\n"
    )
    assert [row[0] for row in written()] == ["customer", "007", "12345678901234567890", "", "'=A1"]
    assert call(capsys, "predict", "m.skops", "new.csv", "--out", "p.csv", "--raw").err == ""
    assert written()[4][0] == "=A1"


def test_few_rows_are_read_as_the_training_rows_were(model, capsys):
    """Alone, 01.02.2023 is clear, but 1.234 would be a number and 12/11/2023 anything."""
    new = messy(2, seed=1)
    new["price"] = ["50", "65"]
    new.to_csv("new.csv", sep=";", index=False)
    assert call(capsys, "predict", "m.skops", "new.csv", "--out", "p.csv").code == 0
    new["signup"] = ["13/01/2023", "14/01/2023"]
    new.to_csv("new.csv", sep=";", index=False)
    answer = call(capsys, "predict", "m.skops", "new.csv", "--out", "p.csv")
    assert is_one_sentence(answer.err)
    assert "'signup' holds '13/01/2023', which is not a date written d.m.Y." in answer.err


def test_a_column_that_dates_were_made_of_is_named_if_it_is_missing(model, capsys):
    messy(3).drop(columns=["signup", "price"]).to_csv("new.csv", sep=";", index=False)
    answer = call(capsys, "predict", "m.skops", "new.csv", "--out", "p.csv")
    assert "lacks the columns 'signup', 'price', which the training data had" in answer.err


def test_an_earlier_file_of_such_predictions_is_replaced_and_no_other(model, here, capsys):
    words = ("predict", "m.skops", "m.csv", "--out", "p.csv")
    assert call(capsys, *words).code == 0
    assert call(capsys, *words).code == 0
    for first in ("customer,age,prediction", "prediction,customer", "a,prediction", "", "a\rb"):
        (here / "p.csv").write_text(first + "\nprecious\n")
        assert call(capsys, *words).code == 2, first


def test_disjuncts_say_it_too(table, capsys):
    answer = call(capsys, "disjuncts", "m.csv", "--labels", "l.csv")
    assert IDENTIFIERS in answer.out
    assert pd.read_csv("l.csv").columns.tolist() == ["row", "churn", "disjunct", "size"]


def test_labels_of_disjuncts_are_guarded_too(table, capsys):
    table.assign(churn=table["churn"].replace("lost", "@lost")).to_csv("f.csv", index=False)
    call(capsys, "disjuncts", "f.csv", "--labels", "l.csv")
    assert {*pd.read_csv("l.csv")["churn"]} == {"'@lost", "stays"}
    call(capsys, "disjuncts", "f.csv", "--labels", "l.csv", "--raw")
    assert {*pd.read_csv("l.csv")["churn"]} == {"@lost", "stays"}


def test_compare_says_it_too(table, capsys):
    answer = call(capsys, "compare", "m.csv", "-m", "svm", "--dry-run")
    assert LEAK in answer.out
    assert IDENTIFIERS in answer.out
    answer = call(capsys, "compare", "m.csv", "planted-two", "-m", "svm", "--dry-run", "--json")
    assert json.loads(answer.out)["notes"][0].startswith(f"m: {LEAK}")


def test_the_next_step_after_a_comparison_reads_the_same_columns(table):
    spec = ExperimentSpec(["m.csv"], ["svm"], target="churn", drop=["closed", "a b"])
    assert next_for("m.csv", spec, SimpleNamespace(best_method="svm")).startswith(
        "kpboost fit m.csv --target churn --drop 'closed,a b' --method svm --out model.skops"
    )


def test_audit_says_it_too(table, capsys):
    words = ("audit", "m.csv", "--method", "svm", "--remedies", "never", "--keep", "customer")
    answer = call(capsys, *words)
    assert answer.code == 0
    page = page_in("m-audit")
    record = json.loads(Path("m-audit/audit.json").read_text(encoding="utf-8"))
    assert [each["name"] for each in record["data"]["roles"]] == [
        *("customer", "token", "signup", "price"),
    ]
    assert [each["column"] for each in record["data"]["leaks"]] == ["closed"]
    assert LEAK in html.unescape(page)
    assert "m.csv --target churn --drop closed --keep customer --method svm" in answer.out
    reading = 'read_dataset("m.csv", target="churn", drop=["closed"], keep=["customer"])'
    assert reading in html.unescape(page)


def test_a_saved_model_is_audited_on_its_own_columns(model, capsys):
    words = ("audit", "m.csv", "--model", "m.skops", "--remedies", "never")
    answer = call(capsys, *words)
    assert answer.code == 0
    assert "Dropped, as asked: 'closed'" in answer.out
    assert "--drop closed --method" in page_in("m-audit")
    assert "leave them out" in call(capsys, *words, "--drop", "age").err


def test_a_strangers_model_gets_every_column(table, capsys):
    import skops.io
    from sklearn.compose import make_column_transformer
    from sklearn.dummy import DummyClassifier
    from sklearn.pipeline import make_pipeline

    chosen = make_column_transformer(("passthrough", ["customer", "age"]))
    theirs = make_pipeline(chosen, DummyClassifier()).fit(
        table.drop(columns="churn"), table["churn"]
    )
    skops.io.dump(theirs, "t.skops")
    answer = call(
        capsys, "audit", "m.csv", "--model", "t.skops", "--remedies", "never",
        "--trust", "sklearn.compose._column_transformer._RemainderColsList",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert "Left out as identifiers: 'customer'" in answer.out.replace("\n", " ")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--drop", "closd"), "m.csv: there is no feature column 'closd'; did you mean 'closed'?"),
        (("--id", "churn"), "'churn' is the class; it cannot be dropped"),
        (("--keep", "age", "--drop", "age"), "'age' is named twice"),
        (("--target", "age"), "'age' "),
        (("--drop", "signup,price,age,active,closed"), "no feature is left. Left out as"),
    ],
)
def test_choices_that_cannot_be_are_refused(table, capsys, words, sentence):
    for command in (("fit", "--out", "m.skops"), ("disjuncts",), ("audit",), ("compare",)):
        answer = call(capsys, command[0], "m.csv", *command[1:], *words)
        assert answer.code == 2
        assert answer.err.count("\n") == 1
        assert sentence in answer.err


def test_known_sets_are_taken_as_they_are(here, capsys):
    answer = call(capsys, "disjuncts", "planted-two", "--drop", "x0")
    assert answer.code == 2
    assert "'planted-two' is a known data set, which is taken as it is" in answer.err


def test_a_class_of_many_numbers_can_be_meant(table, capsys):
    frame = pd.DataFrame({"a": np.arange(240) % 7 + 0.5, "number": np.repeat(np.arange(60), 4)})
    frame.to_csv("n.csv", index=False)
    answer = call(capsys, "disjuncts", "n.csv")
    assert is_one_sentence(answer.err)
    assert "the class 'number' holds 60 different numbers: an amount rather than" in answer.err
    assert call(capsys, "disjuncts", "n.csv", "--many-classes").code == 0
    frame[frame["number"] < 50].to_csv("n.csv", index=False)
    assert call(capsys, "disjuncts", "n.csv").code == 0


def test_names_in_options():
    assert names_in("--drop", None) == ()
    assert names_in("--drop", ["a,b", " c ", ""]) == ("a", "b", "c")
    assert names_in("--drop", ['"a,b",c', '"two\nlines"']) == ("a,b", "c", "two\nlines")
    choices = ColumnChoices(["a", "b,c"], ["d"], ["e"], many_classes=True)
    words = iter(choice_words(choices))
    back = {word: next(words, None) for word in words if word != "--many-classes"}
    given = [[back[option]] for option in ("--drop", "--id", "--keep")]
    assert column_choices(*given, many=True) == choices
    assert column_choices(["a"], None, ["all"]) == ColumnChoices(drop=["a"], keep="all")


@pytest.mark.parametrize("given", [["a\nb"], ["a\rb"], ['"a', 'b"'], ['"a"b']])
def test_an_option_that_is_no_list_of_names_is_refused(table, capsys, given):
    words = [word for each in given for word in ("--drop", each)]
    answer = call(capsys, "disjuncts", "m.csv", *words)
    assert answer.code == 2
    assert is_one_sentence(answer.err)
    assert f"--drop {given[0]!r} is no list of names" in answer.err


def test_the_notes_of_a_plan_are_one_line_each(table, capsys):
    answer = call(capsys, "compare", "m.csv", "-m", "svm", "--dry-run")
    (line,) = (line for line in answer.out.splitlines() if line.startswith("Possible leak"))
    assert line.endswith("is it known before the class is?")


def test_an_identifier_called_prediction_stays_in_the_file_of_predictions(table, capsys):
    renamed = table.rename(columns={"customer": "prediction", "token": "to\nken"})
    renamed.to_csv("m.csv", sep=";", index=False)
    assert call(capsys, "fit", "m.csv", *QUICK, "--out", "m.skops").code == 0
    for _ in range(2):  # the second time, the file is replaced
        assert call(capsys, "predict", "m.skops", "m.csv", "--out", "p.csv").code == 0
    header, *rows = written()
    assert header == ["prediction", "to\nken", "prediction_2"]
    assert [row[0] for row in rows] == [str(number) for number in renamed["prediction"]]
    assert {row[2] for row in rows} == {"lost", "stays"}


def test_keep_all_and_many_classes_are_remembered_by_a_model(table, capsys):
    words = (*QUICK, "--keep", "all", "--many-classes")
    assert call(capsys, "fit", "m.csv", *words, "--out", "m.skops").code == 0
    answer = call(capsys, "audit", "m.csv", "--model", "m.skops", "--remedies", "never")
    assert answer.code == 0
    assert "m.csv --target churn --drop closed --keep all --many-classes --method" in answer.out
    page = html.unescape(Path("m-audit/index.html").read_text(encoding="utf-8"))
    assert 'target="churn", drop=["closed"], keep="all", many_classes=True)' in page
