from pathlib import Path

import pytest

from kpboost.datasets import DataError
from kpboost.datasets._text import check_text, lines_of, read_bytes


def test_marks_before_the_text():
    for content in (b"\xef\xbb\xbfa\r\n\xc3\xa9", b"a\r\n\xc3\xa9"):
        check_text(content, "f")
        assert list(lines_of(content)) == ["a\n", "é"]
        assert list(lines_of(content, newline="")) == ["a\r\n", "é"]
    with pytest.raises(DataError, match="UTF-16"):
        check_text(b"\xff\xfea\0", "f")


def test_wrong_bytes_are_blamed_on_their_line():
    with pytest.raises(DataError) as caught:
        check_text(b"one\ntwo\n\xe9\n", "f")
    assert caught.value.line == 3


def test_a_file_up_to_the_cap(tmp_path):
    (tmp_path / "f").write_bytes(b"12345")
    assert read_bytes(tmp_path / "f", 5) == b"12345"
    with pytest.raises(DataError, match="max_bytes=4"):
        read_bytes(tmp_path / "f", 4)


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "f").write_bytes(b"1")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match="cannot be read: Permission denied"):
        read_bytes(tmp_path / "f")
