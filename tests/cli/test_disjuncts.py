import csv
import json
from pathlib import Path

import pytest

from kpboost.datasets import load
from kpboost.disjuncts import DisjunctFinder
from kpboost.methods import standardised
from support.calls import call, is_one_sentence


def expected(name, n_neighbors="auto"):
    data = load(name)
    return DisjunctFinder(n_neighbors).fit(standardised(data.X, data.nominal), data.y)


@pytest.mark.parametrize("neighbors", ["auto", "5"])
def test_they_are_those_of_the_finder(capsys, here, neighbors):
    words = ("disjuncts", "planted-two", "--neighbors", neighbors, "--json")
    data = json.loads(call(capsys, *words).out)
    finder = expected("planted-two", 5 if neighbors == "5" else "auto")
    assert data["n_disjuncts"] == finder.n_disjuncts_
    assert [part["size"] for part in data["disjuncts"]] == finder.disjunct_sizes_.tolist()


def test_the_paper_s_wine_has_23_of_them(capsys, here):
    assert json.loads(call(capsys, "disjuncts", "wine", "--json").out)["n_disjuncts"] == 23


def test_the_table_has_a_row_per_class(capsys, here):
    lines = call(capsys, "disjuncts", "planted-three").out.splitlines()
    assert {"large", "middle", "small"} <= {line.split()[0] for line in lines if line.strip()}


def test_labels_of_a_users_file(capsys, small_csv):
    words = ("disjuncts", small_csv, "--target", "label", "--labels", "parts.csv")
    assert call(capsys, *words).code == 0
    rows = list(csv.DictReader(Path("parts.csv").read_text().splitlines()))
    assert len(rows) == 75
    assert set(rows[0]) == {"row", "label", "disjunct", "size"}
    sizes = {row["disjunct"]: int(row["size"]) for row in rows}
    assert sum(sizes.values()) == 75


@pytest.mark.parametrize(
    "words",
    [
        ["absent.csv"],
        ["planted-two", "--neighbors", "many"],
        ["planted-two", "--neighbors", "0"],
        ["planted-two", "--labels", "absent/parts.csv"],
        ["broken.csv"],
    ],
    ids=lambda words: words[-1],
)
def test_bad_input_is_refused_in_a_sentence(capsys, here, words):
    (here / "broken.csv").write_text('a,b\n1,"2\n')
    answer = call(capsys, "disjuncts", *words)
    assert answer.code == 2
    assert answer.err.count("\n") == 1
    assert answer.err.startswith("kpboost: ")
    assert "Traceback" not in answer.err


def test_refusals_are_sentences(capsys, here):
    assert is_one_sentence(call(capsys, "disjuncts", "absent.csv").err)
