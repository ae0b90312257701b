"""The shipped figures are the paper's, and our statistics of its scores give its own verdicts."""

import csv

import numpy as np
import pytest
from scipy.stats import rankdata

from kpboost.metrics import average_ranks
from kpboost.reports._paper_tables import (
    published_datasets,
    published_group,
    published_ranks,
    published_scores,
)
from kpboost.reports._statistics import against_control
from support.shared_data import table_file

MEASURES = ("gmean", "auc", "gsdi")
CONTROL = "KPBoost-SVM"
TABLES_OF_RANKS = [
    ("two-class-low", "OVO"),
    ("two-class-high", "OVO"),
    ("multi-class-low", "OVO"),
    ("multi-class-high", "OVO"),
    ("multi-class-low", "OVA"),
    ("multi-class-high", "OVA"),
]
# The paper prints ranks with two digits.
HALF_A_DIGIT = 0.005 + 1e-9


def scores_and_ranks(group, scheme, measure):
    ranks = published_ranks(group, measure, scheme=scheme)
    scores = published_scores(measure, published_datasets(group), list(ranks), scheme=scheme)
    return scores, ranks


def read(name):
    return list(csv.DictReader(table_file(name).read_text().splitlines()))


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("group", "scheme"), TABLES_OF_RANKS)
def test_hypotheses_come_out_as_published(group, scheme, measure):
    scores, ranks = scores_and_ranks(group, scheme, measure)
    ours = against_control(scores, list(ranks).index(CONTROL))
    assert [result.verdict for result in ours] == [cell.hypothesis for cell in ranks.values()]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("group", "scheme"), TABLES_OF_RANKS)
def test_average_ranks_come_out_as_published(group, scheme, measure):
    """The paper ranked before rounding: what ties in four digits may lie anywhere in its tie."""
    scores, ranks = scores_and_ranks(group, scheme, measure)
    published = np.array([cell.rank for cell in ranks.values()])
    least = rankdata(-scores, axis=1, method="min").mean(axis=0)
    most = rankdata(-scores, axis=1, method="max").mean(axis=0)
    assert np.all(published >= least - HALF_A_DIGIT)
    assert np.all(published <= most + HALF_A_DIGIT)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("group", "scheme"), TABLES_OF_RANKS)
def test_shared_ranks_are_close_to_the_published(group, scheme, measure):
    scores, ranks = scores_and_ranks(group, scheme, measure)
    published = np.array([cell.rank for cell in ranks.values()])
    # Rounding moves a two-class average by up to 0.08; many-class tables agree to the last digit.
    tolerance = 0.09 if group.startswith("two") else HALF_A_DIGIT
    assert average_ranks(scores) == pytest.approx(published, abs=tolerance)


def test_numbers_of_data_sets():
    groups = ["two-class-low", "two-class-high", "multi-class-low", "multi-class-high"]
    assert [len(published_datasets(group)) for group in groups] == [42, 10, 12, 9]
    assert published_group("glass0") == "two-class-low"
    assert published_group("mine") is None


@pytest.mark.parametrize("measure", MEASURES)
def test_two_class_scores_are_the_tables(measure):
    names = {row["alias"]: row["name"] for row in read("datasets.csv")}
    for row in read(f"two_class_{measure}.csv"):
        methods = [name for name in row if name != "alias"]
        ours = published_scores(measure, [names[row["alias"]]], methods)[0]
        assert ours.tolist() == [float(row[name]) for name in methods]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("scheme", ["OVO", "OVA"])
def test_many_class_scores_are_the_tables(measure, scheme):
    names = {row["alias"]: row["name"] for row in read("datasets.csv")}
    for row in read(f"multi_class_{measure}.csv"):
        expected = {k.split(":")[1]: float(v) for k, v in row.items() if k.startswith(scheme)}
        ours = published_scores(measure, [names[row["alias"]]], list(expected), scheme=scheme)[0]
        assert ours.tolist() == list(expected.values())


def test_ranks_are_the_tables():
    cells = {"two": "ranks_two_class.csv", "multi": "ranks_multi_class.csv"}
    for group, scheme in TABLES_OF_RANKS:
        kind, _, size = group.split("-")
        rows = [row for row in read(cells[kind]) if row["group"] in ("two-class", scheme)]
        for measure, title in zip(MEASURES, ("Gmean", "AUC", "GSDI"), strict=True):
            ours = published_ranks(group, measure, scheme=scheme)
            for row in rows:
                cell = ours[row["algorithm"].removesuffix(f"-{scheme}")]
                assert cell.rank == float(row[f"{size}:{title}:AR"])
                assert cell.hypothesis == row[f"{size}:{title}:WSR"]
