"""The registry: every name of the paper and the baselines, with the paper's grids."""

import numpy as np
import pytest

from kpboost.methods import METHODS, Method
from kpboost.methods._grids import gamma_of, n_candidates
from kpboost.methods._registry import check_methods

WANTED = {
    *("kpboost", "kpboost_roi", "svm", "adaboost_svm", "c45_ib1", "d_svm", "aks", "aks_chi2"),
    *("rusboost", "adaboost_mlp", "kba", "act", "ks"),
    *("gradient_boosting", "rusboost_imblearn", "kpboost_balanced", "svm_ovr"),
    *("svm_balanced", "gradient_boosting_balanced", "balanced_forest", "easy_ensemble"),
}
# Kernel widths x C x what else the paper's settings list.
PAPER_SIZES = {
    "svm": 38 * 2,
    "kpboost": 38 * 2 * 37,
    "kpboost_roi": 38 * 2 * 37 * 3,
    "adaboost_svm": 3,
    "c45_ib1": 4,
    "d_svm": 1 + 5,
    "aks": 5 * 2 * 37 * 37,
    "aks_chi2": 5 * 2 * 3,
    "rusboost": 3,
    "adaboost_mlp": 3,
    "kba": 5 * 2,
    "act": 5 * 2,
}


def test_all_names_are_there():
    assert set(METHODS) >= WANTED
    assert all(name == method.name for name, method in METHODS.items())


@pytest.mark.parametrize("name", PAPER_SIZES)
def test_paper_grids_have_the_papers_sizes(name):
    assert n_candidates(METHODS[name].grids["paper"]) == PAPER_SIZES[name]
    assert METHODS[name].in_paper


@pytest.mark.parametrize("grid", ["quick", "paper"])
@pytest.mark.parametrize("name", METHODS)
def test_every_candidate_can_be_built(name, grid):
    method = METHODS[name]
    cls = available(method)
    known = set(cls().get_params())
    for part in method.grids[grid]:
        gamma = gamma_of(part.width.length_scale(4, 1.0))
        for candidate in part.candidates[:: max(1, len(part.candidates) // 5)]:
            model = method.build(candidate, gamma, 7, np.zeros(4, dtype=bool))
            inner = model if method.threshold is None else model.estimator
            inner = inner.estimator if method.coded_labels else inner
            assert set(candidate) <= known
            assert inner.get_params().items() >= dict(candidate).items()
            if method.seeded:
                assert inner.random_state == model.random_state == 7


@pytest.mark.parametrize("name", METHODS)
def test_every_method_fits(name):
    method = METHODS[name]
    available(method)
    random = np.random.RandomState(0)
    y = np.repeat([0, 1], [30, 12])
    X = random.normal(size=(42, 3)) + y[:, None]
    part = method.grids["quick"][0]
    gamma = gamma_of(part.width.length_scale(3, 1.0))
    model = method.build(part.candidates[0], gamma, 0, np.zeros(3, dtype=bool)).fit(X, y)
    assert np.mean(model.predict(X) == y) > 0.6


def available(method):
    try:
        return method.estimator_class()
    except ValueError as error:
        pytest.skip(str(error))


def test_methods_that_follow_the_plain_svm_need_it():
    assert METHODS["kpboost"].needs("quick") == METHODS["aks"].needs("paper") == ("svm",)
    assert METHODS["kpboost_ovr"].needs("quick") == ("svm_ovr",)
    for name in ("svm", "c45_ib1", "kpboost", "kpboost_roi", "kpboost_ovr"):
        assert METHODS[name].needs("paper") == ()


def test_an_unknown_name():
    with pytest.raises(ValueError, match=r"no method 'svc'; did you mean 'svm'\?"):
        check_methods(["svm", "svc"])


# What a method tries, and what it needs.


def test_what_is_not_installed_is_named_with_its_extra():
    method = Method("x", "X", "nothing", "no_such_package.Thing", {}, extra="baselines")
    with pytest.raises(ValueError, match=r"'x' needs no_such_package.Thing.*kpboost\[baselines\]"):
        method.estimator_class()


def test_shares_of_two_classes_are_one_candidate_for_more():
    method = METHODS["rusboost"]
    (part,) = method.grids["paper"]
    assert len(method.candidates(part, 2)) == 3
    assert method.candidates(part, 3) == ({},)
    # What the shares have in common there: the same learners from the same seed.
    random = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], [30, 12, 6])
    X = random.normal(size=(48, 3)) + y[:, None]
    numbers = np.zeros(3, dtype=bool)
    answers = [
        method.build(own, None, 0, numbers).fit(X, y).decision_function(X)
        for own in part.candidates
    ]
    np.testing.assert_array_equal(answers[0], answers[1])
    np.testing.assert_array_equal(answers[0], answers[2])


def test_other_methods_try_the_same_for_any_number_of_classes():
    for name in ("svm", "c45_ib1"):
        part = METHODS[name].grids["quick"][0]
        assert METHODS[name].candidates(part, 5) == part.candidates
