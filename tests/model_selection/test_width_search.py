"""Searches over kernel widths: what both of them refuse, and what Ctrl-C leaves."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_classification

from kpboost.model_selection import AsymmetricKernelScalingSVCCV, KPBoostSVCCV
from kpboost.model_selection._search import over_widths

SEARCHES = (KPBoostSVCCV, AsymmetricKernelScalingSVCCV)
GAMMAS = (0.1, 1.0, 10.0)


@pytest.fixture
def ready():
    """Return data and folds of a search."""
    X, y = make_classification(60, random_state=0)
    setup = KPBoostSVCCV(cv=3)._set_up(X, y, None, "")
    return setup.data, setup.plans


def walk(ready, try_fold):
    data, plans = ready
    return over_widths(GAMMAS, plans, data, try_fold, verbose=0, title="", steps_per_fold=1)


def interrupting(after):
    """Trials of which one is stopped by Ctrl-C."""
    done = []

    def try_fold(fold, on_step):
        if len(done) == after:
            raise KeyboardInterrupt
        done.append(fold)
        return len(done)

    return try_fold


def test_every_width_meets_every_fold_with_its_own_kernel(ready):
    kernels = walk(ready, lambda fold, on_step: fold.gram[0, 1])
    assert np.shape(kernels) == (3, 3)
    assert (np.diff(np.log(kernels), axis=0) < 0).all()  # a larger gamma, a smaller value


def test_ctrl_c_leaves_the_complete_widths(ready):
    with pytest.warns(UserWarning, match="among 2 of 3 kernel widths"):
        trials = walk(ready, interrupting(after=7))
    assert trials == [[1, 2, 3], [4, 5, 6]]


def test_ctrl_c_in_the_first_width_is_passed_on(ready):
    with pytest.raises(KeyboardInterrupt):
        walk(ready, interrupting(after=2))


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("cv", 1),
        ("scoring", "no such"),
        ("multi_class", "ovo"),
        ("class_weight", "even"),
        ("tol", 0),
        ("cache_size", -1),
        ("n_jobs", 0),
        ("verbose", -1),
    ],
)
def test_both_searches_refuse_the_same(search, option, value):
    X, y = make_classification(60, random_state=0)
    with pytest.raises(ValueError, match=option):
        search(**{option: value}).fit(X, y)


@pytest.mark.parametrize("search", SEARCHES)
def test_both_searches_name_the_memory_that_distances_take(search):
    X, y = make_classification(600, random_state=0)
    with pytest.raises(
        ValueError, match=r"600 points take 3 MB, above cache_size=1;.*no distances"
    ):
        search(cache_size=1).fit(X, y)


def test_a_warning_points_at_who_called_fit(monkeypatch):
    X, y = make_classification(60, random_state=0)
    widths = iter(range(4))  # three folds of the first width, then Ctrl-C

    def stopped(self, *_):
        if next(widths) == 3:
            raise KeyboardInterrupt
        return original(self, *_)

    original = KPBoostSVCCV._try
    monkeypatch.setattr(KPBoostSVCCV, "_try", stopped)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        KPBoostSVCCV(gammas=GAMMAS, perturbation_steps=(0.01,), cv=3).fit(X, y)
    (warning,) = [each for each in caught if "interrupted" in str(each.message)]
    assert warning.filename == __file__
