import zipfile
import zlib
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from kpboost.experiments.storage import packing
from kpboost.experiments.storage.packing import pack, smallest_integers, unpack, unpack_text


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
    with pytest.raises(ValueError, match="it has no end"):
        unpack_text(zlib.compress(b"a" * 1_000_000))
    assert unpack_text(zlib.compress(b"[1]")) == "[1]"
