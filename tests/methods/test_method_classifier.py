import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost.methods import MethodClassifier


# One that decides on kernel matrices, and one that has probabilities and takes codes of categories.
@parametrize_with_checks([MethodClassifier(), MethodClassifier("c45_ib1")])
def test_it_is_a_scikit_learn_classifier(estimator, check):
    check(estimator)


def in_polars(frame):
    lists = frame.astype(object).where(frame.notna(), None).to_dict("list")
    return pl.DataFrame(lists)


@pytest.fixture(scope="module")
def frame():
    """Numbers and text with gaps, and a class that depends on both."""
    rng = np.random.default_rng(0)
    kind = np.repeat(["common", "rare"], [70, 20])
    colour = np.where(kind == "rare", "red", rng.choice(["blue", "green"], size=90)).astype(object)
    colour[::11] = None
    size = rng.normal(size=90) + 2 * (kind == "rare")
    size[::7] = np.nan
    return pd.DataFrame({"size": size, "colour": colour, "sold": rng.random(90) > 0.5}), kind


@pytest.mark.parametrize("make", [pd.DataFrame, in_polars, "object"])
def test_tables_of_all_kinds_give_the_answers_of_the_pipeline_on_codes(frame, make):
    X, y = frame
    codes = np.column_stack(
        [X["size"], X["colour"].map({"blue": 0, "green": 1, "red": 2}).astype(float), X["sold"]]
    )
    reference = MethodClassifier("svm_balanced", categorical_features=[False, True, True])
    expected = reference.fit(codes, y).predict(codes)
    table = X.to_numpy(dtype=object) if make == "object" else make(X)
    model = MethodClassifier("svm_balanced").fit(table, y)
    np.testing.assert_array_equal(model.predict(table), expected)
    assert model.categories_ == [None, ["blue", "green", "red"], ["False", "True"]]


def test_it_survives_clone_and_pickle(frame):
    X, y = frame
    model = MethodClassifier("svm_balanced", random_state=3).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert (
        clone(model).get_params() == MethodClassifier("svm_balanced", random_state=3).get_params()
    )


def test_rows_may_come_one_at_a_time(frame):
    X, y = frame
    model = MethodClassifier("svm_balanced").fit(X, y)
    single = [model.predict(X.iloc[[row]])[0] for row in range(12)]
    assert single == model.predict(X.iloc[:12]).tolist()


def test_a_new_category_counts_as_missing(frame):
    X, y = frame
    model = MethodClassifier("svm_balanced").fit(X, y)
    strange, missing = (X.assign(colour=value) for value in ("violet", None))
    np.testing.assert_array_equal(
        model.decision_function(strange), model.decision_function(missing)
    )


def test_words_in_a_column_of_numbers_are_refused_by_name(frame):
    X, y = frame
    model = MethodClassifier("svm_balanced").fit(X, y)
    with pytest.raises(ValueError, match="column 'size' holds 'big'; in the training data"):
        model.predict(X.assign(size="big"))


def test_it_has_what_its_method_has(frame):
    X, y = frame
    trees, machine = MethodClassifier("gradient_boosting"), MethodClassifier("svm")
    assert hasattr(trees, "predict_proba")
    assert not hasattr(machine, "predict_proba")
    assert hasattr(machine, "decision_function")
    assert trees.fit(X, y).predict_proba(X).shape == (90, 2)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (MethodClassifier("magic"), "no method 'magic'"),
        (MethodClassifier("svm", tune="yes"), "tune='yes' is not allowed"),
    ],
)
def test_bad_parameters_are_refused(frame, model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(*frame)


@pytest.fixture(scope="module")
def with_keys(frame):
    X, y = frame
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(90) % 11, "D")
    price = [f"{x:.2f}".replace(".", ",") for x in np.random.default_rng(1).normal(size=90)]
    keys = {"key": np.random.default_rng(0).permutation(90), "day": days, "price": price}
    return X.assign(**keys), y


def test_identifiers_are_left_out_and_dates_and_commas_read(with_keys):
    X, y = with_keys
    model = MethodClassifier("svm_balanced").fit(X, y)
    assert model.n_features_in_ == 6
    assert {role["name"]: role["kind"] for role in model.roles_} == {
        **{"key": "identifier", "day": "date", "price": "number"},
    }
    new = X.assign(key=[f"new {i}" for i in range(90)])
    np.testing.assert_array_equal(model.predict(new), model.predict(X))
    assert model.model_.n_features_in_ == 6  # three as they were, days and weekday, the price
    back = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(back.predict(X), model.predict(X))


def test_the_user_has_the_last_word(with_keys):
    X, y = with_keys
    model = MethodClassifier("svm_balanced", drop=["sold"], id_columns=["day"], keep=["key"])
    model.fit(X, y)
    assert model.model_.n_features_in_ == 4
    assert clone(model).get_params()["drop"] == ["sold"]
    with pytest.raises(ValueError, match="did you mean 'size'"):
        MethodClassifier(drop=["sizes"]).fit(X, y)


def test_labels_of_many_numbers_are_refused_unless_they_are_meant():
    X, y = np.random.default_rng(0).normal(size=(204, 2)), np.repeat(np.arange(51), 4)
    with pytest.raises(ValueError, match="'y' holds 51 different numbers: an amount rather"):
        MethodClassifier("gradient_boosting").fit(X, y)
    MethodClassifier("c45_ib1", many_classes=True).fit(X, y)
    MethodClassifier("c45_ib1").fit(X, y.astype(str))
    MethodClassifier("c45_ib1").fit(X[:200], y[:200])


@pytest.fixture(scope="module")
def messy():
    """An identifier, a date, a decimal comma and text beside a number that tells the class."""
    rng = np.random.default_rng(0)
    y = np.repeat(["common", "rare"], [70, 20])
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 90), "D")
    columns = {
        "id": np.arange(90),
        "when": [day.strftime("%Y-%m-%d") for day in days],
        "price": [f"{x:.2f}".replace(".", ",") for x in rng.normal(size=90)],
        "colour": rng.choice(["blue", "green"], 90),
        "size": rng.normal(size=90) + 3 * (y == "rare"),
    }
    return pd.DataFrame(columns), y


@pytest.mark.parametrize("names", [["id", "when", "price", "colour", "size"], range(5)])
def test_a_model_of_a_frame_reads_an_array_by_the_order_of_its_columns(messy, names):
    X, y = messy[0].set_axis([*names], axis=1), messy[1]
    model = MethodClassifier("svm_balanced").fit(X, y)
    expected = model.decision_function(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # an array has no names
        np.testing.assert_array_equal(model.decision_function(X.to_numpy()), expected)
        numbers = X[[names[0], names[4]]]
        model = MethodClassifier("svm_balanced").fit(numbers, y)
        expected = model.decision_function(numbers)
        np.testing.assert_array_equal(model.decision_function(numbers.to_numpy()), expected)


def test_a_model_of_an_array_reads_a_frame_by_the_order_of_its_columns(messy):
    X, y = messy[0][["id", "size"]], messy[1]
    model = MethodClassifier("svm_balanced", drop=["x0"]).fit(X.to_numpy(), y)
    expected = model.decision_function(X.to_numpy())
    with pytest.warns(UserWarning, match="fitted without feature names"):
        np.testing.assert_array_equal(model.decision_function(X), expected)
