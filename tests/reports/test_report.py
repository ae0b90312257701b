import csv
import json
import re
from html.parser import HTMLParser
from io import StringIO

import pytest
from rich.console import Console

from kpboost.experiments import (
    MEASURES,
    DatasetInfo,
    ExperimentSpec,
    StoreInfo,
    outcomes,
    run,
)
from kpboost.reports import read_comparison, write_report
from kpboost.reports._comparison import compare_outcomes
from kpboost.reports._report import (
    build_report,
    folds_csv,
    html_report,
    latex_report,
    markdown_report,
    plain_summary,
    print_summary,
)
from kpboost.reports._table import ReportColumn, ReportTable, terminal_table
from support.made_outcomes import METHODS, made_report, outcome, table_of_outcomes


def test_a_full_comparison_has_every_table():
    report = made_report(table_of_outcomes(6))
    assert [table.name for table in report.tables] == [
        *("summary", "ranks", "friedman", "duels"),
        *("scores-gmean", "scores-balanced_accuracy", "scores-gsdi", "scores-roc_auc"),
        *("scores-average_precision", "scores-log_loss", "scores-brier", "time", "datasets"),
    ]
    assert len(report.dots) == 2
    assert len(report.diagrams) == 7
    assert report.lead == "5 methods on 6 data sets, quick grid, protocol nested."


def test_names_of_tables_are_distinct():
    names = [table.name for table in made_report(table_of_outcomes(names=["wine", "yeast"])).tables]
    assert len(set(names)) == len(names)


def test_nothing_finished_is_still_a_report():
    report = made_report([outcome("a", "svm", 0, status="waiting")])
    assert [table.name for table in report.tables] == [
        *("scores-gmean", "scores-balanced_accuracy", "scores-gsdi", "scores-roc_auc"),
        *("scores-average_precision", "scores-log_loss", "scores-brier", "datasets", "unfinished"),
    ]
    assert report.dots == report.diagrams == ()
    assert report.cost is None


def test_one_data_set_is_singular():
    report = made_report(table_of_outcomes(1, methods=("svm", "kpboost")))
    assert report.lead.startswith("2 methods on 1 data set,")
    assert compare_outcomes([], {}).datasets == ()


def test_data_sets_that_are_not_available_are_not_counted():
    missing = {"status": "not available", "error": "no such file"}
    made = table_of_outcomes(6) + [outcome("gone", name, 0, **missing) for name in METHODS]
    report = made_report(made)
    assert report.lead.startswith("5 methods on 6 data sets,")
    assert report.tiles[0] == ("6", "data sets")
    assert report.tiles[2] == ("30 of 30", "pairs of both finished")
    assert markdown_report(report).count("gone") == 1


@pytest.mark.parametrize(
    ("n_folds", "n_seeds", "lead", "seeds"),
    [
        ((5, 5), (1, 1), "on 2 data sets, quick", "seed 0"),
        ((10, 10), (10, 10), "on 2 data sets, 10 hold-outs of each, quick", "seeds 0 to 9"),
        ((15, 3), (3, 3), "on 2 data sets, 3 seeds, quick", "seeds 0 to 2"),
        ((3, 10), (3, 10), "on 2 data sets, 3 to 10 hold-outs of each, quick", "seeds 0 to 9"),
    ],
)
def test_seeds_and_hold_outs_are_told(n_folds, n_seeds, lead, seeds):
    comparison = compare_outcomes(table_of_outcomes(2), {})
    facts = tuple(
        DatasetInfo(name, "ready", 40, 2, 2, {"a": 35, "b": 5}, 7.0, "", *numbers)
        for name, *numbers in zip(comparison.datasets, n_folds, n_seeds, strict=True)
    )
    spec = ExperimentSpec(comparison.datasets, METHODS, n_seeds=max(n_seeds))
    report = build_report(comparison, StoreInfo(spec, {}, "then", 1, {}, facts))
    assert lead in report.lead
    assert f"begun then, {seeds};" in report.origin


def test_links_to_tables_of_the_paper_lead_to_their_headings():
    titles = {"svm": "SVM", "kpboost": "KPBoost-SVM"}
    page = html_report(made_report(table_of_outcomes(names=["wine", "yeast"]), titles))
    links = re.findall(r'<a href="#(about-[^"]+)">', page)
    assert "about-paper-sets-gmean-multi-class-low-ovo" in links
    assert re.findall(r'<h3 id="(about-[^"]+)">', page) == links


# A store's report as files, from a real but small run.


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
    rows = list(csv.reader(folds_csv(compare_outcomes(table_of_outcomes(2), {})).splitlines()))
    assert {len(row) for row in rows} == {5 + 7 + 4}
    assert len(rows) == 1 + 2 * 5 * 2


def test_methods_come_best_first_with_names_for_programs():
    data = plain_summary(compare_outcomes(table_of_outcomes(4), {"svm": "SVM"}))
    assert set(data) == {"verdict", "methods", "results"}
    assert [row["method"] for row in data["methods"]] == list(METHODS)[::-1]
    assert data["methods"][-1]["title"] == "SVM"
    assert len(data["results"]) == 4 * len(METHODS)
    json.dumps(data)


def test_programs_get_every_measure_by_name():
    data = plain_summary(compare_outcomes(table_of_outcomes(2), {}))
    names = ["gmean", "balanced_accuracy", "gsdi", "roc_auc", "average_precision"]
    for row in (data["methods"][0], data["results"][0]):
        assert [key for key in row if key in MEASURES] == [*names, "log_loss", "brier"]


def test_unfinished_results_are_there_with_their_reason():
    made = [*table_of_outcomes(2), outcome("z", "svm", 0, status="failed", error="no")]
    last = plain_summary(compare_outcomes(made, {}))["results"][-1]
    assert (last["dataset"], last["status"], last["error"]) == ("z", "failed", "no")


def shown(renderable=None, comparison=None, width=100):
    console = Console(file=StringIO(), width=width)
    if comparison is not None:
        print_summary(comparison, console)
    else:
        console.print(renderable)
    return console.file.getvalue()


def test_a_terminal_of_100_columns_breaks_no_name():
    titles = {"gradient_boosting_balanced": "Balanced gradient boosting"}
    text = shown(comparison=compare_outcomes(table_of_outcomes(5), titles))
    assert "Balanced gradient boosting  " in text
    headings = next(line for line in text.splitlines() if "Method" in line)
    words = ["Method", "Rank", "Gmean", "accuracy", "GSDI", "AUC", "AP", "on", "Seconds"]
    assert headings.split() == words


def test_summary_has_table_heading_and_meaning():
    text = shown(comparison=compare_outcomes(table_of_outcomes(5), {"svm": "SVM"}))
    assert "At a glance" in text
    assert "gradient_boosting_balanced has the best average rank" in text
    assert "too few" in text


def test_nothing_yet_is_said():
    assert "Nothing to compare yet" in shown(comparison=compare_outcomes([], {}))


def test_markup_in_names_is_text():
    hostile = "[bold red]x[/] [link=http://a]y[/link]"
    columns = (ReportColumn(hostile, note=hostile),)
    text = shown(terminal_table(ReportTable("t", hostile, columns, ((hostile,),), note=hostile)))
    assert text.count(hostile) == 4


def test_long_names_are_folded_not_cut():
    table = ReportTable("t", "T", (ReportColumn("a"), ReportColumn("b")), (("x" * 70, "y" * 70),))
    text = shown(terminal_table(table), width=60)
    assert text.count("x") == text.count("y") == 70
