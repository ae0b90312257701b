import os
import stat

import pytest

from kpboost._files import replace_file

needs_devices = pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no devices here")


def test_a_file_is_written_and_replaced(tmp_path):
    file = tmp_path / "a.txt"
    replace_file(file, b"one")
    replace_file(file, b"two")
    assert file.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    file = tmp_path / "a.txt"
    file.write_bytes(b"old")
    with pytest.raises(TypeError):
        replace_file(file, "no bytes")
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.txt").write_bytes(b"old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    replace_file(tmp_path / "link.txt", b"new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_bytes() == b"new"


@needs_devices
def test_what_is_no_ordinary_file_is_written_to():
    replace_file("/dev/null", b"gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@needs_devices
def test_a_pipe_behind_a_link_is_written_to(tmp_path):
    reader, writer = os.pipe()
    (tmp_path / "link").symlink_to(f"/dev/fd/{writer}")
    replace_file(tmp_path / "link", b"through")
    os.close(writer)
    assert os.read(reader, 100) == b"through"
    os.close(reader)
