"""Opening what a user points at: paths and open files, decompressed, within stated limits."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from falsify_nb.errors import ReadError, near_names, shorten

__all__ = ["MAX_BYTES", "MAX_JSON", "MAX_LINE", "MAX_RATIO", "Source", "is_readable", "open_source"]

# A run of ten million rows is about 0.5 GB; four times the largest shared runs is enough.
MAX_BYTES = 4 << 30
# The longest line of a text format: a document of a corpus, or one query's results.
MAX_LINE = 64 << 20
# A JSON document is mostly written as a single line.
MAX_JSON = 512 << 20
# Runs shrink by 4 to 40. Past the first RATIO_FREE bytes, more than this is a bomb.
MAX_RATIO = 400
RATIO_FREE = 64 << 20
_CHUNK = 1 << 22

_UNREADABLE = (
    (b"\x28\xb5\x2f\xfd", "zstd-compressed", "Decompress it first (zstd -d)."),
    (b"PK\x03\x04", "a zip archive or a workbook", "Unpack it, or save the sheet as CSV."),
    (b"PK\x05\x06", "an empty zip archive", "Unpack it first."),
    (b"\x89HDF", "HDF5", "Save the table as CSV or Parquet."),
    (b"\x93NUMPY", "a NumPy array", "Load it with numpy.load and hand over ids and scores."),
    (
        b"\x80\x04\x95",
        "a pickle, which is never opened",
        "Load it yourself and hand over the object.",
    ),
    (
        b"\x80\x05\x95",
        "a pickle, which is never opened",
        "Load it yourself and hand over the object.",
    ),
    (b"%PDF", "a PDF", "Give the run, qrels or corpus file itself."),
    (b"SQLite format 3", "an SQLite database", "Export the table as CSV."),
)


@dataclass(frozen=True, slots=True)
class Source:
    """A file's whole content, decompressed and without byte-order mark.

    Parameters
    ----------
    name : str
        The file's name, as errors quote it.
    data : bytes
        UTF-8 text with line ends as found, or a binary format that starts with its magic bytes.
    """

    name: str
    data: bytes

    @property
    def suffix(self) -> str:
        """The last suffix that tells a format, such as ``.csv`` of ``run.csv.gz``."""
        suffixes = [s.lower() for s in Path(self.name).suffixes]
        while suffixes and suffixes[-1] in {".gz", ".bz2", ".xz", ".txt"}:
            suffixes.pop()
        return suffixes[-1] if suffixes else ""


def is_readable(obj: object) -> bool:
    """Return whether an object names a file or is an open one."""
    return isinstance(obj, str | os.PathLike) or callable(getattr(obj, "read", None))


def open_source(source: str | os.PathLike[str] | IO[Any], what: str = "file") -> Source:
    """Read a path or an open file to its end.

    Parameters
    ----------
    source : path-like or open file
        Text or binary; gzip, bzip2 and xz are known by their first bytes, whatever the name.
    what : str
        What the file is to hold, for messages: ``"run"``, ``"qrels"``, ``"corpus"``.

    Raises
    ------
    ReadError
        If it cannot be opened, is no text, or exceeds a limit.
    """
    if isinstance(source, str | os.PathLike):
        name, raw = _read_path(source, what)
    else:
        name, raw = _read_stream(source)
    for magic, kind, remedy in _UNREADABLE:
        if raw.startswith(magic):
            raise ReadError(f"The {what} file is {kind}", where=name, remedy=remedy)
    data = _decompress(raw, name)
    if data.startswith(b"PAR1"):
        return Source(name, data)
    _check_lines(data, name)
    data = _as_utf8(data, name)
    if b"\n" not in data and b"\r" in data:
        # Line ends of a lone carriage return: old spreadsheets on macOS still write them.
        data = data.replace(b"\r", b"\n")
    return Source(name, data)


def _read_path(source: str | os.PathLike[str], what: str) -> tuple[str, bytes]:
    text = os.fspath(source)
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    if "\n" in text:
        raise ReadError(
            f"The {what} is text of several lines, not a file name: {shorten(text)}",
            remedy="Write it to a file, or hand over io.StringIO(text).",
        )
    if "://" in text:
        raise ReadError(
            f"{shorten(text)} is an address; nothing is fetched from a network",
            remedy="Download the file and give its path.",
        )
    path = Path(text).expanduser()
    if path.is_dir():
        raise ReadError(
            f"{shorten(text)} is a folder",
            remedy=f"Name the {what} file in it: {', '.join(sorted(_siblings(path / 'x'))[:4])}.",
        )
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= MAX_BYTES else b""
    except FileNotFoundError:
        near = near_names(path.name, _siblings(path))
        raise ReadError(
            f"There is no {what} file {shorten(text)}",
            where=f"looked in {path.parent.absolute()}",
            remedy=f"Did you mean {' or '.join(near)}?" if near else "Check the path.",
        ) from None
    except (OSError, ValueError) as error:
        raise ReadError(
            f"{shorten(text)} cannot be read: {error}", remedy="Check the path and its permissions."
        ) from error
    _check_size(size, path.name)
    return path.name, content


def _siblings(path: Path) -> list[str]:
    try:
        return [p.name for p in path.parent.iterdir()]
    except OSError:
        return []


def _read_stream(stream: IO[Any]) -> tuple[str, bytes]:
    name = getattr(stream, "name", None)
    name = Path(name).name if isinstance(name, str) and name else "the open file"
    try:
        got = stream.read()
    except UnicodeDecodeError as error:
        raise ReadError(
            f"The open file is no text in its encoding: {error.reason}",
            where=name,
            remedy='Open it with open(path, "rb").',
        ) from error
    except (OSError, ValueError) as error:
        raise ReadError(f"The open file cannot be read: {error}", where=name) from error
    if isinstance(got, str):
        # A text stream has decoded already; surrogates stand for bytes that were no UTF-8.
        return name, got.encode("utf-8", "surrogateescape")
    if isinstance(got, bytes | bytearray | memoryview):
        return name, bytes(got)
    raise ReadError(
        f"read() returned {type(got).__name__}, neither text nor bytes",
        where=name,
        remedy="Hand over a path or an open file.",
    )


def _check_size(size: int, name: str) -> None:
    if size > MAX_BYTES:
        raise ReadError(
            f"{size:,} bytes are more than the limit of {MAX_BYTES:,}",
            where=name,
            remedy="Split the file, or keep only the top of each ranking.",
        )


def _decompress(raw: bytes, name: str) -> bytes:
    """Undo gzip, bzip2 or xz; twice at most, because some servers compress what is compressed."""
    for _ in range(2):
        opener: Any
        if raw.startswith(b"\x1f\x8b"):
            opener, kind = gzip.GzipFile, "gzip"
        elif raw.startswith(b"BZh"):
            opener, kind = bz2.BZ2File, "bzip2"
        elif raw.startswith(b"\xfd7zXZ\x00"):
            opener, kind = lzma.LZMAFile, "xz"
        else:
            return raw
        stream = io.BytesIO(raw)
        handle = opener(fileobj=stream) if kind == "gzip" else opener(stream)
        raw = b"".join(_expand(handle, len(raw), kind, name))
    return raw


def _expand(handle: IO[bytes], packed: int, kind: str, name: str) -> Iterator[bytes]:
    total = 0
    while True:
        try:
            chunk = handle.read(_CHUNK)
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise ReadError(
                f"The {kind} data is damaged or cut off: {error}",
                where=name,
                remedy="Copy or download the file again.",
            ) from error
        if not chunk:
            return
        total += len(chunk)
        if total > MAX_BYTES or (total > RATIO_FREE and total > MAX_RATIO * packed):
            raise ReadError(
                f"{packed:,} bytes of {kind} expand past the limit of {MAX_BYTES:,} bytes "
                f"or {MAX_RATIO} times their size",
                where=name,
                remedy="If the file is meant, decompress it yourself first.",
            )
        yield chunk


def _as_utf8(data: bytes, name: str) -> bytes:
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
    elif data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        # What a shell on Windows writes by default; its mark says how to read it.
        try:
            data = data.decode("utf-16").encode("utf-8")
        except UnicodeError as error:
            raise ReadError(
                "The file is marked as UTF-16 and is not", where=name, remedy="Save it as UTF-8."
            ) from error
    if b"\x00" in data:
        line = data.count(b"\n", 0, data.index(b"\x00")) + 1
        raise ReadError(
            "A zero byte: this is no text file",
            where=f"{name}, line {line}",
            remedy="Give a text file in UTF-8.",
        )
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise ReadError(
                f"Byte 0x{data[error.start]:02x} is no UTF-8",
                where=f"{name}, line {line}",
                remedy="Save the file as UTF-8 (iconv -t UTF-8).",
            ) from None
    return data


def _check_lines(data: bytes, name: str) -> None:
    """Refuse a line past the limit, looking at one line break per stretch of that length."""
    limit = MAX_JSON if data[:1024].lstrip()[:1] in {b"{", b"["} else MAX_LINE
    start = 0
    while len(data) - start > limit:
        stop = start + limit
        end = max(data.rfind(b"\n", start, stop), data.rfind(b"\r", start, stop))
        if end < 0:
            line = data.count(b"\n", 0, start) + 1
            raise ReadError(
                f"A line is longer than the limit of {limit:,} bytes",
                where=f"{name}, line {line}",
                remedy="Give one record a line.",
            )
        start = end + 1
