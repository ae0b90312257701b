"""Files that must be called doubtful, and files that must not."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from kpboost.auditing import audit
from kpboost.auditing._doubts import drifts_of, n_parted
from kpboost.datasets import CopiedRows
from support.planted_data import plain_svm

N = 240
SICK = np.repeat([0, 1], [180, 60]).astype(bool)


def frame(seed=0, sick=SICK, apart=3.0):
    """Four measurements of the sick and the well; well first."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(sick.size, 4)) + apart * sick[:, None] * [1, 1, 0, 0]
    labels = np.where(sick, "sick", "well")
    return pd.DataFrame(values, columns=list("abcd")), labels


def shuffled(X, y, seed=1):
    order = np.random.default_rng(seed).permutation(len(y))
    return X.iloc[order].reset_index(drop=True), y[order]


def audited(X, y, model="gaussian", **options):
    model = LogisticRegression() if model == "gaussian" else model
    return audit(X, y, model, **{"cv": 3, "remedies": "never", **options})


def test_a_clean_file_is_green_and_has_no_doubts():
    found = audited(*shuffled(*frame()))
    assert found.verdict.mood == "good"
    assert found.verdict.warnings == ()
    assert found.data.leaks == found.data.drifts == found.data.deciders == ()
    assert found.data.n_copies == 0
    assert "cross-validated accuracy" in found.verdict.sentences[0]


def test_a_leaking_column_is_never_green():
    X, y = frame()
    bill = SICK + np.random.default_rng(2).normal(0, 0.05, N)
    found = audited(*shuffled(X.assign(bill=bill), y))
    assert [leak.column for leak in found.data.leaks] == ["bill"]
    assert found.verdict.mood != "good"
    assert found.verdict.headline.startswith("A column may give the class away")
    assert "'bill'" in found.verdict.sentences[0]


def test_running_numbers_of_a_sorted_file_are_a_leak_of_ones_own_model():
    """The model gets the column, though the audit itself leaves it out."""
    X, y = frame(apart=0.8)
    found = audited(X.assign(Id=np.arange(N)), y, LogisticRegression(max_iter=5000))
    assert [leak.column for leak in found.data.leaks] == ["Id"]
    assert found.data.seen_identifiers == ("Id",)
    assert found.verdict.mood != "good"
    assert "Nothing is clearly missed" not in found.verdict.headline


def test_running_numbers_that_the_model_does_not_get_are_no_leak():
    X, y = frame(apart=0.8)
    found = audited(X.assign(Id=np.arange(N)), y, "svm")
    assert found.data.leaks == ()
    assert found.data.seen_identifiers == ()
    assert found.verdict.sentences[-1].startswith("Left out as identifiers: 'Id'")


def test_running_numbers_of_a_shuffled_file_are_no_leak():
    X, y = shuffled(*frame(apart=0.8))
    found = audited(X.assign(Id=np.arange(N)), y)
    assert found.data.leaks == ()
    assert found.data.seen_identifiers == ("Id",)


def test_a_measure_in_the_order_of_rows_is_a_leak_of_a_sorted_file():
    """A date of entry, say; the audit's own order of rows must not hide it."""
    X, y = frame(apart=0.8)
    entered = np.arange(N) + np.random.default_rng(0).uniform(0, 0.5, N)
    found = audited(X.assign(entered=entered), y, "svm")
    assert [leak.follows_rows for leak in found.data.leaks] == [True]


def test_copies_stay_in_one_fold():
    X, y = frame()
    X, y = pd.concat([X, X[:60]], ignore_index=True), np.append(y, y[:60])
    found = audited(*shuffled(X, y))
    assert found.data.n_copies == 60
    assert found.data.copies_together
    assert found.verdict.mood == "good"
    assert any("such copies stay in one fold" in each for each in found.verdict.sentences)


def test_copies_do_not_flatter():
    """Labels are chance, so that one half is right; a neighbour that was seen knows better."""
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(120, 3))).add_prefix("x"), rng.choice(["a", "b"], 120)
    X, y = pd.concat([X] * 3, ignore_index=True), np.tile(y, 3)
    model = KNeighborsClassifier(1)
    honest = audited(X, y, model)
    parted = audited(X, y, model, cv=StratifiedKFold(3, shuffle=True, random_state=0))
    assert honest.models[0].accuracy < 0.7
    assert parted.models[0].accuracy > 0.8
    assert not parted.data.copies_together
    assert parted.verdict.mood != "good"
    assert "both learnt and tested" in parted.verdict.headline


def test_rows_that_repeat_by_themselves_are_no_copies():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, size=(N, 3)), columns=list("abc"))
    found = audited(*shuffled(X, np.where(SICK, "sick", "well")))
    assert found.data.n_duplicates > 100
    assert found.data.n_copies == 0
    assert not any("every feature" in each for each in found.verdict.sentences)


def test_parted_copies_are_counted():
    folds = [(np.array([2, 3]), np.array([0, 1])), (np.array([0, 1]), np.array([2, 3]))]
    assert n_parted(CopiedRows(2, None, np.array([0, 1, 0, 1])), folds) == 2
    assert n_parted(CopiedRows(2, None, np.array([0, 0, 2, 2])), folds) == 0
    assert n_parted(CopiedRows(), folds) == 0


def test_a_sorted_file_is_named_and_stays_green():
    found = audited(*frame())
    assert [each.is_sorted for each in found.data.drifts] == [True]
    assert found.verdict.mood == "good"
    assert found.verdict.sentences[0].startswith("The file is sorted by the class.")


@pytest.mark.parametrize("where", ["rows", "dates"])
def test_a_class_that_follows_time_is_told(where):
    rng = np.random.default_rng(0)
    sick = rng.random(N) < 0.05 + 0.5 * np.arange(N) / N
    X, y = frame(sick=sick)
    if where == "dates":
        days = pd.to_timedelta(np.arange(N), unit="D")
        X, y = shuffled(X.assign(visit=pd.Timestamp("2024-01-01") + days), y)
    (drift,) = audited(X, y, "svm").data.drifts
    assert drift.column == ("visit" if where == "dates" else "")
    assert not drift.is_sorted
    assert drift.label == "sick"
    assert drift.first < 0.25 < drift.last
    assert drift.p_value < 1e-3


def test_dates_that_mean_nothing_are_no_warning():
    X, y = shuffled(*frame())
    found = audited(X.assign(visit=pd.date_range("2024-01-01", periods=N)), y, "svm")
    assert found.data.drifts == ()
    assert found.verdict.warnings == ()


def test_order_that_means_nothing_is_hardly_ever_told():
    """The level is 0.1 %: of 400 files at most 3 (probability of more: 0.001)."""
    rng = np.random.default_rng(0)
    orders = {"": np.arange(60.0), "day": rng.normal(size=60)}
    told = sum(
        bool(drifts_of(rng.choice(3, 60, p=[0.5, 0.3, 0.2]), list("abc"), orders))
        for _ in range(400)
    )
    assert told <= 3


def test_a_slight_change_in_a_large_file_is_not_told():
    rng = np.random.default_rng(0)
    chance = 0.3 + 0.05 * np.arange(20_000) / 20_000
    codes = (rng.random(20_000) < chance).astype(int)
    assert drifts_of(codes, ["a", "b"], {"": np.arange(20_000.0)}) == ()


def test_sorted_pieces_are_sorted_and_gaps_in_dates_are_left_out():
    codes = np.tile(np.repeat([0, 1], 50), 2)
    (drift,) = drifts_of(codes, ["a", "b"], {"": np.arange(200.0)})
    assert drift.is_sorted
    days = np.where(np.arange(200) % 3 == 0, np.nan, 1.0 * np.arange(200))
    (late,) = drifts_of(np.sort(codes), ["a", "b"], {"day": days})
    assert (late.column, late.is_sorted, late.first, late.last) == ("day", False, 0.0, 1.0) or (
        late.label == "a" and (late.first, late.last) == (1.0, 0.0)
    )


def test_a_class_in_the_middle_of_a_sorted_file_and_small_classes_leave_it_sorted():
    """As where three sorted classes were made two, and where a class has two rows."""
    middle = np.repeat([0, 1, 0], [60, 20, 60])
    small = np.repeat([0, 1, 2], [60, 20, 2])
    for codes, names in ((middle, ["a", "b"]), (small, ["a", "b", "c"])):
        (drift,) = drifts_of(codes, names, {"": np.arange(1.0 * codes.size)})
        assert drift.is_sorted


def test_two_rare_rows_side_by_side_are_not_sorted():
    codes = np.repeat([0, 1, 0], [60, 2, 60])
    assert drifts_of(codes, ["a", "b"], {"": np.arange(122.0)}) == ()


def test_one_column_that_decides_one_of_three_classes_is_told():
    X, y = load_iris(return_X_y=True, as_frame=True)
    found = audited(*shuffled(X, y.to_numpy()), "svm")
    columns = {each.column for each in found.data.deciders}
    assert columns == {"petal length (cm)", "petal width (cm)"}
    assert {each.label for each in found.data.deciders} == {"0"}
    assert found.verdict.sentences[0].startswith("One column alone decides a class")
    assert found.verdict.mood == "good"


def test_classes_that_no_column_decides_have_no_deciders():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X, y = shuffled(X[["sepal length (cm)", "sepal width (cm)"]], y.to_numpy())
    assert audited(X, y, "svm").data.deciders == ()


def test_doubts_do_not_depend_on_the_kind_of_table():
    pl = pytest.importorskip("polars")
    X, y = frame(apart=0.8)
    X = X.assign(Id=np.arange(N))
    found = audited(pl.DataFrame(X.to_dict("list")), y, LogisticRegression(max_iter=5000))
    assert [leak.column for leak in found.data.leaks] == ["Id"]


def test_columns_that_tell_the_class_are_counted_even_if_most_do():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [60, 40])
    order = rng.permutation(100)
    for n_telling, n_columns in ((4, 6), (2, 2)):
        X = rng.normal(size=(100, n_columns))
        X[:, :n_telling] += 8.0 * y[:, None]
        found = audit(X[order], y[order], plain_svm(), cv=3, remedies="never")
        assert len(found.data.leaks) == n_telling
        assert found.data.seems_easy
        assert (found.verdict.mood, found.verdict.warnings) == ("mixed", ())
        assert f"{n_telling} of {n_columns} columns alone" in " ".join(found.verdict.remarks)
