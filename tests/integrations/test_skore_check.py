"""The check within real skore reports."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from support.planted_data import one_cloud_each, planted

skore = pytest.importorskip("skore", reason="needs the extra skore")

from kpboost.integrations.skore_check import MissedDisjunctsCheck, explanation  # noqa: E402

FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
OURS = MissedDisjunctsCheck.code


def result(report):
    """What the summary says of our check, skore's own ones left out."""
    own = [entry.split(" - ")[0] for entry in report.checks.available()]
    report.checks.add([MissedDisjunctsCheck()])
    summary = report.checks.summarize(ignore=own)
    frame = summary.frame()
    return frame[frame["code"] == OURS].iloc[0], summary


def halves(X, y, model):
    take = (lambda table, rows: table.iloc[rows]) if hasattr(X, "iloc") else (lambda t, r: t[r])
    even, odd = slice(None, None, 2), slice(1, None, 2)
    return skore.EstimatorReport(
        model, X_train=take(X, even), y_train=y[even], X_test=take(X, odd), y_test=y[odd]
    )


def test_it_is_a_check_for_skore():
    assert isinstance(MissedDisjunctsCheck(), skore.Check)


def test_cross_validation_report():
    X, y, part = planted()
    found, summary = result(skore.CrossValidationReport(SVC(), X, y, splitter=FOLDS))
    assert found["section"] == "issue"
    assert found["explanation"].startswith("1 part of a class is missed. Part rare/2: 0 of 10 rows")
    typical = int(found["explanation"].rstrip(".").split()[-1])
    assert part[typical] == 2
    assert "Part rare/2" in repr(summary)


def test_estimator_report_speaks_of_its_test_rows():
    X, y, part = planted(small=40, seed=1)
    found, _ = result(halves(X, y, make_pipeline(StandardScaler(), LogisticRegression())))
    assert found["section"] == "issue"
    assert f"of {(part[1::2] == 2).sum()} rows recognised" in found["explanation"]


def test_a_model_that_came_trained():
    X, y, _ = planted(small=40, seed=1)
    model = LogisticRegression().fit(X[::2], y[::2])
    report = skore.EstimatorReport(model, X_test=X[1::2], y_test=y[1::2])
    assert result(report)[0]["section"] == "issue"


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_invented(seed):
    X, y = one_cloud_each(seed)
    found, _ = result(skore.CrossValidationReport(SVC(), X, y, splitter=FOLDS))
    assert found["section"] == "passed"
    assert result(halves(X, y, SVC()))[0]["section"] == "passed"


def test_names_of_columns_and_classes_stay_text():
    X, y, _ = planted(small=40, seed=1)
    frame = pd.DataFrame(X, columns=["<script>alert(1)</script>", "height"])
    labels = np.where(y == "rare", "<b>rare</b>", "common")
    found, summary = result(halves(frame, labels, LogisticRegression()))
    assert "<script>alert(1)" in found["explanation"]
    page = summary._repr_html_()
    assert "<script>alert(1)" not in page
    assert "<b>rare" not in page


def test_regression_is_not_applicable():
    X, y = make_regression(60, random_state=0)
    found, _ = result(halves(X, y, LinearRegression()))
    assert found["section"] == "not_applicable"
    assert "regression" in found["explanation"]


def test_splits_that_test_rows_twice_are_not_applicable():
    X, y, _ = planted()
    splits = ShuffleSplit(3, random_state=0)
    found, _ = result(skore.CrossValidationReport(SVC(), X, y, splitter=splits))
    assert found["section"] == "not_applicable"
    assert "every row exactly once" in found["explanation"]


def test_it_is_left_out_of_fast_summaries():
    X, y, _ = planted()
    report = skore.CrossValidationReport(SVC(), X, y, splitter=FOLDS)
    report.checks.add([MissedDisjunctsCheck()])
    skipped = report.checks.summarize(fast_mode=True).frame(section="skipped")
    assert OURS in set(skipped["code"])


def test_it_can_be_pickled():
    check = pickle.loads(pickle.dumps(MissedDisjunctsCheck(random_state=3)))
    assert (check.random_state, check.report_types) == (3, ["estimator", "cross-validation"])


def test_only_the_worst_are_shown():
    X, y, _ = planted(small=40, seed=1)
    report = halves(X, y, LogisticRegression())
    from kpboost.integrations.skore_check import missed_disjuncts

    owners = np.zeros(y[1::2].size, dtype=np.intp)
    missed = missed_disjuncts(X[1::2], y[1::2], [report.estimator_], owners)
    text = explanation(missed[:1] * 5)
    assert text.startswith("5 parts of classes are missed.")
    assert text.count("Part ") == 3
    assert text.endswith("And 2 more.")
