from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest

from falsify_nb.errors import FalsifyError, OptionError, WriteError
from falsify_nb.report.files import write


def test_a_file_is_written_and_replaced(tmp_path):
    path = tmp_path / "a.txt"
    write(path, "first τ")
    write(path, b"second")
    assert path.read_bytes() == b"second"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_keeps_pointing_at_its_target(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    write(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"


# A limit on the size of files stops a write in its middle, as a full disk does.
STOPPED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
from falsify_nb.report.files import write
from falsify_nb.errors import WriteError
try:
    write(sys.argv[1], "x" * 1_000_000)
except WriteError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_write_that_stops_half_way_leaves_the_old_file(tmp_path):
    path = tmp_path / "report.html"
    path.write_text("the old report")
    ran = subprocess.run(
        [sys.executable, "-c", STOPPED, str(path)], capture_output=True, text=True, check=True
    )
    assert "was not written: the file would be larger than is allowed here" in ran.stdout
    assert path.read_text() == "the old report"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (errno.ENOSPC, "the disk is full. Make room"),
        (errno.EROFS, "the file system is read-only. Choose another folder"),
        (errno.EACCES, "you may not write there. Choose another folder"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_each_failure_is_told_with_its_remedy(tmp_path, monkeypatch, code, said):
    path = tmp_path / "r.md"
    path.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("falsify_nb.report.files._write_new", refuse)
    with pytest.raises(WriteError) as caught:
        write(path, "new")
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    assert isinstance(caught.value, OSError)
    assert isinstance(caught.value, FalsifyError)
    assert caught.value.errno == code
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing/r.md", "its folder does not exist. Make the folder first."),
        ("file/r.md", "its folder is a file"),
        ("folder", "it is a folder. Add a file name."),
        ("x" * 300 + ".md", "its name is too long"),
    ],
)
def test_a_place_that_cannot_be_written_is_named(tmp_path, name, said):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    with pytest.raises(WriteError, match=said):
        write(tmp_path / name, "text")


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_read_only_folder_is_an_error_and_its_file_stays(tmp_path):
    path = tmp_path / "r.md"
    path.write_text("old")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(WriteError, match="you may not write there"):
            write(path, "new")
    finally:
        tmp_path.chmod(0o700)
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("r.htm", r"extension '\.htm' names no form.*Did you mean \.html\?"),
        ("report", "a name without extension"),
        ("r.pdf", r"There are: \.html, \.md, \.tex, \.ipynb, \.json, \.csv, \.png, \.svg, \.txt"),
    ],
)
def test_an_extension_that_names_no_form_lists_the_forms(result, tmp_path, name, said):
    with pytest.raises(OptionError, match=said):
        result.save(tmp_path / name)
    assert not list(tmp_path.iterdir())
