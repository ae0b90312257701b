"""Geometric mean and hard AUC: other authors' answers, definitions spelt out, cases by hand."""

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import balanced_accuracy_score, recall_score, roc_auc_score

from kpboost.metrics import class_recalls, geometric_mean_score, hard_auc_score
from kpboost.metrics._by_class import geometric_mean

# A hundred examples tell no more here, and the first call of a reference may load a module.
FEW = settings(max_examples=40, deadline=None)
# The paper's four classifiers: recalls of the two classes, Gmean (its third one is cut off after
# four digits, not rounded), AUC.
PAPER = [
    (0.400, 0.800, 0.5657, 0.6000),
    (0.670, 0.670, 0.6700, 0.6700),
    (0.875, 0.515, 0.6712, 0.6950),
    (0.900, 0.500, 0.6708, 0.7000),
]


@st.composite
def predictions(draw, most_classes=5):
    """True labels that hold every class, and predictions among the same classes."""
    n_classes = draw(st.integers(2, most_classes))
    label = st.integers(0, n_classes - 1)
    extra = draw(st.lists(label, max_size=30))
    y_true = np.array([*range(n_classes), *extra])
    y_pred = np.array(draw(st.lists(label, min_size=y_true.size, max_size=y_true.size)))
    return y_true, y_pred


def with_recalls(*recalls, n=1000):
    """Labels and predictions of two classes with the given recalls."""
    y_true = np.repeat([1, 0], n)
    y_pred = y_true.copy()
    for start, recall in zip((0, n), recalls, strict=True):
        wrong = slice(start, start + round(n * (1 - recall)))
        y_pred[wrong] = 1 - y_pred[wrong]
    return y_true, y_pred


@pytest.mark.parametrize(("tpr", "tnr", "gmean", "auc"), PAPER)
def test_the_papers_four_classifiers(tpr, tnr, gmean, auc):
    labels = with_recalls(tpr, tnr)
    assert geometric_mean_score(*labels) == pytest.approx(gmean, abs=1e-4)
    assert hard_auc_score(*labels) == pytest.approx(auc, abs=1e-12)


@FEW
@given(predictions())
def test_geometric_mean_is_the_root_of_the_product(labels):
    recalls = recall_score(*labels, average=None)
    expected = prod(recalls.tolist()) ** (1 / recalls.size)
    assert geometric_mean_score(*labels) == pytest.approx(expected, abs=1e-12)


@FEW
@given(predictions())
def test_geometric_mean_equals_imbalanced_learns(labels):
    imblearn = pytest.importorskip("imblearn.metrics")
    assert_allclose(geometric_mean_score(*labels), imblearn.geometric_mean_score(*labels))


@FEW
@given(predictions())
def test_geometric_mean_is_below_the_mean_recall(labels):
    assert geometric_mean_score(*labels) <= balanced_accuracy_score(*labels) + 1e-12


@FEW
@given(predictions(most_classes=2))
def test_hard_auc_of_two_classes_is_balanced_accuracy(labels):
    ours = hard_auc_score(*labels)
    assert ours == pytest.approx(balanced_accuracy_score(*labels), abs=1e-12)
    assert ours == pytest.approx(roc_auc_score(*labels), abs=1e-12)


@FEW
@given(predictions())
def test_hard_auc_is_hand_and_tills_on_one_hot_predictions(labels):
    y_true, y_pred = labels
    n_classes = int(y_true.max()) + 1
    one_hot = np.eye(n_classes)[y_pred]
    scores = one_hot[:, 1] if n_classes == 2 else one_hot
    expected = roc_auc_score(y_true, scores, multi_class="ovo", average="macro")
    assert hard_auc_score(y_true, y_pred) == pytest.approx(expected, abs=1e-12)


@FEW
@given(predictions())
def test_hard_auc_is_the_mean_over_ordered_pairs(labels):
    y_true, y_pred = labels
    classes = np.unique(y_true)
    pairs = [
        (1 + np.mean(y_pred[y_true == i] == i) - np.mean(y_pred[y_true == j] == i)) / 2
        for i in classes
        for j in classes
        if i != j
    ]
    assert hard_auc_score(y_true, y_pred) == pytest.approx(np.mean(pairs), abs=1e-12)


@pytest.mark.parametrize("score", [geometric_mean_score, hard_auc_score])
@FEW
@given(labels=predictions(), data=st.data())
def test_a_weight_is_a_repetition(score, labels, data):
    y_true, y_pred = labels
    n_classes = int(y_true.max()) + 1
    first = st.integers(1, 3)  # each class keeps a point
    weight = np.array(
        [data.draw(first if i < n_classes else st.integers(0, 3)) for i in range(y_true.size)]
    )
    repeated = np.repeat(y_true, weight), np.repeat(y_pred, weight)
    assert score(y_true, y_pred, sample_weight=weight) == pytest.approx(score(*repeated))


@pytest.mark.parametrize("score", [geometric_mean_score, hard_auc_score])
@FEW
@given(labels=predictions())
def test_names_of_classes_do_not_matter(score, labels):
    names = np.array(["e", "d", "c", "b", "a"], dtype=object)
    assert score(*labels) == pytest.approx(score(*(names[part] for part in labels)), abs=1e-12)


@pytest.mark.parametrize("score", [geometric_mean_score, hard_auc_score])
def test_perfect_is_exactly_one(score):
    y = np.arange(7).repeat(3)
    assert score(y, y) == 1.0


def test_many_classes_do_not_underflow():
    y_true = np.repeat(np.arange(1000), 10)
    y_pred = np.where(np.arange(y_true.size) % 10 < 2, y_true, -1)
    assert geometric_mean_score(y_true, y_pred) == pytest.approx(0.2)
    assert prod(class_recalls(y_true, y_pred).tolist()) == 0.0  # the product itself does


def test_a_class_that_is_never_recognised_makes_the_geometric_mean_zero():
    assert geometric_mean_score([0, 0, 1], [0, 0, 0]) == 0.0
    assert geometric_mean([0.5, 0.0]) == 0.0


def test_a_prediction_outside_the_classes_is_an_error_like_any_other():
    inside, outside = ([0, 0, 1, 1], [0, 1, 1, 1]), ([0, 0, 1, 1], [0, 2, 1, 1])
    assert geometric_mean_score(*outside) == geometric_mean_score(*inside)
    assert hard_auc_score(*outside) == hard_auc_score(*inside) == 0.75


def test_hard_auc_of_one_class_is_refused():
    with pytest.raises(ValueError, match="one class only"):
        hard_auc_score([1, 1], [1, 0])
