import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from kpboost.auditing import audit
from kpboost.reports.audit_page import audit_page, write_audit
from planted_data import one_cloud_each, planted

HOSTILE = "<script>alert('x')</script>\"'&<img src=x onerror=alert(1)>"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def hostile():
    """An audit in which every name from outside is hostile."""
    X, y, _ = planted()
    frame = pd.DataFrame(X, columns=[HOSTILE, "$x_1^{"])
    frame[HOSTILE + "c"] = "</td>" + HOSTILE
    labels = np.where(y == "rare", HOSTILE, "</script>common")
    return audit(frame, labels, "svm", remedies=["svm_tuned", "kpboost"])


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


def test_the_page_reaches_nowhere(hostile):
    page = audit_page(hostile)
    assert not re.search(r"<(link|iframe|object)\b|@import|(src|href)=\"https?:|url\(http", page)


def test_the_verdict_comes_first_and_sections_are_there(hostile):
    page = audit_page(hostile)
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


def test_one_column_and_many_classes():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 12
    page = audit_page(
        audit(rng.normal(size=(60, 1)) + y[:, None], y, "svm", cv=3, remedies="never")
    )
    assert "12" in page


def test_page_and_json_are_written(hostile, tmp_path):
    page = write_audit(hostile, tmp_path / "a" / "b")
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert json.loads((page.parent / "audit.json").read_text())["n_scattered"] >= 0


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_browser_shows_it_and_runs_nothing_else(hostile, tmp_path):
    page = write_audit(hostile, tmp_path, title=HOSTILE)
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    assert hostile.verdict.headline in shown
    assert shown.count("<svg") >= 4
