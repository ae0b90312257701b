"""What reports read: plain records, whatever state the store is in."""

import math
from dataclasses import replace

import numpy as np
import pytest

from kpboost.datasets import read_dataset
from kpboost.disjuncts import DisjunctFinder
from kpboost.experiments import StoreError, describe, outcomes, plan, predictions, run
from kpboost.experiments._reading import _mean
from kpboost.experiments._records import FoldOutcome
from kpboost.experiments.storage._rows import kept_dataset, kept_job, kept_predictions, statuses
from kpboost.experiments.storage._store import Store
from kpboost.metrics import class_recalls, geometric_mean_score, gsdi_score, hard_auc_score


class Enough(Exception):  # noqa: N818  # it is not an error
    """Ends a run early."""


@pytest.mark.parametrize("protocol", ["nested", "published"])
def test_outcomes_follow_from_the_predictions_that_are_kept(
    small_spec, three_classes, tmp_path, protocol
):
    path = tmp_path / "store.db"
    spec = replace(small_spec, datasets=(str(three_classes),), protocol=protocol)
    run(spec, path)
    y = read_dataset(three_classes).y
    labels, codes = np.unique(y, return_inverse=True)
    for outcome in outcomes(path):
        assert (outcome.status, outcome.n_folds, outcome.error) == ("complete", 2, "")
        assert outcome.scores["gmean"] == pytest.approx(
            np.mean([fold.scores["gmean"] for fold in outcome.folds])
        )
        assert outcome.n_candidates == {"svm": 12, "kpboost": 27}[outcome.method]
        assert outcome.seconds > sum(fold.fit_seconds for fold in outcome.folds) > 0
        with Store(path) as store:
            kept = kept_dataset(store, "three")
            answers = [kept_predictions(store, "three", outcome.method, k) for k in (0, 1)]
        for fold, answer, (_, test) in zip(outcome.folds, answers, kept.splits, strict=True):
            assert fold.scores["gmean"] == pytest.approx(geometric_mean_score(codes[test], answer))
            assert fold.scores["auc"] == pytest.approx(hard_auc_score(codes[test], answer))
            sizes = kept.disjunct_sizes
            gsdi = gsdi_score(
                codes[test], answer, disjuncts=kept.disjuncts[test], disjunct_sizes=sizes
            )
            assert fold.scores["gsdi"] == pytest.approx(gsdi)
            recalls = dict(zip(labels, class_recalls(codes[test], answer), strict=True))
            assert fold.class_recalls == pytest.approx(recalls)


def test_facts_about_data_sets(small_spec, two_classes, tmp_path):
    path = tmp_path / "store.db"
    run(replace(small_spec, methods=("svm",)), path)
    (info,) = describe(path).datasets
    data = read_dataset(two_classes)
    X = (data.X - data.X.mean(axis=0)) / data.X.std(axis=0)
    assert (info.name, info.n_points, info.n_features) == ("two", 60, 2)
    assert info.class_counts == {"c0": 40, "c1": 20}
    assert info.imbalance_ratio == 2.0
    assert info.n_disjuncts == DisjunctFinder().fit(X, data.y).n_disjuncts_


def test_a_run_that_ended_early(small_spec, tmp_path):
    path = tmp_path / "store.db"

    def enough(progress):
        if progress.done == 7:  # the first fold has its test, the second is under way
            raise Enough

    with pytest.raises(Enough):
        run(small_spec, path, on_progress=enough)
    svm, kpboost = outcomes(path)
    assert (svm.status, len(svm.folds), svm.n_folds) == ("partial", 1, 2)
    assert (kpboost.status, kpboost.folds) == ("waiting", ())
    assert math.isnan(kpboost.scores["gmean"])
    what = plan(small_spec, path)
    assert (what.done, what.failed, what.to_do) == (7, 0, what.total - 7)
    assert what.by_method == {"svm": (7, 10), "kpboost": (0, 8)}
    assert what.by_dataset == {"two": (7, 18)}


def test_plan_without_a_store(small_spec, tmp_path):
    what = plan(small_spec, tmp_path / "none.db")
    assert (what.total, what.done, what.to_do) == (18, 0, 18)
    assert what.n_candidates == 2 * (12 + 1 + 27 + 1)
    assert what.datasets == ("two",)
    assert not (tmp_path / "none.db").exists()


def test_searches_keep_the_recalls_of_every_candidate(small_spec, tmp_path):
    path = tmp_path / "store.db"
    run(small_spec, path)
    with Store(path) as store:
        for key in statuses(store):
            job = kept_job(store, key)
            n_splits = 3 if key.kind == "search" else 1
            assert job.arrays["recalls"].shape == (len(job.params), n_splits, 2)
            assert not np.isnan(job.arrays["gsdi"]).any()
            assert ("predictions" in job.arrays) == (key.kind == "test")


def test_scores_follow_from_the_labels(small_spec, three_classes, tmp_path):
    path = tmp_path / "store.db"
    spec = replace(small_spec, datasets=(str(three_classes),), methods=("svm",))
    run(spec, path)
    y = read_dataset(three_classes).y
    (outcome,) = outcomes(path)
    answers = [predictions(path, "three", "svm", fold.fold) for fold in outcome.folds]
    for fold, answer in zip(outcome.folds, answers, strict=True):
        assert fold.scores["gmean"] == pytest.approx(
            geometric_mean_score(y[answer.rows], answer.labels)
        )
    rows = np.concatenate([answer.rows for answer in answers])
    np.testing.assert_array_equal(np.sort(rows), np.arange(y.size))


def test_what_is_not_there_is_said(small_spec, tmp_path):
    path = tmp_path / "store.db"
    run(replace(small_spec, methods=("svm",)), path)
    with pytest.raises(StoreError, match="no result of kpboost on fold 0 of two"):
        predictions(path, "two", "kpboost", 0)
    with pytest.raises(StoreError, match="no result of svm on fold 7 of two"):
        predictions(path, "two", "svm", 7)


@pytest.mark.parametrize(
    ("unmeasured", "expected"), [(set(), 0.5), ({"roc_auc"}, math.nan), ({"brier"}, 0.5)]
)
def test_a_mean_is_of_all_folds_that_could_be_measured(unmeasured, expected):
    """Not defined on a fold is one thing; nothing kept to measure it by is another."""
    folds = [
        FoldOutcome(0, {"roc_auc": 0.5}, {}, {}, 0.0, 0.0),
        FoldOutcome(1, {"roc_auc": math.nan}, {}, {}, 0.0, 0.0, frozenset(unmeasured)),
    ]
    assert _mean("roc_auc", folds) == pytest.approx(expected, nan_ok=True)
