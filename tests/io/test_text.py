"""Opening: compression by content, encodings, limits, and messages for what cannot be opened."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
import zipfile

import pytest

from falsify_nb import read_qrels, read_run
from falsify_nb.errors import ReadError, ScoreError
from falsify_nb.io import limits

RUN = b"q1 Q0 d1 1 2.0 t\n"
READ = {"q1": {"d1": 2.0}}
PACKED = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("name", ["run.gz", "run.txt", "run.bz2", "run", "run.xz"])
def test_compression_is_known_by_content_whatever_the_name(kind, name, file):
    assert read_run(file(PACKED[kind](RUN), name)).to_dict() == READ


def test_plain_text_under_a_compressed_name_is_read(file):
    assert read_run(file(RUN, "run.gz")).to_dict() == READ


def test_several_gzip_members_are_one_file(file):
    path = file(gzip.compress(RUN) + gzip.compress(RUN.replace(b"d1", b"d2")))
    assert read_run(path).to_dict() == {"q1": {"d1": 2.0, "d2": 2.0}}


@pytest.mark.parametrize("kind", PACKED)
def test_damaged_compression_is_named(kind, file):
    with pytest.raises(ReadError, match=rf"{kind} data is damaged.*some\.run"):
        read_run(file(PACKED[kind](RUN * 100)[:-12], "some.run"))


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + RUN,
        RUN.decode().encode("utf-16"),
        b"\xfe\xff" + RUN.decode().encode("utf-16-be"),
    ],
    ids=["utf-8 with mark", "utf-16 little", "utf-16 big"],
)
def test_marked_encodings_are_read(data, file):
    assert read_run(file(data)).to_dict() == READ


def test_ids_of_any_script_are_read(file):
    assert read_run(file("q 0 café-文 1 1 t".encode())).to_dict() == {"q": {"café-文": 1.0}}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (RUN + b"q2 Q0 caf\xe9 1 1 t\n", r"0xe9 is no UTF-8.*line 2"),
        (RUN + b"q2 Q0 a\x00b 1 1 t\n", r"zero byte.*line 2"),
        (b"\xff\xfeq\x00\xd8", "UTF-16"),
        (b"", "empty"),
        (b" \n\t\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (pickle.dumps({"q": {"d": 1.0}}), "pickle"),
        (b"\x28\xb5\x2f\xfd....", "zstd"),
        (b"%PDF-1.7", "PDF"),
    ],
)
def test_what_is_no_text_is_refused(data, says, file):
    with pytest.raises(ReadError, match=says):
        read_run(file(data))


def test_a_workbook_or_archive_is_refused_with_a_remedy(tmp_path):
    path = tmp_path / "run.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", "b")
    with pytest.raises(ReadError, match="save the sheet as CSV"):
        read_run(path)


def test_a_missing_file_names_its_neighbours(file):
    path = file(RUN, "bm25.run")
    with pytest.raises(ReadError, match=r"no run file.*Did you mean bm25\.run\?"):
        read_run(path.with_name("bm52.run"))


def test_a_folder_names_its_files(file):
    path = file("q 0 d 1", "judged.txt")
    with pytest.raises(ReadError, match=r"is a folder.*judged\.txt"):
        read_qrels(path.parent)


def test_text_in_place_of_a_name_is_refused():
    with pytest.raises(ReadError, match=r"io\.StringIO"):
        read_run(RUN.decode() * 2)


def test_nothing_is_fetched_from_a_network():
    with pytest.raises(ReadError, match="Download"):
        read_qrels("https://example.org/qrels.txt")


def test_a_name_that_the_system_cannot_hold_is_refused():
    with pytest.raises(ReadError):
        read_run("run\x00.txt")
    with pytest.raises(ReadError):
        read_run("x" * 5000)


@pytest.mark.parametrize("mode", ["rt", "rb"])
def test_open_files_are_read_and_stay_open(mode, file):
    with file(RUN, "open.run").open(mode) as handle:
        assert read_run(handle).to_dict() == READ
        assert not handle.closed


def test_streams_in_memory_are_read():
    assert read_run(io.StringIO(RUN.decode())).to_dict() == READ
    assert read_run(io.BytesIO(gzip.compress(RUN))).to_dict() == READ


def test_an_error_in_a_stream_names_the_stream(file):
    path = file(b"q Q0 d 1 x t\n", "open.run")
    with path.open("rb") as handle, pytest.raises(ScoreError, match=r"open\.run, line 1"):
        read_run(handle)


def test_a_bomb_is_refused_before_it_has_expanded(file):
    bomb = gzip.compress(b"q1 Q0 d1 1 1 t\n" * 4_500_000)
    assert len(bomb) < 67_500_000 / 400
    with pytest.raises(ReadError, match=r"expand past the limit of .* 400 times"):
        read_run(file(bomb, "bomb.gz"))


def test_a_bomb_inside_a_bomb_is_refused(file):
    inner = gzip.compress(b"0" * (70 << 20))
    with pytest.raises(ReadError, match="expand past the limit"):
        read_run(file(gzip.compress(inner)))


def test_the_size_of_content_is_limited(file, monkeypatch):
    monkeypatch.setattr(limits, "MAX_BYTES", 1000)
    with pytest.raises(ReadError, match="1,000"):
        read_run(file(RUN * 100))
    with pytest.raises(ReadError, match="1,000"):
        read_run(file(gzip.compress(RUN * 100)))


def test_a_line_of_a_gigabyte_is_refused(tmp_path):
    path = tmp_path / "long.run"
    with path.open("wb") as handle:
        handle.write(RUN)
        handle.truncate(1 << 30)
    with pytest.raises(ReadError, match=r"longer than the limit of 67,108,864 bytes.*line 2"):
        read_run(path)


def test_a_json_document_may_be_one_line_up_to_its_own_limit(file, monkeypatch):
    monkeypatch.setattr(limits, "MAX_LINE", 20)
    path = file('{"query one": {"document one": 1.0}}', "run.json")
    assert len(read_run(path)) == 1
    monkeypatch.setattr(limits, "MAX_JSON", 30)
    with pytest.raises(ReadError, match="limit of 30 bytes"):
        read_run(path)
