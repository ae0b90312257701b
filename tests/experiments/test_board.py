"""The order of jobs: all of them once, nothing before what it needs."""

import pytest

from kpboost.experiments import ExperimentSpec
from kpboost.experiments._jobs import SEARCH, TEST
from kpboost.experiments._schedule import Board, group_of, job_keys, methods_in_order, needed_group

FOLDS = {"a": 2, "b": 1}


def ours(key):
    """No other run is there."""
    return True


def board_of(protocol, methods=("kpboost", "c45_ib1"), statuses=None):
    spec = ExperimentSpec(["a", "b"], methods, protocol=protocol)
    return spec, Board(spec, job_keys(spec, FOLDS), statuses or {})


def test_methods_come_after_those_that_they_need():
    spec = ExperimentSpec(["a"], ["kpboost", "svm", "ks"])
    assert methods_in_order(spec) == ["svm", "kpboost", "ks"]


def test_number_of_jobs():
    _, board = board_of("published")
    assert len(board.all_keys) == 3 * (4 + 3 + 1)  # folds x widths of svm, kpboost and c45_ib1
    assert all(key.kind == SEARCH for key in board.all_keys)
    _, nested = board_of("nested")
    assert len(nested.all_keys) == len(board.all_keys) + 3 * 3
    assert len(set(nested.all_keys)) == len(nested.all_keys)


@pytest.mark.parametrize("protocol", ["nested", "stated", "published"])
def test_every_job_comes_once_and_after_what_it_needs(protocol):
    spec, board = board_of(protocol)
    done = []
    while (key := board.take(ours)) is not None:
        needed = needed_group(spec, key)
        if needed is not None:
            assert set(board.searches(needed)) <= set(done)
        board.finish(key, "done")
        done.append(key)
    assert sorted(done) == sorted(board.all_keys)
    assert board.count("done") == len(board.all_keys)


def test_jobs_that_need_nothing_do_not_wait_for_others():
    _, board = board_of("nested")
    taken = []
    while (key := board.take(ours)) is not None:  # and none of them ever ends
        taken.append(key)
    assert {key.method for key in taken} == {"svm", "c45_ib1"}
    assert {key.dataset for key in taken} == {"a", "b"}


def test_a_result_follows_from_the_last_search_or_from_the_test():
    for protocol, kind in (("published", SEARCH), ("nested", TEST)):
        spec, board = board_of(protocol, ["svm"])
        closing = []
        while (key := board.take(ours)) is not None:
            if board.finish(key, "done"):
                closing.append(key)
        assert {key.kind for key in closing} == {kind}
        groups = {group_of(spec, key) for key in board.all_keys}
        assert len(closing) == len(groups)


def test_what_waits_for_a_failure_is_doomed():
    _, board = board_of("published")
    first = board.take(ours)
    board.finish(first, "failed")
    doomed = board.take_doomed()
    assert {(key.dataset, key.method) for key, _ in doomed} == {("a", "kpboost")}
    assert {needed for _, needed in doomed} == {"svm"}
    assert board.take_doomed() == []


def test_jobs_that_are_over_are_not_taken_again():
    _, board = board_of("published")
    over = {key: "done" for key in board.all_keys if key.method == "svm"}
    over[board.all_keys[-1]] = "failed"
    _, again = board_of("published", statuses=over)
    assert again.count("done") == 12
    assert again.n_waiting == len(board.all_keys) - 13
    assert again.take(ours).method == "kpboost"


def test_jobs_of_another_run_are_left_to_it():
    _, board = board_of("published", ["svm"])
    theirs = board.all_keys[0]
    assert board.take(lambda key: key != theirs) == board.all_keys[1]
    assert board.take(lambda key: False) is None
    assert board.take(ours) == theirs
