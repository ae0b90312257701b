"""What is loaded and what is read: imports that cost nothing, and walks through few files."""

import ast
import pickle
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import kpboost
from kpboost import KPBoostSVC
from support.called_files import called_files
from support.patience import HANG, run_python, with_support

# Files of ours that are called; the aims are 15, 60 and 50, and the limits only shrink. An audit
# was at 50 before rare_class and operating points came among its remedies, with eight files.
MOST_FILES_OF_FIT, MOST_FILES_OF_COMPARE, MOST_FILES_OF_AUDIT = 11, 62, 65


def test_the_package_itself_loads_nothing():
    loaded = "[name for name in ('numpy', 'scipy', 'sklearn', 'pandas') if name in sys.modules]"
    assert run_python(f"import sys, kpboost; print({loaded})") == "[]\n"
    script = f"import sys, kpboost; kpboost.KernelSVC; print({loaded})"
    assert "sklearn" in run_python(script)


def test_every_name_is_found_and_listed():
    assert set(kpboost.__all__) <= set(dir(kpboost))
    assert {"svm", "datasets", "model_selection"} <= set(dir(kpboost))
    assert all(getattr(kpboost, name) is not None for name in dir(kpboost))
    assert kpboost.__version__ == version("kpboost")


def test_a_star_import_brings_all():
    names = {}
    exec("from kpboost import *", names)
    assert set(kpboost.__all__) <= set(names)


@pytest.mark.parametrize("name", ["KernelSVM", "_nothing", "rows"])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
        getattr(kpboost, name)


def test_type_checkers_read_the_same_names():
    """The imports under TYPE_CHECKING bring every name from the package that lends it."""
    tree = ast.parse(Path(kpboost.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If)).body
    imports = [node for node in block if isinstance(node, ast.ImportFrom)]
    typed = {node.module: tuple(alias.name for alias in node.names) for node in imports}
    assert {package: tuple(sorted(names)) for package, names in typed.items()} == {
        package: tuple(sorted(names)) for package, names in kpboost._NAMES_BY_PACKAGE.items()
    }


def test_a_pickle_needs_no_import_before():
    data = pickle.dumps(KPBoostSVC(C=3.0)).hex()
    script = f"import pickle; print(pickle.loads(bytes.fromhex('{data}')).C)"
    assert run_python(script) == "3.0\n"


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    points = np.r_[rng.normal(0, 1, (30, 2)), rng.normal(3, 1, (8, 2))]
    labels = ["common"] * 30 + ["rare"] * 8
    lines = [f"{a:.4f},{b:.4f},{label}" for (a, b), label in zip(points, labels, strict=True)]
    (tmp_path / "small.csv").write_text("\n".join(["a,b,label", *lines, ""]))
    return tmp_path / "small.csv"


def files_of(table, command, *words):
    done = subprocess.run(
        [sys.executable, "-m", "support.called_files", command, table.name, *words],
        cwd=table.parent,
        env=with_support(OMP_NUM_THREADS="1"),
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_comparison_walks_through_few_files(table):
    methods = ("--methods", "svm,kpboost_roi,gradient_boosting_balanced")
    how = ("--folds", "2", "--backend", "threads", "--jobs", "1")
    files = files_of(table, "compare", *methods, *how)
    assert "cli/compare.py" in files
    assert any(file.startswith("ensemble/") for file in files), "threads are not watched"
    assert len(files) <= MOST_FILES_OF_COMPARE, files


def test_an_audit_walks_through_few_files(table):
    files = files_of(table, "audit", "--remedies", "always", "--folds", "2")
    assert len(files) <= MOST_FILES_OF_AUDIT, files


def test_fit_and_predict_walk_through_few_files():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (X[:, 0] > 1).astype(int)
    with called_files() as files:
        KPBoostSVC().fit(X, y).predict(X)
    assert any(file.endswith("_kpboost_svc.py") for file in files)
    assert len(files) <= MOST_FILES_OF_FIT, files
