import json

import numpy as np
import pytest

from planted_data import planted

pytest.importorskip("typer")
from kpboost.cli.commands import app
from kpboost.cli.errors import run_app


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a planted CSV file, and the command line started in it."""
    X, y, _ = planted()
    rows = [f"{a:.5f},{b:.5f},{label}" for (a, b), label in zip(X, y, strict=True)]
    (tmp_path / "d.csv").write_text("length,<b>width,kind\n" + "\n".join(rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    return run_app(app, list(words))


def test_an_audit_from_end_to_end(folder, capsys):
    words = ("--target", "kind", "--method", "svm", "--remedies", "svm_balanced,kpboost")
    assert run("audit", "d.csv", *words) == 0
    shown = capsys.readouterr()
    assert "One sub-concept is missed." in shown.out
    assert "rare/" in shown.out
    assert "trying on new folds: KPBoost" in shown.err
    page = (folder / "d-audit" / "index.html").read_text(encoding="utf-8")
    assert "kpboost fit d.csv --target kind --method" in page
    assert "&lt;b&gt;width" in page


def test_json_is_one_document(folder, capsys):
    assert run("audit", "d.csv", "--method", "svm", "--remedies", "never", "--json",
               "--report", "here") == 0  # fmt: skip
    shown = capsys.readouterr()
    data = json.loads(shown.out)
    assert data["report"].endswith("index.html")
    assert data["verdict"]["headline"] == "One sub-concept is missed."
    assert shown.err == ""


def test_fit_then_predict_then_audit_the_saved_model(folder, capsys):
    assert run("fit", "d.csv", "--target", "kind", "--method", "svm_balanced",
               "--out", "m.skops") == 0  # fmt: skip
    assert "Recall of rare" in capsys.readouterr().out
    assert "svm" in (folder / "m.md").read_text().lower()
    assert run("predict", "m.skops", "d.csv", "--out", "p.csv") == 0
    lines = (folder / "p.csv").read_text().splitlines()
    truth = [line.split(",")[-1] for line in (folder / "d.csv").read_text().splitlines()[1:]]
    assert lines[0] == "prediction"
    assert np.mean(np.array(lines[1:]) == np.array(truth)) > 0.8
    assert run("audit", "d.csv", "--model", "m.skops", "--remedies", "never") == 0


def test_a_saved_model_of_trees_is_audited_if_trusted(folder, capsys):
    assert run("fit", "d.csv", "--method", "hgb", "--out", "t.skops") == 0
    words = ("audit", "d.csv", "--model", "t.skops", "--remedies", "never", "--seed", "3")
    assert run(*words) == 2
    assert "--trust" in capsys.readouterr().err
    tree = "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor"
    assert run(*words, "--trust", tree) == 0
    page = (folder / "d-audit" / "index.html").read_text(encoding="utf-8")
    assert "--method hgb --out d.skops --seed 3" in page


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("audit", "nothing.csv"), "There is no data set and no file"),
        (("audit", "d.csv", "--target", "shape"), "no column 'shape'"),
        (("audit", "d.csv", "--target", "length"), "no class"),
        (("audit", "d.csv", "--method", "magic"), "'magic' is not known"),
        (("audit", "d.csv", "--method", "svm", "--model", "m"), "exclude each other"),
        (("audit", "d.csv", "--report", "d.csv"), "is a file"),
        (("audit", "d.csv", "--remedies", "hope"), "'hope'"),
        (("audit", "d.csv", "--folds", "1"), "cv=1"),
        (("audit", "d.csv", "--map", "globe"), "'pca' or 'umap'"),
        (("fit", "d.csv", "--out", "m.pickle"), "must end in .skops"),
        (("fit", "d.csv", "--out", "no/m.skops"), "folder that exists"),
        (("fit", "d.csv", "--out", "m.skops", "--method", "magic"), "'magic' is not known"),
        (("predict", "d.csv", "d.csv", "--out", "p.csv"), "is not a model file"),
        (("predict", "m.skops", "d.csv", "--out", "./d.csv"), "is a file that is read"),
        (("predict", "gone.skops", "d.csv", "--out", "p.csv"), "gone.skops"),
    ],
)
def test_bad_input_is_one_sentence(folder, capsys, words, sentence):
    assert run(*words) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err.splitlines()[-1]
    assert "Traceback" not in shown.err


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
