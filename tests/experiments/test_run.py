"""Runs: what they leave behind is what scikit-learn's own tools say about the same folds."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kpboost import KPBoostSVC, geometric_mean_score, hard_auc_score
from kpboost.datasets import read_dataset
from kpboost.experiments import ExperimentSpec, StoreError, outcomes, plan, run
from kpboost.experiments._splits import seed_of
from kpboost.experiments.storage._rows import kept_dataset
from kpboost.experiments.storage._store import Store
from kpboost.methods import METHODS
from kpboost.model_selection import best_tradeoff, class_recall_scorers, inner_splits
from kpboost.svm import KernelSVC
from support.small_experiments import core_of


def folds_of(path, name="two"):
    with Store(path) as store:
        return kept_dataset(store, name)


def parameters(fold):
    """The numbers among the chosen parameters that are the estimator's own."""
    names = ("length_scale", "judge_rounds")
    return {key: value for key, value in fold.params.items() if key not in names}


def gammas(method, grid, sigma=None, n_features=2):
    return [
        1 / (2 * part.width.length_scale(n_features, sigma) ** 2)
        for part in METHODS[method].grids[grid]
    ]


def test_nested_is_grid_search_inside_every_fold(small_spec, two_classes, tmp_path):
    path = tmp_path / "store.db"
    run(small_spec, path)
    svm, kpboost = outcomes(path)
    data = read_dataset(two_classes)
    codes = np.unique(data.y, return_inverse=True)[1]
    for fold, (train, test) in enumerate(folds_of(path).splits):
        splits = inner_splits(codes, train, seed_of(0, "two", "inner partition", fold))
        cv = [(np.searchsorted(train, a), np.searchsorted(train, b)) for a, b in splits]
        best = {"sigma": None}
        for outcome, machine, name in ((svm, KernelSVC(), "svm"), (kpboost, KPBoostSVC(), "")):
            grid = {"m__C": [1.0, 10.0, 100.0]}
            grid["m__gamma"] = gammas(name or "kpboost", "quick", best["sigma"])
            if not name:
                grid["m__perturbation_step"] = [0.001, 0.01, 0.1]
            pipe = make_pipeline(StandardScaler(), machine)
            pipe.steps[1] = ("m", machine)
            search = GridSearchCV(
                pipe, grid, scoring=class_recall_scorers([0, 1]), refit=best_tradeoff, cv=cv
            ).fit(data.X[train], codes[train])
            found = outcome.folds[fold]
            if name:
                best["sigma"] = found.params["length_scale"]
            # Candidates with the same recalls stand in another order there.
            table = search.cv_results_
            place = [
                all(np.isclose(params[f"m__{k}"], v) for k, v in parameters(found).items())
                for params in table["params"]
            ].index(True)
            for code in (0, 1):
                column = table[f"mean_test_class_recall_{code}"]
                assert column[place] == pytest.approx(column[search.best_index_])
            chosen = pipe.set_params(**{f"m__{k}": v for k, v in parameters(found).items()})
            answer = chosen.fit(data.X[train], codes[train]).predict(data.X[test])
            assert found.scores["gmean"] == pytest.approx(geometric_mean_score(codes[test], answer))
            assert found.scores["auc"] == pytest.approx(hard_auc_score(codes[test], answer))


def test_published_chooses_on_the_test_folds(small_spec, two_classes, tmp_path):
    path = tmp_path / "store.db"
    run(replace(small_spec, methods=("svm",), protocol="published"), path)
    (svm,) = outcomes(path)
    data = read_dataset(two_classes)
    codes = np.unique(data.y, return_inverse=True)[1]
    X = StandardScaler().fit_transform(data.X)
    search = GridSearchCV(
        KernelSVC(),
        {"gamma": gammas("svm", "quick"), "C": [1.0, 10.0, 100.0]},
        scoring=class_recall_scorers([0, 1]),
        refit=best_tradeoff,
        cv=folds_of(path).splits,
    ).fit(X, codes)
    for fold in svm.folds:
        for code in (0, 1):
            key = f"split{fold.fold}_test_class_recall_{code}"
            assert fold.class_recalls[f"c{code}"] == pytest.approx(
                search.cv_results_[key][search.best_index_]
            )


@pytest.mark.parametrize(
    ("protocol", "judge_rounds"),
    [("nested", "as_new"), ("stated", "paper"), ("published", "paper")],
)
def test_the_papers_protocols_judge_rounds_as_the_paper(
    small_spec, two_classes, tmp_path, protocol, judge_rounds
):
    path = tmp_path / "store.db"
    run(replace(small_spec, protocol=protocol), path)
    svm, kpboost = outcomes(path)
    assert all("judge_rounds" not in fold.params for fold in svm.folds)
    data = read_dataset(two_classes)
    codes = np.unique(data.y, return_inverse=True)[1]
    for fold, (train, test) in zip(kpboost.folds, folds_of(path).splits, strict=True):
        assert fold.params["judge_rounds"] == judge_rounds
        scaler = StandardScaler().fit(data.X[train] if protocol == "nested" else data.X)
        X = scaler.transform(data.X)
        model = KPBoostSVC(**parameters(fold), judge_rounds=judge_rounds).fit(
            X[train], codes[train]
        )
        score = geometric_mean_score(codes[test], model.predict(X[test]))
        assert fold.scores["gmean"] == pytest.approx(score)


def test_running_again_does_nothing(small_spec, tmp_path):
    first = run(small_spec, tmp_path / "store.db")
    again = run(small_spec, tmp_path / "store.db")
    assert first.done_now == first.total == again.done
    assert again.done_now == 0


def test_a_store_takes_more_methods_and_data_sets(small_spec, three_classes, tmp_path):
    path, other = tmp_path / "store.db", tmp_path / "other.db"
    run(replace(small_spec, methods=("svm",)), path)
    more = replace(small_spec, datasets=(*small_spec.datasets, str(three_classes)))
    run(more, path)
    run(more, other)
    assert [core_of(own) for own in outcomes(path)] == [core_of(own) for own in outcomes(other)]


def test_sigma_of_the_plain_svm_is_found_for_methods_that_need_it(small_spec, tmp_path):
    path, other = tmp_path / "store.db", tmp_path / "other.db"
    run(replace(small_spec, methods=("kpboost",)), path)
    run(small_spec, other)
    (alone,) = outcomes(path)
    assert core_of(alone) == core_of(outcomes(other)[1])


def test_progress_goes_from_nothing_to_all(small_spec, tmp_path):
    seen = []
    run(small_spec, tmp_path / "store.db", on_progress=seen.append)
    assert [own.done for own in seen] == list(range(seen[-1].total + 1))
    assert all(not own.failed for own in seen)
    assert seen[1].running == ("two, svm, fold 0, scale 0.5",)


# What a plan counts, next to counting by hand.


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
