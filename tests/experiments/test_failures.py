"""Jobs and data sets that fail: kept in words, tried again on demand, no harm to others."""

from dataclasses import replace

import pytest

from kpboost.experiments import ExperimentSpec, describe, outcomes, plan, run
from kpboost.methods import NoChoiceError
from support.small_experiments import core_of, write_points


def fail_with(monkeypatch, error, times=None):
    """Let KPBoost's engine fail, for ever or so many times."""
    from kpboost.methods import _search as engines

    good, calls = engines._boosting, []

    def bad(*args):
        calls.append(args)
        if times is None or len(calls) <= times:
            raise error
        return good(*args)

    monkeypatch.setitem(engines._SHARED, "boosting", bad)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "MemoryError"),
        (ValueError("no such luck"), "ValueError: no such luck"),
        (KeyError("odd"), "KeyError: 'odd'"),
    ],
)
def test_a_failed_job_is_kept_and_the_others_go_on(small_spec, tmp_path, monkeypatch, error, words):
    fail_with(monkeypatch, error, times=1)
    path = tmp_path / "store.db"
    summary = run(small_spec, path)
    svm, kpboost = outcomes(path)
    assert svm.status == "complete"
    assert (kpboost.status, kpboost.error) == ("failed", words)
    # The test of that fold builds on it, and fails with it.
    assert summary.failed == describe(path).counts["failed"] == 2
    assert [fold.fold for fold in kpboost.folds] == [1]


def test_failed_jobs_are_tried_again_on_demand_only(small_spec, tmp_path, monkeypatch):
    path, other = tmp_path / "store.db", tmp_path / "other.db"
    run(small_spec, other)
    fail_with(monkeypatch, RuntimeError("not now"), times=1)
    run(small_spec, path)
    assert run(small_spec, path).done_now == 0
    assert plan(small_spec, path).failed == 2
    summary = run(small_spec, path, retry_failed=True)
    assert (summary.failed, summary.done_now) == (0, 2)
    assert [core_of(own) for own in outcomes(path)] == [core_of(own) for own in outcomes(other)]


@pytest.mark.parametrize("protocol", ["nested", "published"])
def test_nothing_waits_for_a_plain_svm_that_failed(small_spec, tmp_path, monkeypatch, protocol):
    def bad(*_):
        raise RuntimeError("no machine")

    monkeypatch.setattr("kpboost.svm.KernelSVC.fit", bad)
    path = tmp_path / "store.db"
    summary = run(replace(small_spec, protocol=protocol), path)
    assert (summary.done, summary.failed) == (0, summary.total)
    svm, kpboost = outcomes(path)
    assert svm.error == "RuntimeError: no machine"
    assert kpboost.error == "It builds on a search of svm that failed."


def test_a_choice_that_nobody_survives(small_spec, tmp_path, monkeypatch):
    """Every candidate fails on one of two folds: no job has failed, and nothing can be chosen."""
    from kpboost.svm import KernelSVC

    good, seen = KernelSVC.fit, []

    def moody(self, X, y):
        seen.append(self.C)
        # Twelve candidates per fold; the first three on one, the others on the other.
        if (len(seen) <= 12) == (self.C == 1.0):
            raise ValueError("not like this")
        return good(self, X, y)

    monkeypatch.setattr(KernelSVC, "fit", moody)
    path = tmp_path / "store.db"
    run(replace(small_spec, methods=("svm",), protocol="published"), path)
    (svm,) = outcomes(path)
    assert (svm.status, svm.error) == ("failed", "Every candidate failed on some fold.")


@pytest.mark.parametrize("protocol", ["nested", "published"])
def test_no_choice_ends_no_run(small_spec, tmp_path, monkeypatch, protocol):
    """Jobs that cannot even begin are over too, and the run goes on to the next."""

    def nobody(_):
        raise NoChoiceError("Nobody.")

    monkeypatch.setattr("kpboost.experiments._scheduler.choose", nobody)
    path = tmp_path / "store.db"
    summary = run(replace(small_spec, protocol=protocol), path)
    assert summary.done + summary.failed == summary.total
    svm, kpboost = outcomes(path)
    assert (svm.status, svm.error) == ("failed", "Nobody.")
    assert (kpboost.status, kpboost.error) == ("failed", "Nobody.")


def test_data_sets_that_cannot_be_had_are_named(two_classes, tmp_path):
    lonely = tmp_path / "lonely.csv"
    lonely.write_text("a,class\n" + "1,x\n2,x\n3,y\n" * 3 + "4,z\n")
    spec = ExperimentSpec([two_classes, lonely], ["svm"], n_folds=2)
    path = tmp_path / "store.db"
    summary = run(spec, path)
    assert "class of 1" in summary.missing["lonely"]
    good, bad = outcomes(path)
    assert (good.status, bad.status) == ("complete", "not available")
    assert "class of 1" in bad.error
    assert [info.status for info in describe(path).datasets] == ["ready", "not available"]
    assert "data sets: 1, 'two'" in repr(describe(path))
    assert plan(spec, path).missing.keys() == {"lonely"}


def test_nothing_to_work_on(tmp_path):
    lonely = tmp_path / "lonely.csv"
    lonely.write_text("a,class\n1,x\n2,x\n3,y\n")
    with pytest.raises(ValueError, match=r"no data set to work on: .*class of 1"):
        run(ExperimentSpec([lonely], ["svm"]), tmp_path / "store.db")


def test_an_unknown_data_set_ends_everything_before_it_begins(two_classes, tmp_path):
    with pytest.raises(ValueError, match="no file and no data set 'wines'"):
        run(ExperimentSpec([two_classes, "wines"], ["svm"]), tmp_path / "store.db")


def test_two_files_of_one_name(two_classes, tmp_path):
    (tmp_path / "other").mkdir()
    twin = write_points(tmp_path / "other" / "two.csv")
    with pytest.raises(ValueError, match="Two data sets are called 'two'"):
        plan(ExperimentSpec([two_classes, twin], ["svm"]))
