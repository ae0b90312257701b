"""The page in a browser: it sorts, fits a phone, follows the dark, and runs nothing foreign."""

import json
import re
import shutil
import subprocess

import pytest

from kpboost.reports._report import html_report
from support.made_outcomes import made_report, table_of_outcomes
from support.patience import HANG

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")

POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
DARK = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0")
HOSTILE = "<img src=x onerror=\"document.title='foreign'\">"
# Looks at the page as a reader would, and leaves what it saw in the page itself.
PROBE = """<script>
const column = (table) => [...table.tBodies[0].rows].map((row) => row.cells[1].dataset.value);
const table = document.querySelector("#table-scores-gmean");
const button = table.tHead.rows[0].cells[1].querySelector("button");
const seen = {};
button.click(); seen.first = column(table); seen.order = button.parentNode.ariaSort;
button.click(); seen.second = column(table);
seen.foot = [...table.tFoot.rows].map((row) => row.cells[0].textContent);
seen.tooWide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
seen.loaded = performance.getEntriesByType("resource").length;
seen.background = getComputedStyle(document.body).backgroundColor;
seen.ink = getComputedStyle(document.querySelector("svg text")).fill;
document.body.append(Object.assign(document.createElement("pre"),
  { id: "seen", textContent: JSON.stringify(seen) }));
</script>"""


@pytest.fixture(scope="module")
def page():
    made = table_of_outcomes(7, names=[f"set-{k}{HOSTILE}" for k in range(7)])
    return html_report(made_report(made, {"svm": "SVM"}))


@pytest.fixture
def browse(tmp_path):
    """Open text as a page and return its elements once its script has run."""

    def open_page(text, *options, width=1200):
        file = tmp_path / "page.html"
        file.write_text(text, encoding="utf-8")
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", *options,
                   f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},900",
                   "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=2000",
                   "--dump-dom", file.as_uri()]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=HANG)
        return done.stdout

    return open_page


def probe(browse, page, *options, width=1200):
    """What the probe sees; it needs the page without its policy."""
    text = POLICY.sub("", page, count=1).replace("</body>", f"{PROBE}</body>")
    found = re.search(r'<pre id="seen">(.*?)</pre>', browse(text, *options, width=width), re.DOTALL)
    assert found, "the script of the page did not run to its end"
    return json.loads(found.group(1))


def test_headings_sort_and_nothing_is_loaded(browse, page):
    seen = probe(browse, page)
    numbers = [float(value) for value in seen["first"]]
    assert numbers == sorted(numbers, reverse=True)
    assert seen["order"] == "descending"
    assert seen["second"] == seen["first"][::-1]
    assert seen["loaded"] == 0
    assert len(numbers) == 7
    assert seen["foot"] == ["Mean of 7"]  # it sums up the others and stays below them


@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_is_not_wider_than_the_screen(browse, page, width):
    assert probe(browse, page, width=width)["tooWide"] <= 0


def test_text_and_pictures_follow_the_dark(browse, page):
    light, dark = probe(browse, page), probe(browse, page, *DARK)
    assert light["background"] == "rgb(255, 255, 254)"
    assert dark["background"] == "rgb(20, 23, 27)"
    assert light["ink"] != dark["ink"]


def test_names_from_outside_do_nothing(browse, page):
    assert "<title>Comparison of classifiers</title>" in browse(page)


def test_the_policy_stops_a_foreign_script(browse, page):
    foreign = "<script>document.title = 'foreign'</script></body>"
    text = page.replace("</body>", foreign)
    assert "<title>foreign</title>" not in browse(text)
    assert "<title>foreign</title>" in browse(POLICY.sub("", text, count=1))
