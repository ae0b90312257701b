import json
import re
import shutil
import subprocess
import sys
import webbrowser
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlparse
from urllib.request import url2pathname

import numpy as np
import pandas as pd
import pytest
from markupsafe import escape

from kpboost.auditing import audit
from kpboost.auditing._records import ReliabilityBin
from kpboost.reports._audit_page import (
    _has_window,
    audit_page,
    cards_of,
    disjunct_table,
    how_sure,
    point_table,
    write_audit,
)
from kpboost.reports._audit_pictures import (
    MOST_LEGEND,
    MOST_LINES,
    box_picture,
    curve_picture,
    map_picture,
    precision_picture,
    recall_picture,
    reliability_picture,
    remedy_picture,
    roc_picture,
)
from kpboost.reports._page import calm_limits
from support.patience import HANG
from support.planted_data import one_cloud_each, plain_svm, planted

HOSTILE = "<script>alert('x')</script>\"'&<img src=x onerror=alert(1)>"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def hostile():
    """An audit in which every name from outside is hostile."""
    X, y, _ = planted()
    frame = pd.DataFrame(X, columns=[HOSTILE, "$x_1^{"])
    frame[HOSTILE + "c"] = "</td>" + HOSTILE
    labels = np.where(y == "rare", HOSTILE, "</script>common")
    return audit(frame, labels, plain_svm(), remedies=["svm", "kpboost"])


@pytest.fixture(scope="module")
def plain_page(hostile):
    """Its page, drawn once."""
    return audit_page(hostile)


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_everything_from_outside_is_escaped(hostile):
    page = audit_page(hostile, title=HOSTILE, command=HOSTILE)
    tags = Tags(page).found
    assert [tag for tag, _ in tags].count("script") == 1
    assert not [tag for tag, attributes in tags if tag == "img" or "onerror" in attributes]
    assert HOSTILE not in page


def test_the_page_reaches_nowhere(plain_page):
    reaching = r"<(link|iframe|object)\b|@import|(src|href)=\"https?:|url\(http"
    assert not re.search(reaching, plain_page)


def test_the_verdict_comes_first_and_sections_are_there(hostile, plain_page):
    page = plain_page
    assert page.index(hostile.verdict.headline) < page.index("What is missed</h2>")
    ids = {attributes.get("id") for _, attributes in Tags(page).found}
    links = {a["href"][1:] for tag, a in Tags(page).found if tag == "a" and "href" in a}
    assert links <= ids
    assert {"missed", "map", "curves", "disjuncts", "remedies", "code", "data"} <= ids
    assert {"table-disjuncts", "table-remedies", "table-classes", "table-confusion"} <= ids


def test_a_page_without_findings(calm):
    fine = tuple(replace(each, status="fine") for each in calm.classes)
    page = audit_page(replace(calm, classes=fine))
    assert "What is missed</h2>" not in page
    assert "What was tried</h2>" not in page
    assert "false alarms" in page


def test_every_finding_has_its_card(hostile, plain_page):
    cards = cards_of(hostile)
    low = [each for each in hostile.classes if each.status != "fine"]
    assert len(cards) == len(hostile.missed) + len(low)
    articles = [a for tag, a in Tags(plain_page).found if tag == "article"]
    assert len(articles) == len(cards)
    first, found = cards[0], hostile.missed[0]
    assert f"of {found.size} " in first.count
    place = "between these limits" if found.where else "in the same place"
    assert f"{found.n_region:,} rows of all classes lie {place}" in first.count
    assert found.n_region >= found.size
    assert first.sure.startswith(("Very sure (p ", "Sure (p ", "Fairly sure (p "))
    assert first.found is found
    missed = hostile.verdict.on_cards[0]  # told there, and not twice
    assert missed.startswith("Missed: ")
    assert str(escape(missed)) not in plain_page


def test_a_group_that_is_told_in_a_box_has_no_p_value(found):
    first, *_ = found.disjuncts
    inside = replace(first, name="rare/9", missed=False, p_value=1.0, told_in="rare/box 1")
    rows = disjunct_table(replace(found, disjuncts=(first, inside))).rows
    assert [row[-2:] for row in rows] == [(first.p_value, "missed"), (None, "in rare/box 1")]


def test_a_card_tells_what_helps_at_what_cost_and_how_to_get_it(found):
    question = found.remedies.questions[0]
    best = replace(question.answers[0], helps=True, gain=0.5, worst_class="common", worst=-0.04)
    helped = replace(question, tried=(), control=best, recommended=best.name, snippet="line()")
    remedies = replace(found.remedies, questions=(helped,), recommended=best.name)
    card = cards_of(replace(found, remedies=remedies))[0]
    assert card.help.helps
    assert best.title in card.help.words
    assert "+50 points" in card.help.words
    assert card.help.cost.startswith("At the cost of 4.0% of the class “common”, with an accuracy")
    assert "both on new folds" in card.help.words
    assert card.help.code == "line()"
    assert cards_of(replace(found, remedies=remedies), "kpboost fit")[0].help.code == "kpboost fit"
    page = audit_page(replace(found, remedies=remedies))
    assert "<code>line()</code>" in page
    nothing = replace(helped, recommended="")
    card = cards_of(replace(found, remedies=replace(remedies, questions=(nothing,))))[0]
    assert card.help.words.startswith("Nothing that was tried.")
    assert not card.help.helps
    untried = cards_of(replace(found, remedies=None))[0]
    assert untried.help.words == "No remedies were tried."


@pytest.mark.parametrize(
    ("p_value", "words"),
    [
        (0.0004, "Very sure (p < 0.001)"),
        (0.01, "Very sure (p = 0.010)"),
        (0.02, "Sure (p = 0.020)"),
        (0.05, "Fairly sure (p = 0.050)"),
        (0.1, "A hint, not more (p = 0.100)"),
        (0.6, "May be chance (p = 0.600)"),
    ],
)
def test_p_values_are_graded(p_value, words):
    assert how_sure(p_value) == words


def test_warnings_stand_out_in_the_verdict(calm):
    verdict = replace(calm.verdict, sentences=("x leaks.", "Fine."), warnings=("x leaks.",))
    page = audit_page(replace(calm, verdict=verdict))
    assert '<p class="warning"><strong>Beware.</strong> x leaks.</p>' in page
    assert page.count("x leaks.") == 1


def test_changes_since_a_baseline_are_shown(hostile, found):
    changes = hostile.compare(found)
    page = audit_page(hostile, changes=changes)
    ids = {attributes.get("id") for _, attributes in Tags(page).found}
    assert {"changes", "table-changes"} <= ids
    assert str(escape(changes.headline)) in page
    assert page.index(hostile.verdict.headline) < page.index('id="changes"')
    assert [tag for tag, _ in Tags(page).found].count("script") == 1
    assert HOSTILE not in page


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(hostile):
    shown = hostile._repr_html_()
    ((tag, attributes),) = Tags(shown).found  # nothing of the page leaks into the notebook
    assert tag == "iframe"
    page = attributes["srcdoc"]
    assert page.startswith("<!DOCTYPE html>")
    assert '<base href="about:srcdoc">' in page
    assert attributes["sandbox"] == "allow-scripts"
    assert "<base" not in audit_page(hostile)


def test_without_the_packages_of_pages_a_notebook_shows_facts(hostile, monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("kpboost.auditing._records.import_module", missing)
    facts = hostile._repr_html_()
    assert facts.startswith("<table")
    assert "<script" not in facts


def test_a_browser_opens_only_where_it_has_a_window(monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("DISPLAY", ":0")
    for browser, opens in ((webbrowser.BackgroundBrowser("x"), True),
                           (webbrowser.GenericBrowser("w3m"), False)):  # fmt: skip
        monkeypatch.setattr("webbrowser.get", lambda one=browser: one)
        assert _has_window() == opens

    def none():
        raise webbrowser.Error

    monkeypatch.setattr("webbrowser.get", none)
    assert not _has_window()


def test_show_opens_no_browser_without_a_screen(calm, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("webbrowser.get", object)
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setitem(sys.modules, "IPython", None)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    calm.show()
    page = Path(capsys.readouterr().out.strip())
    assert page.is_file()
    assert opened == []
    shutil.rmtree(page.parent)


def test_show_opens_a_browser_or_displays_in_a_notebook(calm, monkeypatch):
    opened, displayed = [], []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.get", object)
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setitem(sys.modules, "IPython", None)
    calm.show("Mine")
    assert opened[0].startswith("file:")
    page = Path(url2pathname(urlparse(opened[0]).path))
    assert "<h1>Mine</h1>" in page.read_text(encoding="utf-8")
    shutil.rmtree(page.parent)
    shell = SimpleNamespace(kernel=object())
    notebook = SimpleNamespace(
        get_ipython=lambda: shell, display=SimpleNamespace(display=displayed.append)
    )
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    calm.show()
    assert displayed == [calm]
    assert len(opened) == 1


def test_what_gave_no_answer_is_told(hostile):
    tried = replace(hostile.remedies, failed={"rusboost": "The package x is not installed."})
    page = audit_page(replace(hostile, remedies=tried))
    assert "Without an answer: rusboost. The package x is not installed." in page


def test_sentences_about_remedies_are_true_to_the_case(hostile):
    nothing = replace(hostile.remedies, recommended="", kpboost="")
    page = audit_page(replace(hostile, remedies=nothing))
    assert "Nothing that was tried helps beyond chance and is worth its cost." in page
    assert "The audited model again" in page
    cleared = {"control": None, "tried": (), "recommended": ""}
    untried = tuple(replace(each, **cleared) for each in nothing.questions)
    empty = replace(nothing, models=(), questions=untried)
    empty = audit_page(replace(hostile, remedies=empty))
    assert "No other model could be tried." in empty


def test_a_page_without_remedies_does_not_explain_them(hostile):
    page = audit_page(replace(hostile, remedies=None))
    assert "<strong>Helps</strong>" not in page


def test_a_missed_box_is_told_with_its_limits(hostile):
    box = replace(hostile.missed[0], where="length from 1 to 2", columns=("length",))
    page = audit_page(replace(hostile, disjuncts=(box,)))
    assert "with length from 1 to 2." in page
    assert "lie between these limits" in page
    assert "A box is a group of rows of one class" in page
    disjunct = replace(box, where="", columns=())
    assert "A box is a group" not in audit_page(replace(hostile, disjuncts=(disjunct,)))


def test_a_whole_class_is_called_whole(hostile, plain_page):
    first = hostile.missed[0]
    sizes = {**hostile.data.class_sizes, first.label: first.size}
    data = replace(hostile.data, class_sizes=sizes)
    assert cards_of(replace(hostile, data=data))[0].who.startswith("All rows of the class")
    assert "All rows of the class" not in plain_page


def test_one_score_has_one_name(hostile):
    page = audit_page(hostile)
    assert "balanced accuracy" in page
    assert page.count("AUC") == page.count("paper calls AUC") + page.count("the paper&#39;s AUC")


def test_one_column_and_many_classes():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 12
    page = audit_page(
        audit(rng.normal(size=(60, 1)) + y[:, None], y, "svm", cv=3, remedies="never")
    )
    assert "12" in page


def test_page_and_json_are_written(hostile, tmp_path):
    page = write_audit(hostile, str(tmp_path / "a" / "b"))
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert json.loads((page.parent / "audit.json").read_text())["n_scattered"] >= 0


def browse(page, width=1200):
    """Return the elements of a page once its scripts have run."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},900"]
    profile = f"--user-data-dir={page.parent / 'profile'}"
    command = [CHROMIUM, *options, profile, "--dump-dom", page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANG).stdout


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_browser_shows_it_and_runs_nothing_else(hostile, tmp_path):
    page = write_audit(hostile, tmp_path, title=HOSTILE)
    shown = browse(page)
    assert hostile.verdict.headline in shown
    assert shown.count("<svg") >= 4


BROKEN = """<script>
document.querySelectorAll("details").forEach((part) => { part.open = true; });
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const lines = [];
for (let text = texts.nextNode(); text; text = texts.nextNode()) {
  const read = text.parentNode.closest("pre, .verdict") ? text.data : "";
  for (const found of read.matchAll(/--[a-z]+/g)) {
    const range = document.createRange();
    range.setStart(text, found.index);
    range.setEnd(text, found.index + found[0].length);
    lines.push(range.getClientRects().length);
  }
}
document.body.append(Object.assign(document.createElement("pre"), { id: "seen",
  textContent: JSON.stringify(lines) }));
</script>"""
# So many options that lines of any width end among them.
COMMAND = "kpboost fit table.csv " + " ".join(f"--costs {'a' * k}:b=3" for k in range(1, 40))


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_line_does_not_end_inside_of_an_option(calm, tmp_path):
    note = " ".join(f"{'a' * k} --keep NAME" for k in range(1, 40))
    verdict = replace(calm.verdict, sentences=(*calm.verdict.sentences, note))
    page = write_audit(replace(calm, verdict=verdict), tmp_path, command=COMMAND)
    text = re.sub(r"<meta http-equiv[^>]*>", "", page.read_text(encoding="utf-8"), count=1)
    page.write_text(text.replace("</body>", f"{BROKEN}</body>"), encoding="utf-8")
    lines = json.loads(re.search(r'<pre id="seen">(.*?)</pre>', browse(page, 600)).group(1))
    assert len(lines) >= 78
    assert {*lines} == {1}


def test_options_are_whole_and_all_else_is_escaped(calm):
    command = "kpboost fit <b>.csv --many-classes a--b ---- --Costs --" + "x" * 60
    page = audit_page(calm, command=command)
    whole = '<span class="option">--many-classes</span>'
    assert f"kpboost fit &lt;b&gt;.csv {whole} a--b ---- --Costs --x" in page


PROBE = """<script>
document.querySelector('nav a[href="#disjuncts"]').click();
const unfolded = document.querySelector("#disjuncts").open && !document.querySelector("#data").open;
const wide = (box) => box.scrollWidth - box.clientWidth;
document.querySelectorAll("details").forEach((part) => { part.open = true; });
const table = document.querySelector("#table-remedies");
const button = table.tHead.rows[0].cells[3].querySelector("button");
const hint = (box) => {
  box.dispatchEvent(new Event("scroll"));
  return getComputedStyle(box.nextElementSibling).display !== "none";
};
button.focus();
const focused = document.activeElement === button;
button.click();
const values = [...table.tBodies[0].rows].map((row) => row.cells[3].dataset.value);
document.body.append(Object.assign(document.createElement("pre"), { id: "seen",
  textContent: JSON.stringify({ page: wide(document.documentElement), focused, values, unfolded,
    table: wide(table.parentNode), hint: hint(table.parentNode) }) }));
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_fits_the_screen_and_sorts_by_keyboard(hostile, tmp_path, width):
    page = write_audit(hostile, tmp_path)
    text = re.sub(r"<meta http-equiv[^>]*>", "", page.read_text(encoding="utf-8"), count=1)
    page.write_text(text.replace("</body>", f"{PROBE}</body>"), encoding="utf-8")
    seen = json.loads(re.search(r'<pre id="seen">(.*?)</pre>', browse(page, width)).group(1))
    assert seen["page"] <= 0
    assert seen["focused"]
    assert seen["values"] == sorted(seen["values"], key=float, reverse=True)
    assert width < 1200 or seen["table"] <= 0  # the widest table, on a desk
    assert seen["hint"] == (seen["table"] > 8)  # a table that is cut says so
    assert seen["unfolded"]


@pytest.fixture(scope="module")
def found():
    X, y, _ = planted(n_common=150)
    return audit(X, y, plain_svm(), cv=3, remedies=["svm", "svm_balanced"])


@pytest.fixture(scope="module")
def calm():
    X, y = one_cloud_each()
    return audit(X, y, "svm", cv=3, remedies="never")


def texts(figure):
    return re.findall(r"<text[^>]*>([^<]*)</text>", str(figure.svg))


def test_the_map_names_and_rings_what_is_missed(found):
    figure = map_picture(found)
    assert found.missed[0].name in texts(figure)
    assert "missed" in texts(figure)
    assert "Rings mark what is missed" in figure.caption


def test_a_map_without_anything_missed_has_no_rings(calm):
    figure = map_picture(calm)
    assert "missed" not in texts(figure)
    assert "Rings" not in figure.caption


def test_a_map_of_two_columns_squeezes_nothing(found):
    assert "squeezes" not in map_picture(found).caption
    many = replace(
        found, data=replace(found.data, n_columns=7), map=replace(found.map, method="PCA")
    )
    assert "PCA squeezes 7 columns into two directions" in map_picture(many).caption


def test_two_columns_are_the_axes(found):
    assert {"x0", "x1"} <= set(texts(map_picture(found)))
    assert not any("PCA" in text for text in texts(map_picture(found)))


def test_a_missed_box_is_shown_in_its_columns(found):
    assert box_picture(found) is None
    X, y, _ = planted()
    X = np.column_stack([np.random.default_rng(0).normal(size=(len(y), 8)), X])
    many = audit(X, y, "svm", remedies="never")
    figure = box_picture(many)
    assert {"x8", "x9"} <= set(texts(figure))
    assert "rare/box 1" in texts(figure)
    assert "Of 10 columns, x8 and x9 show it best." in figure.caption
    assert "PCA 1" in texts(map_picture(many))
    box = next(each for each in many.missed if each.name == "rare/box 1")
    limits = [float(word) for word in re.findall(r"(?<=from |. to )-?[\d.]+", box.where)]
    columns = X[:, [int(name[1:]) for name in box.columns]]
    low, high = np.array(limits).reshape(-1, 2).T
    inside = ((columns >= low - 1e-3) & (columns <= high + 1e-3)).all(axis=1)  # limits are rounded
    assert abs(box.n_region - inside.sum()) <= 1
    assert f"{box.n_region} rows of all classes lie between these limits" in audit_page(many)


def test_few_far_rows_do_not_squeeze_a_map(found):
    far = ((1e6, 0.0), (0.0, -1e6), *found.map.positions[2:])
    figure = map_picture(replace(found, map=replace(found.map, positions=far)))
    assert "2 rows lie outside of the picture" in figure.caption
    assert "outside" in texts(figure)
    near = map_picture(found)
    ticks = {text for text in texts(figure) if text[-1].isdigit()}
    assert ticks == {text for text in texts(near) if text[-1].isdigit()}
    assert "outside" not in map_picture(found).caption


@pytest.mark.parametrize("n_far", [1, 30])
def test_limits_keep_groups_in_sight(n_far):
    rng = np.random.default_rng(0)
    many, few = rng.normal(size=1000), rng.normal(50, 1, size=n_far)
    values = np.r_[many, few]
    low, high = calm_limits(values)
    assert -6 < low < high < 6
    assert calm_limits(values, [few])[1] > 48  # a class or a missed part is always shown
    assert calm_limits(np.zeros(9)) == (-0.5, 0.5)


@pytest.mark.parametrize("picture", [roc_picture, precision_picture, reliability_picture])
def test_curves_have_their_points_and_words(found, picture):
    curves = replace(found.curves, reliability=(ReliabilityBin(0.3, 0.2, 0.1, 0.4, 9),))
    figure = picture(curves)
    assert curves.label in figure.caption
    if picture is not reliability_picture:
        numbers = {str(k + 1) for k in range(len(curves.points))}
        assert numbers <= set(texts(figure))
    assert reliability_picture(replace(curves, reliability=())) is None


def test_the_table_of_points_tells_recall_and_precision(found):
    curves = found.curves
    table = point_table(curves)
    assert len(table.rows) == 1 + len(found.remedies.models)
    _, title, recall, precision, hits, alarms = table.rows[0]
    assert title == f"{found.models[0].title} (audited)"
    assert recall == hits / curves.n_class
    assert precision == hits / (hits + alarms)


def test_every_picture_has_words_for_those_who_do_not_see_it(plain_page):
    pictures = [a for _, a in Tags(plain_page).found if a.get("role") == "img"]
    assert len(pictures) >= 6
    assert all(len(each["aria-label"]) > 40 for each in pictures)


def test_a_legend_of_many_says_how_many_more():
    rng = np.random.default_rng(0)
    y = np.arange(240) % 12
    many = audit(rng.normal(0, 0.1, size=(240, 2)) + y[:, None], y, "svm", cv=3, remedies="never")
    assert f"and {12 - MOST_LEGEND} more" in texts(map_picture(many))


def test_recalls_are_listed_with_their_sizes(found):
    figure = recall_picture(found)
    for each in found.disjuncts[:MOST_LINES]:
        assert f"{each.name} ({each.size})" in texts(figure)
    assert "other" not in figure.caption


def test_a_long_list_is_cut_and_says_so(found):
    many = replace(found, disjuncts=found.disjuncts[:1] * (MOST_LINES + 3))
    assert "The other 3 are in the table." in recall_picture(many).caption
    one = replace(found, disjuncts=found.disjuncts[:1] * (MOST_LINES + 1))
    assert "One more is in the table." in recall_picture(one).caption


def test_diamonds_are_explained_where_there_are_any(found, calm):
    assert "Diamonds" in recall_picture(found).caption
    assert "Diamonds" not in recall_picture(calm).caption


def test_remedies_have_a_line_each(found):
    figure = remedy_picture(found)
    words = " ".join(texts(figure))
    question = found.remedies.questions[0]
    for each in question.answers:
        assert each.title[:20] in words
    assert f"of the {question.n_rows} rows" in figure.caption


def test_no_remedies_no_picture(found, calm):
    assert remedy_picture(calm) is None
    empty = replace(found, remedies=replace(found.remedies, models=()))
    assert remedy_picture(empty) is None


def test_the_curve_tells_its_knee(found):
    assert f"{found.curve.knee} neighbour" in curve_picture(found).caption


@pytest.mark.parametrize("picture", [map_picture, recall_picture, remedy_picture, curve_picture])
def test_pictures_are_the_same_every_time_and_hold_no_fixed_ink(found, picture):
    assert picture(found) == picture(found)
    assert "#1b1f24" not in str(picture(found).svg)  # ink follows the page


def test_names_from_outside_are_escaped():
    X, y, _ = planted(n_common=90)
    labels = np.where(y == "rare", "<script>", "$a_{b}$")
    shown = audit(X, labels, "svm", cv=3, remedies="never")
    for figure in (map_picture(shown), recall_picture(shown)):
        assert "<script" not in str(figure.svg)
        assert any("&lt;script&gt;" in text for text in texts(figure))
