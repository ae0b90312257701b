from time import process_time

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_classification

from kpboost.model_selection._grids import PERTURBATION_STEPS
from kpboost.svm import AsymmetricKernelScalingSVC, KernelScalingSVC, decay_pair_predictions
from support.transcribed import halves

# CPU seconds for one machine and all 1,369 pairs on one core at n = 1,000; measured: 0.2.
MOST_SECONDS = 2.0


def some_pairs(n_pos, n_neg, count=25, seed=0):
    draw = np.random.default_rng(seed)
    return zip(draw.integers(n_pos, size=count), draw.integers(n_neg, size=count), strict=True)


def assert_pairs(model, X, y, new, decays_pos, decays_neg):
    table = decay_pair_predictions(model.fit(X, y), new, decays_pos, decays_neg)
    assert table.shape == (len(decays_pos), len(decays_neg), len(new))
    for i, j in some_pairs(len(decays_pos), len(decays_neg)):
        model.set_params(decay_pos=decays_pos[i], decay_neg=decays_neg[j])
        assert_array_equal(table[i, j], model.fit(X, y).predict(new))
    return table


@pytest.mark.parametrize("name", ["pima", "glass0", "ecoli3", "breast_cancer"])
def test_every_pair_is_what_its_own_model_predicts(load, name):
    X, y, new = halves(load, name)
    table = assert_pairs(
        AsymmetricKernelScalingSVC(100.0), X, y, new, PERTURBATION_STEPS, PERTURBATION_STEPS
    )
    assert np.unique(table.reshape(-1, len(new)), axis=0).shape[0] > 10


@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
def test_pairs_of_many_classes(load, multi_class):
    X, y = load("digits")
    model = AsymmetricKernelScalingSVC(10.0, multi_class=multi_class, class_weight="balanced")
    table = assert_pairs(model, X[::2], y[::2], X[1::2], (0.001, 0.1, 1.0), (0.01, 0.3))
    assert np.any(table[0, 0] != table[2, 1])


def test_a_given_positive_class_and_sparse_points(load):
    from scipy import sparse

    X, y, new = halves(load, "wine")
    model = AsymmetricKernelScalingSVC(10.0, pos_label="others")
    dense = assert_pairs(model, X, y, new, (0.01, 0.5), (0.01, 0.5, 1.0))
    model.fit(sparse.csr_array(X), y)
    again = decay_pair_predictions(model, sparse.csr_array(new), (0.01, 0.5), (0.01, 0.5, 1.0))
    assert_array_equal(dense, again)


def test_no_decay_at_all_is_the_plain_machine(load):
    from kpboost import KernelSVC

    X, y, new = halves(load, "pima")
    table = decay_pair_predictions(AsymmetricKernelScalingSVC().fit(X, y), new, [0.0], [0.0])
    assert_array_equal(table[0, 0], KernelSVC().fit(X, y).predict(new))


def test_all_pairs_take_no_longer_than_a_few_fits():
    X, y = make_classification(1250, 10, flip_y=0.1, weights=[0.9], random_state=0)
    begun = process_time()
    model = AsymmetricKernelScalingSVC(100.0).fit(X[:1000], y[:1000])
    decay_pair_predictions(model, X[1000:], PERTURBATION_STEPS, PERTURBATION_STEPS)
    assert process_time() - begun < MOST_SECONDS


@pytest.mark.parametrize("bad", [[], [[0.1]], [0.1, np.nan], [-0.1], 0.1])
def test_bad_decays_are_named(load, bad):
    X, y, new = halves(load, "wine")
    model = AsymmetricKernelScalingSVC().fit(X, y)
    with pytest.raises(ValueError, match="decays_neg"):
        decay_pair_predictions(model, new, [0.1], bad)


def test_a_machine_that_is_trained_again_has_no_pairs(load):
    X, y, new = halves(load, "wine")
    model = AsymmetricKernelScalingSVC(retrain=True).fit(X, y)
    with pytest.raises(ValueError, match="retrain=True"):
        decay_pair_predictions(model, new, [0.1], [0.1])
    assert not hasattr(KernelScalingSVC(), "retrain")
