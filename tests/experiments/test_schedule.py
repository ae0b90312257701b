"""The order of jobs: all of them once, nothing before what it needs."""

from dataclasses import replace

import pytest

from kpboost.experiments import ExperimentSpec
from kpboost.experiments._jobs import SEARCH, TEST
from kpboost.experiments._queue import Folds, JobQueue, Layout, methods_in_order

FOLDS = {"a": Folds(2), "b": Folds(1)}


def ours(key):
    """No other run is there."""
    return True


def queue_of(protocol, methods=("kpboost", "c45_ib1"), statuses=None, large=()):
    spec = ExperimentSpec(["a", "b"], methods, protocol=protocol)
    folds = {
        name: replace(own, n_training=1000 if name not in large else 10_000)
        for name, own in FOLDS.items()
    }
    return spec, JobQueue(Layout(spec, folds), statuses or {})


def test_methods_come_after_those_that_they_need():
    spec = ExperimentSpec(["a"], ["kpboost", "svm", "ks"])
    assert methods_in_order(spec) == ["svm", "kpboost", "ks"]


def test_number_of_jobs():
    _, queue = queue_of("published")
    assert len(queue.keys) == 3 * (4 + 3 + 1)  # folds x widths of svm, kpboost and c45_ib1
    assert all(key.kind == SEARCH for key in queue.keys)
    _, nested = queue_of("nested")
    assert len(nested.keys) == len(queue.keys) + 3 * 3
    assert len(set(nested.keys)) == len(nested.keys)


@pytest.mark.parametrize("protocol", ["nested", "stated", "published"])
def test_every_job_comes_once_and_after_what_it_needs(protocol):
    _, queue = queue_of(protocol)
    done = []
    while (key := queue.take(ours)) is not None:
        needed = queue.layout.needed(key)
        if needed is not None:
            assert set(queue.searches(needed)) <= set(done)
        queue.finish(key, "done")
        done.append(key)
    assert sorted(done) == sorted(queue.keys)
    assert queue.count("done") == len(queue.keys)


def test_machines_of_low_rank_search_by_themselves():
    _, queue = queue_of("nested", ["kpboost", "svm_balanced"], large=["a"])
    by_kind = {(key.dataset, key.method, key.kind) for key in queue.keys}
    assert {each for each in by_kind if each[0] == "a"} == {
        ("a", "kpboost", TEST),
        ("a", "svm_balanced", TEST),
    }
    assert ("b", "svm", SEARCH) in by_kind
    forms = {key.dataset: queue.layout.form(key) for key in queue.keys if key.method == "kpboost"}
    assert forms["a"].estimator.endswith("NystroemKPBoostSVCCV")
    assert forms["b"].estimator.endswith(".KPBoostSVC")


def test_a_follower_gets_the_width_of_the_exact_machine():
    _, queue = queue_of("nested", ["svm", "aks"], large=["a", "b"])
    tests = [key for key in queue.keys if key.method == "svm" and key.kind == TEST]
    assert all(queue.layout.needed(key) is None for key in tests)
    searches = [key for key in queue.keys if key.method == "aks" and key.kind == SEARCH]
    assert {queue.layout.needed(key).method for key in searches} == {"svm"}
    while (key := queue.take(ours)) is not None:
        queue.finish(key, "done")
    assert queue.count("done") == len(queue.keys)


@pytest.mark.parametrize(
    ("protocol", "n_training", "is_low_rank"),
    [("nested", 3501, True), ("nested", 3500, False), ("stated", 10**6, False)],
)
def test_low_rank_is_for_many_rows_and_never_for_the_papers_protocols(
    protocol, n_training, is_low_rank
):
    spec = ExperimentSpec(["a"], ["kpboost"], protocol=protocol)
    layout = Layout(spec, {"a": Folds(1, n_training=n_training)})
    forms = [layout.form(key).estimator for key in layout.jobs() if key.method == "kpboost"]
    assert any("Nystroem" in form for form in forms) == is_low_rank


def test_jobs_that_need_nothing_do_not_wait_for_others():
    _, queue = queue_of("nested")
    taken = []
    while (key := queue.take(ours)) is not None:  # and none of them ever ends
        taken.append(key)
    assert {key.method for key in taken} == {"svm", "c45_ib1"}
    assert {key.dataset for key in taken} == {"a", "b"}


def test_a_result_follows_from_the_last_search_or_from_the_test():
    for protocol, kind in (("published", SEARCH), ("nested", TEST)):
        _, queue = queue_of(protocol, ["svm"])
        closing = []
        while (key := queue.take(ours)) is not None:
            if queue.finish(key, "done"):
                closing.append(key)
        assert {key.kind for key in closing} == {kind}
        groups = {queue.layout.group(key) for key in queue.keys}
        assert len(closing) == len(groups)


def test_what_waits_for_a_failure_is_blocked():
    _, queue = queue_of("published")
    first = queue.take(ours)
    queue.finish(first, "failed")
    blocked = queue.take_blocked()
    assert {(key.dataset, key.method) for key, _ in blocked} == {("a", "kpboost")}
    assert {needed for _, needed in blocked} == {"svm"}
    assert queue.take_blocked() == []


def test_jobs_that_are_over_are_not_taken_again():
    _, queue = queue_of("published")
    over = {key: "done" for key in queue.keys if key.method == "svm"}
    over[queue.keys[-1]] = "failed"
    _, again = queue_of("published", statuses=over)
    assert again.count("done") == 12
    assert again.n_waiting == len(queue.keys) - 13
    assert again.take(ours).method == "kpboost"


def test_jobs_of_another_run_are_left_to_it():
    _, queue = queue_of("published", ["svm"])
    theirs = queue.keys[0]
    assert queue.take(lambda key: key != theirs) == queue.keys[1]
    assert queue.take(lambda key: False) is None
    assert queue.take(ours) == theirs


def test_seeds_have_choices_of_their_own():
    """Four folds of two seeds are two groups, unless every fold chooses for itself."""
    for protocol, numbers in (("published", [0, 0, 1, 1]), ("nested", [0, 1, 2, 3])):
        spec = ExperimentSpec(["a"], ["svm"], protocol=protocol, n_seeds=2)
        queue = JobQueue(Layout(spec, {"a": Folds(4)}), {})
        first = {key.fold: key for key in reversed(queue.keys)}
        assert [queue.layout.group(first[fold]).number for fold in range(4)] == numbers
        assert [queue.layout.seed_of_job(first[fold]) for fold in range(4)] == [
            *((0, 0), (0, 1), (1, 0), (1, 1))
        ]


def test_one_vs_rest_follows_its_own_svm():
    spec = ExperimentSpec(["a"], ["kpboost_ovr", "kpboost"])
    assert methods_in_order(spec) == ["svm_ovr", "svm", "kpboost_ovr", "kpboost"]
    queue = JobQueue(Layout(spec, {"a": Folds(1, 3)}), {})
    needed = {
        key.method: queue.layout.needed(key).method
        for key in queue.keys
        if key.kind == SEARCH and key.method.startswith("kpboost")
    }
    assert needed == {"kpboost_ovr": "svm_ovr", "kpboost": "svm"}


def test_without_twins_two_classes_get_no_one_vs_rest_and_several_get_all():
    methods = ("svm", "svm_ovr", "kpboost_ovr", "aks", "ks")
    spec = ExperimentSpec(["a", "b"], methods, protocol="published", no_twins=True)
    queue = JobQueue(Layout(spec, {"a": Folds(1, 2), "b": Folds(1, 4)}), {})
    tried = {(key.dataset, key.method) for key in queue.keys}
    assert {name for dataset, name in tried if dataset == "a"} == {"svm", "aks", "ks"}
    assert {name for dataset, name in tried if dataset == "b"} == set(methods)


def test_as_in_the_paper_no_method_runs_where_it_has_no_table():
    methods = ("svm", "svm_ovr", "aks", "aks_chi2", "svm_balanced")
    spec = ExperimentSpec(["a", "b"], methods, protocol="published", as_paper=True)
    queue = JobQueue(Layout(spec, {"a": Folds(1, 2), "b": Folds(1, 4)}), {})
    tried = {(key.dataset, key.method) for key in queue.keys}
    assert {name for dataset, name in tried if dataset == "a"} == set(methods) - {"svm_ovr"}
    assert {name for dataset, name in tried if dataset == "b"} == set(methods) - {"aks"}
