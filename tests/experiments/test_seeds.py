"""Several seeds in one store: each as it would be alone, and stores of earlier versions."""

import sqlite3

import pytest

from kpboost.experiments import ExperimentSpec, StoreError, describe, outcomes, run
from support.small_experiments import write_points

METHODS = ["svm", "kpboost", "rusboost"]


@pytest.fixture
def file(tmp_path):
    return str(write_points(tmp_path / "points.csv", n_classes=3))


def figures(folds):
    return [(fold.scores, fold.class_recalls, fold.params) for fold in folds]


@pytest.mark.parametrize("protocol", ["published", "nested"])
def test_every_seed_is_as_it_would_be_alone(file, tmp_path, protocol):
    options = {"protocol": protocol, "n_folds": 2}
    run(ExperimentSpec([file], METHODS, n_seeds=2, **options), tmp_path / "both.db")
    for seed in (0, 1):
        run(ExperimentSpec([file], METHODS, seed=seed, **options), tmp_path / f"{seed}.db")
    alone = [outcomes(tmp_path / f"{seed}.db") for seed in (0, 1)]
    for place, both in enumerate(outcomes(tmp_path / "both.db")):
        first, second = (own[place] for own in alone)
        assert figures(both.folds) == figures((*first.folds, *second.folds))
        assert both.by_seed("gmean") == pytest.approx(
            (first.scores["gmean"], second.scores["gmean"])
        )
        assert both.scores["gmean"] == pytest.approx(sum(both.by_seed("gmean")) / 2)


def test_more_seeds_join_a_store_and_fewer_find_theirs(file, tmp_path):
    """One hold-out each; nothing is done again."""
    path, options = tmp_path / "s.db", {"protocol": "published"}
    run(ExperimentSpec([file], ["svm"], **options), path)
    before = outcomes(path)[0]
    done = run(ExperimentSpec([file], ["svm"], n_seeds=3, **options), path)
    after = outcomes(path)[0]
    assert done.done_now == 2 * 4
    assert (before.n_folds, after.n_folds, after.status) == (1, 3, "complete")
    assert len(after.by_seed("gmean")) == after.n_seeds == describe(path).spec.n_seeds == 3
    assert figures(after.folds)[:1] == figures(before.folds)
    fewer = run(ExperimentSpec([file], ["svm"], n_seeds=2, **options), path)
    assert (fewer.total, fewer.done_now) == (8, 0)


def test_a_store_that_tried_other_settings_is_read_but_not_gone_on_with(file, tmp_path):
    path = tmp_path / "old.db"
    spec = ExperimentSpec([file], ["svm", "act"], protocol="published")
    run(spec, path)
    with sqlite3.connect(path) as store:
        store.execute("DELETE FROM facts WHERE key = 'settings'")
    store.close()
    assert {each.status for each in outcomes(path)} == {"complete"}
    with pytest.raises(StoreError, match="tried other settings of act; take another store"):
        run(spec, path)
    untouched = ExperimentSpec([file], ["svm"], protocol="published")
    assert run(untouched, path).done_now == 0
