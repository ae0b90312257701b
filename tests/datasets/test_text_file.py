import pytest

from kpboost.datasets import DataError
from kpboost.datasets.text_file import decoded, read_bytes


def test_marks_before_the_text():
    assert decoded(b"\xef\xbb\xbfabc", "f") == "abc"
    assert decoded("é".encode(), "f") == "é"
    with pytest.raises(DataError, match="UTF-16"):
        decoded(b"\xff\xfea\0", "f")


def test_wrong_bytes_are_blamed_on_their_line():
    with pytest.raises(DataError) as caught:
        decoded(b"one\ntwo\n\xe9\n", "f")
    assert caught.value.line == 3


def test_a_file_up_to_the_cap(tmp_path):
    (tmp_path / "f").write_bytes(b"12345")
    assert read_bytes(tmp_path / "f", 5) == b"12345"
    with pytest.raises(DataError, match="max_bytes=4"):
        read_bytes(tmp_path / "f", 4)
