import re

import pytest

from support.docs_scripts import docs_script


@pytest.fixture(scope="module")
def writer():
    return docs_script("front_card")


@pytest.fixture(scope="module")
def folder(writer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("payments")
    writer.write_front_card(folder)
    return folder


def test_the_card_shows_the_planted_part_and_what_helps(folder):
    card = (folder / "card.html").read_text(encoding="utf-8")
    assert "None of 14 is recognised" in card
    assert "account_days" in card
    assert "MethodClassifier" in card
    assert len(card.encode()) < 150_000


def test_its_styles_reach_nothing_else(folder):
    card = (folder / "card.html").read_text(encoding="utf-8")
    style = re.search(r"<style>(.*)</style>", card, re.DOTALL).group(1)
    assert ":root" not in style
    depth = [style[:end].count("{") - style[:end].count("}") for end in range(len(style.rstrip()))]
    assert min(depth[len(".audit-card { ") :]) >= 1
    assert style.count("{") == style.count("}")


def test_a_card_that_is_new_is_not_made_again(writer, folder, monkeypatch):
    monkeypatch.setattr(writer, "write_payments_audit", None)
    writer.write_front_card(folder)


def test_a_page_without_a_finding_has_no_card(writer):
    with pytest.raises(IndexError):
        writer.card_of('<style></style><section class="verdict good"></section>')
