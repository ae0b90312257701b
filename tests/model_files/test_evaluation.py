import numpy as np
import pytest
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    log_loss as sklearn_log_loss,
    roc_auc_score,
)

from kpboost.datasets import Dataset, Table, features_of
from kpboost.model_files import _evaluation as evaluation, train
from kpboost.model_files._held_out import HeldOutScores
from kpboost.model_selection import make_folds


def held_out(seed=0, n=300, n_classes=2, baselines=None):
    """Scores that know something, with probabilities beside them."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_classes, size=n)
    codes[:n_classes] = np.arange(n_classes)
    likely = rng.dirichlet(np.ones(n_classes), size=n) + 0.3 * np.eye(n_classes)[codes]
    likely = (likely / likely.sum(axis=1, keepdims=True)).astype(np.float32)
    scores = np.log(likely)
    scores = scores[:, 1] - scores[:, 0] if n_classes == 2 else scores
    predicted = likely.argmax(axis=1)
    return HeldOutScores(codes, predicted, scores, likely, baselines or {})


def test_figures_are_scikit_learns():
    two = held_out()
    first, second = evaluation.rankings(two)
    assert first.roc_auc == pytest.approx(second.roc_auc)
    assert second.roc_auc == pytest.approx(roc_auc_score(two.codes, two.scores))
    assert first.average_precision == pytest.approx(
        average_precision_score(two.codes == 0, -two.scores)
    )
    likely = two.probabilities[:, 1].astype(np.float64)
    assert evaluation.brier(two)[0] == pytest.approx(brier_score_loss(two.codes, likely), rel=1e-5)
    assert evaluation.log_loss(two)[0] == pytest.approx(
        sklearn_log_loss(two.codes, likely), rel=1e-5
    )
    share = np.full(two.codes.size, two.codes.mean())
    assert evaluation.brier(two)[1] == pytest.approx(brier_score_loss(two.codes, share))
    assert evaluation.log_loss(two)[1] == pytest.approx(sklearn_log_loss(two.codes, share))
    accuracy = evaluation.balanced_accuracy(two.codes, two.predicted, 2)
    assert accuracy.value == pytest.approx(balanced_accuracy_score(two.codes, two.predicted))
    assert accuracy.low < accuracy.value < accuracy.high


def test_several_classes_are_ranked_one_against_the_rest():
    three = held_out(n_classes=3)
    for code, ranking in enumerate(evaluation.rankings(three)):
        expected = roc_auc_score(three.codes == code, three.scores[:, code])
        assert ranking.roc_auc == pytest.approx(expected)
    assert evaluation.confusion(three, three.predicted).sum() == 300


def test_bins_hold_every_row_once():
    two = held_out()
    bins = evaluation.calibration_bins(two, 1)
    assert sum(each.n_rows for each in bins) == 300
    assert all(each.low <= each.predicted <= each.high for each in bins)
    total = sum(each.n_rows * each.observed for each in bins)
    assert total == pytest.approx((two.codes == 1).sum())


def test_the_interval_of_balanced_accuracy_covers_as_it_says():
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [200, 15])
    truth, hits = np.array([0.9, 0.7]), 0
    for _ in range(500):
        right = rng.random(codes.size) < truth[codes]
        rate = evaluation.balanced_accuracy(codes, np.where(right, codes, 1 - codes), 2)
        hits += rate.low <= truth.mean() <= rate.high
    assert hits / 500 > 0.92


def test_equal_classifiers_are_seldom_called_clearly_better():
    rng = np.random.default_rng(0)
    codes, alarms = np.repeat([0, 1], [150, 12]), 0
    for _ in range(500):
        answers = [np.where(rng.random(codes.size) < 0.8, codes, 1 - codes) for _ in range(2)]
        one = HeldOutScores(
            codes, answers[0], np.zeros(162), np.full((162, 2), 0.5), {"tree": answers[1]}
        )
        alarms += evaluation.rivals(one, one.predicted)[0].is_clearly_better
    assert alarms / 500 < 0.05


def test_a_baseline_is_compared_on_its_own_rows():
    two = held_out()
    tree = np.where(np.arange(300) < 100, two.codes, evaluation.NOT_TRIED)
    rival = evaluation.rivals(held_out(baselines={"tree": tree}), 1 - two.codes)[0]
    assert (rival.balanced_accuracy.value, rival.gain) == (1.0, 1.0)
    assert rival.is_clearly_better


def dataset(X, y, nominal=()):
    names = tuple(f"c{j}" for j in range(X.shape[1]))
    words = tuple(("a", "b", "c", "d") if j in nominal else None for j in range(X.shape[1]))
    return Dataset("made", Table(names, X, words), y)


def test_labels_without_any_pattern_make_a_poor_model():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(200) % 8 == 0, "rare", "common")
    saved = train(dataset(rng.normal(size=(200, 3)), y), "svm_balanced")
    assert saved.weakness.startswith("This model is poor: its balanced accuracy, 0.")
    assert "not clearly above chance, 0.50" in saved.weakness
    assert saved.weakness.endswith(".")


def test_a_good_model_is_not_called_poor():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(200) % 8 == 0, "rare", "common")
    X = rng.normal(size=(200, 3)) + 2.5 * (y == "rare")[:, None]
    assert train(dataset(X, y), "svm_balanced").weakness == ""


def test_a_model_that_a_tree_outdoes_is_called_poor():
    """An exclusive or of two of many nominal columns is far for kernels and near for trees."""
    rng = np.random.default_rng(0)
    X = rng.integers(4, size=(400, 14)).astype(np.float64)
    y = np.where((X[:, 0] == 1) ^ (X[:, 1] == 1), "odd", "even")
    saved = train(dataset(X, y, nominal=range(14)), "kpboost")
    best = evaluation.rivals(saved.held_out, saved.held_out.predicted)[0]
    assert best.is_clearly_better
    assert f"reaches {best.balanced_accuracy.value:.2f} on the same folds" in saved.weakness
    moved = saved.with_operating_point(recall=0.99)
    own = evaluation.balanced_accuracy(saved.held_out.codes, saved.held_out.predicted, 2)
    assert f"balanced accuracy without the operating point is {own.value:.2f}," in moved.weakness


def test_a_target_that_costs_balanced_accuracy_makes_no_model_poor():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(300) % 5 == 0, "rare", "common")
    X = rng.normal(size=(300, 2)) + 2.5 * (y == "rare")[:, None]
    saved = train(dataset(X, y), "svm_balanced", recall=1.0)
    assert saved.weakness == ""


def test_baselines_get_a_sample_with_all_rare_rows(monkeypatch):
    monkeypatch.setattr(evaluation, "MOST_BASELINE_ROWS", 60)
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [200, 9])
    data = Dataset("large", features_of(rng.normal(size=(209, 2))), codes.astype(str))
    found = evaluation.measured_baselines(data, codes, make_folds(codes, 5, 0), 0)
    assert list(found) == list(evaluation.BASELINES)
    for answers in found.values():
        tried = answers != evaluation.NOT_TRIED
        assert np.bincount(codes[tried]).tolist() == [51, 9]
        assert {*answers[tried]} <= {0, 1}
