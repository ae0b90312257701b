import csv
import json
from pathlib import Path

import pytest

from kpboost.auditing import LEAST_SIZE, audit
from kpboost.datasets import load
from kpboost.disjuncts import DisjunctFinder
from kpboost.methods import standardised
from support.calls import call, is_one_sentence


def expected(name, n_neighbors="auto"):
    data = load(name)
    return DisjunctFinder(n_neighbors).fit(standardised(data.X, data.nominal), data.y)


@pytest.mark.parametrize("neighbors", ["auto", "5"])
def test_by_the_paper_s_rule_they_are_those_of_the_finder(capsys, here, neighbors):
    words = ("disjuncts", "planted-two", "--rule", "paper", "--neighbors", neighbors, "--json")
    data = json.loads(call(capsys, *words).out)
    finder = expected("planted-two", 5 if neighbors == "5" else "auto")
    assert data["n_disjuncts"] == finder.n_disjuncts_
    assert [part["size"] for part in data["disjuncts"]] == finder.disjunct_sizes_.tolist()


def test_the_paper_s_wine_has_23_of_them(capsys, here):
    words = ("disjuncts", "wine", "--rule", "paper", "--json")
    assert json.loads(call(capsys, *words).out)["n_disjuncts"] == 23


@pytest.mark.parametrize("name", ["planted-two", "wine"])
def test_by_default_they_are_those_of_the_audit(capsys, here, name):
    told = json.loads(call(capsys, "disjuncts", name, "--json").out)
    data = load(name)
    found = audit(data.X, data.y, "c45_ib1", cv=2, remedies="never", keep="all")
    assert told["n_disjuncts"] == found.readings[0].n_disjuncts
    assert told["n_neighbors"] == found.readings[0].n_neighbors
    of_audit = sorted(each.size for each in found.disjuncts if not each.where)
    assert sorted(p["size"] for p in told["disjuncts"] if p["size"] >= LEAST_SIZE) == of_audit


def test_the_rule_is_told(capsys, here):
    assert "use --rule paper" in call(capsys, "disjuncts", "wine").out
    told = call(capsys, "disjuncts", "wine", "--rule", "paper").out
    assert "smaller disjuncts than --rule audit" in told


def test_the_order_of_a_file_does_not_matter(capsys, small_csv):
    head, *lines = Path(small_csv).read_text().splitlines()
    Path("sorted.csv").write_text("\n".join([head, *sorted(lines)]) + "\n")
    words = ("--target", "label", "--json")
    told = [json.loads(call(capsys, "disjuncts", f, *words).out) for f in (small_csv, "sorted.csv")]
    assert told[0]["disjuncts"] == told[1]["disjuncts"]


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
        ["planted-two", "--neighbors", "auto"],
        ["planted-two", "--rule", "paper", "--neighbors", "-1"],
        ["planted-two", "--rule", "other"],
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
