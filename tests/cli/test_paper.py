import json

from kpboost.cli.paper import GROUPS, datasets_of
from kpboost.methods import METHODS
from support.calls import call, is_one_sentence
from support.shared_data import data_folder

BOTH = ("svm", "kpboost", "kpboost_roi", "aks_chi2", "rusboost", "adaboost_mlp")
TWO_CLASSES = (*BOTH, "adaboost_svm", "c45_ib1", "d_svm", "aks", "kba", "act")
SEVERAL_CLASSES = (*BOTH, "svm_ovr", "kpboost_ovr", "kpboost_roi_ovr")


def n_widths(names):
    """Jobs of one fold."""
    return sum(len(METHODS[name].grids["paper"]) for name in names)


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
    assert data["jobs"] == 5 * 5 * n_widths(TWO_CLASSES)
    assert data["store"].startswith("kpboost-paper-published-two-class-high")


def test_a_part_of_it_runs(capsys, here, monkeypatch):
    """From start to report, with the one data set of the paper that needs no file at all."""
    monkeypatch.setattr("kpboost.cli.paper.datasets_of", lambda _: ("wine", "imageNet12"))
    options = "--methods svm,svm_balanced --grid quick --folds 2 --backend threads --jobs 1"
    answer = call(capsys, "paper", "--only", "multi-class-low", *options.split())
    assert answer.code == 0
    assert "Left out, because not available here: imageNet12." in answer.err
    page = here / "kpboost-paper-published-multi-class-low-quick-2-fold" / "report.html"
    assert "wine" in page.read_text()


def test_every_group_gets_the_methods_of_its_tables(capsys, here, monkeypatch):
    """The paper has AKS on two classes only, and one-vs-rest of two is the same machine."""
    monkeypatch.setattr("kpboost.cli.paper.datasets_of", lambda _: ("wine", "iris12vs3"))
    count = json.loads(call(capsys, "paper", "--dry-run", "--json").out)["jobs"]
    assert count == n_widths(SEVERAL_CLASSES) + 5 * n_widths(TWO_CLASSES)
    thrice = json.loads(call(capsys, "paper", "--dry-run", "--json", "--seeds", "3").out)
    assert thrice["jobs"] == 3 * count


def planned(capsys, *options):
    return json.loads(call(capsys, "paper", "--dry-run", "--json", *options).out)


def test_named_one_vs_rest_methods_run_on_several_classes_only(capsys, here, monkeypatch):
    monkeypatch.setattr("kpboost.cli.paper.datasets_of", lambda _: ("wine", "iris12vs3"))
    names = ("svm", "svm_ovr", "kpboost", "kpboost_ovr")
    found = planned(capsys, "--methods", ",".join(names))
    assert found["jobs"] == n_widths(names) + 5 * n_widths(("svm", "kpboost"))


def test_the_papers_methods_keep_its_rule_in_a_longer_list(capsys, here, monkeypatch):
    """KS is not the paper's and runs everywhere; so does AKS where it is named by itself."""
    monkeypatch.setattr("kpboost.cli.paper.datasets_of", lambda _: ("wine", "iris12vs3"))
    both = n_widths((*SEVERAL_CLASSES, "ks")) + 5 * n_widths((*TWO_CLASSES, "ks"))
    assert planned(capsys, "--methods", "paper,ks")["jobs"] == both
    assert planned(capsys, "-m", "ks", "-m", "paper")["jobs"] == both
    assert planned(capsys, "--methods", "svm,aks")["jobs"] == 6 * n_widths(("svm", "aks"))


def test_groups_of_two_classes_have_no_one_vs_rest_methods(capsys, here, monkeypatch):
    monkeypatch.setattr("kpboost.cli.paper.datasets_of", lambda _: ("iris12vs3",))
    only = ("--only", "two-class-low")
    answer = call(capsys, "paper", *only, "--methods", "svm,svm_ovr,kpboost_ovr", "--dry-run")
    assert answer.code == 2
    assert is_one_sentence(answer.err)
    for word in ("svm_ovr,kpboost_ovr", "two-class-low", "multi-class-low"):
        assert word in answer.err
    for word in ("paper", "all"):
        methods = planned(capsys, *only, "--methods", word)["methods"]
        assert not [name for name in methods if name.endswith("_ovr")]


def test_seeds_are_whole_numbers(capsys, here):
    answer = call(capsys, "paper", "--only", "multi-class-low", "--seeds", "0", "--dry-run")
    assert answer.code == 2
    assert "n_seeds=0" in answer.err
