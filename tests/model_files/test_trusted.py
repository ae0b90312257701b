import zipfile

import numpy as np
import pytest
import skops.io
from sklearn.svm import SVC

from kpboost.model_files import ModelFileError, trusted
from kpboost.model_files.trusted import load_trusted, schema_of


class Stranger:
    pass


def test_types_are_refused_by_name_with_the_advice(tmp_path):
    skops.io.dump({"a": Stranger()}, tmp_path / "s.skops")
    with pytest.raises(ModelFileError, match=r"holds .*Stranger, which .*; ask for help\."):
        load_trusted(tmp_path / "s.skops", (), "ask for help")


def test_harmless_content_is_built(tmp_path):
    skops.io.dump({"a": [1, np.arange(3)]}, tmp_path / "s.skops")
    content = load_trusted(tmp_path / "s.skops", (), "")
    assert content["a"][1].tolist() == [0, 1, 2]


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "b.skops", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", "{}")
        archive.writestr("zeros.npy", bytes(2_000_000))
    assert (tmp_path / "b.skops").stat().st_size < 10_000
    monkeypatch.setattr(trusted, "MAX_BYTES", 1_000_000)
    with pytest.raises(ModelFileError, match="larger than any model"):
        load_trusted(tmp_path / "b.skops", (), "")


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_trusted(tmp_path / "gone.skops", (), "")


def test_flipped_bytes_never_get_through_as_something_else(tmp_path):
    file = tmp_path / "m.skops"
    skops.io.dump(SVC(C=2.0), file)
    content, rng = file.read_bytes(), np.random.default_rng(0)
    refused = 0
    for place in rng.integers(0, len(content), size=60):
        changed = bytearray(content)
        changed[place] ^= 0xFF
        file.write_bytes(changed)
        try:
            assert isinstance(load_trusted(file, (), ""), SVC)
        except ModelFileError:
            refused += 1
    assert refused > 30


def test_a_file_is_described_without_being_built(tmp_path):
    skops.io.dump(Stranger(), tmp_path / "m.skops")
    (tmp_path / "t.skops").write_text("text")
    (tmp_path / "e.skops").touch()
    with zipfile.ZipFile(tmp_path / "z.skops", "w") as archive:
        archive.writestr("other.txt", "")
    assert b"Stranger" in schema_of(tmp_path / "m.skops")
    assert [schema_of(tmp_path / f"{name}.skops") for name in "tez"] == [b"", b"", b""]
