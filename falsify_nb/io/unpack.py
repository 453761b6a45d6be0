"""Compressed files, known by their first bytes; other binary ones are named and refused."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from typing import IO, Any

from falsify_nb.errors import ReadError
from falsify_nb.io.limits import check_expansion

__all__ = ["decompress", "refuse_binary"]

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


def refuse_binary(raw: bytes, what: str, name: str) -> None:
    """Refuse what is known to be neither text nor compressed text."""
    for magic, kind, remedy in _UNREADABLE:
        if raw.startswith(magic):
            raise ReadError(f"The {what} file is {kind}", where=name, remedy=remedy)


def decompress(raw: bytes, name: str) -> bytes:
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
        check_expansion(packed, total, kind, name)
        yield chunk
