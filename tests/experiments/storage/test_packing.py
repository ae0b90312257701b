import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from kpboost.experiments.storage.packing import pack, smallest_integers, unpack


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


def test_same_answers_take_little_room():
    answers = np.tile(np.arange(200) % 2, (2738, 1))
    assert len(pack({"answers": smallest_integers(answers)})) < 10_000
