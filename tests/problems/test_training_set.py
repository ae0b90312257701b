import warnings
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC
from sklearn.utils.class_weight import compute_class_weight

from kpboost.problems import _training_set
from kpboost.problems._training_set import (
    DecisionClassifier,
    bounds_of,
    class_weights,
    gamma_of,
    over_support,
    points_to_predict,
    remember_support,
    training_set,
    weighted_classes,
)

Y = np.array(["b", "a", "c", "b", "b"])


def test_classes_without_weight_are_absent():
    weight = np.array([1.0, 0.0, 1.0, 1.0, 0.0])
    classes, codes = weighted_classes(Y, weight)
    assert classes.tolist() == ["b", "c"]
    assert codes.tolist() == [0, -1, 1, 0, 0]


def test_a_last_class_without_weight_is_absent_too():
    classes, codes = weighted_classes(Y, np.array([1.0, 1.0, 0.0, 1.0, 1.0]))
    assert classes.tolist() == ["a", "b"]
    assert codes.tolist() == [1, 0, -1, 1, 1]


def test_fewer_than_two_classes_are_refused():
    with pytest.raises(ValueError, match=r"1 class.* at least 2 classes"):
        weighted_classes(Y, np.array([1.0, 0.0, 0.0, 1.0, 1.0]))


def test_balanced_is_scikit_learns_on_repeated_samples():
    repeat = np.array([3, 1, 2, 1, 1])
    classes, codes = np.unique(Y, return_inverse=True)
    ours = class_weights("balanced", classes, codes, repeat.astype(float))
    theirs = compute_class_weight("balanced", classes=classes, y=np.repeat(Y, repeat))
    assert_allclose(ours, theirs, rtol=1e-15)


def test_a_mapping_may_name_a_class_that_is_absent():
    classes, codes = np.unique(Y, return_inverse=True)
    weights = {"a": 2.0, "b": 3.0, "c": 4.0, "d": 5.0}
    assert_array_equal(class_weights(weights, classes, codes, np.ones(5)), [2.0, 3.0, 4.0])
    assert_array_equal(class_weights({"b": 3.0}, classes, codes, np.ones(5)), [1.0, 3.0, 1.0])


def test_a_mistyped_name_is_refused():
    classes, codes = np.unique(Y, return_inverse=True)
    with pytest.raises(ValueError, match=r"names \['B'\].* leaves out \['b'\]"):
        class_weights({"a": 1.0, "B": 2.0, "c": 1.0}, classes, codes, np.ones(5))


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_class_weights_must_be_positive(bad):
    classes, codes = np.unique(Y, return_inverse=True)
    with pytest.raises(ValueError, match="weights must be positive"):
        class_weights({"a": bad}, classes, codes, np.ones(5))


# What estimators over a kernel share, next to the estimators' own words.


X = np.random.default_rng(0).normal(size=(12, 2))
Y_OF_KERNEL_ESTIMATOR = np.array(["b", "a", "c", "b", "a", "c", "b", "b", "a", "c", "b", "c"])


class Machine(DecisionClassifier):
    """As little of an estimator as the functions need."""

    def __init__(self, kernel="rbf"):
        self.kernel = kernel

    def fit(self, X, y):
        """Only there to be one."""
        return self


def test_width_is_that_of_svc():
    data = training_set(Machine(), X, Y_OF_KERNEL_ESTIMATOR, None)
    assert_allclose(gamma_of("rbf", "scale", data), SVC().fit(X, Y_OF_KERNEL_ESTIMATOR)._gamma)
    assert gamma_of("rbf", 0.25, data) == 0.25
    assert gamma_of("precomputed", "scale", data) is None


def test_bounds_multiply_all_weights():
    weight = np.arange(12.0)
    data = training_set(Machine(), X, Y_OF_KERNEL_ESTIMATOR, weight)
    bounds = bounds_of(3.0, {"a": 2.0, "b": 1.0, "c": 5.0}, data)
    factor = np.array([{"a": 2.0, "b": 1.0, "c": 5.0}[label] for label in Y_OF_KERNEL_ESTIMATOR])
    assert_array_equal(bounds, (3.0 * factor * weight)[data.rows])


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_support_is_remembered_by_given_rows(container):
    machine = Machine()
    machine.gamma_, machine.pos_label_ = 7.0, "a"
    data = training_set(machine, container(X), Y_OF_KERNEL_ESTIMATOR, None)
    support = np.array([0, 3, 5, 11])
    remember_support(machine, data, support, None, np.ones(3))
    assert_array_equal(machine.classes_, ["a", "b", "c"])
    assert_array_equal(machine.support_, data.rows[support])
    assert_array_equal(
        machine.n_support_,
        [(Y_OF_KERNEL_ESTIMATOR[machine.support_] == label).sum() for label in "abc"],
    )
    vectors = machine.support_vectors_
    vectors = vectors.toarray() if sparse.issparse(vectors) else vectors
    assert_array_equal(vectors, X[machine.support_])
    assert not hasattr(machine, "gamma_")
    assert not hasattr(machine, "pos_label_")  # of an earlier fit; three classes have none


def test_points_are_checked_against_the_fit():
    machine = Machine()
    with pytest.raises(NotFittedError):
        points_to_predict(machine, X)
    data = training_set(machine, X, Y_OF_KERNEL_ESTIMATOR, None)
    remember_support(machine, data, np.arange(3), 1.0)
    assert points_to_predict(machine, X.tolist()).dtype == np.float64
    with pytest.raises(ValueError, match="3 features"):
        points_to_predict(machine, np.ones((2, 3)))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_positive_class_of_two_is_remembered(sign):
    machine, two = Machine(), Y_OF_KERNEL_ESTIMATOR[Y_OF_KERNEL_ESTIMATOR != "c"]
    data = training_set(machine, X[Y_OF_KERNEL_ESTIMATOR != "c"], two, None)
    remember_support(machine, data, np.arange(3), 1.0, np.array([sign]))
    assert machine.pos_label_ == ("b" if sign > 0 else "a")


def test_coefficients_stand_over_the_union_of_support_class_by_class():
    codes = np.array([1, 0, 1, 0, 2, 2])
    first = np.array([[1.0, 0.0, -1.0], [0.0, 0.0, 2.0]])  # at the rows 0, 1 and 3
    second = np.array([5.0, 0.0, 3.0])  # at the rows 0, 4 and 5
    support, (one, other) = over_support(
        [first, second], [np.array([0, 1, 3]), np.array([0, 4, 5])], codes
    )
    assert_array_equal(support, [3, 0, 5])
    assert_array_equal(one, [[-1.0, 1.0, 0.0], [2.0, 0.0, 0.0]])
    assert_array_equal(other, [0.0, 5.0, 3.0])


class Liberal(Machine):
    def __init__(self, sparse=False, allow_nan=False):
        self.sparse = sparse
        self.allow_nan = allow_nan

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.sparse
        tags.input_tags.allow_nan = self.allow_nan
        return tags


def test_missing_values_and_sparse_points_pass_where_the_tags_say_so():
    holes = X.copy()
    holes[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        training_set(Liberal(), holes, Y_OF_KERNEL_ESTIMATOR, None)
    with pytest.raises(TypeError, match="Sparse"):
        training_set(Liberal(), sparse.csr_array(X), Y_OF_KERNEL_ESTIMATOR, None)
    data = training_set(Liberal(allow_nan=True), holes, Y_OF_KERNEL_ESTIMATOR, None, by_class=False)
    assert np.isnan(data.points[0, 0])
    taker = Liberal(sparse=True)
    assert sparse.issparse(
        training_set(taker, sparse.csr_array(X), Y_OF_KERNEL_ESTIMATOR, None).points
    )
    taker.classes_ = np.unique(Y_OF_KERNEL_ESTIMATOR)
    assert sparse.issparse(points_to_predict(taker, sparse.csc_array(X)))


def test_rows_stay_in_their_order_on_request():
    weight = np.array([1.0, 2.0, 0.0] * 4)
    data = training_set(Machine(), X, Y_OF_KERNEL_ESTIMATOR, weight, by_class=False)
    assert_array_equal(data.rows, np.flatnonzero(weight))
    assert_array_equal(data.points, X[data.rows])
    assert_array_equal(data.classes[data.codes], Y_OF_KERNEL_ESTIMATOR[data.rows])
    assert_array_equal(data.weight, weight[data.rows])


# Sound arrays pass at a glance. What is said of all others, and what is returned, is the same as if
# scikit-learn looked at every array.


def fitted(machine, table=X):
    data = training_set(machine, table, Y_OF_KERNEL_ESTIMATOR, None)
    machine.classes_ = data.classes
    return machine


def outcome(call):
    """What comes back, or the error, and the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            answer = call()
        except Exception as error:
            answer = error
    return answer, [(each.category, str(each.message)) for each in said]


def with_value(value):
    changed = X.copy()
    changed[3, 1] = value
    return changed


def read_only():
    locked = X.copy()
    locked.setflags(write=False)
    return locked


class Own(np.ndarray):
    """An array that need not behave as numpy's do."""


NEW_POINTS = {
    "sound": X,
    "one row": X[:1],
    "read-only": read_only(),
    "every other row": X[::2],
    "Fortran order": np.asfortranarray(X),
    "backwards": X[::-1],
    "negative zero": with_value(-0.0),
    "a sum that overflows": np.full((2, 2), np.finfo(float).max),
    "single precision": X.astype(np.float32),
    "whole numbers": X.astype(int),
    "other byte order": X.astype(">f8"),
    "objects": X.astype(object),
    "text": np.full((2, 2), "a"),
    "complex": X + 0j,
    "subclass": np.ma.masked_array(X),
    "own subclass": X.view(Own),
    "list": X.tolist(),
    "frame": pd.DataFrame(X),
    "named frame": pd.DataFrame(X, columns=["a", "b"]),
    "frame of other names": pd.DataFrame(X, columns=["a", "c"]),
    "sparse": sparse.csr_array(X),
    "NaN": with_value(np.nan),
    "infinity": with_value(-np.inf),
    "one dimension": X[0],
    "three dimensions": X[None],
    "no dimension": np.float64(1.0),
    "no rows": X[:0],
    "no columns": X[:, :0],
    "too many columns": np.ones((2, 3)),
    "too few columns": np.ones((2, 1)),
    "nothing": None,
}
MACHINES = {
    "plain": lambda: fitted(Machine()),
    "with names": lambda: fitted(Machine(), pd.DataFrame(X, columns=["a", "b"])),
    "with gaps": lambda: fitted(Liberal(allow_nan=True)),
    "not fitted": Machine,
    "without classes": lambda: fit_without_classes(Machine()),
}


def fit_without_classes(machine):
    training_set(machine, X, Y_OF_KERNEL_ESTIMATOR, None)
    return machine


@pytest.mark.parametrize("points", NEW_POINTS.values(), ids=NEW_POINTS)
@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_a_glance_says_what_scikit_learn_says(machine, points, monkeypatch):
    machine = machine()
    state = dict(vars(machine))
    answer, said = outcome(lambda: points_to_predict(machine, points))
    assert vars(machine) == state
    monkeypatch.setattr(_training_set, "_is_sound", lambda X: False)
    expected, said_by_all = outcome(lambda: points_to_predict(machine, points))
    assert said == said_by_all
    if isinstance(expected, Exception):
        assert (type(answer), str(answer)) == (type(expected), str(expected))
    elif sparse.issparse(expected):
        assert_array_equal(answer.toarray(), expected.toarray())
    else:
        assert_array_equal(answer, expected)
        assert (answer is points) == (expected is points)
        assert (answer.dtype, answer.flags.c_contiguous) == (
            expected.dtype,
            expected.flags.c_contiguous,
        )


def test_sound_points_are_not_looked_at_twice(monkeypatch):
    machine = fitted(Machine())

    def refuse(*arguments, **options):
        raise AssertionError("scikit-learn was asked")

    monkeypatch.setattr(_training_set, "validate_data", refuse)
    assert points_to_predict(machine, X) is X
    assert_array_equal(points_to_predict(machine, X[2:3]), X[2:3])
    with pytest.raises(AssertionError, match="was asked"):
        points_to_predict(machine, with_value(np.nan))


def test_a_gram_matrix_is_checked_by_its_columns():
    gram = X @ X.T
    machine = fitted(Machine(kernel="precomputed"), gram)
    assert points_to_predict(machine, gram[:3]).shape == (3, 12)
    with pytest.raises(ValueError, match="expecting 12 features"):
        points_to_predict(machine, gram[:3, :3])


TWELVE = np.arange(12)
LABELS = {
    "text": Y_OF_KERNEL_ESTIMATOR,
    "objects": Y_OF_KERNEL_ESTIMATOR.astype(object),
    "numbers": TWELVE % 3,
    "short numbers": (TWELVE % 3).astype(np.uint8),
    "truth": TWELVE % 2 == 0,
    "floats": TWELVE % 2 * 2.0 - 1.0,
    "floats beyond whole numbers": np.where(TWELVE % 2, 1e300, 1.0),
    "single precision": (TWELVE % 3).astype(np.float32),
    "measurements": TWELVE / 7,
    "repeated measurements": TWELVE % 2 + 0.5,
    "NaN": np.where(TWELVE % 2, np.nan, 1.0),
    "infinity": np.where(TWELVE % 2, -np.inf, 1.0),
    "complex": TWELVE % 2 + 1j,
    "bytes": (TWELVE % 2).astype("S1"),
    "dates": (TWELVE % 2).astype("M8[D]"),
    "every other": (np.arange(24) % 4)[::2],
    "list": (TWELVE % 2).tolist(),
    "series": pd.Series(TWELVE % 2),
    "own subclass": (TWELVE % 2).view(Own),
    "masked": np.ma.masked_array(TWELVE % 3, TWELVE % 3 == 2),
    "column": (TWELVE % 2)[:, None],
    "two columns": np.eye(2, dtype=int)[TWELVE % 2],
    "all different": TWELVE,
    "all the same": np.zeros(12),
    "too few": TWELVE[:-1] % 2,
    "no labels": TWELVE[:0],
    "nothing": None,
    "a number": 1,
}


def same_training(machine, table, labels, monkeypatch):
    """Whether a training set, or the refusal, is that of scikit-learn's validation."""
    first, second = clone(machine), clone(machine)
    first.feature_names_in_ = second.feature_names_in_ = np.array(["of", "an earlier fit"])
    data, said = outcome(lambda: training_set(first, table, labels, None))
    monkeypatch.setattr(_training_set, "_is_sound", lambda X: False)
    expected, said_by_all = outcome(lambda: training_set(second, table, labels, None))
    assert said == said_by_all
    assert_equal(vars(first), vars(second))
    if isinstance(expected, Exception):
        assert (type(data), str(data)) == (type(expected), str(expected))
        return
    for field in fields(expected):
        value, wanted = getattr(data, field.name), getattr(expected, field.name)
        assert type(value) is type(wanted)
        assert_equal(np.asarray(value), np.asarray(wanted))
        assert np.asarray(value).dtype == np.asarray(wanted).dtype


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_sound_labels_are_trained_on_like_others(labels, monkeypatch):
    same_training(Machine(), X, labels, monkeypatch)


def test_more_classes_than_half_the_samples_are_warned_of(monkeypatch):
    same_training(Machine(), np.ones((30, 2)), np.arange(30) % 16, monkeypatch)
    with pytest.warns(UserWarning, match="greater than 50%"):
        training_set(Machine(), np.ones((30, 2)), np.arange(30) % 16, None)


DENSE_POINTS = {name: each for name, each in NEW_POINTS.items() if not sparse.issparse(each)}


@pytest.mark.parametrize("points", DENSE_POINTS.values(), ids=DENSE_POINTS)
@pytest.mark.parametrize(
    "machine", [Machine(), Liberal(allow_nan=True)], ids=["plain", "with gaps"]
)
def test_sound_points_are_trained_on_like_others(machine, points, monkeypatch):
    n_samples = len(points) if np.ndim(points) else 12
    same_training(machine, points, np.arange(n_samples) % 2, monkeypatch)


def test_sound_training_data_are_not_looked_at_twice(monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError("scikit-learn was asked")

    monkeypatch.setattr(_training_set, "validate_data", refuse)
    monkeypatch.setattr(_training_set, "check_classification_targets", refuse)
    machine = Machine()
    for labels in (TWELVE % 3, TWELVE % 2 * 2.0 - 1.0, TWELVE % 2 == 0):
        assert training_set(machine, X, labels, None, by_class=False).points is X
    assert machine.n_features_in_ == 2
    with pytest.raises(AssertionError, match="was asked"):
        training_set(machine, with_value(np.nan), TWELVE % 2, None)
