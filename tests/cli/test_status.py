import json
from dataclasses import replace

import pytest

from kpboost.cli.status import MOST_FAILURES, status_table
from kpboost.experiments import describe
from support.calls import call
from support.made_outcomes import outcome

QUICK = ("--methods", "svm,svm_balanced", "--folds", "2", "--backend", "threads", "--jobs", "1")


def test_a_finished_store(capsys, small_csv):
    call(capsys, "compare", small_csv, *QUICK, "--store", "own.sqlite")
    answer = call(capsys, "status", "own.sqlite")
    assert answer.code == 0
    assert "0 failed" in answer.out
    data = json.loads(call(capsys, "status", "own.sqlite", "--json").out)
    assert {row["status"] for row in data["results"]} == {"complete"}
    assert data["protocol"] == "nested"
    assert data["jobs"]["done"] > 0


def test_statuses_are_counted_by_method():
    made = [
        outcome("a", "svm", 0.5),
        outcome("b", "svm", 0.5, status="waiting"),
        outcome("a", "kba", 0, status="failed", error="no"),
    ]
    made.append(outcome("gone", "svm", 0, status="not available", error="no"))
    table = status_table(made)
    assert table.rows == (("SVM", 1, 0, 0, 1), ("KBA", 0, 0, 1, 0))


def test_of_many_failures_the_first_are_shown(capsys, monkeypatch, small_csv):
    call(capsys, "compare", small_csv, *QUICK, "--store", "own.sqlite")
    failed = [outcome(f"s{k}", "kba", 0, status="failed", error=f"E{k}:\nno") for k in range(15)]
    info = replace(describe("own.sqlite"), outcomes=tuple(failed))
    monkeypatch.setattr("kpboost.experiments.describe", lambda _: info)
    text = call(capsys, "status", "own.sqlite").out
    assert "s0, KBA: E0: no" in text
    assert f"and {15 - MOST_FAILURES} more" in text


def test_data_sets_that_are_not_available_are_no_failures(capsys, monkeypatch, small_csv):
    call(capsys, "compare", small_csv, *QUICK, "--store", "own.sqlite")
    info = describe("own.sqlite")
    gone = replace(info.datasets[0], name="gone", status="not available", error="gone: no file.")
    absent = outcome("gone", "svm", 0, status="not available", error="gone: no file.")
    info = replace(info, datasets=(*info.datasets, gone), outcomes=(*info.outcomes, absent))
    monkeypatch.setattr("kpboost.experiments.describe", lambda _: info)
    text = call(capsys, "status", "own.sqlite").out
    assert text.count("gone: no file.") == 1
    assert "Not available: gone: no file." in text


@pytest.mark.parametrize(("n_seeds", "words"), [(1, "seed 3."), (10, "seeds 3 to 12.")])
def test_seeds_are_named_from_first_to_last(capsys, monkeypatch, small_csv, n_seeds, words):
    call(capsys, "compare", small_csv, *QUICK, "--store", "own.sqlite", "--seed", "3")
    info = describe("own.sqlite")
    info = replace(info, spec=replace(info.spec, n_seeds=n_seeds))
    monkeypatch.setattr("kpboost.experiments.describe", lambda _: info)
    assert words in " ".join(call(capsys, "status", "own.sqlite").out.split())
