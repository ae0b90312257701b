import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.utils.fixes import parse_version

from golden import goldens
from kpboost.experiments import ExperimentSpec, outcomes, run
from kpboost.experiments.storage._rows import kept_dataset
from kpboost.experiments.storage._store import Store
from kpboost.model_files import load_model

KEPT = json.loads(goldens.FILE.read_text())
FOLDER = Path(__file__).parent


@pytest.fixture(scope="module")
def today():
    return {**goldens.numbers(), **goldens.documents()}


def same(now, kept, where=""):
    """Places where two documents differ by more than rounding."""
    if isinstance(kept, dict) and isinstance(now, dict):
        if now.keys() != kept.keys():
            return [f"{where}: {sorted(now.keys() ^ kept.keys())}"]
        return [each for key in kept for each in same(now[key], kept[key], f"{where}.{key}")]
    if isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        pairs = enumerate(zip(now, kept, strict=True))
        return [each for i, (a, b) in pairs for each in same(a, b, f"{where}[{i}]")]
    if isinstance(kept, float) and isinstance(now, float):
        return [] if np.isclose(now, kept, rtol=1e-4, atol=1e-5) else [f"{where}: {now} {kept}"]
    return [] if now == kept else [f"{where}: {now!r} {kept!r}"]


def test_nothing_is_new_and_nothing_is_gone(today):
    assert today.keys() == KEPT.keys()


@pytest.mark.parametrize("name", KEPT)
def test_an_answer_is_what_it_was(name, today):
    assert same(today[name], KEPT[name]) == []


def test_a_difference_would_be_found():
    assert same({"a": [1.0, "x"]}, {"a": [1.0, "x"]}) == []
    for other in ({"a": [1.1, "x"]}, {"a": [1.0, "y"]}, {"a": [1.0]}, {"b": 1}, {"a": None}):
        assert len(same(other, {"a": [1.0, "x"]})) == 1


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"),
    reason="written with scikit-learn 1.9 and skops 0.16; earlier ones need not read it",
)
def test_a_model_of_an_earlier_version_still_predicts():
    saved = load_model(FOLDER / "old_model.skops")
    rows = pd.DataFrame({"size": [3.0, -1.0], "weight": [0.0, 0.0], "colour": ["green", "blue"]})
    assert saved.predict(rows).tolist() == ["rare", "common"]


def test_a_store_of_an_earlier_version_is_still_read(tmp_path):
    file = tmp_path / "old.db"
    file.write_bytes(gzip.decompress((FOLDER / "old_store.db.gz").read_bytes()))
    found = {(each.dataset, each.method): each.scores["gmean"] for each in outcomes(file)}
    assert set(found) == {("small", "svm"), ("small", "kpboost"), ("small", "c45_ib1")}
    assert found["small", "kpboost"] == pytest.approx(0.694, abs=1e-3)


# Of the small table, as stores of earlier versions have it; with another, no run could go on.
FINGERPRINT = "e517973fb763156fc93a58ea63566c12"


def test_the_fingerprint_of_a_data_set_stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("small.csv").write_text("\n".join(goldens.small_table()) + "\n")
    run(ExperimentSpec(["small.csv"], ["c45_ib1"], n_folds=2), "s.db")
    with Store("s.db") as store:
        assert kept_dataset(store, "small").fingerprint == FINGERPRINT
