import json

from kpboost.cli.paper import GROUPS, datasets_of
from support.calls import call, is_one_sentence
from support.shared_data import data_folder


def test_groups_hold_the_papers_73_data_sets():
    assert [len(datasets_of((group,))) for group in GROUPS] == [42, 10, 12, 9]
    assert len(datasets_of(GROUPS)) == 73


def test_an_unknown_group_is_refused(capsys, here):
    answer = call(capsys, "paper", "--only", "three-class")
    assert answer.code == 2
    assert is_one_sentence(answer.err)
    assert "two-class-low" in answer.err


def test_defaults_are_the_papers(capsys, here):
    folder = data_folder()
    words = ("paper", "--only", "two-class-high", "--data-dir", folder, "--dry-run", "--json")
    data = json.loads(call(capsys, *words).out)
    assert "mnist_2vs17" in data["datasets"]
    assert "imageNet_food_docs" in data["missing"]  # left out, not an error
    assert {"svm", "kpboost", "aks", "kba"} <= set(data["methods"])
    assert "svm_ovr" not in data["methods"]
    assert data["store"].startswith("kpboost-paper-published-two-class-high")


def test_a_part_of_it_runs(capsys, here, monkeypatch):
    """From start to report, with the one data set of the paper that needs no file at all."""
    monkeypatch.setattr("kpboost.cli.paper.datasets_of", lambda _: ("wine", "imageNet12"))
    options = "--methods svm,svm_balanced --grid quick --folds 2 --backend threads --jobs 1"
    answer = call(capsys, "paper", "--only", "multi-class-low", *options.split())
    assert answer.code == 0
    assert "Left out, not to be had here: imageNet12." in answer.err
    page = here / "kpboost-paper-published-multi-class-low-quick-2-fold" / "report.html"
    assert "wine" in page.read_text()
