from dataclasses import replace

import numpy as np
import pytest
import skops.io

from kpboost.datasets import load, read_table
from kpboost.model_files import (
    ModelFileError,
    _held_out,
    figures,
    load_model,
    save_model,
    train,
)
from kpboost.model_files._held_out import HeldOutScores
from kpboost.model_selection import ScoreCalibration, choose_operating_point
from support import forged_models


@pytest.fixture(scope="module")
def data():
    return load("planted-two")


@pytest.fixture(scope="module")
def saved(data):
    """A model whose estimator has no probabilities."""
    return train(data, "svm_balanced")


@pytest.fixture(scope="module")
def three():
    """A model of three classes, whose estimator has probabilities and decision values."""
    return train(load("planted-three"), "gradient_boosting")


def through_a_file(saved, folder):
    save_model(saved, folder / "m.skops")
    return load_model(folder / "m.skops")


def test_scores_and_probabilities_are_the_estimators_own(three):
    rows = load("planted-three").table
    np.testing.assert_array_equal(three.predict_proba(rows), three.model.predict_proba(rows.values))
    np.testing.assert_array_equal(
        three.decision_function(rows), three.model.decision_function(rows.values)
    )


def test_probabilities_come_from_scores_out_of_fold_where_there_are_none(saved, data):
    held_out = saved.held_out
    line = ScoreCalibration.fit(
        held_out.scores.astype(np.float64), held_out.codes, probabilities=False
    )
    scores = saved.model.decision_function(data.X)
    np.testing.assert_array_equal(saved.decision_function(data.table), scores)
    likely = saved.predict_proba(data.table)
    np.testing.assert_array_equal(likely, line.probabilities(scores))
    np.testing.assert_allclose(likely.sum(axis=1), 1.0)
    assert np.all(np.diff(likely[np.argsort(scores), 1]) >= 0)


@pytest.mark.parametrize("wish", [{}, {"recall": 0.9}])
def test_all_answers_together_are_those_one_by_one(saved, data, three, wish):
    rare = train(data, "rare_class")
    for model, rows in ((saved, data.table), (rare, data.table),
                        (three, load("planted-three").table)):  # fmt: skip
        asked = model.with_operating_point(**wish)
        labels, scores, likely = asked.predict_all(rows)
        np.testing.assert_array_equal(labels, asked.predict(rows))
        np.testing.assert_array_equal(scores, asked.decision_function(rows))
        np.testing.assert_array_equal(likely, asked.predict_proba(rows))


def test_the_default_method_is_evaluated_once_for_all_answers(data, monkeypatch):
    rare = train(data, "rare_class")
    calls = []
    forest = type(rare.model[-1].forest_)
    own = forest.predict_proba
    monkeypatch.setattr(forest, "predict_proba", lambda *given: calls.append(1) or own(*given))
    rare.predict_all(data.table)
    assert len(calls) == 1
    rare.predict(data.table), rare.predict_proba(data.table)
    assert len(calls) == 3


def test_a_forest_without_decision_values_has_log_odds(data):
    rows = data.table
    forest = train(data, "c45_ib1")
    likely = np.clip(forest.predict_proba(rows), 1e-6, 1.0)
    np.testing.assert_allclose(
        forest.decision_function(rows), np.log(likely[:, 1]) - np.log(likely[:, 0])
    )


@pytest.mark.parametrize(
    "wish",
    [
        {"recall": 0.9},
        {"alarms": 0.1},
        {"recall": 0.95, "pos_label": "common"},
        {"costs": {("rare", "common"): 5.0}},
        {"costs": [[0, 1], [5, 0]]},
    ],
)
def test_an_operating_point_changes_without_training(saved, data, wish, tmp_path):
    changed = saved.with_operating_point(**wish)
    assert changed.model is saved.model
    assert saved.operating_point is None
    again = through_a_file(changed, tmp_path)
    assert again.operating_point == changed.operating_point
    np.testing.assert_array_equal(again.predict(data.table), changed.predict(data.table))
    np.testing.assert_array_equal(again.predict_proba(data.table), saved.predict_proba(data.table))
    own = again.with_operating_point()
    np.testing.assert_array_equal(own.predict(data.table), saved.predict(data.table))


def test_the_point_of_a_training_is_the_point_of_its_scores(saved, data):
    trained = train(data, "svm_balanced", recall=0.9)
    assert trained.operating_point == saved.with_operating_point(recall=0.9).operating_point
    held_out = trained.held_out
    expected = choose_operating_point(
        np.array(["common", "rare"])[held_out.codes], held_out.scores, recall=0.9
    )
    assert trained.operating_point.threshold == expected.threshold


def test_the_threshold_is_on_the_score_of_the_positive_class(saved, data):
    """Also where it comes first in the alphabet: the same choice under other names."""
    changed = saved.with_operating_point(recall=0.95, pos_label="common")
    threshold = changed.operating_point.threshold
    scores = -changed.decision_function(data.table)
    expected = np.where(scores >= threshold, "common", "rare")
    np.testing.assert_array_equal(changed.predict(data.table), expected)
    assert changed.pos_label == "common"


def test_costs_follow_the_classes_when_these_change_places(saved):
    as_pairs = saved.with_operating_point(
        costs={("common", "rare"): 7.0, ("rare", "common"): 2.0}, pos_label="common"
    )
    plain = saved.with_operating_point(costs=[[0, 7], [2, 0]])
    assert as_pairs.operating_point.threshold == pytest.approx(-plain.operating_point.threshold)
    assert as_pairs.operating_point.cost.value == pytest.approx(plain.operating_point.cost.value)


def test_several_classes_have_operating_points(three, tmp_path):
    rows = load("planted-three").table
    names = [*three.class_sizes]
    for wish in ({"recall": 0.9}, {"costs": {(names[0], names[1]): 4.0}}):
        changed = three.with_operating_point(**wish)
        again = through_a_file(changed, tmp_path)
        np.testing.assert_array_equal(again.predict(rows), changed.predict(rows))


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({"recall": 2}, "recall=2 is not allowed"),
        ({"alarms": -0.1}, "alarms=-0.1 is not allowed"),
        ({"recall": 0.5, "alarms": 0.5}, "recall and alarms are given"),
        ({"recall": 0.5, "pos_label": "odd"}, "pos_label='odd' is not allowed"),
        ({"pos_label": "rare"}, "pos_label is given alone"),
        ({"costs": [[0, 1]]}, "2 rows and columns"),
        ({"costs": {("rare", "odd"): 2.0}}, "not a pair of true and predicted class"),
        ({"costs": {"rare": 2.0}}, "not a pair of true and predicted class"),
        ({"costs": {("rare", "common"): -2.0}}, "costs more than the right label"),
    ],
)
def test_what_cannot_be_is_refused_before_any_training(saved, data, wish, words, monkeypatch):
    with pytest.raises(ValueError, match=words):
        saved.with_operating_point(**wish)
    monkeypatch.setattr("kpboost.model_files._training.out_of_fold", None)
    with pytest.raises(ValueError, match=words):
        train(data, "svm_balanced", **wish)


def test_a_sample_keeps_the_shares_and_the_rows_of_baselines(saved, monkeypatch, data):
    tried = np.where(np.arange(408) % 10 == 0, saved.held_out.codes, -1)
    whole = replace(saved.held_out, baselines={"tree": tried})
    part = whole.sample(100, seed=0)
    assert part.sizes.tolist() == [84, 17]
    assert (part.baselines["tree"] != -1).sum() == (tried != -1).sum()
    assert whole.sample(408, seed=0) is whole
    monkeypatch.setattr("kpboost.model_files._training.MOST_STORED", 100)
    few = train(data, "svm_balanced", recall=0.9)
    assert few.held_out.codes.size == 101
    assert few.operating_point.n_samples == 408


def forged(saved, folder, **changes):
    save_model(saved, folder / "m.skops")
    content = skops.io.load(folder / "m.skops", trusted=forged_types(folder))
    skops.io.dump({**content, **changes}, folder / "f.skops")
    return folder / "f.skops"


def forged_types(folder):
    return skops.io.get_untrusted_types(file=folder / "m.skops")


@pytest.mark.parametrize("version", [1, 2])
def test_files_of_earlier_versions_say_what_they_cannot(saved, data, version, tmp_path):
    file = forged(saved, tmp_path, format_version=version, held_out=None)
    old = load_model(file)
    np.testing.assert_array_equal(old.predict(data.table), saved.predict(data.table))
    assert old.decision_function(data.table).shape == (408,)
    with pytest.raises(ValueError, match="earlier version, and its method has no probabilities"):
        old.predict_proba(data.table)
    with pytest.raises(ValueError, match="no out-of-fold scores to choose"):
        old.with_operating_point(recall=0.9)
    assert (old.weakness, old.pos_label) == ("", "rare")


def test_an_earlier_file_has_the_estimators_own_probabilities(three, tmp_path):
    old = load_model(forged(three, tmp_path, format_version=2, held_out=None))
    rows = load("planted-three").table
    np.testing.assert_array_equal(old.predict_proba(rows), three.predict_proba(rows))


def changed(held_out, **changes):
    return {**_held_out.as_content(held_out), **changes}


@pytest.mark.parametrize(
    "change",
    [
        {"codes": np.zeros(408, dtype=np.int32)},
        {"codes": np.full(408, 2, dtype=np.int32)},
        {"codes": np.zeros(0, dtype=np.int32)},
        {"codes": np.zeros(408)},
        {"predicted": np.full(408, -1, dtype=np.int32)},
        {"predicted": np.zeros(7, dtype=np.int32)},
        {"scores": np.full(408, np.nan, dtype=np.float32)},
        {"scores": np.zeros((408, 2), dtype=np.float32)},
        {"scores": np.zeros(408)},
        {"probabilities": np.full((408, 2), 0.7, dtype=np.float32)},
        {"probabilities": np.tile(np.float32([-1, 2]), (408, 1))},
        {"baselines": {"oracle": np.zeros(408, dtype=np.int32)}},
        {"baselines": {"tree": np.full(408, -1, dtype=np.int32)}},
        {"baselines": 7},
    ],
)
def test_forged_scores_are_refused(saved, change, tmp_path):
    file = forged(saved, tmp_path, held_out=changed(saved.held_out, **change))
    with pytest.raises(ModelFileError, match="damaged model file"):
        load_model(file)


@pytest.mark.parametrize(
    "change",
    [
        {"classes": ["rare", "odd"]},
        {"classes": ["common"]},
        {"rule": 3},
        {"rule": ""},
        {"note": None},
        {"pos_label": "common"},
        {"recalls": [[2.0, 0.0, 3.0], [0.5, 0.4, 0.6]]},
        {"precision": [0.5, 0.6, 0.4]},
        {"n_samples": -1},
        {"n_positives": 1.5},
        {"decision": {}},
        {"more": 1},
    ],
)
def test_forged_operating_points_are_refused(saved, change, tmp_path):
    point = saved.with_operating_point(recall=0.9).operating_point.as_dict()
    file = forged(saved, tmp_path, operating_point={**point, **change})
    with pytest.raises(ModelFileError, match="damaged model file"):
        load_model(file)


@pytest.mark.parametrize(
    "change",
    [
        {"threshold": "nan"},
        {"threshold": None},
        {"pos": True},
        {"pos": -1},
        {"probabilities": True},
        {"n_classes": 3},
        {"offsets": [0.0, 1.0]},
    ],
)
def test_forged_decisions_are_refused(saved, change, tmp_path):
    point = saved.with_operating_point(recall=0.9).operating_point.as_dict()
    decision = {**point["decision"], **change}
    file = forged(saved, tmp_path, operating_point={**point, "decision": decision})
    with pytest.raises(ModelFileError, match="damaged model file"):
        load_model(file)


def test_the_campaign_forges_models_with_operating_points(tmp_path):
    file = forged_models.saved_model("svm", tmp_path, {"recall": 0.9})
    loaded = load_model(file)
    assert isinstance(loaded.held_out, HeldOutScores)
    assert loaded.operating_point is not None
    forged_models.assert_complete(loaded, read_table(tmp_path / "rows.csv"))


@pytest.mark.parametrize("wish", [{"recall": 0.9}, {"alarms": 0.1}, {"costs": [[0, 1], [5, 0]]}])
def test_all_figures_of_an_operating_point_are_of_the_same_predictions(saved, wish, tmp_path):
    """Those that the threshold was not chosen on: the matrix has the recalls of the point."""
    changed = through_a_file(saved.with_operating_point(**wish), tmp_path)
    matrix = np.array(figures(changed)["confusion"])
    recalls = matrix.diagonal() / matrix.sum(axis=1)
    point = changed.operating_point
    told = dict(zip(point.classes, point.recalls, strict=True))
    np.testing.assert_allclose(recalls, [told[name].value for name in changed.class_sizes])
    assert figures(changed)["balanced_accuracy"].value == pytest.approx(recalls.mean())
    place = [*changed.class_sizes].index(point.pos_label)
    assert point.alarms.value == pytest.approx(matrix[:, place].sum() / matrix.sum())
