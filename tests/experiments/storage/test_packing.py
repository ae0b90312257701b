import json
import zipfile
import zlib
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays_of

from kpboost.experiments.storage import _store as packing
from kpboost.experiments.storage._store import (
    pack,
    smallest_integers,
    unpack,
    unpack_text,
    values_of_json,
)


@given(arrays_of.arrays(np.int64, (3, 4), elements=st.integers(-1, 2**40)))
def test_whole_numbers_survive_in_a_narrow_type(values):
    np.testing.assert_array_equal(smallest_integers(values), values)
    back = unpack(pack({"values": smallest_integers(values)}))["values"]
    np.testing.assert_array_equal(back, values)


@pytest.mark.parametrize(("highest", "size"), [(1, 1), (127, 1), (128, 2), (40000, 4)])
def test_types_are_narrow(highest, size):
    assert smallest_integers(np.array([-1, highest])).itemsize == size


@given(st.binary())
def test_other_bytes_are_refused(data):
    with pytest.raises(ValueError, match=r"damaged|pickle"):
        unpack(data)


def test_objects_are_neither_written_nor_read():
    with pytest.raises(ValueError, match="Object arrays"):
        pack({"x": np.array([print], dtype=object)})
    assert unpack(pack({"x": np.zeros(2)})).keys() == {"x"}  # and no option among them


def test_same_answers_take_little_room():
    answers = np.tile(np.arange(200) % 2, (2738, 1))
    assert len(pack({"answers": smallest_integers(answers)})) < 10_000


def test_arrays_that_claim_more_than_they_hold_are_refused():
    packed = pack({"a": np.zeros(1000, dtype=np.int8)})
    entries = zipfile.ZipFile(BytesIO(packed)).read("a.npy")
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr("a.npy", entries.replace(b"(1000,)", b"(10000000000000,)"))
    with pytest.raises(ValueError, match="damaged arrays"):
        unpack(stream.getvalue())


def test_what_unpacks_to_too_much_is_refused(monkeypatch):
    packed = pack({"a": np.zeros(1_000_000, dtype=np.int8)})
    monkeypatch.setattr(packing, "MAX_BYTES", 10_000)
    with pytest.raises(ValueError, match="larger than any data set"):
        unpack(packed)


@pytest.mark.parametrize("size", [packing.MAX_TEXT_BYTES + 1, 1 << 28])
def test_a_text_unpacks_up_to_a_limit(size):
    packed = zlib.compress(b"a" * size)
    with pytest.raises(ValueError, match="it has no end within 16,777,216 bytes"):
        unpack_text(packed)
    assert unpack_text(zlib.compress(b"[1]")) == "[1]"


def test_json_of_more_values_than_any_store_holds_is_not_parsed():
    text = "[" + "{}," * 3_000_000 + "{}]"
    with pytest.raises(ValueError, match="more than 1,000,000 values"):
        values_of_json(text)


def test_the_parameters_of_a_hundred_thousand_candidates_fit():
    candidate = {"C": 2.0**-5, "gamma": 2.0**-15, "step": 0.3, "roi_scale": 0.25, "n_rounds": 50}
    packed = zlib.compress(json.dumps([candidate] * 100_000).encode())
    assert values_of_json(unpack_text(packed))[-1] == candidate
