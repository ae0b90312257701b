"""Help texts and messages as a newcomer sees them, in a terminal of 80 columns."""

import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from kpboost.cli._errors import run_app
from kpboost.cli._options import METHOD_NAMES, completed_by
from kpboost.cli._terminal import folded
from kpboost.cli.commands import COMMANDS
from support.calls import KPBOOST, Answer, call, call_process, do, is_one_sentence

NAMES = [module.__name__.rpartition(".")[2] for own in COMMANDS.values() for module in own]
PAGES = {name: module.HELP_PAGE for own in COMMANDS.values() for module in own
         for name in [module.__name__.rpartition(".")[2]]}  # fmt: skip
# CPU seconds until --help has answered, in a process of its own.
MOST_SECONDS = 0.5


@pytest.fixture
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def too_long(text, width=80):
    return [line for line in text.splitlines() if len(line) > width]


def words_of(text):
    return set(re.findall(r"\S+", text))


@pytest.mark.parametrize("words", [(), *((name,) for name in NAMES)])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_fits_and_breaks_no_word(capsys, monkeypatch, words, option):
    monkeypatch.setenv("COLUMNS", "5000")
    wide = call(capsys, *words, option)
    for width in ("80", "50"):
        monkeypatch.setenv("COLUMNS", width)
        answer = call(capsys, *words, option)
        assert answer.code == 0
        assert too_long(answer.out, max(int(width), 80)) == []
        assert words_of(answer.out) == words_of(wide.out)
    assert re.search(r"<\w+>|list\[|\bstr\b|\bint\b", answer.out) is None


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_commands_that_the_program_takes(name):
    """Every option of an example is one of the command's, and what is required is there."""
    (command,) = [KPBOOST.commands[name]]
    assert PAGES[name].examples
    for example in PAGES[name].examples:
        program, own, *words = shlex.split(example)
        assert (program, own) == ("kpboost", name)
        command.make_context(f"kpboost {own}", words)  # parses, and does not run


@pytest.mark.parametrize("name", NAMES)
def test_at_most_five_options_come_first(capsys, name):
    assert len(PAGES[name].usual) <= 5
    out = call(capsys, name, "--help").out
    places = [out.index(f"{option} " if option != "--scores" else option)
              for option in PAGES[name].usual]  # fmt: skip
    others = [out.index(f"\n{heading}:") for heading in ("How it runs", "Files and output")
              if f"\n{heading}:" in out and places]  # fmt: skip
    if places:
        assert max(out.index("\nUsual options:"), *others, 0) >= 0
        assert out.index("\nExamples:") < out.index("\nUsual options:") < min([*others, len(out)])


def test_no_list_of_all_methods_in_a_help(capsys):
    for name in ("audit", "fit", "compare", "paper"):
        out = call(capsys, name, "--help").out
        assert "kpboost methods" in out
        assert "adaboost_mlp" not in out


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (("comprae",), "There is no command 'comprae'; did you mean 'compare'?"),
        (("fit", "d.csv", "--targt", "y"), "There is no option --targt; did you mean --target?"),
        (("fit", "d.csv", "--out", "m.skops", "--method", "svm_balance"), "'svm_balanced'?"),
        (("fit", "d.csv", "--out", "m.skops", "--target", "Lable"), "did you mean 'label'?"),
        (("fit", "d.csv", "--out", "m.skops", "--drop", "widht"), "did you mean 'width'?"),
        (("audit", "planted-tow"), "did you mean 'planted-two'?"),
        (("paper", "--only", "two-clas-low"), "did you mean 'two-class-low'?"),
        (("datasets", "--only", "embeded"), "did you mean 'embedded'?"),
        (("compare", "d.csv", "-m", "kpbost"), "did you mean 'kpboost'?"),
    ],
)
def test_a_misspelt_name_is_asked_for(here, capsys, words, question):
    (here / "d.csv").write_text("width,label\n1,a\n2,b\n3,a\n4,b\n")
    answer = call(capsys, *words)
    assert answer.code == 2
    assert question in answer.err
    assert answer.err.count("\n") == 1


def test_a_name_that_is_like_no_other_gets_the_list(capsys):
    answer = call(capsys, "xyzzy")
    assert is_one_sentence(answer.err)
    assert "the commands are audit, compare, fit" in answer.err


def test_a_word_for_a_number_is_a_plain_sentence(capsys):
    answer = call(capsys, "audit", "wine", "--folds", "many")
    assert answer.err == "kpboost: --folds must be a whole number. See kpboost audit --help.\n"


def test_alone_it_fits_and_all_its_commands_are_there(capsys, narrow):
    answer = call(capsys)
    assert too_long(answer.out) == []
    for line in re.findall(r"^  kpboost (\w+)", answer.out, re.MULTILINE):
        assert line in NAMES


@pytest.fixture(scope="module")
def typical(tmp_path_factory):
    """Outputs of all commands on a table as people have them, in 80 columns."""
    folder = tmp_path_factory.mktemp("typical")
    rng = np.random.default_rng(0)
    n = 150
    lost = rng.random(n) < 0.2
    frame = pd.DataFrame(
        {
            "customer_number": 1000 + rng.permutation(n),
            "signup": pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 99, n), "D"),
            "average_monthly_payment": rng.normal(50 + 9 * lost, 5).round(2),
            "closed_by_the_customer": np.where(lost, "yes", "no"),
            "churn": np.where(lost, "lost", "stays"),
        }
    )
    frame.loc[::9, "average_monthly_payment"] = np.nan
    frame = pd.concat([frame, frame.iloc[:9]]).sort_values("churn")
    frame.to_csv(folder / "customers.csv", index=False)
    quick = ("--method", "svm_balanced")
    commands = [
        ("fit", "customers.csv", *quick, "--out", "m.skops", "--recall", "0.8"),
        ("predict", "m.skops", "customers.csv", "--out", "p.csv", "--alarms", "0.1"),
        ("predict", "m.skops", "customers.csv", "--out", "customers.csv"),
        ("disjuncts", "customers.csv"),
        ("audit", "customers.csv", "--method", "svm", "--remedies", "svm_balanced"),
        ("compare", "customers.csv", "-m", "svm,svm_balanced", "--folds", "2", "--jobs", "1",
         "--backend", "threads"),
        ("status", "kpboost-compare-customers-2-fold/results.sqlite"),
        ("methods",),
        ("datasets", "--here"),
        ("fit", "customers.csv", "--out", "m.skops", "--drop", "nothing_of_that_name_is_here"),
        ("audit", "customers.csv", "--model", "m.skops", "--method", "svm"),
    ]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "80")
        patch.delenv("KPBOOST_DATA", raising=False)
        return [(words, answer_of(words)) for words in commands]


def answer_of(words):
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = run_app(KPBOOST, list(words))
    return Answer(code, out.getvalue(), err.getvalue())


def test_typical_outputs_fit(typical):
    for words, answer in typical:
        assert answer.code in (0, 2), (words, answer.err)
        assert too_long(answer.out) == [], words
        assert too_long(answer.err) == [], words


def test_typical_outputs_break_no_word(typical):
    """The longest names of the table are whole wherever they are shown."""
    text = "\n".join(answer.out + answer.err for _, answer in typical)
    for name in ("customer_number", "average_monthly_payment", "closed_by_the_customer"):
        starts = text.count(name[:9])
        assert starts == text.count(name) > 0


def test_a_long_command_to_copy_is_continued_as_shells_do(typical):
    (audit,) = [answer for words, answer in typical if words[0] == "audit" and answer.code == 0]
    command = audit.out[audit.out.index("Next ") + len("Next ") :]
    assert "\\\n" in command
    assert shlex.split(command)[:3] == ["kpboost", "audit", "customers.csv"]


def test_folding():
    assert folded("", 10) == ""
    assert folded("  Model  a.skops", 10, "  ") == "  Model\n  a.skops"
    assert folded("a/long/path/that/fits/nowhere b", 10) == "a/long/path/that/fits/nowhere\nb"
    assert folded("scikit-learn is", 12) == "scikit-learn\nis"
    assert folded("日本語 日本語", 8) == "日本語\n日本語"  # two columns each


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_get_a_script(tmp_path, shell):
    """As --show-completion prints it to a shell of that name."""
    program = (
        "from typer.completion import get_completion_script as script; "
        f"print(script(prog_name='kpboost', complete_var='_KPBOOST_COMPLETE', shell='{shell}'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert f"complete_{shell}" in done.stdout
    assert "_KPBOOST_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("kpboost au", ["audit"]),
        ("kpboost fit d.csv --tar", ["--target"]),
        ("kpboost fit d.csv --method kpboost_r", ["kpboost_roi", "kpboost_roi_ovr"]),
        ("kpboost compare --methods svm,kpboost_r", ["svm,kpboost_roi", "svm,kpboost_roi_ovr"]),
        ("kpboost compare --grid p", ["paper"]),
    ],
)
def test_bash_completes_commands_options_and_names(tmp_path, line, expected):
    environment = {**os.environ, "_KPBOOST_COMPLETE": "complete_bash", "COMP_WORDS": line,
                   "COMP_CWORD": str(len(line.split()) - 1)}  # fmt: skip
    assert call_process(cwd=tmp_path, env=environment).out.split() == expected


def test_completion_of_names():
    assert completed_by(*METHOD_NAMES)("") == [*METHOD_NAMES]
    assert completed_by("a", "b")("x,") == ["x,a", "x,b"]


def test_help_answers_at_once(tmp_path):
    """CPU time of a fresh process, the best of three: others work on the machine, too."""
    program = (
        "import resource, subprocess, sys\n"
        "subprocess.run([sys.executable, '-m', 'kpboost.cli.app', '--help'], check=True,\n"
        "               stdout=subprocess.DEVNULL)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime + used.ru_stime)"
    )
    pytest.importorskip("resource")
    seconds = [
        float(subprocess.run([sys.executable, "-c", program], capture_output=True).stdout)
        for _ in range(3)
    ]
    assert min(seconds) < MOST_SECONDS


def test_what_reading_a_file_has_to_say_is_a_note(here, capsys):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame({"x": np.arange(40.0) % 7, "y": [*"ab"] * 20})
    with pd.ExcelWriter("t.xlsx") as writer:
        for name in ("Data", "Notes"):
            frame.to_excel(writer, sheet_name=name, index=False)
    answer = call(capsys, "disjuncts", "t.xlsx")
    assert answer.code == 0
    assert answer.err == "Note: t.xlsx has 2 sheets; only the first, 'Data', is read.\n"


@pytest.mark.parametrize("ending", [".csv.gz", ".xlsx", ".feather", ".arrow", ".parquet"])
def test_every_command_reads_every_format(here, capsys, ending):
    pytest.importorskip("openpyxl")
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60).round(3), "z": rng.normal(size=60).round(3)})
    frame["y"] = np.where(frame["x"] > 0.6, "rare", "common")
    write = {".csv.gz": frame.to_csv, ".xlsx": frame.to_excel}.get(ending)
    if write is not None:
        write(f"t{ending}", index=False)
    else:
        (frame.to_parquet if ending == ".parquet" else frame.to_feather)(f"t{ending}")
    svm, file = ("--method", "svm"), f"t{ending}"
    do("fit", file, *svm, "--out", "m.skops")
    do("predict", "m.skops", file, "--out", "p.csv")
    do("predict", "m.skops", file, "--out", "p.csv.gz")
    do("predict", "m.skops", file, "--out", "p.csv.gz")  # replaces its own
    do("disjuncts", file)
    do("audit", file, *svm, "--remedies", "never")
    do("compare", file, "-m", "svm", "--dry-run")
    capsys.readouterr()
    assert pd.read_csv("p.csv.gz").equals(pd.read_csv("p.csv"))
    assert (here / "t-audit").is_dir()


@pytest.mark.parametrize("ending", [".xlsx", ".arrow", ".dat", ".csv.zst", ".bz2", ".ods", ".json"])
def test_predictions_are_csv(here, capsys, ending):
    answer = call(capsys, "predict", "m.skops", "t.csv", "--out", f"p{ending}")
    assert answer.code == 2
    last = f".{ending.rpartition('.')[2]}"
    assert f"--out p{ending} must end in .csv or .csv.gz; {last} is not written." in answer.err
