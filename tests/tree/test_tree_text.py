"""Trees as text."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from kpboost.tree import C45Classifier

X = np.array([[0.0, 2.0], [1.0, 2.0], [2.0, 5.0], [3.0, 5.0]] * 2)
Y = np.array(["no", "no", "yes", "yes"] * 2)


def test_numbers_and_names():
    plain = C45Classifier().fit(X, Y)  # on x1, which leaves no choice of cuts to pay for
    assert plain.export_text() == "x1 <= 2: no (4.0)\nx1 > 2: yes (4.0)\n"
    named = C45Classifier(categorical_features=["town"]).fit(
        pd.DataFrame(X[:, 1:], columns=["town"]), Y
    )
    assert named.export_text() == "town = 2: no (4.0)\ntown = 5: yes (4.0)\n"
    assert named.export_text(["place"]).startswith("place = 2")


def test_a_single_leaf():
    assert C45Classifier().fit(X[:4] * 0, Y[:4]).export_text() == "no (4.0/2.0)\n"


def test_one_line_per_branch():
    rng = np.random.default_rng(0)
    points, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    tree = C45Classifier(prune=False, cut_penalty=False).fit(points, y)
    lines = tree.export_text().splitlines()
    assert len(lines) == tree.node_feature_.size - 1
    assert sum(not line.endswith(":") for line in lines) == tree.n_leaves_
    assert max(line.count("|") for line in lines) == tree.max_depth_ - 1


def test_names_must_be_as_many_as_columns():
    with pytest.raises(ValueError, match="feature_names has 1 entries, but there are 2 columns"):
        C45Classifier().fit(X, Y).export_text(["a"])


def test_nothing_to_show():
    with pytest.raises(NotFittedError):
        C45Classifier().export_text()
