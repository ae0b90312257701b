from dataclasses import replace

import numpy as np
import pytest

from kpboost.reports._comparison import compare_outcomes
from kpboost.reports._paper_tables import paper_tables
from support.made_outcomes import outcome

TITLES = {
    "svm": "SVM",
    "kpboost": "KPBoost-SVM",
    "svm_balanced": "Balanced SVM",
    "svm_ovr": "SVM one-vs-rest",
    "kpboost_ovr": "KPBoost-SVM one-vs-rest",
    "rusboost": "RUSBoost",
}


def comparison(methods, datasets):
    rng = np.random.default_rng(0)
    made = [outcome(name, method, rng.uniform()) for name in datasets for method in methods]
    return compare_outcomes(made, TITLES)


def test_schemes_of_many_classes_have_tables_of_their_own():
    methods = ("svm", "svm_ovr", "kpboost", "kpboost_ovr", "rusboost")
    tables = paper_tables(comparison(methods, ("wine", "yeast")))
    assert [table.name for table in tables] == [
        *("paper-multi-class-low-ovo", "paper-means-multi-class-low-ovo"),
        *("paper-multi-class-low-ova", "paper-means-multi-class-low-ova"),
    ]
    assert {row[0] for row in tables[2].rows} == {
        *("SVM one-vs-rest", "KPBoost-SVM one-vs-rest", "RUSBoost")
    }


def test_rows_are_ordered_by_our_ranks_and_means_stand_beside_each_other():
    made = [
        *(outcome("glass0", "svm", 0.5), outcome("glass0", "kpboost", 0.75)),
        *(outcome("glass1", "svm", 0.25), outcome("glass1", "kpboost", 0.5)),
    ]
    ranks, means = paper_tables(compare_outcomes(made, TITLES))
    assert [row[:2] for row in ranks.rows] == [("KPBoost-SVM", 1.0), ("SVM", 2.0)]
    assert means.rows[0][1] == pytest.approx(0.625)
    assert [column.name for column in means.columns][:3] == ["Method", "Gmean ours", "Gmean paper"]
    assert "2 of the paper's data sets" in ranks.note


def test_nothing_of_the_paper_gives_no_table():
    assert paper_tables(comparison(("svm", "kpboost"), ("mine",))) == ()
    assert paper_tables(comparison(("svm", "svm_balanced"), ("glass0",))) == ()


def test_what_differs_from_the_paper_is_said():
    made = [outcome("glass0", name, 0.5) for name in ("svm", "kpboost")]
    note = paper_tables(compare_outcomes(made, TITLES))[0].note
    assert "inside the training folds" in note
    assert "fewer than the paper's" in note
    alike = [replace(each, protocol="published", grid="paper") for each in made]
    assert paper_tables(compare_outcomes(alike, TITLES))[0].note.endswith("all of its own.")
