import re
import xml.etree.ElementTree as ET

from kpboost.reports._page import INK, LONGEST_LABEL, SERIES, drawing, inline_svg, label

HOSTILE = '$x^2$ <script>a&"b"</script>'


def picture(title="A title", color=SERIES[0]):
    with drawing(4, 2) as canvas:
        axes = canvas.subplots()
        axes.plot([0, 1], [0, 1], color=color)
        axes.set_title(label(title))
        return inline_svg(canvas)


def test_the_picture_is_one_well_formed_element():
    assert ET.fromstring(picture()).tag.endswith("svg")


def test_text_stays_text_and_is_escaped():
    svg = picture(HOSTILE)
    assert "<script" not in svg
    texts = [element.text for element in ET.fromstring(svg).iter() if element.text]
    assert label(HOSTILE) in texts


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
