"""Files that attack, and every command run over all of them.

    cd tests; python -m support.hostile_files FOLDER

writes the files into a folder and runs each command of kpboost on each of them, in this process, as
a file may crash it. Every line of output is a command and its exit code; the last line is "done". A
traceback, an error that is not one sentence, a control character on the screen or a command that
takes too long ends the program with exit code 1.
"""

import contextlib
import gzip
import io
import json
import lzma
import os
import resource
import shutil
import signal
import sqlite3
import struct
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import skops.io
from sklearn.svm import SVC

from kpboost.cli._errors import run_app
from kpboost.experiments import ExperimentSpec
from kpboost.experiments.storage._store import Store
from kpboost.model_files import _evaluation
from support import forged_models, patience
from support.calls import KPBOOST

MOST_MEMORY = 6 << 30
# CPU seconds for one command, which are the same on a busy machine; nothing in the corpus is large
# enough to take a tenth of it. A command that waits for ever takes none: patience.HANG ends it.
MOST_WORK = 60.0
# CPU seconds of all commands together: some 1,200 take 20.
MOST_WORK_OF_ALL = 600
# A title for the terminal's window, a cleared screen, a bell, colours in one byte, reversed text.
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"
# A workbook cannot hold controls.
NO_CONTROLS = dict.fromkeys(range(32))
LONG = "9" * 400_000


def rows(*head, line="{i},{j},{k}", n=24):
    """Lines of a small table with two classes."""
    body = [line.format(i=i, j=(i * 7) % 11, k="ab"[i % 3 == 0]) for i in range(n)]
    return "\n".join([*head, *body]) + "\n"


def tables():
    """CSV, ARFF and KEEL files as (name, text or bytes)."""
    good = rows("x,y,kind")
    arff = "@relation r\n@attribute x real\n@attribute k {a,b}\n@data\n"
    return {
        "empty.csv": "",
        "blank.csv": "\n\n   \n",
        "header.csv": "x,y,kind\n",
        "nul.csv": good.replace("3,", "3\0,"),
        "nuls.csv": "\0" * 5000,
        "utf16.csv": good.encode("utf-16"),
        "latin.csv": good.replace("a\n", "é\n").encode("latin-1"),
        "half.csv": good.encode() + b"\xf0\x9f",
        "quote.csv": 'x,y,kind\n1,2,"' + "a" * 100_000,
        "quotes.csv": "x,y,kind\n" + '"' * 100_001,
        "commas.csv": "x" + "," * 250_000 + "\n",
        "longline.csv": "x,kind\n" + "a" * 1_000_000 + ",b\n1,a\n",
        "blanks.csv": rows("x,y,kind", line="{i}," + " " * 20_000 + ",{k}"),
        "ragged.csv": good + "1,2,3,4\n",
        "twice.csv": rows("x,x,kind"),
        "numbers.csv": rows("x,y,kind", line=LONG + ",1e999,{k}"),
        "tiny.csv": rows("x,y,kind", line="1e-320,-1e308,{k}"),
        "inf.csv": rows("x,y,kind", line="inf,-Infinity,{k}"),
        "nan.csv": rows("x,y,kind", line="nan,?,{k}"),
        "one_class.csv": rows("x,y,kind", line="{i},{j},a"),
        "all_classes.csv": rows("x,y,kind", line="{i},{j},c{i}"),
        "one_row.csv": "x,kind\n1,a\n",
        "escapes.csv": rows(f"x{ESCAPES},y,kind", line="{i},{j},{k}" + ESCAPES),
        "words.csv": rows(f"x,y{ESCAPES},kind", line="{i},w{j}" + ESCAPES + ",{k}"),
        "formula.csv": rows("=cmd|'/c calc'!A1,y,kind", line="{i},@SUM({j}),=1+1{k}"),
        "markup.csv": rows("[red]x[/],<script>y,kind", line="{i},{j},{k}</td>$\\input{{x}}"),
        "pickle.csv": b"\x80\x04cos\nsystem\n(S'true'\ntR.",
        "empty.arff": "",
        "declared.arff": "@relation r\n",
        "blanks.arff": arff + "1, '" + " " * 200_000 + "x\n",
        "quotes.arff": arff + "'" * 50_001 + "\n",
        "escape.arff": arff.replace("{a,b}", "{'a" + "\\\\" * 50_000 + "',b}") + "1,a\n",
        "brackets.arff": "@attribute x " + "{" * 100_000 + "\n@data\n1\n",
        "sparse.arff": arff + "{0 1}\n",
        "labels.arff": arff.replace("a,b", "a" + ESCAPES + ",b") + f"1,b\n2,a{ESCAPES}\n" * 9,
        "nul.arff": arff + "1\0,a\n",
        "columns.arff": "@attribute x real\n" * 3000 + "@data\n1\n",
        "outputs.dat": "@attribute x real\n@outputs " + "y," * 50_000 + "\n@data\n1\n",
        "range.dat": "@attribute x real [" + "9" * 100_000 + "]\n@data\n" + "1\n" * 20,
        "blanks.dat": "@attribute x real\n@attribute k {a,b}\n@data\n'" + " " * 100_000 + "',a\n",
    }  # fmt: skip


def write_tables(folder):
    for name, content in tables().items():
        raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        (folder / name).write_bytes(raw)


def write_parquet(folder):
    kinds = pa.array(["a" + ESCAPES, "b"] * 12)
    good = pa.table({f"x{ESCAPES}": np.arange(24.0), "kind": kinds})
    pq.write_table(good, folder / "escapes.parquet")
    nested = pa.array([[[[1]]]] * 24)
    pq.write_table(pa.table({"x": nested, "kind": kinds}), folder / "nested.parquet")
    zeros = pa.table({"x": np.zeros(60_000_000), "kind": pa.nulls(60_000_000)})
    pq.write_table(zeros, folder / "bomb.parquet", compression="zstd")
    word = pa.DictionaryArray.from_arrays(np.zeros(200_000, np.int8), ["w" * 500_000])
    pq.write_table(pa.table({"x": word, "y": word.indices}), folder / "word.parquet")
    content = (folder / "escapes.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(content[: len(content) // 2])
    (folder / "empty.parquet").touch()
    flipped = bytearray(content)
    for place in range(200, len(flipped) - 12, 37):
        flipped[place] ^= 0x5A
    (folder / "flipped.parquet").write_bytes(flipped)
    footer = content[:-8] + struct.pack("<i", 2**31 - 1) + content[-4:]
    (folder / "footer.parquet").write_bytes(footer)


def write_packed(folder):
    """Compressed text, workbooks and Arrow's files: damaged, forged, and small ones of much."""
    good = rows("x,y,kind").encode()
    for name, content in {
        "good.csv.gz": gzip.compress(good),
        "cut.csv.gz": gzip.compress(good)[:-9],
        "plain.csv.gz": good,
        "zeros.csv.gz": gzip.compress(bytes(30_000_000)),
        "cut.csv.xz": lzma.compress(good)[:-9],
        "plain.csv.bz2": good,
        "plain.csv.zst": good,
        "packed.csv": gzip.compress(good),
        "text.xlsx": good,
        "empty.xlsx": b"",
        "text.feather": good,
        "old.feather": b"FEA1" + bytes(100),
    }.items():
        (folder / name).write_bytes(content)
    book = openpyxl.Workbook()
    for line in rows(f"x{ESCAPES.translate(NO_CONTROLS)},y,kind").splitlines():
        book.active.append(line.split(","))
    book.save(folder / "escapes.xlsx")
    content = (folder / "escapes.xlsx").read_bytes()
    (folder / "cut.xlsx").write_bytes(content[: len(content) // 2])
    with zipfile.ZipFile(folder / "bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", bytes(600_000_000))
    kinds = pa.array(["a" + ESCAPES, "b"] * 12)
    feather.write_feather(
        pa.table({f"x{ESCAPES}": np.arange(24.0), "kind": kinds}), folder / "escapes.feather"
    )
    zeros = pa.table({"x": np.zeros(60_000_000), "kind": pa.nulls(60_000_000)})
    feather.write_feather(zeros, folder / "bomb.arrow", "zstd")


def write_models(folder, model):
    """Model files; `model` is a good one."""
    entries = forged_models.unzipped(model)
    schema = entries["schema.json"].decode()
    (folder / "cut.skops").write_bytes(model.read_bytes()[:5000])
    skops.io.dump(SVC().fit([[0.0], [1.0]], [0, 1]), folder / "svc.skops")
    skops.io.dump({"a": print}, folder / "function.skops")
    forged = {
        "brackets": "[" * 100_000,
        "deep": '{"content": ' * 30_000 + "0" + "}" * 30_000,
        "values": '{"__loader__": "ListNode", "content": [' + "{}," * 2_000_000 + "{}]}",
        "os": schema.replace("sklearn.pipeline", "os").replace('"Pipeline"', '"system"'),
        "loader": schema.replace("ObjectNode", "OperatorFuncNode"),
        "escapes": schema.replace("sklearn.pipeline", json.dumps("x" + ESCAPES)[1:-1]),
        "labels": schema.replace('\\"common\\"', json.dumps(json.dumps(ESCAPES))[1:-1]),
        "numbers": schema.replace('"content": "3"', '"content": "' + "9" * 5000 + '"'),
        "negative": schema.replace('"content": "3"', '"content": "-3"'),
        "nothing": schema.replace('"NdArrayNode"', '"JsonNode"'),
    }
    for name, text in forged.items():
        target = folder / f"{name}.skops"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for own, content in {**entries, "schema.json": text}.items():
                archive.writestr(own, content)
    write_bombs(folder)
    short = {own: raw[:-8] if own.endswith(".npy") else raw for own, raw in entries.items()}
    forged_models.zipped(short, folder / "arrays.skops")


def write_bombs(folder):
    """Small files that would build much: one array named often, and an array that nobody names."""
    skops.io.dump([np.zeros(1_000_000)], folder / "often.skops", compression=zipfile.ZIP_DEFLATED)
    entries = forged_models.unzipped(folder / "often.skops")
    schema = json.loads(entries["schema.json"])
    schema["content"] *= 1000
    forged = {
        "often": {**entries, "schema.json": json.dumps(schema)},
        "unnamed": {**entries, "more.npy": bytes(100_000_000)},
    }
    for name, content in forged.items():
        with zipfile.ZipFile(folder / f"{name}.skops", "w", zipfile.ZIP_DEFLATED) as archive:
            for own, raw in content.items():
                archive.writestr(own, raw)


STORES = {
    "view": ["DROP TABLE jobs", "CREATE VIEW jobs AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL "
             "SELECT n FROM c) SELECT n AS status, n AS dataset FROM c"],
    "trigger": ["CREATE TRIGGER t AFTER INSERT ON methods BEGIN DELETE FROM facts; END"],
    "check": ["DROP TABLE facts", "CREATE TABLE facts (key TEXT PRIMARY KEY CHECK (length(hex("
              "zeroblob(20000000 + length(key)))) > 0), value TEXT NOT NULL)",
              "PRAGMA ignore_check_constraints = ON",
              "INSERT INTO facts WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c "
              "WHERE n < 300) SELECT n, '' FROM c"],
    "values": ["UPDATE facts SET value = '[" + "{}," * 2_000_000 + "{}]'"],
    "brackets": ["UPDATE facts SET value = '" + "[" * 100_000 + "' WHERE key = 'spec'"],
    "absurd": ["INSERT INTO datasets VALUES ('x', 0, 'ready', '', '', -5, 'many', 9e999, 0, 0, "
               "'{}', x'')"],
    "escapes": ["INSERT INTO datasets VALUES ('x" + ESCAPES + "', 0, 'failed', 'no" + ESCAPES +
                "', '', 0, 0, 0, 0, 0, '{}', x'')"],
    "blobs": ["UPDATE facts SET value = x'00ff00ff'"],
    "future": ["PRAGMA user_version = 99"],
    "other": ["PRAGMA application_id = 7"],
    "nothing": ["DELETE FROM facts"],
}  # fmt: skip


def write_stores(folder):
    for name, statements in STORES.items():
        path = folder / f"{name}.db"
        with Store(path, create=True) as store:
            store.adopt(ExperimentSpec(["wine"], ["svm"]))
        connection = sqlite3.connect(path)
        with connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()
    content = (folder / "nothing.db").read_bytes()
    (folder / "cut.db").write_bytes(content[:5000])
    (folder / "text.db").write_text("hello " * 1000)


def write_specs(folder):
    texts = {
        "brackets": "datasets = " + "[" * 100_000,
        "keys": "methods = ['svm']\ndatasets = ['wine']\n\"" + "x\\u001b[2J" + '" = 1\n',
        "words": f"methods = ['svm']\ndatasets = ['x{chr(0x202E)}.csv']\n",
        "types": "methods = 3\ndatasets = {a = 1}\n",
        "seed": "methods = ['svm']\ndatasets = ['wine']\nseed = " + "9" * 4000,
        "dates": "methods = ['svm']\ndatasets = [1979-05-27]\n",
        "path": "methods = ['svm']\ndatasets = ['/dev/zero', '/proc/self/mem', '\\u0000']\n",
    }
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text)
    (folder / "nul.toml").write_bytes(b"\0" * 100)


def write_places(folder):
    """What is no file: folders, links that lead nowhere or in a ring, pipes, devices."""
    (folder / "folder.csv").mkdir()
    (folder / "folder.skops").mkdir()
    for name in ("ring.csv", "ring.skops", "ring.db", "ring.toml"):
        (folder / name).symlink_to(folder / name)
    (folder / "nowhere.csv").symlink_to(folder / "gone")
    for name in ("zero.csv", "zero.skops", "zero.db", "zero.toml", "zero.parquet"):
        (folder / name).symlink_to("/dev/zero")
    for name in ("pipe.csv", "pipe.skops", "pipe.db", "pipe.toml", "pipe.arff"):
        os.mkfifo(folder / name)
    (folder / f"name{ESCAPES}.csv").write_text("x,kind\n")


def write_corpus(folder, model):
    """Write all files; return their names, sorted."""
    write_tables(folder)
    write_parquet(folder)
    write_packed(folder)
    write_models(folder, model)
    write_stores(folder)
    write_specs(folder)
    write_places(folder)
    return sorted(folder.iterdir())


def commands(file, work):
    """All commands that can be given a file, wherever they take one."""
    good, model = work / "rows.csv", work / "svm.skops"
    new = work / "new"
    run = ("-m", "c45_ib1", "--folds", "2", "--jobs", "1", "--backend", "threads")
    report = ("--report", new / "report")
    yield "audit", file, "--remedies", "never", "--method", "c45_ib1", *report
    yield "audit", good, "--model", file, "--remedies", "never", *report
    yield "fit", file, "--method", "c45_ib1", "--out", new / "m.skops"
    yield "predict", model, file, "--out", new / "p.csv"
    yield "predict", file, good, "--out", new / "p.csv"
    yield "disjuncts", file, "--labels", new / "l.csv"
    yield "compare", file, *run, "--store", new / "s.db", *report
    yield "status", file
    yield "report", file, *report
    yield "compare", good, *run, "--store", file, *report
    yield "compare", "--spec", file, "--dry-run", "--store", new / "s.db"
    yield "paper", "--only", "two-class-low", "--dry-run", "--store", file, "--data-dir", work


def folder_commands(folder, work):
    yield "datasets", "--data-dir", folder
    yield "datasets", "--here", "--data-dir", folder / "gone"
    yield "paper", "--only", "two-class-low", "--dry-run", "--data-dir", folder, "--store",\
        work / "new" / "s.db"  # fmt: skip


def check(words):
    """Run one command and complain of an answer that is not as it should be."""
    out, err = io.StringIO(), io.StringIO()
    signal.setitimer(signal.ITIMER_PROF, MOST_WORK)
    signal.setitimer(signal.ITIMER_REAL, patience.HANG)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = run_app(KPBOOST, [str(word) for word in words])
        except SystemExit as end:
            code = end.code
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    shown, said = out.getvalue(), err.getvalue()
    problems = [
        (code not in (0, 1, 2), f"exit code {code}"),
        (not shown.replace("\n", "").isprintable(), "a control character on stdout"),
        (not said.replace("\n", "").isprintable(), "a control character on stderr"),
        ("Traceback" in said or "Unexpected error" in said, "an unexpected error"),
        (code != 0 and not is_sentence(said), "no sentence"),
    ]
    found = [what for wrong, what in problems if wrong]
    if found:
        raise AssertionError(f"{words}: {', '.join(found)}\n{shown[-1500:]!r}\n{said[-1500:]!r}")
    return code


def is_sentence(text):
    """Remarks may come first; the last line is the error, and the only one."""
    lines = text.replace("\n  ", " ").splitlines()  # what continues a line is indented
    return (
        bool(lines)
        and lines[-1].startswith("kpboost: ")
        and lines[-1].endswith(".")
        and sum(line.startswith("kpboost: ") for line in lines) == 1
    )


def main(folder):
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_WORK_OF_ALL, MOST_WORK_OF_ALL))
    signal.signal(signal.SIGPROF, too_long)
    signal.signal(signal.SIGALRM, too_long)
    warnings.simplefilter("ignore")
    _evaluation.N_TREES = 5  # of the forest beside every model, which sees no file
    work, corpus = Path(folder) / "work", Path(folder) / "corpus"
    work.mkdir()
    corpus.mkdir()
    os.chdir(work)
    model = forged_models.saved_model("svm", work)
    for file in write_corpus(corpus, model):
        for words in commands(file, work):
            run_one(words, work)
    for words in folder_commands(corpus, work):
        run_one(words, work)
    print("done")


def run_one(words, work):
    shutil.rmtree(work / "new", ignore_errors=True)
    (work / "new").mkdir()
    shown = " ".join(Path(str(word)).name for word in words).encode("unicode_escape").decode()
    print(shown, end=" ", flush=True)
    print(check(words), flush=True)


def too_long(number, frame):
    raise AssertionError(f"it worked {MOST_WORK:g} CPU seconds, or hung for {patience.HANG:g}")


if __name__ == "__main__":
    main(sys.argv[1])
