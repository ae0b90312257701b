import numpy as np
import pytest
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.recipes import RowCapClassifier
from kpboost.recipes._recipes import capped_rows
from kpboost.svm import KernelSVC


@parametrize_with_checks([RowCapClassifier(KernelSVC(), random_state=0)])
def test_it_is_a_scikit_learn_classifier(estimator, check):
    check(estimator)


def test_below_the_cap_it_is_the_estimator_itself():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    ours, theirs = RowCapClassifier(SVC()).fit(X, y), SVC().fit(X, y)
    np.testing.assert_array_equal(ours.decision_function(X), theirs.decision_function(X))
    assert ours.n_rows_ == 60


@pytest.mark.parametrize("room", [3, 10, 50, 99])
def test_rare_classes_keep_their_rows_and_weights_restore_the_shares(room):
    codes = np.repeat([0, 1, 2], [80, 16, 4])
    rows, weight = capped_rows(codes, room, np.random.RandomState(0))
    assert rows.size == room
    assert np.unique(rows).size == rows.size
    shares = np.bincount(codes[rows], weights=weight) / room
    np.testing.assert_allclose(shares, [0.80, 0.16, 0.04])
    kept = np.bincount(codes[rows])
    assert kept[2] == min(4, room // 3)


def test_every_class_keeps_a_row_even_without_room():
    rows, _ = capped_rows(np.arange(10).repeat(3), 4, np.random.RandomState(0))
    assert rows.size == 10


def test_weights_reach_the_estimator():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [300, 30])
    X = rng.normal(size=(330, 1)) + y[:, None]
    capped = RowCapClassifier(SVC(kernel="linear"), max_rows=60, random_state=0).fit(X, y)
    # 30 and 30 rows without weights would answer "rare" for half of them
    assert (capped.predict(X) == 1).mean() < 0.2


def test_weights_that_stand_for_rows_do_not_multiply_the_price_c():
    """A hundred rows for one made C a hundred times as large, and the machine overfit."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [40_000, 2_000])
    X = rng.normal(size=(42_000, 4)) + y[:, None]
    _, weight = capped_rows(y, 400, np.random.RandomState(0))
    assert weight.mean() == pytest.approx(1.0)
    machine = KernelSVC()
    capped = RowCapClassifier(machine, max_rows=400, random_state=0).fit(X, y)
    few = np.r_[0:4_000, 40_000:40_200]  # the same shares, without weights
    whole = machine.fit(X[few], y[few])
    test = slice(4_000, 8_000)
    tnr = [(model.predict(X[test]) == 0).mean() for model in (capped, whole)]
    assert tnr[0] > tnr[1] - 0.02


def test_a_cap_of_nothing_is_refused():
    with pytest.raises(ValueError, match="max_rows=0"):
        RowCapClassifier(SVC(), max_rows=0).fit([[0.0], [1.0]], [0, 1])
