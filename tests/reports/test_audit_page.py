import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from kpboost.auditing import audit
from kpboost.reports._audit_page import (
    MOST_LEGEND,
    MOST_LINES,
    audit_page,
    box_picture,
    curve_picture,
    map_picture,
    recall_picture,
    remedy_picture,
    write_audit,
)
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
    assert {"missed", "map", "disjuncts", "remedies", "code", "data"} <= ids
    assert {"table-disjuncts", "table-remedies", "table-classes"} <= ids


def test_a_page_without_findings():
    X, y = one_cloud_each()
    page = audit_page(audit(X, y, "svm", cv=3, remedies="never"))
    assert "What is missed</h2>" not in page
    assert "What helps</h2>" not in page


def test_what_gave_no_answer_is_told(hostile):
    tried = replace(hostile.remedies, failed={"rusboost": "The package x is not installed."})
    page = audit_page(replace(hostile, remedies=tried))
    assert "Without an answer: rusboost. The package x is not installed." in page


def test_sentences_about_remedies_are_true_to_the_case(hostile):
    nothing = replace(hostile.remedies, recommended="", kpboost="")
    page = audit_page(replace(hostile, remedies=nothing))
    assert "Nothing that was tried helps beyond chance and is worth its cost." in page
    assert "The audited model again" in page
    bare = tuple(
        replace(each, control=None, tried=(), recommended="") for each in nothing.questions
    )
    empty = audit_page(replace(hostile, remedies=replace(nothing, models=(), questions=bare)))
    assert "No other model could be tried." in empty
    assert "Nothing that was tried" not in empty


def test_a_page_without_remedies_does_not_explain_them(hostile):
    page = audit_page(replace(hostile, remedies=None))
    assert "<strong>Helps</strong>" not in page


def test_a_missed_box_is_told_with_its_limits(hostile, plain_page):
    box = replace(hostile.missed[0], where="length from 1 to 2", columns=("length",))
    page = audit_page(replace(hostile, disjuncts=(box,)))
    assert "Where: <strong>length from 1 to 2</strong>" in page
    assert "A box is a group of rows of one class" in page
    assert "A box is a group" not in plain_page


def test_a_whole_class_is_called_whole(hostile, plain_page):
    first = hostile.missed[0]
    sizes = {**hostile.data.class_sizes, first.label: first.size}
    data = replace(hostile.data, class_sizes=sizes)
    assert f"all {first.size} rows of the class" in audit_page(replace(hostile, data=data))
    assert f"all {first.size} rows of the class" not in plain_page


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


PROBE = """<script>
const wide = (box) => box.scrollWidth - box.clientWidth;
const table = document.querySelector("#table-remedies");
const button = table.tHead.rows[0].cells[3].querySelector("button");
button.focus();
const focused = document.activeElement === button;
button.click();
const values = [...table.tBodies[0].rows].map((row) => row.cells[3].dataset.value);
document.body.append(Object.assign(document.createElement("pre"), { id: "seen",
  textContent: JSON.stringify({ page: wide(document.documentElement), focused, values,
    table: wide(table.parentNode) }) }));
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
    assert "in these two columns of 10" in figure.caption
    assert "PCA 1" in texts(map_picture(many))


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
