"""What a plan counts, next to counting by hand."""

import pytest

from kpboost.experiments import ExperimentSpec, StoreError, plan, run
from kpboost.methods import METHODS


def test_jobs_and_candidates_of_a_nested_plan(two_classes):
    found = plan(ExperimentSpec([two_classes], ["svm", "c45_ib1"], n_folds=2))
    parts = {name: METHODS[name].grids["quick"] for name in ("svm", "c45_ib1")}
    # A search per width and a test of the choice, in every fold.
    jobs = {name: 2 * (len(own) + 1) for name, own in parts.items()}
    assert found.by_method == {name: (0, total) for name, total in jobs.items()}
    assert (found.total, found.to_do) == (sum(jobs.values()),) * 2
    tried = sum(len(part.candidates) for own in parts.values() for part in own)
    assert found.n_candidates == 2 * (tried + len(parts))


def test_choosing_on_the_test_folds_needs_no_job_of_its_own(two_classes):
    found = plan(ExperimentSpec([two_classes], ["svm"], protocol="stated", n_folds=3))
    assert found.total == 3 * len(METHODS["svm"].grids["quick"])


def test_rusboost_has_one_candidate_where_there_are_more_classes(two_classes, three_classes):
    spec = ExperimentSpec([two_classes, three_classes], ["rusboost"], protocol="stated", n_folds=3)
    assert plan(spec).n_candidates == 3 * 3 + 3 * 1


def test_a_method_brings_the_one_that_it_needs(two_classes):
    found = plan(ExperimentSpec([two_classes], ["kpboost"], n_folds=2))
    assert list(found.by_method) == ["svm", "kpboost"]


def test_a_store_of_another_experiment_is_refused(two_classes, tmp_path):
    store = tmp_path / "store.db"
    run(ExperimentSpec([two_classes], ["c45_ib1"], n_folds=2), store)
    assert plan(ExperimentSpec([two_classes], ["c45_ib1"], n_folds=2), store).to_do == 0
    with pytest.raises(StoreError, match="with seed=0, not seed=1"):
        plan(ExperimentSpec([two_classes], ["c45_ib1"], n_folds=2, seed=1), store)
