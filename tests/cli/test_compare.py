import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from kpboost.cli.compare import default_folder
from kpboost.datasets import embedded
from kpboost.disjuncts import DisjunctFinder
from kpboost.experiments import ExperimentSpec, outcomes
from kpboost.methods import DEFAULT_METHODS, METHODS
from support.calls import call, is_one_sentence
from support.patience import HANG, wait_until

QUICK = ("--methods", "svm,svm_balanced", "--folds", "2", "--backend", "threads", "--jobs", "1")


def test_a_users_file_from_start_to_report(capsys, small_csv):
    answer = call(capsys, "compare", small_csv, "--target", "label", *QUICK)
    assert answer.code == 0
    folder = Path("kpboost-compare-small-2-fold")
    assert (folder / "report.html").is_file()
    assert "At a glance" in answer.out
    assert f"Report   {folder / 'report.html'}" in answer.out
    assert "Next     kpboost fit" in answer.out
    assert "Comparing svm and svm_balanced" in answer.err
    found = outcomes(folder / "results.sqlite")
    assert {each.status for each in found} == {"complete"}


def test_the_second_run_does_nothing_anew(capsys, small_csv):
    call(capsys, "compare", small_csv, *QUICK)
    answer = json.loads(call(capsys, "compare", small_csv, *QUICK, "--json").out)
    assert answer["jobs"]["done_now"] == 0
    assert answer["jobs"]["done"] == answer["jobs"]["total"] > 0


def test_json_is_all_there_is_on_stdout(capsys, small_csv):
    answer = call(capsys, "compare", small_csv, *QUICK, "--json")
    assert answer.code == 0
    assert answer.err == ""
    data = json.loads(answer.out)
    assert {row["method"] for row in data["methods"]} == {"svm", "svm_balanced"}
    assert Path(data["report"]).is_file()
    assert data["missing"] == {}


def test_without_data_there_are_five_sets_and_the_serious_methods(capsys, here):
    data = json.loads(call(capsys, "compare", "--dry-run", "--json").out)
    assert tuple(data["datasets"]) == embedded()[:5]
    here_now = [name for name in DEFAULT_METHODS if METHODS[name].is_available]
    assert data["methods"] == here_now
    assert {"rare_class", "extra_trees_tuned", "svm_balanced", "kpboost"} <= {*here_now}
    assert data["done"] == 0
    assert list(here.iterdir()) == []  # nothing was written


def test_a_dry_run_says_what_would_be_done(capsys, small_csv):
    answer = call(capsys, "compare", small_csv, *QUICK, "--dry-run")
    assert "to do" in answer.out
    assert "Results would go to kpboost-compare-small-2-fold" in answer.out
    assert not Path("kpboost-compare-small-2-fold").exists()


def test_store_and_report_go_where_they_are_told(capsys, small_csv):
    options = ("--store", "deep/er/own.sqlite", "--report", "words")
    assert call(capsys, "compare", small_csv, *QUICK, *options).code == 0
    assert Path("deep/er/own.sqlite").is_file()
    assert Path("words/report.md").is_file()


def test_a_spec_file_says_it_all(capsys, small_csv):
    spec = ExperimentSpec([str(small_csv)], ["svm", "svm_balanced"], n_folds=2, target="label")
    Path("spec.toml").write_text(spec.to_toml())
    options = ("--backend", "threads", "--jobs", "1", "--json")
    data = json.loads(call(capsys, "compare", "--spec", "spec.toml", *options).out)
    assert len(data["results"]) == 2
    refused = call(capsys, "compare", small_csv, "--spec", "spec.toml")
    assert refused.code == 2
    assert is_one_sentence(refused.err)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["absent.csv"], "There is no file and no data set 'absent.csv'"),
        (["small.csv", "--target", "colour"], "colour"),
        (["small.csv", "--methods", "svm,magic"], "There is no method 'magic'"),
        (["small.csv", "--grid", "huge"], "grid='huge' is not allowed"),
        (["small.csv", "--protocol", "kind"], "protocol='kind' is not allowed"),
        (["small.csv", "--folds", "1"], "n_folds=1 is not allowed"),
        (["small.csv", "--jobs", "0"], "n_jobs=0 is not allowed"),
        (["small.csv", "--seed", "-1"], "seed=-1 is not allowed"),
        (["small.csv", "--backend", "abacus"], "backend='abacus' is not allowed"),
        (["small.csv", "--scheduler", "tcp://x"], "needs --backend dask or ray"),
        (["small.csv", "--report", "small.csv"], "small.csv is a file"),
        (["small.csv", "--store", "small.csv"], "small.csv"),
        (["absent.csv", "--store", "small.csv"], "small.csv is not a store"),
        (["small.csv", "--store", "small.csv/x.sqlite"], "small.csv is a file"),
        (["small.csv", "small.csv"], "more than once"),
        (["imageNet12"], "imageNet12"),
        (["small.csv", "--data-dir", "absent", "glass0"], "absent"),
        (["--spec", "absent.toml"], "absent.toml"),
    ],
    ids=lambda value: "-".join(value)[-30:] if isinstance(value, list) else None,
)
def test_bad_input_is_refused_in_a_sentence_before_any_work(capsys, small_csv, words, part):
    before = small_csv.read_bytes()
    answer = call(capsys, "compare", *words)
    assert answer.code == 2
    assert part in answer.err
    assert answer.err.count("\n") == 1
    assert "Traceback" not in answer.err
    assert answer.out == ""
    assert small_csv.read_bytes() == before
    assert list(Path().rglob("*.html")) == []


def test_failed_jobs_make_a_failed_run(capsys, small_csv, monkeypatch):
    def broken(*_):
        raise RuntimeError("out of order")

    words = ("compare", small_csv, "--methods", "svm,c45_ib1", *QUICK[2:], "--store", "own.sqlite")
    with monkeypatch.context() as patch:
        patch.setattr("kpboost.tree.C45IB1Classifier.fit", broken)
        answer = call(capsys, *words)
    assert answer.code == 1
    assert "jobs failed. `kpboost status own.sqlite` shows the reasons" in answer.err
    assert "Report" in answer.out  # there is one all the same
    assert "C4.5/IB1: RuntimeError: out of order" in call(capsys, "status", "own.sqlite").out
    assert call(capsys, *words).code == 1
    assert call(capsys, *words, "--retry-failed").code == 0


def test_a_data_set_that_is_lost_on_the_way_is_told(capsys, small_csv, monkeypatch):
    whole = DisjunctFinder.fit

    def fit(self, X, y):
        if len(X) == 20:
            raise ValueError("No disjunct to be seen.")
        return whole(self, X, y)

    lines = small_csv.read_text().splitlines()
    Path("odd.csv").write_text("\n".join([lines[0], *lines[-20:]]))
    monkeypatch.setattr(DisjunctFinder, "fit", fit)
    answer = call(capsys, "compare", small_csv, "odd.csv", *QUICK)
    assert answer.code == 1
    assert answer.err.splitlines()[-1] == "kpboost: odd was left out: No disjunct to be seen."
    assert "Report" in answer.out


@pytest.mark.parametrize("words", [["--store", "shut/own.sqlite"], ["--report", "shut/words"]])
def test_a_folder_that_cannot_be_written_is_refused_before_any_work(
    capsys, small_csv, monkeypatch, words
):
    monkeypatch.setattr("os.access", lambda folder, mode: "shut" not in str(folder))
    answer = call(capsys, "compare", small_csv, *QUICK, *words)
    assert answer.code == 2
    assert is_one_sentence(answer.err)
    assert "Nothing can be written into shut" in answer.err
    assert list(Path().rglob("*.sqlite")) == []


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_store_of_another_experiment_is_refused_before_any_work(capsys, small_csv, more):
    call(capsys, "compare", small_csv, *QUICK, "--store", "own.sqlite")
    words = ("compare", small_csv, "--methods", "svm", "--store", "own.sqlite")
    answer = call(capsys, *words, *more)
    assert answer.code == 2
    assert is_one_sentence(answer.err)
    assert "with n_folds=2, not the protocol's own n_folds" in answer.err


def test_different_comparisons_get_different_folders():
    def folder(datasets, **options):
        return default_folder(ExperimentSpec(datasets, ["svm"], **options), named=True).name

    names = [
        folder(["a.csv"]),
        folder(["a.csv", "b.csv"]),
        folder(["a.csv"], protocol="stated"),
        folder(["a.csv"], grid="paper"),
        folder(["a.csv"], n_folds=3),
        folder(["a.csv"], seed=1),
    ]
    assert len(set(names)) == len(names)


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another thing on Windows")
def test_ctrl_c_stops_with_one_line_and_the_next_run_goes_on(capsys, small_csv):
    # methods whose grids are the same in another process
    methods = "--methods svm_ovr,c45_ib1 --grid paper"
    options = f"{methods} --jobs 1 --backend threads --store own.sqlite"
    words = ["compare", str(small_csv), *options.split()]
    command = [sys.executable, "-m", "kpboost.cli.app", *words]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True, start_new_session=True) as own:
        wait_until(lambda: own.poll() is not None or n_done("own.sqlite") > 2)
        own.send_signal(signal.SIGINT)
        _, err = own.communicate(timeout=HANG)
    assert own.returncode == 130
    assert err.splitlines()[-1].startswith("kpboost: Stopped;")
    assert "Traceback" not in err
    data = json.loads(call(capsys, *words, "--dry-run", "--json").out)
    assert 0 < data["done"] < data["jobs"]


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another thing on Windows")
def test_a_command_in_the_background_ignores_ctrl_c(small_csv):
    """A script that starts it with ``&`` asks for that: Ctrl-C is for what is in front."""
    options = "--methods svm,svm_balanced --jobs 1 --backend threads --store own.sqlite"
    command = [sys.executable, "-m", "kpboost.cli.app", "compare", str(small_csv)]
    command += options.split()
    ignored = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True, preexec_fn=ignored) as own:
        wait_until(lambda: own.poll() is not None or n_done("own.sqlite") > 0)
        own.send_signal(signal.SIGINT)
        _, err = own.communicate(timeout=HANG)
    assert own.returncode == 0, err


def n_done(store):
    from kpboost.experiments import StoreError, describe

    with suppress(StoreError):
        return describe(store).counts["done"] if Path(store).exists() else 0
    return 0
