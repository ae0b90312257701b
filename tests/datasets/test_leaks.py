import numpy as np
import pytest

from kpboost.datasets import Leak, embedded, leak_sentences, load, possible_leaks, read_dataset
from support.shared_data import data_folder, data_names

N = 300


def table(*columns, nominal=()):
    """Labels of which a fifth is rare, and a table of noise beside the columns."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(N, 3))
    X = np.column_stack([*columns, noise]) if columns else noise
    kinds = np.isin(np.arange(X.shape[1]), nominal)
    return X, kinds, [f"c{j}" for j in range(X.shape[1])]


def labels(seed=1):
    return np.random.default_rng(seed).choice(["common", "rare"], N, p=[0.8, 0.2])


def flagged(y, *columns, nominal=()):
    return [leak.column for leak in possible_leaks(*table(*columns, nominal=nominal), y)]


def test_columns_that_give_the_class_away():
    y, rng = labels(), np.random.default_rng(2)
    rare = y == "rare"
    threshold = rng.normal(size=N) + 20 * rare
    band = np.where(rare, rng.uniform(-1, 1, N), rng.choice([-1, 1], N) * rng.uniform(2, 9, N))
    gaps = np.where(rare, np.nan, rng.normal(size=N))
    word = np.where(rare, 2.0, rng.integers(0, 2, N))
    assert flagged(y, threshold) == ["c0"]
    assert flagged(y, band) == ["c0"]
    assert flagged(y, gaps) == ["c0"]
    assert flagged(y, word, nominal=[0]) == ["c0"]


def test_columns_that_do_not():
    y, rng = labels(), np.random.default_rng(2)
    rare = y == "rare"
    good = rng.normal(size=N) + 3 * rare
    unique = rng.permutation(N)
    often = np.where(rng.random(N) < 0.9, rare, ~rare)
    assert flagged(y) == []
    assert flagged(y, good) == []
    assert flagged(y, unique, nominal=[0]) == []
    assert flagged(y, unique) == []
    assert flagged(y, often, nominal=[0]) == []


def test_a_running_number_in_a_table_sorted_by_class_is_a_leak():
    y = np.sort(labels())
    leaks = possible_leaks(*table(np.arange(N)), y)
    assert [(leak.column, leak.follows_rows) for leak in leaks] == [("c0", True)]
    assert flagged(labels(), np.arange(N)) == []  # the class does not follow the rows
    assert flagged(y) == []  # no column does


def test_easy_classes_are_no_leak():
    y = labels()
    columns = [np.random.default_rng(j).normal(size=N) + 20 * (y == "rare") for j in range(9)]
    assert flagged(y, *columns) == []
    assert flagged(y, *columns[:2]) == ["c0", "c1"]


def test_many_classes_and_rare_ones():
    y = np.array([f"k{i % 5}" for i in range(N)])
    assert flagged(y, np.arange(N) % 5) == ["c0"]
    y[:3] = "single"
    assert flagged(y, np.arange(N) % 5) == ["c0"]
    assert flagged(np.array(["a"] * (N - 4) + ["b"] * 4), np.arange(N)) == []
    assert flagged(np.array(["a"] * N), np.arange(N)) == []


def test_large_tables_are_sampled_in_their_order():
    n = 50_000
    X = np.column_stack([np.arange(n), np.random.default_rng(0).normal(size=(n, 2))])
    y = np.arange(n) >= 45_000
    assert possible_leaks(X, np.zeros(3, bool), ["a", "b", "c"], y)[0].follows_rows


def test_in_words():
    bill, number = Leak("bill", 0.994), Leak("nr", 0.95, follows_rows=True)
    assert leak_sentences([]) == ()
    assert leak_sentences([bill]) == (
        "Possible leak: column 'bill' alone predicts the class almost perfectly; is it known "
        "before the class is?",
    )
    (both,) = leak_sentences([bill, number])
    assert both.startswith(
        "Possible leaks: each of the columns 'bill', 'nr' (in the order of the rows) alone "
        "predicts the class"
    )
    assert leak_sentences([bill] * 20)[0].count("'bill'") == 20
    assert "and 5 more alone predicts" in leak_sentences([bill] * 25)[0]


@pytest.mark.parametrize("name", embedded())
def test_no_false_alarm_on_the_sets_that_need_no_file(name):
    data = load(name)
    assert possible_leaks(data.X, data.nominal, data.feature_names, data.y) == ()


# One column does separate the classes of these; that of glass2 is the running number of a sorted
# table.
SEPARABLE = {
    "ecoli0vs1": ["Alm1"],
    "glass04vs5": ["K"],
    "glass2": ["Id"],
    "shuttle6vs23": ["A2"],
    "shuttleC2vsC4": ["A2", "A7"],
}


def test_false_alarms_on_the_sets_of_the_paper_are_rare():
    folder, found = data_folder(), {}
    for name in data_names(lambda file: not file.stem.startswith("rcv1")):  # 21,531 columns
        data = read_dataset(folder / f"{name}.csv", keep="all")
        leaks = possible_leaks(data.X, data.nominal, data.feature_names, data.y)
        if leaks:
            found[name] = [leak.column for leak in leaks]
    assert found == SEPARABLE


def test_a_leak_and_its_copy_do_not_silence_each_other():
    y = labels()
    leak = np.random.default_rng(3).normal(size=N) + 20 * (y == "rare")
    X = np.column_stack([leak, leak, np.random.default_rng(4).normal(size=N)])
    found = possible_leaks(X, np.zeros(3, bool), ["leak", "copy", "noise"], y)
    assert [each.column for each in found] == ["leak", "copy"]


def test_copies_of_rows_are_no_leak():
    """Every row four times: a column predicts the copies of what it has seen."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(120, 2)), 4, axis=0)
    y = np.repeat(np.where(rng.random(120) < 0.3, "rare", "common"), 4)
    order = rng.permutation(480)
    assert possible_leaks(X[order], np.zeros(2, bool), ["a", "b"], y[order]) == ()
    flag = np.column_stack([X, y == "rare"]).astype(float)
    (leak,) = possible_leaks(flag[order], np.zeros(3, bool), ["a", "b", "flag"], y[order])
    assert leak.column == "flag"


def test_copies_of_an_outlier_are_no_leak_in_the_finer_look_either():
    """A rare row amid the other class, entered ten times: only who has seen a copy knows it."""
    values = np.array([*range(200), *[99.5] * 10, *range(200, 300)])
    y = np.repeat(["common", "rare"], [200, 110])
    order = np.random.default_rng(0).permutation(y.size)
    nominal = np.zeros(1, bool)
    assert possible_leaks(values[order, None], nominal, ["a"], y[order]) == ()
    apart = np.where(values == 99.5, 400.0, values)
    (leak,) = possible_leaks(apart[order, None], nominal, ["a"], y[order])
    assert leak.score > 0.98
