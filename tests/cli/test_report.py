import json
from pathlib import Path

import pytest

from support.calls import call, is_one_sentence

QUICK = ("--methods", "svm,svm_balanced", "--folds", "2", "--backend", "threads", "--jobs", "1")


@pytest.fixture
def store(capsys, small_csv):
    call(capsys, "compare", small_csv, *QUICK, "--store", "own.sqlite")
    return Path("own.sqlite")


def test_report_goes_beside_the_store_or_where_it_is_told(capsys, store):
    assert "Report   own/report.html" in call(capsys, "report", store).out
    answer = call(capsys, "report", store, "-o", "elsewhere", "--json")
    assert json.loads(answer.out)["report"] == str(Path("elsewhere/report.html"))
    assert Path("elsewhere/report.tex").is_file()


@pytest.mark.parametrize(
    ("name", "content"),
    [("absent.sqlite", None), ("text.sqlite", b"not a store at all" * 100), ("empty.sqlite", b"")],
)
@pytest.mark.parametrize("command", ["report", "status"])
def test_what_is_no_store_is_refused(capsys, here, command, name, content):
    if content is not None:
        Path(name).write_bytes(content)
    answer = call(capsys, command, name)
    assert answer.code == 2
    assert is_one_sentence(answer.err)
    assert name in answer.err


def test_a_file_in_the_place_of_the_folder_is_refused(capsys, store):
    answer = call(capsys, "report", store, "-o", store)
    assert answer.code == 2
    assert is_one_sentence(answer.err)
