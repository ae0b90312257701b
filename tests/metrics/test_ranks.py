"""Average ranks: by hand, and those of the paper's tables."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from kpboost.metrics import average_ranks
from support.shared_data import table_file

# The published ranks come from scores with more digits than the tables print.
PUBLISHED_PRECISION = 0.1


def test_by_hand():
    assert_allclose(average_ranks([[0.9, 0.8, 0.7], [0.5, 0.5, 0.4]]), [1.25, 1.75, 3.0])
    assert_allclose(average_ranks([[0.3, 0.3, 0.3, 0.3]]), [2.5, 2.5, 2.5, 2.5])


def test_ranks_add_up():
    scores = np.random.default_rng(0).integers(0, 5, (30, 6))
    assert average_ranks(scores).sum() == pytest.approx(6 * 7 / 2)


@pytest.mark.parametrize("measure", ["Gmean", "AUC", "GSDI"])
@pytest.mark.parametrize(("dimension", "alias"), [("low", "TMD"), ("high", "THD")])
def test_published_ranks_come_out(dimension, alias, measure):
    scores = pd.read_csv(table_file(f"two_class_{measure.lower()}.csv"), index_col="alias")
    published = pd.read_csv(table_file("ranks_two_class.csv"), index_col="algorithm")
    ranks = average_ranks(scores[scores.index.str.startswith(alias)])
    expected = published.loc[scores.columns, f"{dimension}:{measure}:AR"]
    assert_allclose(ranks, expected, atol=PUBLISHED_PRECISION)
    assert np.abs(ranks[::-1] - expected).max() > PUBLISHED_PRECISION  # the check can fail


@pytest.mark.parametrize("scores", [[0.1, 0.2], np.empty((0, 3))])
def test_a_table_is_needed(scores):
    with pytest.raises(ValueError, match="one row per data set"):
        average_ranks(scores)


def test_missing_scores_are_refused():
    with pytest.raises(ValueError, match="missing or not finite"):
        average_ranks([[0.1, np.nan]])
