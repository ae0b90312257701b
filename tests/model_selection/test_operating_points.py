"""Chosen points against brute force over all thresholds, against scikit-learn, and as records."""

import json
from itertools import product
from math import ceil, floor, inf

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, precision_recall_curve, roc_curve
from sklearn.model_selection import TunedThresholdClassifierCV

from kpboost.metrics import class_recalls, clopper_pearson
from kpboost.model_selection import OperatingPoint, choose_operating_point
from kpboost.model_selection._score_calibration import ScoreCalibration
from kpboost.model_selection._threshold_rules import FEWEST_TO_TUNE, Cuts, Wish, best_offsets

COSTS = [[0.0, 1.0], [7.0, -0.5]]
TUNED = [
    {"rule": "gmean"},
    {"rule": "balanced_accuracy"},
    {"recall": 0.8},
    {"alarms": 0.3},
    {"costs": COSTS},
]


def made(n_zeros=400, n_ones=60, seed=0, digits=None):
    """Labels 0 and 1 in a random order, and scores of class 1 that overlap."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.repeat([0, 1], [n_zeros, n_ones]))
    scores = random.normal(1.5 * y)
    return y, scores if digits is None else scores.round(digits)


def every_threshold(scores):
    """One threshold for each that differs, infinite ends included."""
    distinct = np.unique(scores)
    return [-inf, *((distinct[:-1] + distinct[1:]) / 2), inf]


def counts(y, scores, threshold):
    called = scores >= threshold
    return np.array([[np.sum(called[y == k] == j) for j in (0, 1)] for k in (0, 1)])


def merit(y, scores, threshold, wish, pos):
    """What a rule makes largest; -inf where a target is missed."""
    table = counts(y, scores, threshold)
    recalls = table.diagonal() / table.sum(axis=1)
    called = table[:, pos].sum()
    if "recall" in wish:
        reached = table[pos, pos] >= ceil(round(wish["recall"] * table[pos].sum(), 9))
        return -called if reached else -inf
    if "alarms" in wish:
        return called if called <= floor(round(wish["alarms"] * y.size, 9)) else -inf
    if "costs" in wish:
        return -np.sum(table * np.array(wish["costs"]))
    return recalls.prod() if wish["rule"] == "gmean" else recalls.sum()


@pytest.mark.parametrize("wish", TUNED, ids=str)
@pytest.mark.parametrize("pos", [0, 1])
@pytest.mark.parametrize("digits", [None, 1, 0])
def test_a_tuned_threshold_is_the_best_of_all(wish, pos, digits):
    for seed in range(4):
        y, scores = made(seed=seed, digits=digits)
        point = choose_operating_point(y, scores, **wish, pos_label=pos)
        best = max(merit(y, scores, each, wish, pos) for each in every_threshold(scores))
        assert merit(y, scores, point.threshold, wish, pos) == pytest.approx(best, abs=1e-12)
        assert point.tuned


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=2, max_size=30),
    st.sampled_from(TUNED),
    st.integers(0, 1),
)
def test_ties_and_ends_are_exact(pairs, wish, pos):
    y, scores = np.array([(0, 2), (1, 2), *pairs]).T
    values = {"rule": None, **wish, "costs": wish.get("costs")}
    decision = Wish(pos, **values).decide(scores.astype(float), y, tune=True, probabilities=False)
    ways = every_threshold(scores)
    best = max(merit(y, scores, each, wish, pos) for each in ways)
    assert merit(y, scores, decision.threshold, wish, pos) == pytest.approx(best, abs=1e-12)
    assert decision.threshold in ways


@pytest.mark.parametrize("wish", TUNED[:2], ids=str)
@pytest.mark.parametrize("pos", [0, 1])
def test_of_equal_choices_the_positive_class_gets_more(wish, pos):
    y = np.tile([0, 1], 50)
    point = choose_operating_point(y, np.zeros(100), **wish, pos_label=pos)
    assert point.threshold == (-inf if pos == 1 else inf)
    assert set(point.predict([-3.0, 0.0, 3.0])) == {pos}


def test_a_threshold_lies_in_the_middle_and_between_neighbouring_floats():
    y = np.repeat([0, 1], 50)
    point = choose_operating_point(y, y * 2.0, rule="gmean")
    assert point.threshold == 1.0
    low, high = 1.0, np.nextafter(1.0, 2.0)
    for pos in (0, 1):
        point = choose_operating_point(y, np.where(y == 1, high, low), rule="gmean", pos_label=pos)
        assert_array_equal(point.predict([low, high]), [0, 1])
    huge = np.where(y == 1, 1.7e308, -1.7e308)
    assert choose_operating_point(y, huge, rule="gmean").threshold == 0.0


def test_targets_are_points_of_scikit_learns_curves():
    y, scores = made()
    for recall in (0.5, 0.9, 1.0):
        point = choose_operating_point(y, scores, recall=recall, pos_label=1)
        precision, reached, _ = precision_recall_curve(y, scores)
        table = counts(y, scores, point.threshold)
        ours = table[1, 1] / table[:, 1].sum()
        best = precision[:-1][reached[:-1] >= recall - 1e-12]
        assert ours <= best.max() + 1e-12
        assert ours == pytest.approx(best[-1])  # the fewest alarms that reach it
    false_rate, true_rate, _ = roc_curve(y, scores, drop_intermediate=False)
    table = counts(y, scores, choose_operating_point(y, scores, rule="gmean").threshold)
    ours = table[1, 1] / table[1].sum() * table[0, 0] / table[0].sum()
    assert ours == pytest.approx(np.max(true_rate * (1 - false_rate)))


def test_scikit_learns_tuned_threshold_is_no_better():
    """On the same held-out scores; it looks at 500 thresholds, we at all."""
    random = np.random.default_rng(0)
    y = random.permutation(np.repeat([0, 1], [600, 80]))
    X = random.normal(y[:, None], 1.0, (680, 2))
    model = LogisticRegression().fit(X, y)
    theirs = TunedThresholdClassifierCV(
        model, scoring="balanced_accuracy", cv="prefit", refit=False, thresholds=500
    ).fit(X, y)
    scores = model.predict_proba(X)[:, 1]
    ours = choose_operating_point(y, scores, rule="balanced_accuracy")
    our_score = balanced_accuracy_score(y, ours.predict(scores))
    assert our_score >= theirs.best_score_ - 1e-12
    assert our_score == pytest.approx(theirs.best_score_, abs=0.005)


@pytest.mark.parametrize("wish", TUNED, ids=str)
def test_only_the_order_of_the_scores_counts(wish):
    y, scores = made()
    point = choose_operating_point(y, scores, **wish)
    bent = choose_operating_point(y, np.expm1(scores / 2), **wish)
    assert_array_equal(point.predict(scores), bent.predict(np.expm1(scores / 2)))
    assert (point.recalls, point.precision, point.cost) == (bent.recalls, bent.precision, bent.cost)


@pytest.mark.parametrize("wish", [*TUNED, {"rule": "balanced"}], ids=str)
def test_the_order_of_the_samples_does_not_count(wish):
    y, scores = made(digits=1)
    order = np.random.default_rng(1).permutation(y.size)
    point = choose_operating_point(y, scores, **wish)
    other = choose_operating_point(y[order], scores[order], **wish)
    assert other.threshold == pytest.approx(point.threshold, abs=1e-9)
    assert other.recalls == point.recalls
    assert choose_operating_point(y, scores, **wish) == point


@pytest.mark.parametrize("wish", TUNED, ids=str)
def test_repeated_samples_change_nothing(wish):
    y, scores = made(digits=1)
    point = choose_operating_point(y, scores, **wish)
    twice = choose_operating_point(np.tile(y, 2), np.tile(scores, 2), **wish)
    assert twice.threshold == point.threshold


@pytest.mark.parametrize("scale", [0.01, 1.0, 300.0])
def test_the_balanced_decision_does_not_depend_on_units(scale):
    y, scores = made(n_ones=15)
    point = choose_operating_point(y, scores)
    other = choose_operating_point(y, scale * scores - 7.0 * scale)
    assert_allclose(other.threshold, scale * point.threshold - 7.0 * scale, rtol=1e-6)
    assert other.recalls == point.recalls


def test_the_balanced_decision_finds_where_the_densities_meet():
    y, scores = made(100_000, 2_000)
    assert choose_operating_point(y, scores).threshold == pytest.approx(0.75, abs=0.03)
    for pos, threshold in ((0, inf), (1, -inf)):  # scores that point the wrong way say nothing
        assert choose_operating_point(y, -scores, pos_label=pos).threshold == threshold


def test_the_balanced_decision_of_honest_probabilities_is_the_prior():
    y, scores = made(50_000, 2_500)
    odds = 2_500 / 50_000 * norm.pdf(scores - 1.5) / norm.pdf(scores)
    shares = odds / (1 + odds)
    prior = choose_operating_point(y, shares, rule="prior")
    assert prior.threshold == pytest.approx(2_500 / 52_500)
    assert choose_operating_point(y, shares).threshold == pytest.approx(prior.threshold, rel=0.15)
    columns = np.column_stack([1 - shares, shares])
    assert choose_operating_point(y, columns) == choose_operating_point(y, shares)


def test_costs_are_weighed_with_the_prior():
    """Two normal densities: the best threshold is known, tuned or not."""
    y, scores = made(100_000, 5_000)
    truth = (np.log(20.0 / 10.0) + 1.5**2 / 2) / 1.5
    tuned = choose_operating_point(y, scores, costs=[[0, 1], [10, 0]])
    assert tuned.threshold == pytest.approx(truth, abs=0.1)
    calibrated = Wish(1, costs=((0.0, 1.0), (10.0, 0.0))).decide(
        scores, y, tune=False, probabilities=False
    )
    assert calibrated.threshold == pytest.approx(truth, abs=0.05)


FEW = FEWEST_TO_TUNE - 1


@pytest.mark.parametrize("wish", [{"rule": "gmean"}, {"rule": "balanced_accuracy"}])
def test_below_forty_nothing_is_tuned(wish):
    y, scores = made(n_ones=FEW)
    point = choose_operating_point(y, scores, **wish)
    assert not point.tuned
    assert point.threshold == choose_operating_point(y, scores).threshold
    assert f"Only {FEW} samples of 1, fewer than 40: nothing was tuned" in point.note
    assert choose_operating_point(*made(n_ones=FEW + 1), **wish).tuned


def test_below_forty_no_target_is_promised():
    y, scores = made(n_ones=9)
    point = choose_operating_point(y, scores, recall=0.8)
    assert np.sum(scores[y == 1] >= point.threshold) == 8  # of 9: 8 / 10 is what to expect
    low, high = point.recall.low, point.recall.high
    assert "too few to tune" in point.note
    assert f"between {low:.2f} and {high:.2f}" in point.note
    assert choose_operating_point(y, scores, recall=0.95).threshold == -inf
    called = np.sum(scores >= choose_operating_point(y, scores, alarms=0.1).threshold)
    assert called + 1 <= 0.1 * (y.size + 1) < called + 2


def test_an_aim_that_is_missed_where_it_was_measured_is_said_to_be():
    points = [choose_operating_point(*made(seed=seed), recall=0.93) for seed in range(9)]
    missed = [point for point in points if point.recall.value < 0.93]
    assert 0 < len(missed) < 9
    for point in points:
        assert str(point).startswith("Aiming at a recall of 0.93 for 1: 1 where its score")
        assert "Tuned to reach the aim on scores with 60 samples of 1" in point.note
        below = f"the recall of {point.recall.value:.3g} is below the aim"
        assert (below in point.note) == (point in missed)
    over = [choose_operating_point(*made(seed=seed), alarms=0.1) for seed in range(9)]
    assert any("are above the aim" in point.note for point in over)
    assert all(("above the aim" in each.note) == (each.alarms.value > 0.1) for each in over)


def test_a_recall_of_few_samples_is_kept_on_average():
    """The order statistic of the m + 1: over many draws the mean recall is the target's."""
    random = np.random.default_rng(0)
    reached = []
    for _ in range(400):
        y = np.repeat([0, 1], [30, 9])
        scores = random.normal(1.5 * y)
        cut = Wish(1, recall=0.8).decide(scores, y, tune=False, probabilities=False)
        reached.append(norm.sf(cut.threshold - 1.5))
    assert np.mean(reached) == pytest.approx(0.81, abs=0.02)


def test_rates_come_from_samples_that_had_no_part_in_the_choice():
    """Scores without any signal look better than one half where they were tuned."""
    optimism, honest = [], []
    for seed in range(30):
        random = np.random.default_rng(seed)
        y, scores = np.repeat([0, 1], 40), random.normal(size=80)
        point = choose_operating_point(y, scores, rule="balanced_accuracy")
        optimism.append(class_recalls(y, point.predict(scores)).mean())
        honest.append(np.mean([each.value for each in point.recalls]))
    assert np.mean(optimism) > 0.55
    assert np.mean(honest) == pytest.approx(0.5, abs=0.03)


def test_intervals_are_exact_and_cover():
    y, scores = made()
    point = choose_operating_point(y, scores, recall=0.9)
    low, high = clopper_pearson(round(point.recall.value * 60), 60)
    assert_allclose(point.recall[1:], [low, high])
    costs = choose_operating_point(y, scores, costs=COSTS).cost
    assert costs.low < costs.value < costs.high


def test_one_sample_of_a_class_is_said_to_be_optimistic():
    point = choose_operating_point([0] * 20 + [1], np.arange(21.0))
    assert "are optimistic" in point.note
    assert "95%" not in point.note


def test_samples_without_a_score_are_left_out():
    y, scores = made()
    holes = scores.copy()
    holes[::7] = np.nan
    known = ~np.isnan(holes)
    expected = choose_operating_point(y[known], scores[known], rule="gmean")
    assert choose_operating_point(y, holes, rule="gmean") == expected


def three_classes(n=2000, seed=0, shares=(0.8, 0.15, 0.05)):
    random = np.random.default_rng(seed)
    y = random.choice(3, n, p=shares)
    return y, 1.5 * np.eye(3)[y] + random.normal(size=(n, 3))


def mean_recall(y, values, offsets, gmean):
    right = (values + np.array(offsets)).argmax(axis=1) == y
    recalls = [right[y == k].mean() for k in range(3)]
    return np.prod(recalls) ** (1 / 3) if gmean else np.mean(recalls)


@pytest.mark.parametrize("gmean", [True, False])
def test_offsets_are_as_good_as_a_fine_grid(gmean):
    for seed in range(3):
        y, values = three_classes(400, seed, (0.5, 0.3, 0.2))
        found = best_offsets(values, y, gmean=gmean)
        grid = np.linspace(-2, 2, 31)
        best = max(mean_recall(y, values, (0, a, b), gmean) for a, b in product(grid, grid))
        assert mean_recall(y, values, found, gmean) >= best - 0.004


def test_no_offset_alone_can_be_bettered():
    y, values = three_classes(300, 5, (0.5, 0.3, 0.2))
    found = np.array(best_offsets(values, y, gmean=True))
    reached = mean_recall(y, values, found, gmean=True)
    for k, change in product(range(3), np.linspace(-3, 3, 301)):
        assert mean_recall(y, values, found + change * np.eye(3)[k], gmean=True) <= reached + 1e-12


def test_a_class_that_never_wins_is_brought_in():
    y = np.repeat([0, 1, 2], 50)
    values = np.eye(3)[y] + [100.0, 0.0, -100.0]
    assert_array_equal((values + best_offsets(values, y, gmean=True)).argmax(axis=1), y)


def test_several_classes_are_balanced_by_calibration():
    y, values = three_classes(20_000)
    point = choose_operating_point(y, values)
    equal = three_classes(20_000, 1, (1 / 3, 1 / 3, 1 / 3))
    ideal = class_recalls(equal[0], equal[1].argmax(axis=1)).mean()
    assert np.mean([each.value for each in point.recalls]) == pytest.approx(ideal, abs=0.02)
    assert choose_operating_point(y[:300], values[:300], rule="gmean").offsets is None
    assert len(choose_operating_point(y, values, rule="gmean").offsets) == 3


def test_targets_of_one_class_among_several_leave_the_order_of_the_others():
    y, values = three_classes()
    point = choose_operating_point(y, values, recall=0.9, pos_label=2)
    predicted = point.predict(values)
    assert np.mean(predicted[y == 2] == 2) >= 0.9
    called = values[:, 2] >= point.threshold
    assert_array_equal(predicted == 2, called)
    assert_array_equal(predicted[~called], values[~called, :2].argmax(axis=1))
    few = choose_operating_point(y, values, alarms=0.02, pos_label=2)
    assert np.sum(few.predict(values) == 2) == 40


def test_costs_of_several_classes_move_the_labels():
    y, values = three_classes()
    flat = np.ones((3, 3)) - np.eye(3)
    dear = flat * [[1.0], [1.0], [30.0]]
    cheap, careful = (choose_operating_point(y, values, costs=c) for c in (flat, dear))
    assert careful.recalls[2].value > cheap.recalls[2].value + 0.2
    mean = dear[y, careful.predict(values)].mean()
    assert mean < dear[y, cheap.predict(values)].mean()
    assert careful.cost.low < mean < careful.cost.high


@pytest.mark.parametrize(
    "wish",
    [{}, {"rule": "gmean"}, {"recall": 0.9}, {"alarms": 0.1}, {"costs": 1 - np.eye(3)}],
    ids=str,
)
def test_the_highest_column_is_the_label(wish):
    y, values = three_classes()
    point = choose_operating_point(y, values, **wish)
    assert_array_equal(point.decision_function(values).argmax(axis=1), point.predict(values))


@pytest.mark.parametrize("threshold", [-inf, inf, 0.3])
def test_margins_are_finite_and_in_order(threshold):
    y, scores = made()
    point = choose_operating_point(y, scores)
    data = point.as_dict()
    data["decision"]["threshold"] = threshold
    point = OperatingPoint.from_dict(data)
    margins = point.decision_function(np.sort(scores))
    assert np.all(np.isfinite(margins))
    assert np.all(np.diff(margins) > 0)
    assert_array_equal(margins >= 0, point.predict(np.sort(scores)) == 1)


def records():
    y, scores = made()
    names = np.array(["well", "s\u202eick"])[y]
    for wish in [*TUNED, {"recall": 1.0, "pos_label": "well"}]:
        yield choose_operating_point(names, scores, **wish)
    yield choose_operating_point([0] * 9 + [1], np.zeros(10))
    y, values = three_classes()
    for wish in ({}, {"rule": "gmean"}, {"alarms": 0.1}, {"costs": 1 - np.eye(3)}):
        yield choose_operating_point(y, values, **wish)


@pytest.mark.parametrize("point", list(records()), ids=lambda point: point.rule)
def test_records_survive_json_and_read_well(point):
    text = json.dumps(point.as_dict(), allow_nan=False)
    again = OperatingPoint.from_dict(json.loads(text))
    assert again.as_dict() == point.as_dict()
    assert str(again) == str(point)
    assert len(str(point).splitlines()) == 4
    assert "\u202e" not in str(point)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.pop("rule"),
        lambda data: data.update(more=1),
        lambda data: data.update(decision=None),
        lambda data: data["decision"].update(threshold="high"),
        lambda data: data["decision"].update(threshold=None),
        lambda data: data["decision"].update(n_classes=3),
        lambda data: data["decision"].update(pos=2),
        lambda data: data.update(recalls=[[0.5, 0.4]]),
        lambda data: data.update(recalls=[[9, 9, 9]] * 2),
        lambda data: data.update(alarms=[0.5, 0.6, 0.7]),
        lambda data: data.update(n_samples="x"),
        lambda data: data.update(n_positives=-1),
        lambda data: data.update(rule=""),
        lambda data: data.update(note=None),
        lambda data: data.update(tuned=1),
        lambda data: data.update(cost=[None, 0.0, 1.0]),
        lambda data: data["decision"].update(threshold="nan"),
        lambda data: data["decision"].update(pos=True),
        lambda data: data["decision"].update(probabilities="yes"),
        lambda data: data["decision"].update(costs=[[0.0, "inf"], [1.0, 0.0]]),
    ],
)
def test_other_data_are_no_operating_point(spoil):
    data = choose_operating_point(*made()).as_dict()
    spoil(data)
    with pytest.raises(ValueError, match="not an operating point"):
        OperatingPoint.from_dict(data)


@pytest.mark.parametrize(
    "change",
    [
        {"width": 0.0},
        {"width": -1.0},
        {"width": np.nan},
        {"slope": -5.0},
        {"share_slope": -1.0},
        {"share_slope": inf},
        {"reference": 7.0},
        {"reference": 0.0},
        {"centre": "x"},
        {"intercept": None},
        {"more": 1.0},
    ],
)
def test_lines_that_no_fit_leaves_are_refused(change):
    y, scores = made()
    data = ScoreCalibration.fit(scores, y, probabilities=False).as_list()
    assert ScoreCalibration.from_list(data).as_list() == data
    data[0].update(change)
    with pytest.raises((ValueError, TypeError)):
        ScoreCalibration.from_list(data)
    y, values = three_classes(200)
    point = choose_operating_point(y, values).as_dict()
    assert OperatingPoint.from_dict(point).as_dict() == point
    point["decision"]["calibration"][1].update(change)
    with pytest.raises(ValueError, match="not an operating point"):
        OperatingPoint.from_dict(point)


Y, SCORES = made()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "best"}, "rule='best' is not allowed; it must be 'balanced' or"),
        ({"recall": 0.0}, r"recall=0.0 is not allowed"),
        ({"alarms": 1.5}, r"alarms=1.5 is not allowed"),
        ({"recall": 0.9, "alarms": 0.1}, "recall and alarms are given; one of them is allowed"),
        ({"rule": "gmean", "costs": COSTS}, "costs and rule='gmean' are given"),
        ({"costs": [[0, 1, 2]]}, "2 rows and columns"),
        ({"costs": "dear"}, "2 rows and columns"),
        ({"costs": [[0, np.inf], [1, 0]]}, "2 rows and columns"),
        ({"costs": [[0, 0], [1, 0]]}, "every error costs more than the right label"),
        ({"pos_label": 2}, "pos_label=2 is not allowed; it must be None or one of 0, 1"),
        ({"classes": [0, 2]}, "y has the label 1, which is not in classes"),
        ({"classes": [0, 1, 2]}, r"scores has shape \(460,\); \(460, 3\) is needed"),
        ({"rule": "prior"}, "rule='prior' needs probabilities"),
        ({"scores": SCORES[1:]}, r"scores has shape \(459,\); \(460,\) is needed"),
        ({"scores": np.full(460, inf)}, "infinite values"),
        ({"scores": np.where(Y == 1, np.nan, 0.0)}, "class 1 has no sample with a score"),
        ({"y": np.zeros(460)}, "y has one class"),
        ({"y": SCORES}, "Unknown label type"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(options, message):
    with pytest.raises(ValueError, match=message):
        choose_operating_point(**{"y": Y, "scores": SCORES, **options})


def test_new_scores_must_fit():
    point = choose_operating_point(Y, SCORES)
    with pytest.raises(ValueError, match="scores has shape"):
        point.predict(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="a label needs a score"):
        point.predict([np.nan])


def test_calibrated_probabilities_are_honest():
    y, scores = made(20_000, 1_000)
    calibration = ScoreCalibration.fit(scores, y, probabilities=False)
    odds = 0.05 * norm.pdf(scores - 1.5) / norm.pdf(scores)
    assert_allclose(calibration.probabilities(scores)[:, 1], odds / (1 + odds), atol=0.03)
    y, values = three_classes()
    shares = ScoreCalibration.fit(values, y, probabilities=False).probabilities(values)
    assert_allclose(shares.sum(axis=1), 1.0)
    assert_allclose(shares.mean(axis=0), np.bincount(y) / y.size, atol=0.02)


def test_log_odds_are_inverted_exactly():
    y, scores = made(n_ones=15)
    for values, are_shares in ((scores, False), (1 / (1 + np.exp(-scores)), True)):
        line = ScoreCalibration.fit(values, y, probabilities=are_shares).lines[0]
        for target in (-0.7, 0.0, 0.9):
            assert line.log_odds(np.array([line.score_at(target)]))[0] == pytest.approx(target)
            if np.isfinite(score := line.score_at_own_odds(target)):
                own = line.probabilities(np.array([score]))[0]
                assert own == pytest.approx(1 / (1 + np.exp(-target)))
        assert line.score_at(1e9) > values.max()
        assert line.score_at(-1e9) < values.min()


@pytest.mark.parametrize("reweighted", [False, True])
@pytest.mark.parametrize("n_ones", [20, 2_000])
def test_probabilities_under_any_shares_are_understood(reweighted, n_ones):
    """The same scores as probabilities of the data's shares, or of a classifier with weights."""
    y, scores = made(100 * n_ones, n_ones)
    odds = norm.pdf(scores - 1.5) / norm.pdf(scores) * (1.0 if reweighted else 0.01)
    point = choose_operating_point(y, odds / (1 + odds))
    truth = 0.5 if reweighted else 0.01 / 1.01
    found = point.threshold / (1 - point.threshold) / (truth / (1 - truth))
    assert abs(np.log(found)) < (0.7 if n_ones == 20 else 0.35)


def test_cuts_count_every_sample():
    y, scores = made(digits=0)
    cuts = Cuts.of(scores, y, 1)
    for place, threshold in enumerate(every_threshold(scores)):
        assert cuts.threshold(place) == threshold
        table = counts(y, scores, threshold)
        assert (cuts.positives[place], cuts.negatives[place]) == (table[1, 1], table[0, 1])


EVERY_WISH = [{}, {"rule": "prior"}, *TUNED]


@pytest.mark.parametrize("wish", EVERY_WISH)
@pytest.mark.parametrize("n_ones", [8, 60])
def test_equal_weights_change_nothing(wish, n_ones):
    y, scores = made(n_ones=n_ones)
    shares = 1 / (1 + np.exp(-scores))
    expected = choose_operating_point(y, shares, **wish)
    for weight in (1.0, 4.0):
        assert choose_operating_point(y, shares, **wish, sample_weight=weight) == expected


def rare_first(n=20_000, kept=400, seed=3):
    """Labels and scores of which one has some rare rows too many; weights restore the shares."""
    y, scores = made(n - n // 50, n // 50, seed)
    rows = np.sort(np.concatenate([np.flatnonzero(y == k)[:kept] for k in (0, 1)]))
    weight = (np.bincount(y) / np.bincount(y[rows]))[y[rows]]
    return (y, scores), (y[rows], scores[rows], weight)


@pytest.mark.parametrize("wish", EVERY_WISH[2:])
def test_weights_restore_the_rates_of_all_samples(wish):
    (y, scores), (few, own, weight) = rare_first()
    point = choose_operating_point(few, own, **wish, sample_weight=weight)
    called = point.predict(scores) == 1
    for found, true in ((point.alarms, called.mean()), (point.precision, y[called].mean())):
        assert found.low <= found.value <= found.high
        assert found.low <= true <= found.high
        assert found.value == pytest.approx(true, rel=0.3)
    assert point.recall.low <= called[y == 1].mean() <= point.recall.high
    bare = choose_operating_point(few, own, **wish)
    assert bare.precision.low > point.precision.high  # the defect: every sample counted once
    if "costs" in wish:
        true, worse = (np.array(COSTS)[y, each.predict(scores)].mean() for each in (point, bare))
        assert point.cost.low <= true <= point.cost.high
        assert worse > 2 * true
    if "alarms" in wish:
        assert point.alarms.value == pytest.approx(0.3, abs=0.05)


def test_weights_restore_probabilities_and_the_rarest_class():
    (y, scores), (few, own, weight) = rare_first()
    fitted = ScoreCalibration.fit(own, few, weight, probabilities=False)
    assert fitted.probabilities(scores)[:, 1].mean() == pytest.approx(y.mean(), rel=0.1)
    bare = ScoreCalibration.fit(own, few, probabilities=False)
    assert bare.lines[0].slope == pytest.approx(fitted.lines[0].slope)  # under equal shares
    assert choose_operating_point(1 - few, -own, sample_weight=weight).pos_label == 0
    assert choose_operating_point(1 - few, -own).pos_label == 1


def test_few_false_alarms_of_much_weight_leave_precision_unsure():
    y, scores = np.repeat([0, 1], 400), np.repeat([0.0, 1.0, 1.0], [399, 1, 400])
    weight = np.where(y == 0, 49.0, 1.0)
    point = choose_operating_point(y, scores, sample_weight=weight)
    assert point.precision.value == pytest.approx(400 / 449)
    assert point.precision.low < 400 / (400 + 49 * 4)


def test_samples_without_weight_are_left_out():
    y, scores = made()
    weight = (np.arange(y.size) % 3 > 0).astype(float)
    kept = weight > 0
    for wish in ({"rule": "gmean"}, {"costs": COSTS}):
        expected = choose_operating_point(y[kept], scores[kept], **wish)
        assert choose_operating_point(y, scores, **wish, sample_weight=weight) == expected
    with pytest.raises(ValueError, match="The class 1 has no sample with a score and a weight"):
        choose_operating_point(y, scores, sample_weight=1.0 - y)
    with pytest.raises(ValueError, match="sample_weight"):
        choose_operating_point(y, scores, sample_weight=-np.ones(y.size))


def test_weights_of_several_classes():
    y, values = three_classes()
    weight = np.array([5.0, 1.0, 0.2])[y]
    point = choose_operating_point(y, values, alarms=0.02, pos_label=2, sample_weight=weight)
    called = point.predict(values) == 2
    assert np.average(called, weights=weight) <= 0.02
    assert called.mean() > 0.02


@pytest.mark.parametrize("pos", [0, 1])
def test_a_point_that_calls_all_or_nothing_says_so(pos):
    y = np.repeat([pos, 1 - pos], [4, 60])
    scores = np.random.default_rng(0).normal(size=64) + y
    assert f"every sample will be called {pos}" in str(
        choose_operating_point(y, scores, recall=0.95)
    )
    nothing = choose_operating_point(y, scores, alarms=1e-6)
    assert f"no sample will be called {pos}" in str(nothing)
    assert not np.any(nothing.predict(scores) == pos)
