"""A store's report as files, from a real but small run."""

import csv
import re
from html.parser import HTMLParser

import pytest

from kpboost.experiments import ExperimentSpec, outcomes, run
from kpboost.reports import read_comparison, write_report
from kpboost.reports._report import (
    folds_csv,
    html_report,
    latex_report,
    markdown_report,
)
from support.made_outcomes import made_report, outcome, table_of_outcomes

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&|`$\\input{x}"


class Scripts(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.identifiers = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.identifiers += [value for name, value in attrs if name == "id"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "results.sqlite"
    spec = ExperimentSpec(["planted-two"], ["svm", "svm_balanced"], protocol="published", n_folds=2)
    run(spec, path, backend="threads")
    return path


def test_all_files_are_written(store, tmp_path):
    page = write_report(store, tmp_path / "new" / "folder")
    folder = page.parent
    assert page.name == "report.html"
    names = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    assert {"report.html", "report.md", "report.tex", "folds.csv"} <= names
    assert {"tables/summary.csv", "tables/ranks.csv", "tables/scores-gmean.csv"} <= names
    assert not [name for name in names if "/." in name or name.startswith(".")]


def test_writing_again_replaces(store, tmp_path):
    first = write_report(store, tmp_path)
    before = first.read_text()
    first.write_text("old")
    assert write_report(store, tmp_path).read_text() == before


def test_figures_of_the_tables_are_those_of_the_store(store, tmp_path):
    write_report(store, tmp_path)
    rows = list(csv.DictReader((tmp_path / "tables" / "scores-gmean.csv").open()))
    expected = {each.method: each.scores["gmean"] for each in outcomes(store)}
    assert float(rows[0]["SVM"]) == expected["svm"]
    assert float(rows[0]["Balanced SVM"]) == expected["svm_balanced"]
    folds = list(csv.DictReader((tmp_path / "folds.csv").open()))
    assert len(folds) == 4
    mean = sum(float(row["gmean"]) for row in folds if row["method"] == "svm") / 2
    assert mean == pytest.approx(expected["svm"], rel=1e-12)


def test_titles_are_those_of_the_methods(store):
    comparison = read_comparison(store)
    assert comparison.title("svm_balanced") == "Balanced SVM"


def test_a_page_with_hostile_names_holds_no_foreign_element():
    made = table_of_outcomes(6, names=[f"{HOSTILE}{k}" for k in range(6)])
    made.append(outcome(HOSTILE, "svm", 0, status="failed", error=HOSTILE))
    page = html_report(made_report(made, {"svm": HOSTILE}))
    found = Scripts(page)
    assert found.tags.count("script") == 1
    assert "img" not in found.tags
    assert len(set(found.identifiers)) == len(found.identifiers)
    assert not re.search(r"(src|href)=[\"'](?!#)", page)


def test_markdown_and_latex_hold_no_foreign_markup():
    made = table_of_outcomes(6, names=[f"{HOSTILE}{k}" for k in range(6)])
    report = made_report(made, {"svm": HOSTILE})
    assert not re.search(r"(?<!\\)<script", markdown_report(report))
    assert "\\input{" not in latex_report(report)


def test_lines_of_folds_have_all_columns():
    rows = list(csv.reader(folds_csv(table_of_outcomes(2)).splitlines()))
    assert {len(row) for row in rows} == {5 + 3 + 4}
    assert len(rows) == 1 + 2 * 5 * 2
