"""The scripts of benchmarks/reproduction run, and print what results/reproduction has of them."""

import csv
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

from kpboost.datasets import catalogue
from kpboost.experiments import ExperimentSpec, run
from kpboost.metrics import geometric_mean_score, hard_auc_score
from kpboost.model_selection import RareClassKFold
from support.shared_data import data_file

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "benchmarks" / "reproduction"
RECORDED = ROOT / "results" / "reproduction"
OURS = ROOT / "results" / "published" / "two-class-low" / "tables" / "scores-gmean.csv"


@pytest.fixture
def script(monkeypatch):
    """Load a script by its name, as a module that finds what is beside it."""
    monkeypatch.syspath_prepend(SCRIPTS)
    monkeypatch.delitem(sys.modules, "beside", raising=False)

    def load(name, *arguments):
        monkeypatch.setattr("sys.argv", [f"{name}.py", *map(str, arguments)])
        spec = spec_from_file_location(name, SCRIPTS / f"{name}.py")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    yield load
    sys.modules.pop("beside", None)


def recorded(name):
    """Lines that a script printed, SCRIPT or SCRIPT-CHOICE; the first is the command."""
    return (RECORDED / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def on_one_set(script, name, dataset):
    return script(name, "--data-dir", data_file(dataset).parent, "--datasets", dataset)


@pytest.mark.parametrize("file", sorted(RECORDED.glob("*.txt")), ids=lambda file: file.stem)
def test_a_record_begins_with_its_command(file):
    name, _, choice = file.stem.partition("-")
    command = f"python benchmarks/reproduction/{name}.py"
    command += "" if name == "in_print" else " --data-dir FOLDER"
    command += f" --{choice.replace('seed', 'seed ')}" if choice else ""
    assert recorded(file.stem)[0] == command
    assert (SCRIPTS / f"{name}.py").is_file()


def test_there_are_records():
    names = {"in_print", "toolbox_tree", "nan_vote", "first_machine"}
    assert {file.stem.partition("-")[0] for file in RECORDED.glob("*.txt")} == names


def test_the_paper_against_itself(script, capsys):
    script("in_print").main()
    lines = capsys.readouterr().out.splitlines()
    assert "verdicts that come out of the scores: 108 of 108" in lines
    assert lines == recorded("in_print")[1:]


@pytest.mark.parametrize(
    ("gmean", "auc", "n_rare", "folds"),
    [
        (0.9633, 0.9667, 15, {5}),  # one point of three missed in one fold of five
        (0.9000, 0.9500, 15, {10}),  # the only point of one fold of ten missed
        (0.9633, 0.9668, 15, set()),  # the last digit wrong
        (0.9414, 0.9500, 20, {5, 10}),  # half of one fold of five, or of two of ten
        (0.8000, 0.9000, 5, {5}),  # ten folds need ten points
    ],
)
def test_pairs_tell_numbers_of_folds_apart(script, gmean, auc, n_rare, folds):
    in_print = script("in_print")
    assert {k for k in (5, 10) if in_print.attainable(gmean, auc, n_rare, k)} == folds


def test_pairs_are_those_of_real_folds(script):
    in_print = script("in_print")
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], [60, 13])
    for n_folds in (5, 10):
        missed = np.where(random.random(y.size) < 0.4, 0, y)  # no false alarm
        folds = RareClassKFold(n_folds, random_state=0).split(y, y)
        scores = [_gmean_and_auc(y[test], missed[test]) for _, test in folds]
        assert in_print.attainable(*np.mean(scores, axis=0), n_rare=13, n_folds=n_folds)


def _gmean_and_auc(y, predicted):
    return geometric_mean_score(y, predicted), hard_auc_score(y, predicted)


def test_rare_points_follow_from_the_imbalance(script):
    in_print = script("in_print")
    entries = {entry.name: entry for entry in catalogue()}
    assert in_print.rare_points(entries["abalone3vs11"]) == 15
    assert in_print.rare_points(entries["pima"]) is None  # 268 and 269 both fit


@pytest.mark.parametrize(
    ("name", "dataset", "figures"),
    [
        ("toolbox_tree", "abalone3vs11", "common first 0.9633/0.9667"),
        ("nan_vote", "shuttleC2vsC4", "error on all 0.0000/0.5000"),
        ("nan_vote", "shuttleC2vsC4", "floored 1.0000/1.0000"),
        ("first_machine", "shuttle6vs23", "C=1 0.4828/0.7000"),
    ],
)
def test_telltale_figures(script, name, dataset, figures, capsys):
    on_one_set(script, name, dataset).main()
    line = capsys.readouterr().out.splitlines()[0]
    assert line.split()[0] == dataset
    assert figures in line
    assert line in recorded(name)


def test_sorted_rows_mislead_the_tree_on_mnist(script, capsys, monkeypatch):
    tree = on_one_set(script, "toolbox_tree", "mnist_2vs17")
    monkeypatch.setattr(
        tree, "ORDERS", {"common first": tree.Reading()}
    )  # unsorted rows take much longer
    tree.main()
    (line,) = capsys.readouterr().out.splitlines()
    assert line.endswith("common first 0.1305/0.5104")
    assert any(each.startswith(line) for each in recorded("toolbox_tree"))


def test_slips_are_taken_away(script, capsys):
    arguments = ("--data-dir", data_file("glass0").parent, "--datasets", "glass0", "--slips")
    script("toolbox_tree", *arguments).main()
    line = capsys.readouterr().out.splitlines()[0]
    assert "all three 0.0000" in line
    assert line in recorded("toolbox_tree-slips")


def test_the_tree_is_tried_on_all_sets_of_few_dimensions():
    names = {line.split(",")[0] for line in OURS.read_text(encoding="utf-8").splitlines()[1:-1]}
    shown = [line.split()[0] for line in recorded("toolbox_tree") if " paper " in line]
    assert sorted(shown) == sorted({*names, "mnist_2vs17", "mnist_6vs09"})


def test_ours_among_the_readings_is_what_the_comparison_has(script, capsys, tmp_path):
    spec = ExperimentSpec(
        ["zoo3"],
        ["svm", "kpboost"],
        grid="paper",
        protocol="published",
        data_dir=str(data_file("zoo3").parent),
    )
    run(spec, tmp_path / "store.sqlite")
    script("readings", tmp_path / "store.sqlite").main()
    (line,) = [each for each in capsys.readouterr().out.splitlines() if "(ours)" in each]
    with OURS.open(encoding="utf-8", newline="") as lines:
        (ours,) = [row["KPBoost-SVM"] for row in csv.DictReader(lines) if row["Data set"] == "zoo3"]
    assert line.split("(ours)")[1].split()[:2] == ["1", f"{float(ours):.3f}"]
