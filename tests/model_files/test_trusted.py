import contextlib
import io
import json
import subprocess
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest
import skops.io
from sklearn.datasets import make_blobs
from sklearn.svm import SVC

from kpboost import NystroemKPBoostSVC
from kpboost.model_files import ModelFileError, _archive as archive, load_model
from kpboost.model_files._archive import described
from kpboost.model_files._trusted import MODEL_TYPES, dumped, load_to_predict, load_to_train
from support import forged_models, patience


class Stranger:
    pass


def test_types_are_refused_by_name_with_the_advice(tmp_path):
    skops.io.dump({"a": Stranger()}, tmp_path / "s.skops")
    for load in (load_to_predict, load_to_train):
        with pytest.raises(ModelFileError, match=r"holds .*Stranger, which .*; ask for help\."):
            load(tmp_path / "s.skops", (), "ask for help")


def test_harmless_content_is_built(tmp_path):
    skops.io.dump({"a": [1, np.arange(3), {"b"}, slice(1, 2)]}, tmp_path / "s.skops")
    content = load_to_predict(tmp_path / "s.skops", (), "")
    assert content["a"][1].tolist() == [0, 1, 2]
    assert content["a"][2:] == [{"b"}, slice(1, 2)]


def test_a_large_archive_is_not_in_memory_beside_what_is_built_from_it(tmp_path):
    """What skops needs is twice the arrays: their bytes, and the arrays themselves."""
    arrays = [np.random.default_rng(seed).random(2**18) for seed in range(16)]
    total = sum(array.nbytes for array in arrays)
    assert total > archive.MOST_IN_MEMORY
    skops.io.dump(arrays, tmp_path / "s.skops")
    tracemalloc.start()
    try:
        built = load_to_predict(tmp_path / "s.skops", (), "")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert np.array_equal(built, arrays)
    assert peak < 2.5 * total


def test_no_more_is_trusted_than_methods_are_made_of(tmp_path):
    held = set()
    for kind in forged_models.KINDS:
        held |= types_in(forged_models.saved_model(kind, tmp_path))
    listed = {(loader, name) for loader, names in MODEL_TYPES.items() for name in names}
    two_classes = {"CyHalfBinomialLoss", "HalfBinomialLoss", "LogitLink"}
    other_versions = {"CyHalfMultinomialLoss", "LabelEncoder"}  # of scikit-learn and skops
    unseen = {name.rpartition(".")[2] for _, name in listed - held}
    assert unseen <= two_classes | other_versions


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_low_rank_machine_is_built(tmp_path, n_classes):
    X, y = make_blobs(120, centers=n_classes, cluster_std=2.0, random_state=0)
    model = NystroemKPBoostSVC(n_landmarks=20, random_state=0).fit(X, y)
    skops.io.dump(model, tmp_path / "s.skops")
    again = load_to_predict(tmp_path / "s.skops", (), "")
    assert again.decision_function(X).tolist() == model.decision_function(X).tolist()


def types_in(file):
    found = set()
    for node in archive._nodes(json.loads(described(file))):
        found.add((node["__loader__"], f"{node['__module__']}.{node['__class__']}"))
    return found


def test_a_type_is_trusted_with_its_own_loader_only(tmp_path):
    skops.io.dump({"a": [1]}, tmp_path / "s.skops")
    entries = forged_models.unzipped(tmp_path / "s.skops")
    text = entries["schema.json"].decode()
    entries["schema.json"] = text.replace("ListNode", "ConstructorFromReduceNode").encode()
    forged_models.zipped(entries, tmp_path / "s.skops")
    with pytest.raises(ModelFileError, match=r"holds builtins\.list"):
        load_to_predict(tmp_path / "s.skops", (), "")


def packed(path, schema, **entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("schema.json", schema)
        for name, content in entries.items():
            file.writestr(f"{name}.npy", content)
    assert path.stat().st_size < 200_000
    return path


NODE = '{"__class__": "list", "__module__": "builtins", "__loader__": "ListNode", '


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (NODE + '"protocol": 2, "content": [' + "{}," * 30_000_000 + "{}]}", "more than any model"),
        (NODE + '"protocol": 2, "content": [' + "{}," * 3_000_000 + "{}]}", "1,000,000 values"),
        ("[" * 100_000, "is not a model file"),
        (NODE + '"protocol": 2, "content": [' + "[" * 800 + "]" * 800 + "]}", "levels deep"),
        (NODE + '"protocol": 0, "content": []}', "protocol 0 of skops"),
        (NODE + '"protocol": true, "content": []}', "protocol True of skops"),
        (" " * 200, "is not a model file"),
    ],
    ids=["bytes", "values", "brackets", "levels", "old", "truth", "blank"],
)
def test_a_schema_is_read_under_limits(schema, words, tmp_path):
    with pytest.raises(ModelFileError, match=words):
        load_to_predict(packed(tmp_path / "b.skops", schema), (), "")


def test_a_protocol_to_come_does_no_harm(tmp_path):
    """skops refuses it, or in early versions reads it as its own; our lists hold in either case."""
    file = packed(tmp_path / "s.skops", NODE + '"protocol": 99, "content": []}')
    with contextlib.suppress(ModelFileError):
        assert load_to_predict(file, (), "") == []


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path):
    file = packed(tmp_path / "b.skops", "{}", zeros=bytes(archive.FREE_BYTES + 1))
    with pytest.raises(ModelFileError, match="more than any model"):
        load_to_predict(file, (), "")
    assert described(file) == b""


ARRAY = NODE.replace("list", "ndarray").replace("builtins", "numpy").replace("List", "NdArray")


def listed(names):
    arrays = ", ".join(ARRAY + f'"type": "numpy", "file": "{name}"}}' for name in names)
    return NODE + f'"protocol": 2, "content": [{arrays}]}}'


def npy(values):
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


def test_a_small_array_that_is_built_many_times_is_refused(tmp_path):
    zeros = npy(np.zeros(1_000_000))
    file = packed(tmp_path / "b.skops", listed(["a.npy"] * 20), a=zeros)
    with pytest.raises(ModelFileError, match="unpacks to 160,002,560 bytes, more than any model"):
        load_to_predict(file, (), "")
    file = packed(tmp_path / "g.skops", listed(["a.npy"] * 2), a=zeros)
    assert len(load_to_predict(file, (), "")) == 2


def test_entries_that_no_object_names_are_not_read(tmp_path, monkeypatch):
    read = []
    original = archive._read
    monkeypatch.setattr(
        archive, "_read", lambda file, name: read.append(name) or original(file, name)
    )
    file = packed(tmp_path / "b.skops", listed(["a.npy"]), a=npy(np.ones(3)), b=bytes(10**7))
    load_to_predict(file, (), "")
    assert read == ["schema.json", "a.npy"]


@pytest.mark.parametrize(
    ("name", "words"),
    [("b.npy", "missing"), ("schema.json", "missing"), ("a.txt", "does not end in .npy")],
)
def test_an_array_is_an_entry_of_its_own(name, words, tmp_path):
    file = packed(tmp_path / "b.skops", listed([name]))
    with zipfile.ZipFile(file, "a") as more:
        more.writestr("a.txt", npy(np.ones(3)))
    with pytest.raises(ModelFileError, match=words):
        load_to_predict(file, (), "")


@pytest.mark.parametrize("limit", [10_000, 1_000_000], ids=["once", "twice"])
def test_what_is_written_is_packed_unless_it_would_be_refused(limit, tmp_path, monkeypatch):
    zeros = np.zeros(100_000)
    content = {"a": zeros, "b": zeros}
    small = dumped(content)
    assert len(small) < 10_000
    monkeypatch.setattr(archive, "FREE_BYTES", limit)
    large = dumped(content)
    assert len(large) > 800_000
    (tmp_path / "s.skops").write_bytes(small)
    (tmp_path / "l.skops").write_bytes(large)
    assert load_to_predict(tmp_path / "l.skops", (), "")["a"].shape == (100_000,)
    with pytest.raises(ModelFileError, match="more than any model"):
        load_to_predict(tmp_path / "s.skops", (), "")


@pytest.mark.parametrize("kind", forged_models.KINDS)
def test_models_are_packed_with_room_below_the_limits(kind, tmp_path):
    file = forged_models.saved_model(kind, tmp_path)
    sizes = {entry.filename: entry.file_size for entry in zipfile.ZipFile(file).infolist()}
    assert file.stat().st_size < sum(sizes.values()) / 3
    assert sum(sizes.values()) < archive.FREE_BYTES / 3
    skops.io.dump(load_model(file).model, tmp_path / "stored.skops")  # as older files are
    assert load_to_predict(tmp_path / "stored.skops", (), "").n_features_in_ == 2


def test_an_entry_that_claims_less_than_it_holds_is_not_unpacked(tmp_path):
    file = packed(tmp_path / "b.skops", "{}", zeros=bytes(1_000_000))
    content = file.read_bytes().replace((1_000_000).to_bytes(4, "little"), bytes([9, 0, 0, 0]))
    file.write_bytes(content)
    with pytest.raises(ModelFileError):
        load_to_predict(file, (), "")


def test_other_packings_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "z.skops", "w", zipfile.ZIP_LZMA) as file:
        file.writestr("schema.json", "{}")
    with pytest.raises(ModelFileError, match="packed in a way"):
        load_to_predict(tmp_path / "z.skops", (), "")


@pytest.mark.parametrize("shape", [b"(300000000000,)", b"(4,)", b"(2,)", b"(-3,)"])
def test_an_array_must_be_as_large_as_it_claims(shape, tmp_path):
    skops.io.dump({"a": np.arange(3)}, tmp_path / "s.skops")
    entries = forged_models.unzipped(tmp_path / "s.skops")
    name = next(name for name in entries if name.endswith(".npy"))
    entries[name] = entries[name].replace(b"(3,)", shape)
    forged_models.zipped(entries, tmp_path / "s.skops")
    with pytest.raises(ModelFileError, match="is a damaged model file"):
        load_to_predict(tmp_path / "s.skops", (), "")


def test_two_descriptions_of_one_number_are_two_objects(tmp_path):
    shared = [1, 2]
    skops.io.dump([shared, shared], tmp_path / "s.skops")
    one, two = load_to_predict(tmp_path / "s.skops", (), "")
    assert one == two
    assert one is not two


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_to_predict(tmp_path / "gone.skops", (), "")


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
            assert isinstance(load_to_train(file, (), ""), SVC)
        except ModelFileError:
            refused += 1
    assert refused > 30


def test_a_file_is_described_without_being_built(tmp_path):
    skops.io.dump(Stranger(), tmp_path / "m.skops")
    (tmp_path / "t.skops").write_text("text")
    (tmp_path / "e.skops").touch()
    with zipfile.ZipFile(tmp_path / "z.skops", "w") as file:
        file.writestr("other.txt", "")
    assert b"Stranger" in described(tmp_path / "m.skops")
    assert [described(tmp_path / f"{name}.skops") for name in "tez"] == [b"", b"", b""]


# Forged files of each kind. While this was written, the same program tried 1,500 of each.
N_FORGED = 5


def test_forged_models_end_in_words(tmp_path):
    words = [sys.executable, "-m", "support.forged_models", str(tmp_path), "0", str(N_FORGED)]
    result = subprocess.run(
        [*words, *forged_models.KINDS],
        env=patience.with_support(),
        capture_output=True,
        text=True,
        timeout=patience.HANG,
    )
    assert result.returncode == 0, result.stdout[-500:] + result.stderr[-2000:]
    lines = result.stdout.splitlines()
    assert lines[-1] == "done"
    assert len(lines) == N_FORGED * len(forged_models.KINDS) + 1
    refused = sum("damaged" in line or "not a model" in line for line in lines)
    assert refused > len(lines) // 3
