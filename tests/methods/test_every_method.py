"""Every name means the same in compare, fit, save, load, predict, audit, and in the documents."""

import gzip
import json
import re
import sqlite3
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kpboost.auditing import audit
from kpboost.datasets import read_dataset
from kpboost.experiments import ExperimentSpec, StoreError, describe, outcomes, predictions, run
from kpboost.experiments._queue import _parts
from kpboost.experiments._splits import seed_of
from kpboost.experiments.storage._rows import kept_dataset
from kpboost.experiments.storage._store import Store
from kpboost.methods import METHODS, MethodClassifier, check_methods
from kpboost.methods._grids import Part, Width
from kpboost.methods._registry import FORMER_NAMES
from kpboost.model_files import _evaluation, load_model, save_model, train, types_to_trust
from support.calls import call
from support.small_training import FEW_TREES

ROOT = Path(__file__).parents[2]
HERE = [name for name, method in METHODS.items() if method.is_available]
DRAWING = {name for name, method in METHODS.items() if method.seeded or method.threshold}
pytestmark = pytest.mark.filterwarnings("ignore")  # tiny data need not suit every candidate


# Enough of them to be what they are, few enough to be quick.
SMALL = {
    "adaboost_mlp": {"n_estimators": 2, "n_epochs": 20},
    "balanced_forest": {"n_estimators": 10},
    "easy_ensemble": {"n_estimators": 2},
    "gradient_boosting": {"max_iter": 10},
    "gradient_boosting_balanced": {"max_iter": 10},
    "gradient_boosting_tuned": {"max_iter": 10},
    "lightgbm_tuned": {"n_estimators": 10},
    "xgboost_tuned": {"n_estimators": 10},
    **{
        f"{forest}_{rule}": {"n_estimators": 20}
        for forest in ("extra_trees", "random_forest")
        for rule in ("tuned", "prior")
    },
    "rare_class": {"n_trees": 10, "n_bags": 3},
}


ONE_CANDIDATE = ("easy_ensemble", "rare_class")


def few(grid):
    """Two candidates of two widths, where there are as many: enough for a choice."""
    return tuple(replace(part, candidates=part.candidates[:2]) for part in grid[:2])


@pytest.fixture(autouse=True, scope="module")
def few_trees():
    with pytest.MonkeyPatch.context() as patch:
        for name, method in [*METHODS.items()]:
            quick = few(method.grids["quick"])
            first = (Part(Width(), ({},)),) if name in ONE_CANDIDATE else quick
            fixed = {**method.fixed, **SMALL.get(name, {})}
            grids = {**method.grids, "quick": first}
            patch.setitem(METHODS, name, replace(method, grids=grids, fixed=fixed))
        patch.setattr(_evaluation, "N_TREES", FEW_TREES)
        _parts.cache_clear()  # it remembers grids by the names of methods
        yield
    _parts.cache_clear()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Two classes, two columns of numbers, one of names, a few gaps."""
    rng = np.random.default_rng(0)
    lines = ["size,weight,colour,kind"]
    for i in range(60):
        rare = i % 4 == 0
        colour = rng.choice(["red", "green"] if rare else ["red", "blue"])
        size = "" if i % 17 == 5 else f"{rng.normal(2.0 * rare):.3f}"
        lines.append(f"{size},{rng.normal():.3f},{colour},{('common', 'rare')[rare]}")
    path = tmp_path_factory.mktemp("methods") / "tiny.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def store(file, few_trees):
    """All methods, compared under the honest protocol."""
    path = file.with_name("all.db")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        summary = run(ExperimentSpec([file], HERE, n_folds=2), path)
    assert summary.failed == 0
    return path


@pytest.mark.parametrize("name", HERE)
def test_a_method_is_compared_fitted_saved_loaded_and_audited(name, file, store, tmp_path):
    (compared,) = [each for each in outcomes(store) if each.method == name]
    assert compared.status == "complete"
    assert 0 <= compared.scores["gmean"] <= 1
    data = read_dataset(file, target="kind")
    saved = train(data, name)
    save_model(saved, tmp_path / "m.skops")
    strange = types_to_trust(tmp_path / "m.skops")
    # boosters of other packages are read by their own code, which nobody should let a stranger do
    assert bool(strange) == METHODS[name].estimator.startswith(("lightgbm", "xgboost"))
    loaded = load_model(tmp_path / "m.skops", trusted=strange)
    assert (loaded.method, loaded.n_rows) == (name, 60)
    table = loaded.read(file)
    np.testing.assert_array_equal(loaded.predict(table), saved.predict(table))
    assert np.mean(loaded.predict(table) == data.y) > 0.6
    found = audit(data.X, data.y, name, cv=2, remedies="never")
    assert (found.models[0].name, found.models[0].title) == (name, METHODS[name].title)


@pytest.mark.parametrize("name", [name for name in HERE if name not in DRAWING])
def test_a_nested_fold_is_the_classifier_on_its_training_rows(name, file, store):
    """The theorem: what compare chooses and predicts in a fold, the classifier does."""
    data = read_dataset(file, target="kind")
    with Store(store) as opened:
        splits = kept_dataset(opened, "tiny").splits
    (compared,) = [each for each in outcomes(store) if each.method == name]
    for fold, (train_rows, test_rows) in enumerate(splits):
        # the seed of the inner folds; methods that draw have seeds of their own
        seed = seed_of(0, "tiny", "inner partition", fold)
        model = MethodClassifier(name, categorical_features=data.nominal, random_state=seed)
        model.fit(data.X[train_rows], data.y[train_rows])
        params = compared.folds[fold].params
        assert {key: params[key] for key in model.best_params_} == pytest.approx(model.best_params_)
        said = predictions(store, "tiny", name, fold)
        np.testing.assert_array_equal(said.rows, test_rows)
        np.testing.assert_array_equal(said.labels, model.predict(data.X[test_rows]))


def test_a_sample_is_the_same_in_compare_and_in_the_classifier(file, tmp_path, monkeypatch):
    small = {name: METHODS[name] for name in ("svm", "kpboost")}
    for name, method in small.items():
        monkeypatch.setitem(METHODS, name, replace(method, max_rows=25))
    path = tmp_path / "s.db"
    run(ExperimentSpec([file], ["kpboost"], n_folds=2), path)
    data = read_dataset(file, target="kind")
    with Store(path) as opened:
        train_rows, test_rows = kept_dataset(opened, "tiny").splits[1]
    model = MethodClassifier(
        "kpboost",
        categorical_features=data.nominal,
        random_state=seed_of(0, "tiny", "inner partition", 1),
    ).fit(data.X[train_rows], data.y[train_rows])
    assert model.n_rows_ == 25
    said = predictions(path, "tiny", "kpboost", 1)
    np.testing.assert_array_equal(said.labels, model.predict(data.X[test_rows]))


def test_the_command_lists_them_all(capsys):
    listed = json.loads(call(capsys, "methods", "--json").out)["methods"]
    assert [each["name"] for each in listed] == [*METHODS]
    for each in listed:
        method = METHODS[each["name"]]
        assert (each["title"], each["good_for"]) == (method.title, method.good_for)
        assert each["in_paper"] == method.in_paper
        assert bool(each["install"]) == bool(method.extra)
    text = call(capsys, "methods").out
    for name, method in METHODS.items():
        assert f"{name}\n" in text
        assert f"  {method.title}{'*' if method.in_paper else ''}: {method.good_for}" in text


@pytest.mark.parametrize("command", ["compare", "fit", "audit"])
def test_help_says_where_they_are(command, capsys):
    assert "kpboost methods" in re.sub(r"\s+", " ", call(capsys, command, "--help").out)


def test_the_page_of_methods_has_every_name_with_its_title():
    page = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", page, re.MULTILINE))
    assert rows == {name: method.title for name, method in METHODS.items()}


def test_no_name_was_given_twice():
    assert not {*FORMER_NAMES} & {*METHODS}
    assert {*FORMER_NAMES.values()} <= {*METHODS}
    titles = [method.title for method in METHODS.values()]
    assert len({*titles}) == len(titles)


@pytest.mark.parametrize("former", FORMER_NAMES)
def test_a_former_name_says_the_new_one(former):
    with pytest.raises(ValueError, match=f"is called '{FORMER_NAMES[former]}' now"):
        check_methods([former])


def test_a_store_with_former_names_is_read_and_gone_on_with(file, tmp_path):
    path = tmp_path / "old.db"
    spec = ExperimentSpec([file], ["gradient_boosting_balanced", "c45_ib1"], n_folds=2)
    run(spec, path)
    before = {each.method: each.scores["gmean"] for each in outcomes(path)}
    with_former_names(path, "gradient_boosting_balanced", "hgb_balanced")
    assert {each.method: each.scores["gmean"] for each in outcomes(path)} == before
    assert describe(path).spec.methods == spec.methods
    again = run(spec, path)
    assert (again.done_now, again.failed) == (0, 0)


def with_former_names(path, name, former):
    with sqlite3.connect(path) as store:
        store.execute("UPDATE methods SET name = ? WHERE name = ?", (former, name))
        for table in ("jobs", "results"):
            store.execute(f"UPDATE {table} SET method = ? WHERE method = ?", (former, name))
        store.execute("UPDATE facts SET value = replace(value, ?, ?)", (name, former))
    store.close()


def test_the_store_of_an_earlier_version_is_read(tmp_path):
    path = tmp_path / "old.db"
    kept = ROOT / "tests" / "golden" / "old_store.db.gz"
    path.write_bytes(gzip.decompress(kept.read_bytes()))
    assert {each.status for each in outcomes(path)} == {"complete"}


def test_a_nested_store_of_an_earlier_version_is_read_but_not_gone_on_with(file, tmp_path):
    """It has figures of columns that were prepared in another way."""
    path = tmp_path / "old.db"
    spec = ExperimentSpec([file], ["c45_ib1"], n_folds=2)
    run(spec, path)
    with sqlite3.connect(path) as store:
        store.execute("DELETE FROM facts WHERE key = 'preparation'")
    store.close()
    assert {each.status for each in outcomes(path)} == {"complete"}
    with pytest.raises(StoreError, match="prepared columns in another way"):
        run(spec, path)


def test_reading_a_store_with_former_names_leaves_it_as_it_is(file, tmp_path):
    path = tmp_path / "old.db"
    run(ExperimentSpec([file], ["gradient_boosting_balanced"], n_folds=2), path)
    with_former_names(path, "gradient_boosting_balanced", "hgb_balanced")
    with sqlite3.connect(path) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    before = path.read_bytes()
    assert [each.method for each in outcomes(path)] == ["gradient_boosting_balanced"]
    assert path.read_bytes() == before
