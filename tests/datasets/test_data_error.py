import pickle

import pytest

from kpboost.datasets import DataError


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (DataError("is empty."), "is empty."),
        (DataError("is empty.", "a.csv"), "a.csv: is empty."),
        (DataError("3 cells.", "a.csv", 7), "a.csv, line 7: 3 cells."),
    ],
)
def test_the_sentence_says_where(error, sentence):
    assert str(error) == sentence
    assert isinstance(error, ValueError)


def test_it_travels_between_processes():
    error = pickle.loads(pickle.dumps(DataError("3 cells.", "a.csv", 7)))
    assert (error.reason, error.file, error.line) == ("3 cells.", "a.csv", 7)
