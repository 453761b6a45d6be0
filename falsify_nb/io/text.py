"""Opening what a user points at: paths and open files, decompressed, within stated limits."""

from __future__ import annotations

import codecs
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from falsify_nb.errors import ReadError, near_names, shorten
from falsify_nb.io import limits
from falsify_nb.io.unpack import decompress, refuse_binary

__all__ = ["Source", "is_readable", "open_source"]


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
    refuse_binary(raw, what, name)
    data = decompress(raw, name)
    if data.startswith(b"PAR1"):
        return Source(name, data)
    limits.check_lines(data, name)
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
    if os.path.isdir(path):  # noqa: PTH112 - it never raises, as Path.is_dir does for long names
        raise ReadError(
            f"{shorten(text)} is a folder",
            remedy=f"Name the {what} file in it: {', '.join(sorted(_siblings(path / 'x'))[:4])}.",
        )
    try:
        size = path.stat().st_size
        limits.check_size(size, path.name)
        if size > limits.MAX_LINE:
            limits.check_lines_on_disk(path)
        content = path.read_bytes()
    except ReadError:
        raise
    except FileNotFoundError:
        near = near_names(path.name, _siblings(path))
        remedy = f"Did you mean {' or '.join(near)}?" if near else "Check the path."
        if what == "corpus" and path.name.isdecimal():
            remedy = f"If that is the number of documents, write it as a number: {path.name}."
        raise ReadError(
            f"There is no {what} file {shorten(path.name)}",
            where=f"looked in {path.parent.absolute()}",
            remedy=remedy,
        ) from None
    except (OSError, ValueError) as error:
        raise ReadError(
            f"{shorten(text)} cannot be read: {error}", remedy="Check the path and its permissions."
        ) from error
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
