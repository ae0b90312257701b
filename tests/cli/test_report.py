import json
from pathlib import Path

import pytest

from kpboost.experiments import _reading
from kpboost.experiments.storage import _rows
from kpboost.experiments.storage._store import Store
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


def test_a_command_reads_the_outcomes_once(capsys, monkeypatch, small_csv):
    opened, read = [], []
    open_store, read_folds = Store.__init__, _rows.fold_outcomes

    def counted_open(self, *args, **options):
        opened.append(args)
        open_store(self, *args, **options)

    def counted_read(store, measures):
        read.append(store)
        return read_folds(store, measures)

    monkeypatch.setattr(Store, "__init__", counted_open)
    monkeypatch.setattr(_reading, "fold_outcomes", counted_read)
    compare = ("compare", small_csv, *QUICK, "--store", "own.sqlite")
    # A new store is opened by the run and to be read, an old one by the plan as well.
    for words, n_opened in (
        (compare, 2),
        ((*compare, "--json"), 3),
        (("report", "own.sqlite"), 1),
        (("report", "own.sqlite", "--json"), 1),
        (("status", "own.sqlite"), 1),
    ):
        opened.clear()
        read.clear()
        assert call(capsys, *words).code == 0
        assert (len(opened), len(read)) == (n_opened, 1)
