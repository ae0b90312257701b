"""The kernel-perturbation estimators beside their transcriptions, on halves of real data."""

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from support.reference.perturbed_kernels import perturb

NAMES = ["breast_cancer", "wine", "pima", "glass0", "ecoli3", "thyroid1", "vehicle0"]
# libsvm keeps kernel values in single precision; perturbed kernels span many orders of magnitude,
# and D amplifies what is left of the difference. In units of the largest decision value.
SAME = 1e-3
TIGHT = 1e-9


def halves(load, name):
    """Every other point for training, the rest for testing, in two classes."""
    X, y = load(name)
    if np.unique(y).size > 2:
        y = np.where(y == np.unique(y)[0], "first", "others")
    return X[::2], y[::2], X[1::2]


def gamma_of(X):
    """Return a width of the kernel that makes a fair number of support vectors."""
    return 0.5 / X.shape[1]


def assert_transcribed(load, name, model, factor, base=rbf_kernel, **plan):
    """Compare values at new points; the model's C and n_iterations are the plan's."""
    X, y, new = halves(load, name)
    gamma = gamma_of(X)
    model.set_params(gamma=gamma, tol=TIGHT).fit(X, y)
    target = np.where(y == model.pos_label_, 1, -1)
    K, K_new = base(X, gamma=gamma), base(new, X, gamma=gamma)
    theirs, errors = perturb(X, new, K, K_new, target, C=model.C, factor=factor, **plan)
    ours = model.decision_function(new) * (1 if model.classes_[1] == model.pos_label_ else -1)
    size = max(1.0, np.abs(theirs).max())
    assert np.abs(ours - theirs).max() < SAME * size
    clear = np.abs(theirs) > SAME * size
    assert clear.mean() > 0.9
    right = model.predict(new)[clear] == model.pos_label_
    assert np.array_equal(right, theirs[clear] > 0)
    assert model.n_perturbations_[0] == (len(errors) - 1 or 1)
    if len(errors) > 1:
        assert np.allclose(model.training_errors_[0], errors)
