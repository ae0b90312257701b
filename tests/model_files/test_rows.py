import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

from kpboost.datasets import DataError, read_dataset
from kpboost.model_files import rows_for, train
from kpboost.model_files._rows import typed_labels

TEXT = "size,colour,sold,kind\n" + "1.5,red,True,a\n2,,False,b\n,blue,True,a\n4,red,False,b\n" * 6


@pytest.fixture
def data(tmp_path):
    """Read a file of this text."""

    def read(text=TEXT, target="kind"):
        (tmp_path / "d.csv").write_text(text)
        return read_dataset(tmp_path / "d.csv", target=target)

    return read


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model of ours, trained on it."""
    file = tmp_path_factory.mktemp("rows") / "d.csv"
    file.write_text(TEXT)
    return train(read_dataset(file, target="kind"), "svm")


def test_a_classifier_gets_the_frame_that_pandas_reads(data, tmp_path):
    X, y = rows_for(SVC(), data())
    frame = pd.read_csv(tmp_path / "d.csv")
    gap = {"colour": "none"}
    expected = frame[["size", "colour", "sold"]].fillna(gap)
    pd.testing.assert_frame_equal(X.fillna(gap), expected)
    assert y.tolist() == frame["kind"].tolist()


def test_columns_come_in_the_order_of_the_model(data):
    frame = pd.read_csv(data().source)
    encoder = make_column_transformer((OneHotEncoder(), ["colour"]), ("passthrough", ["sold"]))
    model = make_pipeline(encoder, LogisticRegression())
    model.fit(frame[["sold", "colour", "size"]], frame["kind"])
    X, y = rows_for(model, data())
    assert X.columns.tolist() == ["sold", "colour", "size"]
    np.testing.assert_array_equal(clone(model).fit(X, y).predict(X), model.predict(X))


@pytest.mark.parametrize("classes", [[0, 1], [0.0, 1.0], [False, True], ["0", "1"]])
def test_labels_have_the_type_of_the_model(data, classes):
    words = ["False", "True"] if classes[0] is False else ["0", "1"]
    read = data("x,y\n" + "".join(f"{i},{words[i % 2]}\n" for i in range(8)), "y")
    model = SVC().fit(pd.DataFrame({"x": [0.0, 1.0]}), classes)
    _, y = rows_for(model, read)
    assert y.dtype.kind == np.array(classes).dtype.kind
    assert y.tolist() == classes * 4


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (["1", "2"], [1, 2]),
        (["1.5", "2"], [1.5, 2.0]),
        (["True", "False"], [True, False]),
        (["a", "1"], ["a", "1"]),
    ],
)
def test_labels_of_a_model_without_classes_are_what_they_look_like(words, labels):
    found = typed_labels(np.array(words))
    assert found.tolist() == labels
    assert found.dtype == np.array(labels).dtype


def fitted(columns, labels=("a", "b")):
    return SVC().fit(
        pd.DataFrame([[0.0] * len(columns), [1.0] * len(columns)], columns=columns), labels
    )


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (fitted(["size", "colour", "sold", "age", "w"]), "lacks the columns 'age', 'w', which"),
        (fitted(["size", "colour"]), "has the column 'sold', which the model does not know"),
        (fitted(["size", "colour", "sold"], ["a", "c"]), "'kind' has the label 'b', which"),
        (SVC().fit([[0.0], [1.0]], ["a", "b"]), "has 3 columns .* trained on 1"),
    ],
)
def test_what_does_not_fit_is_named(data, model, words):
    with pytest.raises(DataError, match=words):
        rows_for(model, data())


def test_a_model_of_ours_gets_numbers_and_codes(data, saved):
    X, y = rows_for(saved, data())
    assert X.names == ("size", "colour", "sold")
    assert X.categories == (None, ("blue", "red"), ("False", "True"))
    np.testing.assert_array_equal(X.values, data().X)
    assert y.tolist() == data().y.tolist()


def test_new_categories_join_the_old_ones_of_a_model_that_is_trained_again(data, saved):
    X, _ = rows_for(saved, data(TEXT.replace("blue", "azure")))
    assert X.categories[1] == ("blue", "red", "azure")
    assert set(X.values[~np.isnan(X.values[:, 1]), 1]) == {1.0, 2.0}


@pytest.mark.parametrize(
    ("text", "target", "words"),
    [
        (TEXT.replace("size", "length"), "kind", "lacks the column 'size'"),
        (
            TEXT.replace("size", "id,size").replace("\n", "\n7,", 24),
            "kind",
            "'id', which the model does not know.$",
        ),
        (TEXT.replace("1.5", "big").replace("4,", "small,"), "kind", "'size' holds 'big'"),
        (TEXT.replace(",b\n", ",c\n"), "kind", "has the label 'c'"),
        (TEXT, "sold", "its class is 'sold', but the model's is 'kind'"),
    ],
)
def test_what_does_not_fit_a_model_of_ours_is_named(data, saved, text, target, words):
    with pytest.raises(DataError, match=words):
        rows_for(saved, data(text, target))
