import json

from kpboost.datasets import embedded
from support.calls import call, is_one_sentence


def test_all_of_them(capsys, here):
    lines = json.loads(call(capsys, "datasets", "--json").out)
    assert len(lines) == 73 + 6
    assert [line["name"] for line in lines[:6]] == list(embedded())
    assert lines[6]["alias"] == "TMD1"
    assert {line["name"]: line["source"] for line in lines}["imageNet12"] == ""


def test_parts_of_them(capsys, here):
    words = ("--only", "multi-class-low", "--only", "embedded", "--here", "--json")
    lines = json.loads(call(capsys, "datasets", *words).out)
    assert {line["group"] for line in lines} <= {"embedded", "multi-class-low"}
    assert all(line["source"] for line in lines)
    assert "wine" in {line["name"] for line in lines}  # scikit-learn has it


def test_files_of_a_folder_are_seen(capsys, here):
    (here / "imageNet12.csv").write_text("a,class\n1,x\n")
    words = ("datasets", "--data-dir", here, "--only", "multi-class-high")
    text = call(capsys, *words).out
    assert any("imageNet12" in line and "folder" in line for line in text.splitlines())


def test_tables_have_names_in_full(capsys, here):
    assert "winequality_white3vs7" in call(capsys, "datasets", "--only", "two-class-low").out


def test_an_unknown_group_is_refused(capsys, here):
    answer = call(capsys, "datasets", "--only", "mine")
    assert answer.code == 2
    assert is_one_sentence(answer.err)
