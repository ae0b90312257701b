"""Compressed text, written by pandas and by the standard library."""

import bz2
import gzip
import lzma

import numpy as np
import pandas as pd
import pytest

from kpboost.datasets import DataError, read_dataset, read_table
from kpboost.datasets._file_bytes import ending_of, stem_of, table_bytes
from support.same_tables import same_table

pa = pytest.importorskip("pyarrow")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    made = pd.DataFrame(
        {"x": rng.normal(size=60), "word": rng.choice(["red", "blue"], 60), "y": [*"ab"] * 30}
    )
    made.loc[::7, "x"] = np.nan
    return made


@pytest.mark.parametrize("ending", [".csv.gz", ".csv.bz2", ".csv.xz", ".txt.gz", ".tsv.gz"])
def test_a_compressed_file_is_the_plain_one(frame, tmp_path, ending):
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / f"T{ending.upper()}", index=False, compression=packing(ending))
    assert same_table(read_table(tmp_path / f"T{ending.upper()}"), read_table(tmp_path / "t.csv"))
    assert read_dataset(tmp_path / f"T{ending.upper()}").name == "T"


def packing(ending):
    return {".gz": "gzip", ".bz2": "bz2", ".xz": "xz"}[ending[ending.rindex(".") :]]


def test_zstandard_is_read_through_pyarrow(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pa.output_stream(str(tmp_path / "t.csv.zst"), compression="zstd") as stream:
        stream.write((tmp_path / "t.csv").read_bytes())
    assert same_table(read_table(tmp_path / "t.csv.zst"), read_table(tmp_path / "t.csv"))


def test_arff_may_be_compressed_too(tmp_path):
    text = b"@relation r\n@attribute x real\n@attribute k {a,b}\n@data\n1,a\n2,b\n"
    (tmp_path / "t.arff.gz").write_bytes(gzip.compress(text))
    assert read_table(tmp_path / "t.arff.gz").names == ("x", "k")


def test_streams_one_after_the_other_are_one_text(tmp_path):
    for name, pack in (("t.csv.gz", gzip), ("t.csv.bz2", bz2), ("t.csv.xz", lzma)):
        (tmp_path / name).write_bytes(pack.compress(b"x,y\n1,a\n") + pack.compress(b"2,b\n"))
        assert table_bytes(tmp_path / name) == b"x,y\n1,a\n2,b\n"


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv.bz2", "t.csv.xz", "t.csv.zst"])
def test_no_more_is_unpacked_than_a_file_may_have(tmp_path, name):
    """Zeros shrink to nothing: the small file would unfold to a thousand times its size."""
    content = bytes(3_000_000)
    pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
    kind = name[name.rindex(".") :]
    packed = pack[kind](content) if kind in pack else zstandard(content)
    (tmp_path / name).write_bytes(packed)
    assert len(packed) < 10_000
    assert table_bytes(tmp_path / name, 3_000_000) == content
    with pytest.raises(DataError, match="unpacks to more than max_bytes=2999999 bytes"):
        table_bytes(tmp_path / name, 2_999_999)


def zstandard(content):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


def test_xz_may_not_ask_for_any_memory(tmp_path):
    """Its header names the size of a dictionary, here 1.5 GB."""
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1536 << 20, "mode": lzma.MODE_FAST,
                "mf": lzma.MF_HC3, "depth": 1, "nice_len": 8}]  # fmt: skip
    small = lzma.compress(b"x,y\n1,a\n", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 4096}])
    assert table_size(tmp_path, small) == 8
    forged = with_large_dictionary(small)
    with pytest.raises(DataError, match=r"is not a whole \.xz file: Memory usage limit exceeded"):
        table_size(tmp_path, forged)
    assert filters[0]["dict_size"] > 1 << 30


def with_large_dictionary(packed):
    """Change the one byte of the block's header that says it, and the check after it."""
    import zlib

    header = bytearray(packed[12:24])
    assert header[2] == lzma.FILTER_LZMA2
    header[4] = 37  # 3 * 2**29 bytes
    header[8:12] = zlib.crc32(bytes(header[:8])).to_bytes(4, "little")
    return packed[:12] + bytes(header) + packed[24:]


def table_size(folder, packed):
    (folder / "t.csv.xz").write_bytes(packed)
    return len(table_bytes(folder / "t.csv.xz"))


@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv.bz2", "t.csv.xz", "t.csv.zst"])
@pytest.mark.parametrize("damage", ["cut", "plain", "empty"])
def test_a_damaged_file_is_a_sentence(frame, tmp_path, name, damage):
    text = frame.to_csv(index=False).encode()
    pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstandard}
    whole = pack[name[name.rindex(".") :]](text)
    (tmp_path / name).write_bytes({"cut": whole[:-20], "plain": text, "empty": b""}[damage])
    with pytest.raises(DataError, match=rf"{name}: (is not a whole \.\w+ file|is empty)"):
        read_table(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (gzip.compress(b"x,y\n"), r"is compressed by gzip; its name must end in \.gz"),
        (lzma.compress(b"x,y\n"), "is compressed by xz"),
        (b"PK\x03\x04 and so on", "is a zip archive or an Excel workbook"),
        (b"PAR1 and so on", "is a Parquet file"),
    ],
    # Not the bytes: gzip writes the time into them, and every process would name another test.
    ids=["gzip", "xz", "zip", "parquet"],
)
def test_a_wrong_ending_is_told(tmp_path, content, sentence):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DataError, match=sentence):
        read_table(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("t.xls", r"save it as \.xlsx"),
        ("t.pkl", "may run code"),
        ("t.tar.gz", r"ends in none of \.csv, .*\.xlsx"),
        ("table", "ends in none of"),
    ],
)
def test_other_formats_are_refused_with_advice(tmp_path, name, sentence):
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(DataError, match=sentence):
        read_table(tmp_path / name)


def test_endings():
    assert ending_of("a/b.CSV.GZ") == ".csv.gz"
    assert ending_of("b.parquet.gz") == ".gz"
    assert ending_of("b") == ""
    assert stem_of("a/b.x.csv.gz") == "b.x"
    assert stem_of("the table") == "the table"
