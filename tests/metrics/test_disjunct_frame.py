"""The frame: every number counted again the plain way, tables, and hostile names."""

import pickle
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, zero_one_loss

from kpboost import DisjunctFrame

HOSTILE = '<script>alert("x")</script>&'


@pytest.fixture
def labels():
    """Three classes of two to four disjuncts; some predictions are wrong."""
    rng = np.random.default_rng(3)
    disjuncts = np.repeat(np.arange(9), [9, 2, 4, 30, 1, 5, 12, 3, 7])
    y_true = np.array([0, 0, 1, 1, 1, 1, 2, 2, 2])[disjuncts]
    y_pred = np.where(rng.random(y_true.size) < 0.75, y_true, (y_true + 1) % 3)
    return y_true, y_pred, disjuncts


@pytest.fixture
def frame(labels):
    y_true, y_pred, disjuncts = labels
    return DisjunctFrame(
        y_true,
        y_pred,
        disjuncts=disjuncts,
        disjunct_sizes=np.append(10 * np.bincount(disjuncts), [4, 4]),
        metrics={"loss": zero_one_loss, "n": lambda true, predicted: len(true)},
        confidence_level=0.9,
    )


class TableReader(HTMLParser):
    """Cells of a table as a browser would show them, and the tags it saw."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.rows = set(), []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip("\n")


def belongs(group, y_true, disjuncts):
    if group.level == "overall":
        return np.ones(y_true.size, dtype=bool)
    return y_true == group.class_label if group.level == "class" else disjuncts == group.disjunct


def test_every_group_is_counted_right(frame, labels):
    y_true, y_pred, disjuncts = labels
    assert len(frame.rows()) == 1 + 3 + 9
    for group in frame.rows():
        here = belongs(group, y_true, disjuncts)
        right, n = int(np.sum((y_true == y_pred) & here)), int(here.sum())
        assert (group.n_points, group.n_correct, group.size) == (n, right, 10 * n)
        assert group.recall == right / n
        interval = binomtest(right, n).proportion_ci(0.9, method="exact")
        assert (group.recall_low, group.recall_high) == pytest.approx(tuple(interval), abs=1e-9)
        assert group.metrics == {"loss": pytest.approx(1 - right / n), "n": n}
        assert group.recall_low <= group.recall <= group.recall_high


def test_disjuncts_come_by_class_and_from_the_smallest(frame):
    order = [(group.class_label, group.size) for group in frame.by_disjunct]
    assert order == sorted(order)
    assert [group.class_label for group in frame.by_class] == [0, 1, 2]


def test_overall_is_the_accuracy(frame, labels):
    assert frame.overall.recall == accuracy_score(*labels[:2])


def test_disjuncts_without_test_points_are_left_out_and_counted(frame):
    assert frame.n_unseen == 2
    assert {group.disjunct for group in frame.by_disjunct} == set(range(9))


def test_the_worst_has_the_lowest_recall_and_then_the_most_points():
    y_true = [0, 0, 0, 0, 0, 0, 1]
    y_pred = [0, 0, 1, 1, 1, 1, 1]
    worst = DisjunctFrame(y_true, y_pred, disjuncts=[0, 0, 1, 2, 2, 2, 3]).worst
    assert (worst.disjunct, worst.recall, worst.n_points) == (2, 0.0, 3)


def test_without_sizes_the_points_are_the_data_set(labels):
    y_true, y_pred, disjuncts = labels
    frame = DisjunctFrame(y_true, y_pred, disjuncts=disjuncts)
    assert all(group.size == group.n_points for group in frame.rows())
    assert frame.n_unseen == 0


def test_pandas_table(frame):
    table = frame.to_frame()
    assert list(table.columns) == frame.columns()
    assert_array_equal(
        table["level"].value_counts().loc[["overall", "class", "disjunct"]], [1, 3, 9]
    )
    assert_array_equal(table["recall"], [group.recall for group in frame.rows()])
    assert table["disjunct"].tolist() == [group.disjunct for group in frame.rows()]
    by_class = table[table["level"] == "disjunct"].groupby("class")["n_correct"].sum()
    assert_array_equal(by_class, [group.n_correct for group in frame.by_class])


def test_html_shows_the_same_table(frame):
    seen = TableReader(frame.to_html())
    assert seen.rows[0] == frame.columns()
    assert len(seen.rows) == 1 + len(frame.rows())
    assert seen.rows[1][:3] == ["overall", "", ""]
    assert float(seen.rows[1][6]) == pytest.approx(frame.overall.recall, abs=5e-5)
    assert frame.to_html().count('class="worst"') == 1
    assert frame._repr_html_() == frame.to_html()


def test_html_escapes_whatever_comes_from_outside():
    frame = DisjunctFrame(
        [HOSTILE, "b"],
        [HOSTILE, "b"],
        disjuncts=[HOSTILE + "1", "2"],
        metrics={HOSTILE + "m": accuracy_score},
    )
    text = frame.to_html()
    assert "<script" not in text
    seen = TableReader(text)
    assert seen.tags == {"table", "thead", "tbody", "tr", "th", "td"}
    assert seen.rows[0][-1] == HOSTILE + "m"
    assert any(row[1:3] == [HOSTILE, HOSTILE + "1"] for row in seen.rows)


def test_html_writes_control_characters_out():
    name = "a\x1b[2J\u202e"
    metrics = {name: accuracy_score}
    text = DisjunctFrame([name, "b"], [name, "b"], disjuncts=[name, "2"], metrics=metrics).to_html()
    assert text.replace("\n", "").isprintable()
    assert text.count("a\\x1b[2J\\u202e") == 4


def test_the_reader_would_see_a_script():
    assert "script" in TableReader(f"<table><tr><td>{HOSTILE}</td></tr></table>").tags


def test_repr_names_the_worst(frame):
    assert f"{frame.worst.disjunct!r} of class {frame.worst.class_label!r}" in repr(frame)


def test_pandas_labels_with_another_index():
    y = pd.Series(["a", "a", "b"], index=[5, 6, 7])
    frame = DisjunctFrame(
        y,
        pd.Series(["a", "b", "b"]),
        disjuncts=pd.Series([0, 1, 2]),
        metrics={"acc": accuracy_score},
    )
    assert [group.metrics["acc"] for group in frame.by_disjunct] == [1.0, 0.0, 1.0]


def test_pickle_keeps_it(labels):
    y_true, y_pred, disjuncts = labels
    frame = DisjunctFrame(y_true, y_pred, disjuncts=disjuncts)
    assert pickle.loads(pickle.dumps(frame)).rows() == frame.rows()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": {"recall": accuracy_score}}, "a column already"),
        ({"metrics": {"accuracy": "accuracy"}}, "must be a function"),
        ({"confidence_level": 95}, "confidence_level=95"),
        ({"disjuncts": [0, 0]}, "a part of one class"),
    ],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        DisjunctFrame([0, 1], [0, 1], **({"disjuncts": [0, 1]} | options))
