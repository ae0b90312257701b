"""What a type checker tells somebody who uses the package: returns, attributes, wrong calls."""

import re
import subprocess
import sys

import pytest
from sklearn.base import BaseEstimator

import kpboost
from kpboost.methods import MethodClassifier
from support.patience import HANG

pytest.importorskip("mypy")

# Every line that ends in a comment is an expression, and the comment is its type.
PROGRAM = """
import numpy as np
import kpboost
from kpboost.datasets import make_disjuncts, read_dataset
from kpboost.experiments import ExperimentSpec, outcomes, run
from kpboost.methods import METHODS, MethodClassifier
from kpboost.model_files import load_estimator, load_model, save_model, train
from kpboost.model_selection import RareClassKFold, choose_operating_point
from kpboost.reports import read_comparison

X, y = np.zeros((4, 2)), np.array([0, 1, 0, 1])
model = kpboost.KPBoostSVC(C=1.0, roi_scale=0.5).fit(X, y, sample_weight=np.ones(4))
model  # KPBoostSVC
model.predict(X)  # ndarray[Any]
model.decision_function(X)  # ndarray[float64]
next(iter(model.staged_predict(X)))  # ndarray[Any]
model.score(X, y)  # float
model.set_params(C=2.0)  # KPBoostSVC
model.classes_  # ndarray[Any]
model.n_features_in_  # int
model.gamma_  # float
model.support_  # ndarray[intp]
model.estimator_weights_  # ndarray[float64]
model.selected_rounds_  # ndarray[bool]
rare = kpboost.RareClassClassifier().fit(X, y)
rare.predict_proba(X)  # ndarray[float64]
rare.score(X, y)  # float
kpboost.C45Classifier().fit(X, y).predict(X)  # ndarray[Any]
kpboost.NystroemKPBoostSVC().fit(X, y).decision_function(X)  # ndarray[float64]
MethodClassifier("svm").fit(X, y).best_params_  # dict
METHODS["svm"].title  # str

search = kpboost.KPBoostSVCCV(Cs=[1.0, 10.0]).fit(X, y)
search.best_params_  # dict
search.best_score_  # float
search.best_index_  # int
search.best_estimator_  # KPBoostSVC
search.cv_results_  # dict
search.C_  # float
kpboost.NystroemKPBoostSVCCV().fit(X, y).best_estimator_  # NystroemKPBoostSVC
kpboost.AsymmetricKernelScalingSVCCV().fit(X, y).best_estimator_  # AsymmetricKernelScalingSVC

chosen = kpboost.OperatingPointClassifier(rare, recall=0.9).fit(X, y)
chosen.operating_point_.threshold  # float | None
chosen.operating_point_.recall.low  # float
chosen.predict(X)  # ndarray[Any]
chosen.predict_proba(X)  # ndarray[float64]
choose_operating_point(y, X[:, 0]).predict(X[:, 0])  # ndarray[Any]

finder = kpboost.DisjunctFinder().fit(X, y)
finder.fit_predict(X, y)  # ndarray[intp]
finder.labels_  # ndarray[intp]
finder.n_disjuncts_  # int
finder.disjunct_sizes_  # ndarray[intp]
finder.classes_  # ndarray[Any]
frame = kpboost.DisjunctFrame(y, y, disjuncts=finder.labels_)
frame.worst.recall  # float
frame.to_html()  # str
kpboost.gsdi_score(y, y, disjuncts=finder.labels_)  # float
kpboost.geometric_mean_score(y, y)  # float
kpboost.class_recalls(y, y)  # ndarray[float64]

found = kpboost.audit(X, y, rare)
found  # Audit
found.verdict.headline  # str
found.missed[0].recall  # float
found.to_json()  # str
kpboost.Audit.from_json(found.to_json())  # Audit
found.compare(found).is_worse  # bool

data = read_dataset("rows.csv", target="class")
data.X  # ndarray[float64]
data.y  # ndarray[str_]
saved = train(data, "svm", recall=0.8)
save_model(saved, "model.skops")
load_model("model.skops")  # SavedModel
saved.predict(data.table)  # ndarray[Any]
saved.predict_proba(data.table)  # ndarray[float64]
saved.with_operating_point(alarms=0.1)  # SavedModel
points, labels, parts = make_disjuncts([(30, 5), (20,)])
points  # ndarray[float64]

run(ExperimentSpec(("rows.csv",), ("svm", "kpboost")), "results.db").done  # int
outcomes("results.db")[0].scores["gmean"]  # float
read_comparison("results.db").best_method  # str | None
for rows, _ in RareClassKFold(n_splits=2).split(X, y):
    rows  # ndarray[intp]
kpboost.__version__  # str
"""

# Every line that begins with a call is wrong.
MISTAKES = """
import numpy as np

import kpboost
from kpboost.model_selection import choose_operating_point

X, y = np.zeros((4, 2)), np.array([0, 1, 0, 1])
model = kpboost.KPBoostSVC()
kpboost.KPBoostSVC(c=1.0)
kpboost.KPBoostSVC(n_estimators="many")
model.fit(X)
model.fit(X, y).clases_
model.score(X, y).shape
kpboost.DisjunctFinder().fit(X, y).n_disjuncts_ + "parts"
kpboost.DisjunctFrame(y, y)
kpboost.audit(X, y).missed.recall
choose_operating_point(y, X[:, 0], rule=3)
kpboost.KernelSVM
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What mypy says about each line of three files, by file and line."""
    folder = tmp_path_factory.mktemp("user")
    (folder / "program.py").write_text(revealing(PROGRAM))
    (folder / "mistakes.py").write_text(MISTAKES)
    (folder / "attributes.py").write_text(ATTRIBUTES)
    (folder / "mypy.ini").write_text("[mypy]\n[mypy-sklearn.*]\nignore_missing_imports = True\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-pretty", "--cache-dir", "cache"]
    files = ["program.py", "mistakes.py", "attributes.py"]
    said = subprocess.run(
        [*command, *files], cwd=folder, capture_output=True, text=True, timeout=HANG
    )
    assert said.stdout, said.stderr
    lines = (re.match(r"(\w+)\.py:(\d+): (.*)", line) for line in said.stdout.splitlines())
    found = {}
    for match in filter(None, lines):
        found.setdefault((match[1], int(match[2])), []).append(match[3])
    return found


def revealing(program):
    return re.sub(r"^( *)(.+)  # .+$", r"\1reveal_type(\2)", program, flags=re.MULTILINE)


def short(said):
    """Return a revealed type without modules and sizes: ndarray[float64]."""
    (text,) = re.findall(r'Revealed type is "(.*)"', said)
    text = re.sub(r"numpy\.ndarray\[.*?, (?:numpy\.dtype\[(.*)\]|Any)\]", r"ndarray[\1]", text)
    text = re.sub(r"numpy\.signedinteger\[.*\]", "intp]", text) if "signedinteger" in text else text
    text = re.sub(r"(builtins|numpy|typing)\.", "", text).replace("bool[bool]", "bool")
    text = re.sub(r"kpboost\.(\w+\.)*", "", text)
    return "dict" if text.startswith("dict[") else text


def documented():
    """Names of the attributes that the docstring of each estimator lists."""
    public = [getattr(kpboost, name) for name in kpboost.__all__ if name != "__version__"]
    kinds = [each for each in public if isinstance(each, type) and issubclass(each, BaseEstimator)]
    for kind in [*kinds, MethodClassifier]:
        after = kind.__doc__.partition("\n    Attributes\n")[2]
        section = re.split(r"\n\n    \S", after)[0]
        for names in re.findall(r"^    (\w[\w, ]*?)(?: :|$)", section, re.MULTILINE):
            for name in names.split(", "):
                yield kind, name


ATTRIBUTES = "\n".join(
    f"from {kind.__module__} import {kind.__name__}\n"
    f"def _{number}(fitted: {kind.__name__}) -> None: reveal_type(fitted.{name})"
    for number, (kind, name) in enumerate(documented())
)


def errors_in(answers, name):
    """Return what is wrong in a file, by line."""
    own = {line: said for (file, line), said in answers.items() if file == name}
    return {line: said for line, said in own.items() if any("error:" in each for each in said)}


def test_returns_have_types(answers):
    """Untyped packages give Any; what is ours does not."""
    expected = {
        number: line.rpartition("  # ")[2]
        for number, line in enumerate(PROGRAM.splitlines(), start=1)
        if "  # " in line
    }
    assert len(expected) > 50
    found = {number: short(" ".join(answers["program", number])) for number in expected}
    assert found == expected


def test_a_right_program_has_no_errors(answers):
    assert errors_in(answers, "program") == {}


def test_every_documented_attribute_is_known(answers):
    assert sum(file == "attributes" for file, _ in answers) > 200
    assert errors_in(answers, "attributes") == {}


def test_mistakes_are_found(answers):
    lines = enumerate(MISTAKES.splitlines(), start=1)
    wrong = {n for n, line in lines if re.match(r"(kpboost|model|choose\w+)[.(]", line)}
    assert len(wrong) == 10
    assert errors_in(answers, "mistakes").keys() == wrong
