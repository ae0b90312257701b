import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from jinja2 import DictLoader, UndefinedError

from kpboost.reports import _page as page
from kpboost.reports._page import (
    INK,
    LONGEST_LABEL,
    SERIES,
    drawing,
    inline_svg,
    label,
    render_page,
)
from kpboost.reports._table import ReportColumn, ReportTable

HOSTILE = "<script>alert('x')</script>\"'&<img src=x onerror=alert(1)>"
# Things by which a page would reach out of itself.
REACHING_OUT = re.compile(
    r"<(link|iframe|object|embed|base|form)\b|@import|https?://(?!www\.w3\.org)"
)


class Tags(HTMLParser):
    """All start tags of a page, with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.fixture
def macro_page(monkeypatch):
    """Render a template written in the test, beside the real ones."""

    def render(source, context):
        environment = page._environment()
        real = environment.loader

        class Both(DictLoader):
            def get_source(self, environment, name):
                if name in self.mapping:
                    return super().get_source(environment, name)
                return real.get_source(environment, name)

        monkeypatch.setattr(environment, "loader", Both({"test.html.j2": source}))
        return render_page("test.html.j2", context)

    yield render
    page._environment.cache_clear()


TABLE_TEMPLATE = """{% extends "base.html.j2" %}{% import "macros.html.j2" as macros %}
{% block content %}{{ macros.table(table) }}{{ macros.verdict(name, [name]) }}
{{ macros.tiles([(name, name)]) }}{% endblock %}"""


def test_the_title_is_escaped():
    text = render_page("base.html.j2", {"title": HOSTILE})
    assert HOSTILE not in text
    assert [tag for tag, _ in Tags(text).found].count("script") == 1


def test_nothing_is_loaded_from_elsewhere():
    assert not REACHING_OUT.search(render_page("base.html.j2", {"title": "t"}))


def test_the_policy_allows_our_script_alone():
    tags = Tags(render_page("base.html.j2", {"title": "t"})).found
    policies = [a["content"] for t, a in tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert len(policies) == 1
    assert "default-src 'none'" in policies[0]
    assert re.search(r"script-src 'sha256-[A-Za-z0-9+/]{43}='", policies[0])


def test_macros_escape_what_they_are_given(macro_page):
    table = ReportTable(
        "t", HOSTILE, (ReportColumn(HOSTILE, note=HOSTILE),), ((HOSTILE,),), note=HOSTILE
    )
    text = macro_page(TABLE_TEMPLATE, {"title": "t", "table": table, "name": HOSTILE})
    assert HOSTILE not in text
    tags = Tags(text).found
    assert [tag for tag, _ in tags].count("script") == 1
    assert not [tag for tag, attributes in tags if tag == "img" or "onerror" in attributes]
    assert ("td", {"class": "words", "data-value": HOSTILE}) in tags


def test_a_table_carries_its_exact_values_for_sorting(macro_page):
    table = ReportTable("t", "T", (ReportColumn("a", digits=2),), ((0.12345,), (float("nan"),)))
    text = macro_page(TABLE_TEMPLATE, {"title": "t", "table": table, "name": "n"})
    assert '<td class="number" data-value="0.12345">0.12</td>' in text
    assert '<td class="number" data-value="">–</td>' in text  # noqa: RUF001


def test_a_missing_name_is_an_error():
    with pytest.raises(UndefinedError, match="title"):
        render_page("base.html.j2", {})


HOSTILE_OF_FIGURE = '$x^2$ <script>a&"b"</script>'


def picture(title="A title", color=SERIES[0]):
    with drawing(4, 2) as canvas:
        axes = canvas.subplots()
        axes.plot([0, 1], [0, 1], color=color)
        axes.set_title(label(title))
        return inline_svg(canvas)


def test_the_picture_is_one_well_formed_element():
    assert ET.fromstring(picture()).tag.endswith("svg")


def test_text_stays_text_and_is_escaped():
    svg = picture(HOSTILE_OF_FIGURE)
    assert "<script" not in svg
    texts = [element.text for element in ET.fromstring(svg).iter() if element.text]
    assert label(HOSTILE_OF_FIGURE) in texts


def test_colours_follow_the_page():
    svg = picture()
    assert "var(--series-1)" in svg
    assert "var(--ink)" in svg
    assert INK not in svg
    assert SERIES[0] not in svg


def test_a_name_that_looks_like_a_colour_is_left_alone():
    assert f">{SERIES[0]}<" in picture(SERIES[0])


def test_two_pictures_share_no_identifier():
    first, second = (set(re.findall(r'\bid="([^"]+)"', picture(title))) for title in "ab")
    assert first
    assert not first & second


def test_references_follow_their_identifiers():
    svg = picture()
    names = set(re.findall(r'\bid="([^"]+)"', svg))
    used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg))
    assert used
    assert {a or b for a, b in used} <= names


def test_the_same_picture_is_the_same_text():
    assert picture() == picture()


def test_labels_are_short_and_printable():
    assert label("a\x00b\n") == "a?b?"
    assert len(label("x" * 100)) == LONGEST_LABEL
    assert label("glass0") == "glass0"
