import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from kpboost.reports._comparison import (
    MOST_COLORED,
    compare_outcomes,
    cost_plot,
    dot_plot,
    rank_diagram,
    styles,
)
from support.made_outcomes import outcome, table_of_outcomes

HOSTILE = "<b>&$x^2$"


def words(figure):
    return [element.text for element in ET.fromstring(figure.svg).iter() if element.text]


def test_every_data_set_and_method_is_named():
    comparison = compare_outcomes(table_of_outcomes(5), {"svm": "SVM"})
    shown = words(dot_plot(comparison, "gmean"))
    assert set(comparison.datasets) <= set(shown)
    assert "SVM" in shown


def test_many_methods_share_a_dot():
    methods = ("svm", "kpboost", *(f"m{k}" for k in range(8)))
    comparison = compare_outcomes(table_of_outcomes(4, methods=methods), {})
    shared = comparison.shared("gmean")
    marks = styles(comparison, shared)
    assert next(iter(marks)) == "kpboost"
    assert sum(mark["marker"] != "." for mark in marks.values()) == MOST_COLORED
    assert words(dot_plot(comparison, "gmean")).count("the others") == 1


def test_a_method_looks_the_same_in_all_measures():
    made = [
        replace(each, scores={**each.scores, "gsdi": 1 - each.scores["gsdi"]})
        for each in table_of_outcomes(4, methods=("a", "b", "c"))
    ]
    comparison = compare_outcomes(made, {})
    gmean, gsdi = (styles(comparison, comparison.shared(name)) for name in ("gmean", "gsdi"))
    assert gmean == gsdi


@pytest.mark.parametrize("draw", [lambda c: dot_plot(c, "gsdi"), lambda c: rank_diagram(c, "auc"),
                                  cost_plot])  # fmt: skip
def test_names_from_outside_are_text(draw):
    names = [f"{HOSTILE}{k}" for k in range(6)]
    made = table_of_outcomes(methods=("svm", HOSTILE, "kpboost"), names=names)
    figure = draw(compare_outcomes(made, {}))
    assert "<b>" not in figure.svg
    assert any(HOSTILE in text for text in words(figure))


def test_ranks_are_written_beside_names():
    comparison = compare_outcomes(table_of_outcomes(5), {})
    assert any(
        text.startswith("gradient_boosting_balanced (1.")
        for text in words(rank_diagram(comparison, "gmean"))
    )


def test_names_that_shorten_to_the_same_stay_apart():
    methods = ("kpboost", "x" * 40 + "a", "x" * 40 + "b")
    assert rank_diagram(compare_outcomes(table_of_outcomes(5, methods=methods), {}), "gmean")


def test_time_is_written_in_plain_numbers():
    assert not [text for text in words(cost_plot(compare_outcomes(table_of_outcomes(5), {})))
                if "$" in text]  # fmt: skip


def test_nothing_to_draw():
    empty = compare_outcomes([outcome("a", "svm", 0.5)], {})
    assert dot_plot(empty, "gmean") is None
    assert rank_diagram(empty, "gmean") is None
    assert cost_plot(empty) is None


def test_all_methods_equal_is_no_crash():
    made = [outcome(f"s{k}", name, 1.0, seconds=0.0) for k in range(4) for name in ("a", "b", "c")]
    comparison = compare_outcomes(made, {})
    assert rank_diagram(comparison, "gmean")
    assert dot_plot(comparison, "gmean")
    assert cost_plot(comparison)
