import numpy as np
import pytest

from kpboost.datasets import copied_rows, copy_sentences

N = 200


def measured(seed=0):
    """A table of measurements, a category and a gap, with a rare class."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(N, 2)), rng.integers(0, 3, N)])
    X[0, 0] = np.nan
    return X, np.repeat([0, 1], [N - 20, 20])


def test_rows_that_are_added_again_are_counted_and_share_a_record():
    X, codes = measured()
    again = np.array([0, 0, 5, 195, 199])
    copies = copied_rows(np.vstack([X, X[again]]), np.append(codes, codes[again]))
    assert copies.n_copies == again.size
    np.testing.assert_array_equal(copies.records[N:], copies.records[again])
    assert np.unique(copies.records).size == N


def test_nothing_is_said_of_different_rows():
    copies = copied_rows(*measured())
    assert copies.n_copies == 0
    assert copies.records is None


def test_categories_that_repeat_by_themselves_are_no_copies():
    rng = np.random.default_rng(0)
    survey = rng.integers(0, 2, size=(1316, 3)).astype(float)
    assert copied_rows(survey, rng.integers(0, 2, 1316)).n_copies == 0
    grid = rng.integers(0, 30, size=(2000, 2)).astype(float)
    assert copied_rows(grid, rng.integers(0, 2, 2000)).n_copies == 0


def test_rounded_measurements_do_not_repeat_by_themselves():
    """No column has many values, but two rows hardly agree in all of them."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(5000, 12)), 1)
    y = rng.integers(0, 2, 5000)
    assert copied_rows(np.vstack([X, X[:2000]]), np.append(y, y[:2000])).n_copies == 2000
    assert copied_rows(X, y).n_copies == 0


def test_answers_that_go_together_repeat_by_themselves():
    """Twenty questions of which most people answer all alike."""
    rng = np.random.default_rng(0)
    mood = rng.random(1500)[:, None]
    survey = (rng.random((1500, 20)) < np.where(mood < 0.6, 0.02, 0.5)).astype(float)
    assert np.unique(survey, axis=0).shape[0] < 1400
    assert copied_rows(survey, rng.integers(0, 2, 1500)).n_copies == 0


def test_signed_zeros_are_equal_and_row_order_has_no_influence():
    X, codes = measured()
    X[:, 2] = 0.0
    doubled = np.vstack([X, X])
    doubled[N:, 2] = -0.0
    order = np.random.default_rng(1).permutation(2 * N)
    assert copied_rows(doubled, np.tile(codes, 2)).n_copies == N
    assert copied_rows(doubled[order], np.tile(codes, 2)[order]).n_copies == N


def test_a_class_of_few_different_rows_cannot_be_kept_together():
    X, codes = measured()
    rare = np.repeat(np.arange(N - 2, N), 10)
    some = np.append(np.arange(N - 20), rare)
    copies = copied_rows(X[some], codes[some])
    assert copies.n_copies == 18
    assert not copies.are_together


@pytest.mark.parametrize(
    ("are_together", "words"), [(True, "stay in one fold"), (False, "may be too good")]
)
def test_sentences(are_together, words):
    (sentence,) = copy_sentences(1200, 5000, are_together)
    assert sentence.startswith("Of 5,000 rows, 1,200 rows agree with others in every feature. ")
    assert words in sentence
    assert copy_sentences(0, 10, are_together) == ()
    assert (
        "Of 10 rows, 1 row agrees with another in every feature." in copy_sentences(1, 10, True)[0]
    )
