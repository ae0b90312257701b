"""Large Parquet files: trained on by a draw, predicted in batches, in memory that does not grow."""

import csv
import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from kpboost.datasets import draw_parquet, read_dataset
from kpboost.methods import METHODS
from kpboost.model_files import load_model, save_model, train
from support.calls import call

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

N_DRAWN = 400
# Peaks of the same work on few and on many rows may differ by this, in MB.
SLACK = 60


def write(file, n, seed=0):
    """Two classes, 1:9, told apart by a number; a text column, gaps and an identifier."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.1
    x = rng.normal(size=(n, 2)) + 2.0 * y[:, None]
    x[rng.random(n) < 0.02, 1] = np.nan
    word = np.array(["north", "south", None], dtype=object)[rng.integers(3, size=n)]
    columns = {"id": np.arange(10**6, 10**6 + n), "x0": x[:, 0], "x1": x[:, 1], "word": word}
    table = arrow.table({**columns, "y": np.where(y, "rare", "common")})
    parquet.write_table(table, file, row_group_size=20_000)
    return file


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return write(tmp_path_factory.mktemp("large") / "t.parquet", 1500)


@pytest.fixture(scope="module")
def draw(file):
    return draw_parquet(file, "y", max_rows=N_DRAWN)


@pytest.fixture(scope="module")
def saved(draw):
    return train(draw.data, "svm_balanced", class_sizes=draw.class_sizes)


def test_fit_draws_and_says_so(file, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("kpboost.datasets.DRAWN_ROWS", N_DRAWN)
    quick = {"quick": METHODS["svm_balanced"].grids["quick"][1:2]}
    monkeypatch.setitem(METHODS, "svm_balanced", replace(METHODS["svm_balanced"], grids=quick))
    out = tmp_path / "m.skops"
    words = "fit", file, "--target", "y", "--method", "svm_balanced", "--out", out
    code, said, _ = call(capsys, *words)
    assert code == 0
    assert f"Trained on a sample of {N_DRAWN} of 1,500 rows, rare classes first." in said
    card = (tmp_path / "m.card.md").read_text()
    assert f"a sample of {N_DRAWN} of the 1500 rows" in card
    assert "judged by the sample" in card
    found = load_model(out)
    whole = read_dataset(file, target="y")
    sizes = dict(zip(*np.unique(whole.y, return_counts=True), strict=True))
    assert found.class_sizes == sizes
    assert found.n_tested == {"common": N_DRAWN - sizes["rare"], "rare": sizes["rare"]}

    # the same rows in memory give the same model
    rows = draw_parquet(file, "y", max_rows=N_DRAWN).rows
    other = train(whole.take(rows), "svm_balanced", class_sizes=sizes)
    table = found.read(file)
    assert found.decision_function(table).tolist() == other.decision_function(table).tolist()


def test_figures_have_the_shares_of_the_file(saved, draw, file):
    in_file = np.array([*draw.class_sizes.values()])
    held_out = saved.held_out
    np.testing.assert_allclose(held_out.shares, in_file / in_file.sum(), rtol=1e-12)
    assert held_out.weight.mean() == pytest.approx(1.0, rel=1e-12)
    assert held_out.sizes.tolist() == [saved.n_tested["common"], saved.n_tested["rare"]]
    # what alarms promise holds for the file, though half of the draw is rare
    point = saved.with_operating_point(alarms=0.05)
    assert (point.predict(point.read(file)) == "rare").mean() == pytest.approx(0.05, abs=0.02)
    likely = saved.predict_proba(saved.read(file))[:, 1]
    assert likely.mean() == pytest.approx(in_file[1] / in_file.sum(), abs=0.02)
    with pytest.raises(ValueError, match="takes no class_sizes"):
        train(draw.data, "gradient_boosting", class_sizes=draw.class_sizes)


def test_batches_are_predicted_as_the_whole(file, saved, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("kpboost.model_files._saved_model.BATCH_ROWS", 400)
    save_model(saved, tmp_path / "m.skops")
    out = tmp_path / "p.csv"
    _, said, _ = call(capsys, "predict", tmp_path / "m.skops", file, "--out", out, "--scores")
    assert said.startswith("1500 predictions")
    whole = saved.read(file)
    with out.open() as stream:
        lines = list(csv.DictReader(stream))
    assert [line["prediction"] for line in lines] == saved.predict(whole).tolist()
    assert [line["id"] for line in lines] == whole.column("id").labels().tolist()
    wanted = [f"{score:.6g}" for score in saved.decision_function(whole)]
    assert [f"{float(line['score_of_rare']):.6g}" for line in lines] == wanted


def test_a_category_that_was_not_drawn_is_known(file, draw, saved):
    assert draw.data.categories[-1] == ("north", "south")
    assert saved.features.categories[-1] == ("north", "south")


def test_a_batch_that_fails_leaves_the_old_file(file, saved, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("kpboost.model_files._saved_model.BATCH_ROWS", 400)
    save_model(saved, tmp_path / "m.skops")
    table = parquet.read_table(file)
    words = table.column("word").to_pylist()
    words[-1] = "elsewhere"
    place = table.column_names.index("word")
    strange = table.set_column(place, "word", arrow.array(words))
    parquet.write_table(strange, tmp_path / "s.parquet")
    (tmp_path / "p.csv").write_text("")
    words = "predict", tmp_path / "m.skops", tmp_path / "s.parquet", "--out", tmp_path / "p.csv"
    code, _, said = call(capsys, *words)
    assert code != 0
    assert "'elsewhere'" in said
    assert (tmp_path / "p.csv").read_text() == ""
    assert [each.name for each in tmp_path.glob(".*")] == []


PEAK = """
import json, resource, sys
from pathlib import Path
from kpboost.cli.predict import predict
from kpboost.datasets import draw_parquet
model, data, out = sys.argv[1:]
draw = draw_parquet(data, "y", max_rows=1000)
predict(Path(model), Path(data), Path(out))
print(json.dumps([draw.n_rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kB on Linux only")
def test_memory_does_not_grow_with_the_rows(saved, tmp_path):
    save_model(saved, tmp_path / "m.skops")
    peaks = {}
    for n in (100_000, 400_000):
        data = write(tmp_path / "d.parquet", n)
        words = [tmp_path / "m.skops", data, tmp_path / f"p{n}.csv"]
        command = [sys.executable, "-c", PEAK, *map(str, words)]
        said = subprocess.run(command, capture_output=True, check=True, text=True).stdout
        n_rows, peaks[n] = json.loads(said.splitlines()[-1])
        assert n_rows == n
        with (tmp_path / f"p{n}.csv").open() as stream:
            assert sum(1 for _ in stream) == n + 1
    # 300,000 rows of four columns would take 10 MB as numbers, and ten times that as text
    assert peaks[400_000] - peaks[100_000] < SLACK, peaks
