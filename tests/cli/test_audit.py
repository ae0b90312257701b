import json

import pandas as pd
import pytest
import skops.io
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kpboost.auditing import audit as run_audit
from support.planted_data import planted

pytest.importorskip("typer")
from kpboost.cli._errors import run_app
from support.calls import KPBOOST, page_in


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a planted CSV file, and the command line started in it."""
    X, y, _ = planted()
    rows = [f"{a:.5f},{b:.5f},{label}" for (a, b), label in zip(X, y, strict=True)]
    (tmp_path / "d.csv").write_text("length,<b>width,kind\n" + "\n".join(rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    return run_app(KPBOOST, list(words))


def plain_svm(folder):
    """Save an SVM as it comes, which misses what is planted."""
    equal = {"common": 1.0, "rare": 1.0}  # so that there is no balanced copy of it
    skops.io.dump(make_pipeline(StandardScaler(), SVC(class_weight=equal)), folder / "p.skops")
    return "--model", "p.skops"


def test_an_audit_from_end_to_end(folder, capsys):
    words = ("--target", "kind", *plain_svm(folder), "--remedies", "svm_balanced,kpboost")
    assert run("audit", "d.csv", *words) == 0
    shown = capsys.readouterr()
    assert "One part of a class is missed." in shown.out
    assert "rare/" in shown.out
    assert "trying on new folds: KPBoost" in shown.err
    page = page_in(folder / "d-audit")
    assert "kpboost fit d.csv --target kind --method" in page
    assert "&lt;b&gt;width" in page


def test_json_is_one_document(folder, capsys):
    assert run("audit", "d.csv", *plain_svm(folder), "--remedies", "never", "--json",
               "--report", "here") == 0  # fmt: skip
    shown = capsys.readouterr()
    data = json.loads(shown.out)
    assert data["report"].endswith("index.html")
    assert data["verdict"]["headline"] == "One part of a class is missed."
    assert shown.err == ""


def test_a_saved_model_of_trees_is_audited(folder, capsys):
    assert (
        run("fit", "d.csv", "--method", "gradient_boosting", "--out", "t.skops", "--seed", "3") == 0
    )
    assert run("audit", "d.csv", "--model", "t.skops", "--remedies", "never") == 0
    page = page_in(folder / "d-audit")
    assert "--method gradient_boosting --out d.skops --seed 3" in page


def test_a_tuned_model_is_tuned_again(folder, capsys):
    assert run("fit", "d.csv", "--method", "svm", "--tune", "--out", "m.skops") == 0
    capsys.readouterr()
    assert run("audit", "d.csv", "--model", "m.skops", "--remedies", "never", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    (remark,) = (each for each in found["verdict"]["sentences"] if "m.skops" in each)
    assert "trained again with cross-validation" in remark
    assert "chosen again, from the paper's grid, in every fold" in remark
    assert found["models"][0]["title"] == "SVM, paper's grid"
    assert '"svm", tune=True' in found["snippet"]


def test_any_classifier_in_a_skops_file_is_audited(folder, capsys):
    X = pd.read_csv("d.csv")
    y = X.pop("kind")
    skops.io.dump(make_pipeline(StandardScaler(), SVC()).fit(X, y), "own.skops")
    words = ("--target", "kind", "--model", "own.skops", "--remedies", "never", "--json")
    assert run("audit", "d.csv", *words) == 0
    found = json.loads(capsys.readouterr().out)
    assert any("settings of own.skops" in each for each in found["verdict"]["sentences"])
    assert found["models"][0]["title"] == "SVC in a pipeline"
    table = X.to_numpy(), y.to_numpy()
    expected = run_audit(*table, make_pipeline(StandardScaler(), SVC()), remedies="never")
    assert found["models"][0]["gmean"] == pytest.approx(expected.models[0].gmean)
    assert "kpboost fit" not in (folder / "d-audit" / "index.html").read_text(encoding="utf-8")


def other_columns(X, y):
    return X.rename(columns={"length": "height"}), y


def other_classes(X, y):
    return X, y.replace("rare", "odd")


def fewer_columns(X, y):
    return X[["length"]], y


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (other_columns, "lacks the column 'height', which the model was trained on"),
        (other_classes, "'kind' has the label 'rare', which the model does not know"),
        (fewer_columns, "has the column '<b>width', which the model does not know"),
    ],
)
def test_data_that_do_not_fit_a_model_are_named(folder, capsys, change, sentence):
    X = pd.read_csv("d.csv")
    X, y = change(X.drop(columns="kind"), X["kind"])
    skops.io.dump(SVC().fit(X, y), "own.skops")
    assert run("audit", "d.csv", "--model", "own.skops") == 2
    assert sentence in capsys.readouterr().err


def test_what_is_no_classifier_is_refused(folder, capsys):
    skops.io.dump(StandardScaler(), "s.skops")
    assert run("audit", "d.csv", "--model", "s.skops") == 2
    assert "holds a StandardScaler; a classifier" in capsys.readouterr().err


def test_more_folds_than_rows_are_reduced_in_words(folder, capsys):
    rows = "".join(f"{i % 7},{'xxy'[i % 3]}\n" for i in range(12))
    (folder / "few.csv").write_text("a,b\n" + rows)
    assert run("audit", "few.csv", "--method", "svm", "--remedies", "never", "--folds", "1000") == 0
    assert "so there were 8 folds and not 1000." in " ".join(capsys.readouterr().out.split())


def test_a_page_of_somebody_else_is_not_overwritten(folder, capsys):
    (folder / "site").mkdir()
    (folder / "site" / "index.html").write_text("mine")
    assert run("audit", "d.csv", "--report", "site") == 2
    assert "not an audit's" in capsys.readouterr().err
    assert (folder / "site" / "index.html").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("audit", "nothing.csv"), "There is no file and no data set"),
        (("audit", "d.csv", "--target", "shape"), "no column 'shape'"),
        (("audit", "d.csv", "--target", "length"), "not a class"),
        (("audit", "d.csv", "--method", "magic"), "no method 'magic'"),
        (("audit", "d.csv", "--method", "svm", "--model", "m"), "cannot be used together"),
        (("audit", "d.csv", "--report", "d.csv"), "is a file"),
        (("audit", "d.csv", "--remedies", "hope"), "'hope'"),
        (("audit", "d.csv", "--folds", "1"), "--folds 1 is not allowed"),
        (("audit", "d.csv", "--model", "d.csv"), "is not a model file"),
        (("audit", "d.csv", "--model", "gone.skops"), "gone.skops"),
        (("audit", "d.csv", "--map", "globe"), "--map='globe' is not allowed; it must be 'pca'"),
        (("audit", "d.csv", "--seed", "-1"), "random_state=-1 is not allowed"),
    ],
)
def test_bad_input_is_one_sentence(folder, capsys, words, sentence):
    assert run(*words) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err.splitlines()[-1]
    assert "Traceback" not in shown.err


def svm_audit(folder, *words):
    return run("audit", "d.csv", *plain_svm(folder), "--remedies", "never", *words)


@pytest.fixture
def calm_baseline(folder):
    """An audit of the same data in which nothing was found."""
    assert svm_audit(folder, "--report", "first") == 0
    data = json.loads((folder / "first" / "audit.json").read_text())
    for each in data["disjuncts"]:
        each["missed"] = False
    for each in data["classes"]:
        each["status"] = "fine"
    (folder / "calm.json").write_text(json.dumps(data))
    return "--baseline", "calm.json"


def test_an_audit_is_compared_with_an_earlier_one(folder, capsys):
    assert svm_audit(folder) == 0
    capsys.readouterr()
    assert (
        svm_audit(folder, "--baseline", "d-audit", "--fail-on", "worse") == 0
    )  # its folder will do
    shown = " ".join(capsys.readouterr().out.split())
    assert "Findings since the baseline:" in shown
    assert "As before: rare/" in shown
    assert "matched by the rows" in shown
    page = (folder / "d-audit" / "index.html").read_text(encoding="utf-8")
    assert 'id="changes"' in page


def test_a_new_finding_has_an_exit_code_of_its_own(calm_baseline, folder, capsys):
    capsys.readouterr()
    assert svm_audit(folder, *calm_baseline) == 3
    shown = capsys.readouterr()
    assert "New: rare/" in " ".join(shown.out.split())
    assert shown.err.splitlines()[-1].startswith("kpboost: Findings since the baseline: ")
    assert svm_audit(folder, *calm_baseline, "--fail-on", "never") == 0
    capsys.readouterr()
    assert svm_audit(folder, *calm_baseline, "--fail-on", "worse", "--json") == 3
    changes = json.loads(capsys.readouterr().out)["changes"]
    assert {each["status"] for each in changes["findings"]} == {"new"}
    assert (folder / "d-audit" / "index.html").exists()  # the page is there all the same


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "b.json: This is not JSON"),
        (b"{", "b.json: This is not JSON"),
        (b"\xff\xfe\x00", "b.json: This is no text"),
        (b'{"a": 1}', "b.json: This is not an audit that kpboost saved."),
        (b'{"verdict": {}, "disjuncts": []}', "saved in format 1"),
        (b'{"format": 2, "verdict": {}, "disjuncts": []}', "This audit is broken: audit lacks"),
    ],
)
def test_a_baseline_that_is_none_is_refused_before_any_work(folder, capsys, content, sentence):
    (folder / "b.json").write_bytes(content)
    assert svm_audit(folder, "--baseline", "b.json") == 2
    shown = capsys.readouterr()
    assert sentence in shown.err.splitlines()[-1]
    assert not (folder / "d-audit").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--fail-on", "new"), "--fail-on needs --baseline"),
        (("--fail-on", "sometimes", "--baseline", "x"), "--fail-on='sometimes' is not allowed"),
        (("--baseline", "nowhere.json"), "--baseline nowhere.json: No such file"),
    ],
)
def test_options_of_the_comparison_are_checked(folder, capsys, words, sentence):
    assert svm_audit(folder, *words) == 2
    assert sentence in capsys.readouterr().err


HOSTILE_FILES = {
    "empty": b"",
    "binary": bytes(range(256)) * 20,
    "one_column": b"a\n1\n2\n",
    "one_class": b"a,b\n1,x\n2,x\n",
    "ragged": b"a,b\n1,x\n2\n",
    "header": b"a,b\n",
    "singles": b"a,b\n1,x\n2,y\n",
    "infinite": b"a,b\n" + b"inf,x\n1,y\n" * 10,
    "no_label": b"a,b\n" + b"1,\n2,\n" * 10,
    "nul": b"a,b\n1\x00,x\n2,y\n" * 5,
}


@pytest.mark.parametrize("name", HOSTILE_FILES)
def test_hostile_files_end_in_a_sentence(folder, capsys, name):
    (folder / f"{name}.csv").write_bytes(HOSTILE_FILES[name])
    code = run("audit", f"{name}.csv", "--method", "svm", "--remedies", "never")
    shown = capsys.readouterr()
    assert code in (0, 2)
    assert "Traceback" not in shown.err
    if code == 2:
        assert shown.err.splitlines()[-1].startswith("kpboost: ")


@pytest.mark.parametrize(
    "text",
    [
        "a,b,y\n" + "1,,x\n,2,y\n" * 12,  # every row has a gap
        "a,y\n" + "5,x\n5,y\n" * 12,  # contradictions only
        "a,b,y\n" + "".join(f"id{i},{i},{'xy'[i % 2]}\n" for i in range(40)),  # identifiers
        "a,y\n" + "".join(f"{i}e300,{'xy'[i % 2]}\n" for i in range(40)),  # enormous numbers
        "\ufeffa;y\n" + "1;é\n2;ü\n" * 12,  # a mark, semicolons, letters
    ],
)
def test_odd_files_are_audited(folder, capsys, text):
    (folder / "odd.csv").write_text(text, encoding="utf-8")
    assert run("audit", "odd.csv", "--method", "svm", "--remedies", "never") in (0, 2)
    assert "unexpected" not in capsys.readouterr().err
