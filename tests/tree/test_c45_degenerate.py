"""Trees on cases that hardly are any, on hostile ones, and parameters that are none."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from numpy.testing import assert_array_equal
from scipy.stats import beta
from sklearn.base import clone

from kpboost._core import added_errors
from kpboost.tree import C45Classifier, C45IB1Classifier
from support.patience import CtrlC, worked
from support.reference.c45 import add_errs

ESTIMATORS = [C45Classifier(), C45IB1Classifier(), C45IB1Classifier(search="leaf")]
# Longer than Python's own stack; the compiled passes must not recurse either.
LONG = 2500


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_class_of_few(estimator, n):
    rng = np.random.default_rng(n)
    X = np.vstack([rng.normal(size=(40, 2)), rng.normal(5, 1, size=(n, 2))])
    y = np.repeat(["many", "few"], [40, n])
    answers = clone(estimator).fit(X, y).predict(X)
    assert set(answers) <= {"many", "few"}
    if n == 1:  # too few for a branch
        assert_array_equal(C45Classifier().fit(X, y).predict(X), "many")


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("value", [0.0, np.nan])
def test_columns_that_say_nothing(estimator, value):
    X, y = np.full((10, 3), value), np.array([0] * 6 + [1] * 4)
    fitted = clone(estimator).fit(X, y)
    assert_array_equal(fitted.predict(X), 0)
    for nominal in ([0], [0, 1, 2]):
        fitted.set_params(categorical_features=nominal).fit(X, y)
        assert_array_equal(fitted.predict(X), 0)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_one_class(estimator):
    X = np.arange(8.0).reshape(4, 2)
    fitted = clone(estimator).fit(X, ["only"] * 4)
    assert_array_equal(fitted.predict(X), "only")
    assert_array_equal(fitted.predict_proba(X), np.ones((4, 1)))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_one_case(estimator):
    assert clone(estimator).fit([[1.0]], ["a"]).predict([[np.nan]]) == "a"


def test_a_column_of_names_that_all_differ():
    """Every value has one case, so no branch is heavy enough: no test on it."""
    X, y = np.arange(30.0)[:, None], np.arange(30) % 2
    assert C45Classifier(categorical_features=[0]).fit(X, y).n_leaves_ == 1


@pytest.mark.parametrize("scale", [1e-300, 1e-7, 1e300, 1e307])
def test_any_magnitude(scale):
    """With the gap at 0; as published it is absolute, and tiny numbers are all one."""
    X = np.array([[-1.0], [-0.5], [0.25], [1.0]] * 5) * scale
    y = np.array([0, 0, 1, 1] * 5)
    assert C45Classifier(min_gap=0).fit(X, y).score(X, y) == 1
    assert C45IB1Classifier(20).fit(X, y).score(X, y) == 1
    assert (C45Classifier().fit(X, y).n_leaves_ == 1) == (scale < 1e-5)


def test_neighbouring_numbers_are_cut_apart():
    X = np.array([[1.0], [np.nextafter(1.0, 2)]] * 4)
    y = np.array([0, 1] * 4)
    assert C45Classifier(min_gap=0).fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("factor", [1e-12, 1e12])
def test_weights_of_any_magnitude(factor):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    X[::7, 0] = np.nan
    weight = np.where(np.arange(60) % 2, 1.0, factor)
    tree = C45Classifier(prune=False).fit(X, y, weight)
    assert np.isfinite(tree.predict_proba(X)).all()
    assert np.isfinite(tree.node_class_weights_).all()


def chain(n):
    """Alternating classes along one column: the best cut is always at the end."""
    position = np.arange(n)
    y = position % 2
    # As many classes as it takes for the smallest side of a cut to be a single case.
    y[-n // 5 :] = position[-n // 5 :]
    return position[:, None].astype(float), y


def test_a_chain_of_thousands():
    X, y = chain(LONG)
    tree = C45Classifier(
        min_leaf=1, cut_penalty=False, prune=False, collapse=False, criterion="gain"
    )
    tree.fit(X, y)
    assert tree.max_depth_ > LONG // 2
    assert len(tree.export_text().splitlines()) == tree.node_feature_.size - 1
    again = pickle.loads(pickle.dumps(tree))
    assert_array_equal(again.predict(X), tree.predict(X))
    pruned = clone(tree).set_params(prune=True).fit(X, y)
    assert pruned.n_leaves_ <= tree.n_leaves_
    X[5] = np.nan  # this one goes down every branch
    assert tree.fit(X, y).predict(X[5:6]).shape == (1,)


def test_ctrl_c():
    """A chain with a missing value takes minutes to prune."""
    x = (np.arange(60_000) // 25).astype(float)
    y = (np.arange(60_000) // 25) % 2
    x[7] = np.nan
    press = CtrlC(worked(0.5))
    with pytest.raises(KeyboardInterrupt), press:
        C45Classifier().fit(x[:, None], y)
    assert press.work_after < 1.0
    assert C45Classifier().fit(x[:100, None], y[:100]).n_leaves_ == 4


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("confidence", 0.0),
        ("confidence", 1.5),
        ("confidence", None),
        ("min_leaf", 0),
        ("min_leaf", 2.5),
        ("criterion", "gini"),
        ("prune", "yes"),
        ("subtree_raising", 1),
        ("collapse", None),
        ("cut_penalty", 0),
        ("min_gap", -1.0),
        ("min_gap", np.nan),
        ("categorical_features", [7]),
    ],
)
def test_parameters_refused(parameter, value):
    tree = C45Classifier().set_params(**{parameter: value})
    with pytest.raises(ValueError, match=parameter):
        tree.fit([[0.0], [1.0]], [0, 1])
    assert not hasattr(tree, "classes_")


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("max_disjunct_size", 0), ("search", "near"), ("inclusive", 2), ("confidence", -1)],
)
def test_parameters_of_the_hybrid_refused(parameter, value):
    with pytest.raises(ValueError, match=parameter):
        C45IB1Classifier().set_params(**{parameter: value}).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("estimator", [C45Classifier(), C45IB1Classifier(20)])
def test_skops_needs_trust_in_our_own_types_only(estimator):
    skops = pytest.importorskip("skops.io")
    X, y = np.array([[0, 1.5], [1, np.nan], [2, 0.5]] * 6), np.array(["a", "b", "c"] * 6)
    fitted = clone(estimator).set_params(categorical_features=[0]).fit(X, y)
    data = skops.dumps(fitted)
    strangers = skops.get_untrusted_types(data=data)
    assert all(name.startswith("kpboost.tree.") for name in strangers)
    again = skops.loads(data, trusted=strangers)
    assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize("estimator", [C45Classifier(), C45IB1Classifier()])
def test_frames(estimator):
    """Names of columns are remembered, and no warning complains about them."""
    frame = pd.DataFrame({"town": [0, 1, 2, 0, 1, 2.0] * 3, "age": np.arange(18.0)})
    y = np.where(frame["town"] == 1, "x", "y")
    fitted = clone(estimator).set_params(categorical_features=["town"]).fit(frame, y)
    assert_array_equal(fitted.feature_names_in_, ["town", "age"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_array_equal(fitted.predict(frame), y)
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame[["age", "town"]])


# Quinlan's AddErrs: worked values, the binomial limit it approximates, and its joints.


# Worked by hand from the formula and its table, CF = 0.25.
WORKED = [
    (6, 0, 1.2378),
    (9, 0, 1.2848),
    (1, 0, 0.75),
    (16, 1, 1.5069),
    (14, 5, 1.7950),
    (100, 10, 2.8147),
    (2, 1, 0.7962),
]


@pytest.mark.parametrize(("cases", "errors", "expected"), WORKED)
def test_worked_values(cases, errors, expected):
    assert added_errors(cases, errors, 0.25) == pytest.approx(expected, abs=5e-5)


@given(
    cases=st.floats(0.01, 1e4),
    share=st.floats(0, 1),
    confidence=st.sampled_from([0.0005, 0.001, 0.003, 0.05, 0.1, 0.25, 0.3, 0.7, 1.0]),
)
def test_specification(cases, share, confidence):
    errors = share * cases
    assert added_errors(cases, errors, confidence) == pytest.approx(
        add_errs(cases, errors, confidence), rel=1e-9, abs=1e-9
    )


@pytest.mark.parametrize("cases", [5, 20, 300])
def test_without_errors_it_is_the_binomial_limit(cases):
    """Clopper and Pearson's, exactly."""
    limit = beta.ppf(0.75, 1, cases)
    assert added_errors(cases, 0, 0.25) == pytest.approx(cases * limit)


@pytest.mark.parametrize(("cases", "errors"), [(50, 5), (200, 30), (1000, 100)])
def test_with_errors_it_is_near_the_binomial_limit(cases, errors):
    limit = beta.ppf(0.75, errors + 1, cases - errors)
    assert errors + added_errors(cases, errors, 0.25) == pytest.approx(cases * limit, rel=0.01)


@pytest.mark.parametrize("cases", [2, 6, 50])
def test_less_confidence_adds_more(cases):
    added = [added_errors(cases, 1, confidence) for confidence in (0.01, 0.1, 0.25, 0.5)]
    assert added == sorted(added, reverse=True)
    assert added[0] > added[-1] or cases == 2  # at 2 cases the limit is 0.67 (N - e) or near it
